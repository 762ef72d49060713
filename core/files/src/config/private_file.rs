//! A JSON file of the user's own that only the user can write, shared by processes: approvals are kept in such files.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use hookweave_machine::error::{Code, Error};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// How often, and how many times, another process is waited for that writes the file.
const LOCK_WAIT: (Duration, u32) = (Duration::from_millis(20), 250);

/// The content of such a file.
pub(crate) trait Versioned: Default + Serialize + DeserializeOwned {
    /// Its version; this engine knows version 1.
    fn version(&self) -> u32;
}

/// A file of the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PrivateFile {
    path: PathBuf,
    /// What it is, for messages.
    what: &'static str,
    /// What a person does to fill it anew, for messages.
    again: &'static str,
}

impl PrivateFile {
    /// The file at a path, which need not exist yet.
    pub(crate) fn at(path: impl Into<PathBuf>, what: &'static str, again: &'static str) -> Self {
        Self { path: path.into(), what, again }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn refuse(&self, why: impl std::fmt::Display) -> Error {
        Error::new(Code::InvalidConfig, format!("{} {}: {why}", self.what, self.path.display()))
    }

    /// What it holds; a file that cannot be read, that others can write or that has a second name is an error.
    pub(crate) fn read<T: Versioned>(&self) -> Result<T, Error> {
        self.check_links()?;
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(T::default());
            }
            Err(error) => return Err(self.refuse(error)),
        };
        self.check_owner(&file)?;
        let length = file.metadata().map_or(0, |meta| meta.len().min(MAX_FILE));
        let mut text = String::with_capacity(usize::try_from(length).unwrap_or_default() + 1);
        file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(|error| self.refuse(error))?;
        if text.len() as u64 > MAX_FILE {
            return Err(self.refuse(format!("it is too large; move it away and {} again", self.again)));
        }
        let again = self.again;
        let stored: T = serde_json::from_str(&text)
            .map_err(|error| self.refuse(format!("it cannot be read ({error}); move it away and {again} again")))?;
        if stored.version() != 1 {
            return Err(self.refuse(format!("it has version {}, and this engine knows version 1", stored.version())));
        }
        Ok(stored)
    }

    #[cfg(unix)]
    fn check_owner(&self, file: &File) -> Result<(), Error> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = file.metadata().map_err(|error| self.refuse(error))?;
        if !meta.is_file() {
            return Err(self.refuse("it is no file"));
        }
        let owner = meta.uid();
        let user = rustix::process::geteuid().as_raw();
        if owner != user && owner != 0 {
            return Err(
                self.refuse(format!("it belongs to another user ({owner}); move it away and {} again", self.again))
            );
        }
        if meta.mode() & 0o022 != 0 {
            return Err(self.refuse("others can write it, so it proves nothing; review it, then chmod 600"));
        }
        if meta.nlink() > 1 {
            return Err(self.refuse(format!(
                "it has {} names (hard links), so it can be changed by another one; move it away and {} again",
                meta.nlink(),
                self.again
            )));
        }
        Ok(())
    }

    /// Refuses a file that is a link, as the engine never makes one, and folders that are the links of other users or that
    /// all can write. That a whole folder is a link of the user's own, as those of dotfiles are, is their layout.
    fn check_links(&self) -> Result<(), Error> {
        if self.path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
            let again = self.again;
            return Err(self.refuse(format!(
                "it is a symbolic link, so it can be changed where that leads; remove the link and {again} again"
            )));
        }
        #[cfg(unix)]
        self.check_folders()?;
        Ok(())
    }

    #[cfg(unix)]
    fn check_folders(&self) -> Result<(), Error> {
        use std::os::unix::fs::MetadataExt as _;
        let user = rustix::process::geteuid().as_raw();
        for folder in self.path.ancestors().skip(1) {
            let Ok(meta) = folder.symlink_metadata() else { continue };
            if meta.is_symlink() && meta.uid() != user && meta.uid() != 0 {
                return Err(self.refuse(format!(
                    "{} is a symbolic link of another user ({}); remove it and {} again",
                    folder.display(),
                    meta.uid(),
                    self.again
                )));
            }
        }
        let folder = self.path.parent().unwrap_or(&self.path);
        // In a folder with the sticky bit no user replaces what another one owns.
        if folder.metadata().is_ok_and(|meta| meta.mode() & 0o1002 == 0o002) {
            return Err(self.refuse(format!(
                "all users can write its folder {0}, and replace it; review it, then chmod o-w {0}",
                folder.display()
            )));
        }
        Ok(())
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "the same shape as on Unix")]
    fn check_owner(&self, _file: &File) -> Result<(), Error> {
        Ok(())
    }

    /// Reads, changes and writes the store while no other process does.
    pub(crate) fn change<T: Versioned>(&self, change: impl FnOnce(&mut T)) -> Result<(), Error> {
        let folder = self.path.parent().ok_or_else(|| self.refuse("it has no directory"))?;
        make_private(folder).map_err(|error| self.refuse(error))?;
        let lock = self.lock(folder)?;
        let mut stored: T = self.read()?;
        change(&mut stored);
        let written = self.write(folder, &stored).map_err(|error| self.refuse(error));
        drop(lock);
        written
    }

    fn lock(&self, folder: &Path) -> Result<File, Error> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = folder.join(format!("{name}.lock"));
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        let file = file.map_err(|error| self.refuse(error))?;
        for _ in 0..LOCK_WAIT.1 {
            match fs4::FileExt::try_lock(&file) {
                Ok(()) => return Ok(file),
                Err(fs4::TryLockError::WouldBlock) => std::thread::sleep(LOCK_WAIT.0),
                Err(fs4::TryLockError::Error(error)) => return Err(self.refuse(error)),
            }
        }
        Err(self.refuse(format!("another process holds {} for more than 5 seconds", path.display())))
    }

    /// Writes a new file and puts it into the place of the old one, so that a reader sees either.
    fn write(&self, folder: &Path, stored: &impl Serialize) -> std::io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, stored)?;
        file.write_all(b"\n")?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        #[cfg(unix)]
        File::open(folder)?.sync_all()?;
        Ok(())
    }
}

/// Makes a directory that only the user enters; one that is there stays as it is.
pub(super) fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
