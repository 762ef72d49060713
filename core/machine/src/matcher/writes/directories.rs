//! The directories in which a line may work.

use super::{programs, values};
use hookweave_command::Line;

/// How many directories a line may change to before it is not followed any more.
const MAX_DIRECTORIES: usize = 32;

/// The directories in which the line may work, with the one in which it begins as the first; `None` if there are too many.
pub(in crate::matcher) fn directories(line: &Line) -> Option<Vec<String>> {
    let mut directories = vec![String::new()];
    for word in line.commands.iter().flat_map(programs::directories) {
        for target in values::texts(&word, line) {
            for from in directories.clone() {
                let joined = join(&from, &target);
                if !directories.contains(&joined) {
                    directories.push(joined);
                }
            }
            if directories.len() > MAX_DIRECTORIES {
                return None;
            }
        }
    }
    Some(directories)
}

/// A path from a directory that a line works in.
pub(in crate::matcher) fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{directory}/{path}")
}
