//! Where agents are reached: `unix:///path`, `grpc://host:port`, `grpcs://host:port` and `nats://host:port`.

use std::borrow::Cow;
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
    #[cfg(feature = "nats")]
    Nats(Broker),
}

/// A port of a machine.
#[cfg(any(feature = "grpc", feature = "nats"))]
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "remote hooks need a system with Unix sockets"))]
pub(super) struct Host {
    /// Without the brackets of an IPv6 address.
    pub(super) name: String,
    pub(super) port: u16,
    #[cfg_attr(not(feature = "grpc"), expect(dead_code, reason = "a NATS server says by itself whether it encrypts"))]
    pub(super) is_secure: bool,
}

/// A NATS server, and who the program is to it.
#[cfg(feature = "nats")]
#[derive(Debug)]
#[cfg_attr(not(unix), expect(dead_code, reason = "remote hooks need a system with Unix sockets"))]
pub(super) struct Broker {
    pub(super) host: Host,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
}

#[cfg(feature = "nats")]
impl Broker {
    fn read(rest: &str) -> Option<Self> {
        let (login, host) = rest.rsplit_once('@').unwrap_or(("", rest));
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
        let host = if has_port { Host::read(host, false) } else { Host::read(&format!("{host}:4222"), false) };
        let (user, password) = login.split_once(':').map_or((login, None), |(user, password)| (user, Some(password)));
        let user = Some(user).filter(|user| !user.is_empty());
        Some(Self {
            host: host.filter(|host| host.port != 0)?,
            user: user.map(decoded).transpose().ok()?,
            password: password.map(decoded).transpose().ok()?,
        })
    }
}

/// A part of an address without its `%XX`.
#[cfg(feature = "nats")]
fn decoded(text: &str) -> Result<String, std::string::FromUtf8Error> {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let byte = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(b'%'));
        bytes.extend(part.bytes().skip(if byte.is_some() { 2 } else { 0 }));
    }
    String::from_utf8(bytes)
}

#[cfg(any(feature = "grpc", feature = "nats"))]
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
    let address = &*shown(address);
    let read = match scheme {
        "unix" => Some(PathBuf::from(rest)).filter(|path| path.is_absolute()).map(Address::Unix),
        #[cfg(feature = "grpc")]
        "grpc" | "grpcs" => Host::read(rest, scheme == "grpcs").map(Address::Grpc),
        #[cfg(not(feature = "grpc"))]
        "grpc" | "grpcs" => {
            let why = "this program was built without gRPC; turn on the feature `grpc` of the crate `hookweave`";
            return Err(refused(address, why));
        }
        #[cfg(feature = "nats")]
        "nats" => {
            let how = "write `nats://`, a host and a port, such as `nats://127.0.0.1:4222`";
            return Broker::read(rest).map(Address::Nats).ok_or_else(|| refused(address, how));
        }
        #[cfg(not(feature = "nats"))]
        "nats" => {
            let why = "this program was built without NATS; turn on the feature `nats` of the crate `hookweave`";
            return Err(refused(address, why));
        }
        _ => None,
    };
    let how = "write `unix://` and an absolute path, such as `unix:///run/agent/hooks.sock`, `grpc://127.0.0.1:50051`, or `nats://127.0.0.1:4222`";
    read.ok_or_else(|| refused(address, how))
}

/// An address as a message may have it: without a password.
pub(super) fn shown(address: &str) -> Cow<'_, str> {
    match address.strip_prefix("nats://").and_then(|rest| rest.rsplit_once('@')) {
        Some((_, host)) => format!("nats://{host}").into(),
        None => address.into(),
    }
}

/// Refuses what needs a tokio runtime outside of one.
pub(super) fn check_runtime(address: &str) -> Result<(), Error> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => Ok(()),
        Err(_) => Err(refused(address, "it is served by tasks of a tokio runtime; call this inside one")),
    }
}
