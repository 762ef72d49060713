//! The files below a folder that hold commands.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::kind::Kind;
use crate::failed::{Failed, Result};

/// Folders whose files other people wrote, or git.
const LEFT_OUT: &[&str] = &[".git", "node_modules", ".venv"];

/// How deep folders are looked through.
const MAX_DEPTH: usize = 64;

/// How a file begins, to see which program runs it.
const BEGIN: u64 = 128;

/// The kind of a file.
pub(crate) fn kind_of(file: &Path) -> Option<Kind> {
    Kind::of(file, || {
        let mut begin = Vec::new();
        File::open(file).ok()?.take(BEGIN).read_to_end(&mut begin).ok()?;
        String::from_utf8_lossy(&begin).lines().next().map(str::to_owned)
    })
}

/// What lies below a folder.
#[derive(Debug, Default)]
pub(crate) struct Below {
    /// Files of a kind that is known, in order.
    pub(crate) files: Vec<(PathBuf, Kind)>,
    /// What cannot be looked through.
    pub(crate) unread: Vec<Failed>,
}

/// Looks through a folder. Links are not followed: what they lead to lies elsewhere.
pub(crate) fn below(folder: &Path) -> Below {
    let mut below = Below::default();
    look(folder, 0, &mut below);
    below
}

fn look(folder: &Path, depth: usize, below: &mut Below) {
    if depth > MAX_DEPTH {
        below.unread.push(Failed::file(folder, format!("lies more than {MAX_DEPTH} folders deep; name it by itself")));
        return;
    }
    let entries = match entries_of(folder) {
        Ok(entries) => entries,
        Err(why) => return below.unread.push(why),
    };
    for path in entries {
        // As people write it: `a`, not `./a`.
        let path = path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_path_buf);
        let Ok(meta) = std::fs::symlink_metadata(&path) else { continue };
        if meta.is_dir() {
            let is_left_out = path.file_name().is_some_and(|name| LEFT_OUT.iter().any(|known| name == *known));
            if !is_left_out {
                look(&path, depth + 1, below);
            }
        } else if let Some(kind) = meta.is_file().then(|| kind_of(&path)).flatten() {
            below.files.push((path, kind));
        }
    }
}

fn entries_of(folder: &Path) -> Result<Vec<PathBuf>> {
    let refuse = |error: std::io::Error| Failed::unreadable(folder, &error);
    let entries = std::fs::read_dir(folder).map_err(refuse)?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(refuse)).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
