//! Where agents are reached: `unix:///path`, `grpc://host:port` and `grpcs://host:port`.

use std::path::PathBuf;

use hookweave_host::error::{Code, Error};

pub(super) fn refused(address: &str, why: impl std::fmt::Display) -> Error {
    Error::new(Code::InvalidOption, format!("the address `{address}` cannot be used: {why}"))
}

/// An address, read.
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "remote hooks need a system with Unix sockets"))]
pub(super) enum Address {
    Unix(PathBuf),
    #[cfg(feature = "grpc")]
    Grpc(Host),
}

/// A port of a machine, reached over gRPC.
#[cfg(feature = "grpc")]
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "remote hooks need a system with Unix sockets"))]
pub(super) struct Host {
    /// Without the brackets of an IPv6 address.
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) is_secure: bool,
}

#[cfg(feature = "grpc")]
impl Host {
    fn read(rest: &str, is_secure: bool) -> Option<Self> {
        let (host, port) = rest.rsplit_once(':')?;
        let name = match host.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').filter(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())?,
            None => host,
        };
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:".contains(&byte);
        let is_name = !name.is_empty() && name.bytes().all(fits) && (host.starts_with('[') || !name.contains(':'));
        Some(Self { name: name.to_owned(), port: port.parse().ok()?, is_secure }).filter(|_| is_name)
    }

    /// Whether only this machine can connect there.
    #[cfg(unix)]
    pub(super) fn is_loopback(&self) -> bool {
        match self.name.parse::<std::net::IpAddr>() {
            Ok(address) => address.is_loopback(),
            Err(_) => self.name == "localhost",
        }
    }

    /// The host and a port as an address has them.
    #[cfg(unix)]
    pub(super) fn authority(&self, port: u16) -> String {
        if self.name.contains(':') { format!("[{}]:{port}", self.name) } else { format!("{}:{port}", self.name) }
    }
}

/// Reads an address.
pub(super) fn read(address: &str) -> Result<Address, Error> {
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let read = match scheme {
        "unix" => Some(PathBuf::from(rest)).filter(|path| path.is_absolute()).map(Address::Unix),
        #[cfg(feature = "grpc")]
        "grpc" | "grpcs" => Host::read(rest, scheme == "grpcs").map(Address::Grpc),
        #[cfg(not(feature = "grpc"))]
        "grpc" | "grpcs" => {
            let why = "this program was built without gRPC; turn on the feature `grpc` of the crate `hookweave`";
            return Err(refused(address, why));
        }
        _ => None,
    };
    let how =
        "write `unix://` and an absolute path, such as `unix:///run/agent/hooks.sock`, or `grpc://127.0.0.1:50051`";
    read.ok_or_else(|| refused(address, how))
}

/// Refuses what needs a tokio runtime outside of one.
pub(super) fn check_runtime(address: &str) -> Result<(), Error> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => Ok(()),
        Err(_) => Err(refused(address, "it is served by tasks of a tokio runtime; call this inside one")),
    }
}
