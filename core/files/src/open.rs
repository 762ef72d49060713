//! Opens files that others may have put there.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Opens a file to read it.
///
/// # Errors
///
/// When it cannot be opened or is no file: a folder, a pipe, a device. Neither opening nor reading waits, also of files
/// that the system makes up (`/proc/kmsg`): reading fails with [`ErrorKind::WouldBlock`] then.
pub(crate) fn open_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    // Asks the open file, since another one may stand at its path by now.
    if file.metadata()?.is_file() { Ok(file) } else { Err(Error::new(ErrorKind::InvalidInput, "it is no file")) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test sets the scene")]
    fn a_pipe_or_a_device_is_no_file_and_takes_no_time() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [&pipe, Path::new("/dev/zero"), dir.path()] {
            assert_eq!(open_file(path).unwrap_err().kind(), ErrorKind::InvalidInput, "{}", path.display());
        }
        let file = dir.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert!(open_file(&file).is_ok());
    }
}
