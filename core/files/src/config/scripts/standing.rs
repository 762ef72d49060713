//! What stands at a path, looked at once: a line names the same words again and again, and each look is a system call.

use std::cell::RefCell;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Nothing,
    Directory,
    File { executable: bool },
}

impl Standing {
    /// Looks, through links.
    pub(super) fn of(path: &Path) -> Self {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => Self::Directory,
            Ok(meta) if meta.is_file() => Self::File { executable: can_be_started(&meta) },
            _ => Self::Nothing,
        }
    }
}

#[cfg(unix)]
fn can_be_started(file: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o111 != 0
}

/// Elsewhere a file's name says so.
#[cfg(not(unix))]
fn can_be_started(_file: &Metadata) -> bool {
    true
}

/// Whether a file can be started as a program.
pub(in crate::config) fn is_executable(path: &Path) -> bool {
    Standing::of(path) == Standing::File { executable: true }
}

/// What was seen at the paths of one line.
#[derive(Debug, Default)]
pub(super) struct StandingCache(RefCell<FxHashMap<PathBuf, Standing>>);

impl StandingCache {
    pub(super) fn at(&self, path: &Path) -> Standing {
        if let Some(known) = self.0.borrow().get(path) {
            return *known;
        }
        let standing = Standing::of(path);
        self.0.borrow_mut().insert(path.to_path_buf(), standing);
        standing
    }

    pub(super) fn is_dir(&self, path: &Path) -> bool {
        self.at(path) == Standing::Directory
    }

    pub(super) fn is_file(&self, path: &Path) -> bool {
        matches!(self.at(path), Standing::File { .. })
    }
}
