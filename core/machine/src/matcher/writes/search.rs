//! `find` and `xargs`: programs that get the files that they change from a search.

use hookweave_command::{Line, Simple, Word, program_name};

use super::readers;

/// Where something is searched, and the names of what is looked for, if only these are found.
pub(super) struct Search<'w> {
    pub(super) folders: Vec<&'w Word>,
    pub(super) names: Option<Vec<String>>,
    /// The words of what is done with it.
    pub(super) runs: &'w [Word],
}

/// The search of `find`.
pub(super) fn of_find(args: &[Word]) -> Search<'_> {
    let begins_tests = |word: &&Word| !word.plain.starts_with(['-', '(', '!']);
    let folders: Vec<&Word> = args.iter().take_while(begins_tests).collect();
    let tests = args.get(folders.len()..).unwrap_or_default();
    let end = tests.iter().position(|word| readers::is_action(&word.plain)).unwrap_or(tests.len());
    let mut names = Vec::new();
    let is_or = |word: &Word| matches!(word.plain.as_str(), "-o" | "-or" | ",");
    let by_names = tests.get(..end).unwrap_or_default().split(is_or).all(|tests| {
        let before = names.len();
        for (at, pair) in tests.windows(2).enumerate() {
            let is_denied = at > 0 && tests.get(at - 1).is_some_and(|word| matches!(word.plain.as_str(), "!" | "-not"));
            if let [test, name] = pair
                && !is_denied
                && matches!(test.plain.as_str(), "-name" | "-iname")
            {
                names.push(name.plain.clone());
            }
        }
        names.len() > before
    });
    Search { folders, names: by_names.then_some(names), runs: tests.get(end..).unwrap_or_default() }
}

/// The searches of a line whose results another program of the line may get.
pub(super) fn of_line(line: &Line) -> impl Iterator<Item = Search<'_>> {
    line.commands.iter().filter_map(of_command)
}

fn of_command(command: &Simple) -> Option<Search<'_>> {
    let (program, args, _) = command.calls().next()?;
    let has = |test: fn(&str) -> bool| args.iter().any(|word| test(&word.plain));
    let is_short = |word: &str, letters: [char; 2]| word.starts_with('-') && word.contains(letters);
    let begin = match program_name(program) {
        "find" | "gfind" => return Some(of_find(args)),
        "grep" if args.iter().any(|word| is_short(&word.plain, ['r', 'R'])) => 1,
        "ls" if args.iter().any(|word| is_short(&word.plain, ['R', 'R'])) => 0,
        "git" if has(|word| matches!(word, "ls-files" | "diff" | "grep" | "ls-tree")) => 1,
        "ag" | "ack" | "fd" | "fdfind" | "rg" => 1,
        "tree" => 0,
        _ => return None,
    };
    let folders: Vec<&Word> = args.iter().filter(|word| !word.plain.starts_with('-')).skip(begin).collect();
    let names = chosen(args).chain(folders.iter().map(|word| word.plain.clone()).filter(|text| text.starts_with('*')));
    let names: Vec<String> = names.collect();
    Some(Search { folders, names: (!names.is_empty()).then_some(names), runs: &[] })
}

/// The patterns of names by which a search chooses: `--include=*.py`, `-g '*.py'`, `-t py`.
fn chosen(args: &[Word]) -> impl Iterator<Item = String> {
    let apart = args.iter().zip(args.iter().skip(1)).filter_map(|(option, value)| match option.plain.as_str() {
        "-g" | "--glob" | "--include" => Some(value.plain.clone()),
        "-t" | "--type" | "--extension" => Some(format!("*.{}", value.plain)),
        _ => None,
    });
    let joined = args.iter().filter_map(|word| {
        let pattern = ["--include=", "--glob="].iter().find_map(|option| word.plain.strip_prefix(option))?;
        Some(pattern.to_owned())
    });
    apart.chain(joined)
}
