//! `find` and `xargs`: programs that get the files that they change from a search.

use hookweave_command::{Line, Simple, Word, program_name};

use super::readers;

/// Where something is searched, and the names of what is looked for, if only these are found.
pub(super) struct Search<'w> {
    pub(super) folders: Vec<&'w Word>,
    pub(super) names: Option<Vec<String>>,
    /// Some of these names are filled in when the line runs.
    pub(super) is_open: bool,
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
    let mut is_open = false;
    let is_or = |word: &Word| matches!(word.plain.as_str(), "-o" | "-or" | ",");
    let by_names = tests.get(..end).unwrap_or_default().split(is_or).all(|tests| {
        let before = names.len();
        for (at, pair) in tests.windows(2).enumerate() {
            let is_denied = at > 0 && tests.get(at - 1).is_some_and(|word| matches!(word.plain.as_str(), "!" | "-not"));
            if let [test, name] = pair
                && !is_denied
                && matches!(test.plain.as_str(), "-name" | "-iname")
            {
                let name = name.known();
                is_open |= name.is_filled_in();
                names.push(name.plain.clone());
                if test.plain == "-iname" {
                    names.extend(in_other_cases(&name.plain));
                }
            }
        }
        names.len() > before
    });
    Search { folders, names: by_names.then_some(names), is_open, runs: tests.get(end..).unwrap_or_default() }
}

/// Patterns for the other cases of a name or a pattern.
fn in_other_cases(name: &str) -> Vec<String> {
    if name.contains(['*', '?', '[']) {
        return vec![name.to_lowercase(), name.to_uppercase()];
    }
    let either = |letter: char| match (letter.to_ascii_lowercase(), letter.to_ascii_uppercase()) {
        (small, capital) if small == capital => letter.to_string(),
        (small, capital) => format!("[{small}{capital}]"),
    };
    vec![name.chars().map(either).collect()]
}

/// The search of `fd` that runs something with what it finds; its pattern is a regular expression, unless it says otherwise.
pub(super) fn of_fd(args: &[Word]) -> Search<'_> {
    let begin = args.iter().position(|word| readers::is_run_of_fd(&word.plain)).unwrap_or(args.len());
    let (tests, runs) = args.split_at(begin);
    let (mut named, mut extensions): (Vec<&Word>, Vec<&str>) = (Vec::new(), Vec::new());
    let (mut is_glob, mut is_of_path) = (false, false);
    let mut words = tests.iter();
    while let Some(word) = words.next() {
        let Some(option) = word.plain.strip_prefix('-').filter(|option| !option.is_empty()) else {
            named.push(word);
            continue;
        };
        let (name, value) = option_of_fd(option);
        is_glob |= name == "glob" || !option.starts_with('-') && readers::flags_of_fd(option).contains('g');
        is_of_path |= name == "full-path" || !option.starts_with('-') && readers::flags_of_fd(option).contains('p');
        if VALUED_BY_FD.contains(&name) {
            let value = value.or_else(|| words.next().map(|word| word.plain.as_str()));
            extensions.extend(value.filter(|_| matches!(name, "e" | "extension")));
        }
    }
    let is_open = named.first().is_some_and(|word| word.known().is_filled_in());
    let pattern = named.first().map(|word| word.plain.as_str()).filter(|_| extensions.is_empty() && !is_of_path);
    let name = pattern.and_then(|text| if is_glob { Some(text.to_owned()) } else { glob_of(text) });
    let mut names: Vec<String> = name.into_iter().chain(extensions.iter().map(|end| format!("*.{end}"))).collect();
    names.extend(names.iter().flat_map(|name| in_other_cases(name)).collect::<Vec<_>>());
    let folders = named.get(1..).unwrap_or_default().to_vec();
    Search { folders, names: (!names.is_empty()).then_some(names), is_open, runs }
}

/// Options of `fd` that have a value, by their letters and names.
const VALUED_BY_FD: &[&str] = &[
    "E",
    "S",
    "and",
    "base-directory",
    "batch-size",
    "c",
    "changed-before",
    "changed-within",
    "color",
    "d",
    "e",
    "exact-depth",
    "exclude",
    "extension",
    "format",
    "ignore-file",
    "j",
    "max-depth",
    "max-results",
    "min-depth",
    "o",
    "owner",
    "path-separator",
    "search-path",
    "size",
    "t",
    "threads",
    "type",
];

/// The option of a word that may have a value, and the value that stands in the same word.
fn option_of_fd(option: &str) -> (&str, Option<&str>) {
    if let Some(long) = option.strip_prefix('-') {
        return long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
    }
    let rest = option.get(readers::flags_of_fd(option).len()..).unwrap_or_default();
    let (name, value) = rest.split_at_checked(1).unwrap_or_default();
    (name, Some(value).filter(|value| !value.is_empty()))
}

/// The pattern of names that says what a plain regular expression does.
fn glob_of(expression: &str) -> Option<String> {
    let (begin, text) = expression.strip_prefix('^').map_or(("*", expression), |text| ("", text));
    let (text, end) = text.strip_suffix('$').map_or((text, "*"), |text| (text, ""));
    let text = text.replace("\\.", "\0");
    if text.contains(['\\', '*', '+', '?', '[', '(', '{', '|', '^', '$']) {
        return None;
    }
    Some(format!("{begin}{}{end}", text.replace('.', "?").replace('\0', ".")))
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
    let is_open = args.iter().any(Word::is_filled_in);
    Some(Search { folders, names: (!names.is_empty()).then_some(names), is_open, runs: &[] })
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
