//! The logs that this process writes, for those who guard them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use super::segments::Names;

/// A log by its names, from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    /// As the path was given, and with its links resolved.
    names: [Names; 2],
}

/// No lock: one that another thread held at a fork is never released in the child.
static WRITTEN: ArcSwapOption<Vec<Written>> = ArcSwapOption::const_empty();

/// Notes that a log is written from now on. It stays one when it is closed.
pub(super) fn note(path: &Path) {
    let Ok(path) = std::path::absolute(path) else { return };
    let real =
        path.parent().zip(path.file_name()).and_then(|(folder, name)| Some(folder.canonicalize().ok()?.join(name)));
    let Some(names) = Names::of(&path) else { return };
    let real = real.and_then(|path| Names::of(&path)).unwrap_or_else(|| names.clone());
    let written = Written { names: [names, real] };
    WRITTEN.rcu(|known| {
        let mut known = known.as_deref().cloned().unwrap_or_default();
        if !known.contains(&written) {
            known.push(written.clone());
        }
        Some(Arc::new(known))
    });
}

/// Whether a path from the root is a file of a log that this process writes or wrote: also of what it was before, of its lock,
/// and of the logs of processes beside it.
#[must_use]
pub fn is_log(path: &Path) -> bool {
    let known = WRITTEN.load();
    known.iter().flat_map(|known| known.iter()).flat_map(|written| &written.names).any(|names| names.has(path))
}

/// The files that this process writes or wrote, from the root.
#[must_use]
pub fn logs() -> Vec<PathBuf> {
    let known = WRITTEN.load();
    known.iter().flat_map(|known| known.iter()).flat_map(|written| &written.names).map(Names::current).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_a_log_are_known_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("audit.jsonl");
        assert!(!is_log(&log));
        note(&log);
        note(&log);
        assert!(logs().contains(&log));
        for name in ["audit.jsonl", "audit.000001.jsonl", "audit.pid-7-12.jsonl", "audit.jsonl.lock", "AUDIT.jsonl"] {
            assert!(is_log(&folder.path().join(name)), "{name}");
        }
        for name in ["other.jsonl", "audit.txt", "audit", "audit.jsonl.bak", "in/audit.jsonl", "audits.jsonl"] {
            assert!(!is_log(&folder.path().join(name)), "{name}");
        }
    }
}
