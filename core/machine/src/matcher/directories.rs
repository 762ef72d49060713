//! The directories in which a line may work.

use std::borrow::Cow;

use super::values;
use hookweave_command::{Line, Simple, Word, program_name};

/// How many directories a line may change to before it is not followed any more.
const MAX_DIRECTORIES: usize = 32;

/// The directories in which the line may work, with the one in which it begins as the first; `None` if there are too many.
pub(super) fn directories(line: &Line) -> Option<Vec<String>> {
    let mut directories = vec![String::new()];
    for word in line.commands.iter().flat_map(targets) {
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

/// Whether the line is commands joined by `&&` and nothing else, so that a `cd` that fails ends it, and says to which folders.
pub(super) fn is_chain(line: &Line) -> bool {
    let is_said = |word: &Word| {
        let text = word.fixed().unwrap_or_default();
        !matches!(text, "" | "-")
            && !text.starts_with(['+', '%'])
            && !text.starts_with("~+")
            && !text.starts_with("~-")
            && !text.contains(':')
    };
    let goes_on = |command: &Simple| match command.words().split_first() {
        None => false,
        Some((program, args)) => match program_name(&program.plain) {
            "source" | "." | "eval" | "popd" => false,
            "cd" => args.iter().all(is_said),
            "pushd" => !args.is_empty() && args.iter().all(is_said),
            _ => !command.words().iter().any(|word| word.plain.starts_with("CDPATH")),
        },
    };
    line.is_chain
        && !line.is_dynamic
        && line.commands.iter().all(goes_on)
        && line.assigned.iter().all(|(name, _)| name != "CDPATH")
}

/// Whether a line has left the directory in which it begins before it does anything.
pub(super) fn has_left(line: &Line) -> bool {
    line.commands.first().is_some_and(Simple::changes_directory) && is_chain(line)
}

/// A path from a directory that a line works in.
pub(super) fn join(directory: &str, path: &str) -> String {
    let by_process = by_process(path);
    let path = by_process.as_deref().unwrap_or(path);
    if directory.is_empty() || path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{directory}/{path}")
}

/// What the names of a process's own folders mean: `/proc/self/cwd` is where the line works, `/proc/self/root` the root.
fn by_process(path: &str) -> Option<String> {
    let (_, inside) = path.strip_prefix("/proc/")?.split_once('/')?;
    let (name, rest) = inside.split_once('/').unwrap_or((inside, ""));
    match name {
        "cwd" => Some(if rest.is_empty() { ".".to_owned() } else { rest.to_owned() }),
        "root" => Some(format!("/{rest}")),
        _ => None,
    }
}

/// Whether a part of a path begins with a dot where its pattern begins with none: shells leave such names out.
pub(super) fn hides(pattern: &str, path: &str) -> bool {
    let is_open = |part: &str| part.starts_with(['*', '?', '[']);
    pattern.split('/').zip(path.split('/')).any(|(pattern, part)| is_open(pattern) && part.starts_with('.'))
}

/// The directories that a command changes to, for itself or for what follows it.
fn targets(command: &Simple) -> Vec<Cow<'_, Word>> {
    let changes = |(program, ..): &(&str, _, _)| matches!(program_name(program), "cd" | "pushd");
    if let Some((_, args, _)) = command.calls().find(changes) {
        let target = args.iter().find(|word| !word.plain.starts_with('-'));
        return vec![target.map_or_else(|| Cow::Owned(Word::of("~")), Cow::Borrowed)];
    }
    let Some((_, args, _)) = command.calls().next() else { return Vec::new() };
    let behind =
        args.iter().zip(args.iter().skip(1)).filter(|(option, _)| matches!(option.plain.as_str(), "-C" | "--chdir"));
    let joined = args.iter().filter_map(|word| {
        let text = word.plain.strip_prefix("--chdir=").or_else(|| word.plain.strip_prefix("--directory="));
        let text = text.or_else(|| word.plain.strip_prefix("-C").filter(|text| !text.is_empty()));
        text.map(|text| Cow::Owned(word.with(text)))
    });
    behind.map(|(_, target)| Cow::Borrowed(target)).chain(joined).collect()
}
