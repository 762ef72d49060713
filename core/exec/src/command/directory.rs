//! Where a command runs.

use std::path::{Path, PathBuf};

use super::{CommandError, CommandRun};

/// The directory of a run; none when the host's own will do.
///
/// Whoever is asked about one directory must not judge another: when none of those that are given can be entered, nothing
/// runs. The same holds for a directory that the hook itself names.
pub(super) fn choose(run: &CommandRun<'_>) -> Result<Option<PathBuf>, CommandError> {
    let base = match run.directories.iter().find(|directory| can_enter(directory)) {
        Some(directory) => Some(directory.clone()),
        None => match run.directories.first() {
            Some(first) => return Err(CommandError::no_directory(run, why_not(first))),
            None => None,
        },
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

fn why_not(directory: &Path) -> String {
    let shown = directory.display();
    if !directory.is_absolute() {
        format!("the event's directory `{shown}` is not absolute; give an absolute one as `cwd`")
    } else if !directory.exists() {
        format!("the event's directory `{shown}` is gone; make it again, or work in another one")
    } else if !directory.is_dir() {
        format!("the event's directory `{shown}` is no directory; name the one to work in")
    } else {
        format!("the event's directory `{shown}` cannot be entered; let yourself enter it (chmod u+x)")
    }
}

#[cfg(unix)]
fn can_enter(directory: &Path) -> bool {
    directory.is_absolute() && directory.is_dir() && rustix::fs::access(directory, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn can_enter(directory: &Path) -> bool {
    directory.is_absolute() && directory.is_dir()
}
