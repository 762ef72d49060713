//! Where agents are reached: `unix:///path`.

use std::path::PathBuf;

use hookweave_host::error::{Code, Error};

pub(super) fn refused(address: &str, why: impl std::fmt::Display) -> Error {
    Error::new(Code::InvalidOption, format!("the address `{address}` cannot be used: {why}"))
}

/// The path of a Unix socket.
pub(super) fn socket(address: &str) -> Result<PathBuf, Error> {
    let path = address.strip_prefix("unix://").map(PathBuf::from).filter(|path| path.is_absolute());
    path.ok_or_else(|| refused(address, "write `unix://` and an absolute path, such as `unix:///run/agent/hooks.sock`"))
}

/// Refuses what needs a tokio runtime outside of one.
pub(super) fn check_runtime(address: &str) -> Result<(), Error> {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => Ok(()),
        Err(_) => Err(refused(address, "it is served by tasks of a tokio runtime; call this inside one")),
    }
}
