//! The directories in which a line may work.

use hookweave_command::{Line, Simple, program_name};

/// How many directories a line may change to before it is not followed any more.
const MAX_DIRECTORIES: usize = 32;

/// The directories in which the line may work, with the one in which it begins as the first; `None` if there are too many.
pub(in crate::matcher) fn directories(line: &Line) -> Option<Vec<String>> {
    let mut directories = vec![String::new()];
    for target in line.commands.iter().flat_map(targets) {
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
    Some(directories)
}

/// A path from a directory that a line works in.
pub(in crate::matcher) fn join(directory: &str, path: &str) -> String {
    if directory.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{directory}/{path}")
}

/// The directories that a command changes to, for itself or for what follows it.
fn targets(command: &Simple) -> Vec<String> {
    let changes = |(program, ..): &(&str, _, _)| matches!(program_name(program), "cd" | "pushd");
    if let Some((_, args, _)) = command.calls().find(changes) {
        let target = args.iter().find(|word| !word.plain.starts_with('-'));
        return vec![target.map_or_else(|| "~".to_owned(), |word| word.plain.clone())];
    }
    let Some((_, args, _)) = command.calls().next() else { return Vec::new() };
    let behind =
        args.iter().zip(args.iter().skip(1)).filter(|(option, _)| matches!(option.plain.as_str(), "-C" | "--chdir"));
    let joined = args.iter().filter_map(|word| {
        let text = word.plain.strip_prefix("--chdir=").or_else(|| word.plain.strip_prefix("--directory="));
        text.or_else(|| word.plain.strip_prefix("-C").filter(|text| !text.is_empty()))
    });
    behind.map(|(_, target)| target.plain.clone()).chain(joined.map(str::to_owned)).collect()
}
