//! Where a command runs.

use std::path::{Path, PathBuf};

use super::{CommandError, CommandRun};

/// The directory of a run; none when the host's own will do.
///
/// The event's directory may have been deleted by an earlier tool call: then the next candidate holds. A directory that
/// the hook itself names must exist, because a command that runs elsewhere than it says does something else.
pub(super) fn choose(run: &CommandRun<'_>) -> Result<Option<PathBuf>, CommandError> {
    let base = match run.directories.iter().find(|directory| can_enter(directory)) {
        Some(directory) => Some(directory.clone()),
        None if run.directories.is_empty() => None,
        None => Some(root(run)),
    };
    let Some(own) = &run.spec.directory else { return Ok(base) };
    let own = base.map_or_else(|| own.clone(), |base| base.join(own));
    match std::fs::read_dir(&own).map(drop).or_else(|error| if can_enter(&own) { Ok(()) } else { Err(error) }) {
        Ok(()) => Ok(Some(own)),
        Err(error) => {
            let reason = format!("its directory `{}` cannot be entered: {error}", own.display());
            Err(CommandError::not_started(&run.spec.line, reason))
        }
    }
}

/// The top of the first candidate's path: a place that no tool call deletes.
fn root(run: &CommandRun<'_>) -> PathBuf {
    let first = run.directories.iter().find_map(|directory| directory.ancestors().last());
    first.filter(|top| top.is_absolute()).map_or_else(|| PathBuf::from("/"), Path::to_path_buf)
}

#[cfg(unix)]
fn can_enter(directory: &Path) -> bool {
    directory.is_absolute() && directory.is_dir() && rustix::fs::access(directory, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn can_enter(directory: &Path) -> bool {
    directory.is_absolute() && directory.is_dir()
}
