//! Files whose names one command of a line prints or finds, and another one reads: `find . -name .env | xargs cat`.
//!
//! What reads them is written out with the name in it, and looked at as a line of its own.

use std::cell::OnceCell;

use hookweave_command::{Reading, Simple, Word, program_name};

use super::programs::behind_xargs;
use super::search::{self, Search};
use super::{FILLED, Lines};

/// How many names of one command are looked at.
const MAX_NAMES: usize = 16;

/// How many lines are written out for one. A line with more is made to keep the guard busy.
const MAX_LINES: usize = 256;

/// Programs that print the names that they are given.
const PRINT: &[&str] = &["basename", "dir", "echo", "ls", "printf", "readlink", "realpath"];

impl Lines<'_> {
    /// Whether a command reads a file of the set that another one names; so it is taken where too many may.
    pub(super) fn is_handed_on(&self, directories: &[String]) -> bool {
        let mut written_out = 0;
        let mut is_read = |line: &str| {
            written_out += 1;
            written_out > MAX_LINES || self.is_read_by(line, directories)
        };
        let mut commands = self.line.commands.iter().enumerate();
        commands.any(|(at, command)| {
            let names = self.printed(command, directories);
            names.iter().any(|name| {
                let lines = executed(command, name).into_iter().chain(self.piped(at, name));
                lines.chain(self.filled_in(at, command, name)).any(|line| is_read(&line))
            })
        })
    }

    /// The files of the set that a command prints, as a shell reads their names.
    fn printed(&self, command: &Simple, directories: &[String]) -> Vec<String> {
        let words = command.starts().words();
        let Some((program, args)) = words.split_first() else { return Vec::new() };
        match program_name(&program.plain) {
            "find" | "gfind" => self.found(&search::of_find(args), directories),
            "fd" | "fdfind" => self.found(&search::of_fd(args), directories),
            program if PRINT.contains(&program) => {
                let printed = args.iter().filter(|word| self.names(word, directories));
                printed.map(|word| word.raw().to_owned()).take(MAX_NAMES).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The files of the set that a search by their names finds.
    fn found(&self, search: &Search<'_>, directories: &[String]) -> Vec<String> {
        let here = Word::of(".");
        let folders: Vec<&Word> = if search.folders.is_empty() { vec![&here] } else { search.folders.clone() };
        let patterns = search.names.iter().flatten();
        let names: Vec<String> = patterns.flat_map(|pattern| self.meant(pattern)).collect();
        let mut found = Vec::new();
        for folder in folders {
            let of_name = |name: &String| {
                let path = format!("{}/{name}", folder.plain.trim_end_matches('/'));
                self.names(&folder.with(&path), directories).then(|| format!("{}/'{name}'", folder.raw()))
            };
            found.extend(names.iter().filter_map(of_name));
        }
        found.truncate(MAX_NAMES);
        found
    }

    /// The names that a search by a pattern may find, as far as the set says.
    pub(super) fn meant(&self, pattern: &str) -> Vec<String> {
        self.files.names_of(pattern, self.is_sure)
    }

    /// What other commands of its pipeline do with a name that a command prints.
    fn piped(&self, at: usize, name: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for parts in &self.line.pipes {
            let Some(from) = parts.iter().position(|part| part.contains(&at)) else { continue };
            let behind = parts.iter().skip(from + 1).filter_map(|part| self.line.commands.get(part.clone()));
            lines.extend(behind.flatten().filter_map(|command| fed(command, name)));
        }
        lines
    }

    /// What other commands do with a name that a command prints within a substitution.
    fn filled_in(&self, at: usize, command: &Simple, name: &str) -> Vec<String> {
        let Some(program) = command.words().first().map(Word::raw) else { return Vec::new() };
        let text = self.reading.text();
        let mut opened = text.split("$(").skip(1).chain(text.split('`').skip(1));
        if !opened.any(|inside| inside.trim_start().starts_with(program)) {
            return Vec::new();
        }
        let is_it = |word: &Word| word.is_filled_in() && (word.plain.ends_with(FILLED) || self.holds_filled(word));
        let others = self.line.commands.iter().enumerate().filter(|(other, _)| *other != at);
        let others = others.filter(|(_, command)| command.words().iter().any(is_it));
        others.map(|(_, command)| written(command.words(), name, &is_it)).collect()
    }

    /// Whether a word is a variable that the line sets to what a command prints.
    fn holds_filled(&self, word: &Word) -> bool {
        let name = word.plain.trim_start_matches(['$', '{']).trim_end_matches('}');
        let is_set = |(known, value): &(String, Option<Word>)| {
            known == name && value.as_ref().is_some_and(|value| value.plain.contains(FILLED))
        };
        self.line.assigned.iter().any(is_set)
    }

    fn is_read_by(&self, text: &str, directories: &[String]) -> bool {
        let reading = Reading::new(text);
        let Some(line) = &reading.line else { return !self.is_sure };
        let lines = Lines { reading: &reading, line, present: OnceCell::new(), ..*self };
        lines.read_by_name(directories).is_some()
    }
}

/// Words as a line, some of which are replaced.
fn written(words: &[Word], name: &str, is_replaced: &dyn Fn(&Word) -> bool) -> String {
    words.iter().map(|word| if is_replaced(word) { name } else { word.raw() }).collect::<Vec<_>>().join(" ")
}

/// What `find` or `fd` runs with a file that it finds.
fn executed(command: &Simple, name: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = command.starts().words();
    if let Some((program, args)) = rest.split_first()
        && matches!(program_name(&program.plain), "fd" | "fdfind")
    {
        let run = search::of_fd(args).runs.get(1..).unwrap_or_default();
        let text = run.iter().map(Word::raw).collect::<Vec<_>>().join(" ");
        return vec![if text.contains("{}") { text.replace("{}", name) } else { format!("{text} {name}") }];
    }
    let runs = |word: &Word| matches!(word.plain.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
    while let Some(at) = rest.iter().position(runs) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest.iter().position(|word| matches!(word.plain.as_str(), ";" | "+")).unwrap_or(rest.len());
        let words = rest.iter().take(end).map(|word| word.raw().replace("{}", name));
        lines.push(words.collect::<Vec<_>>().join(" "));
    }
    lines
}

/// What a command does with a name that it reads.
fn fed(command: &Simple, name: &str) -> Option<String> {
    let words = command.starts().words();
    let (program, args) = words.split_first()?;
    if !matches!(program_name(&program.plain), "parallel" | "xargs") {
        let is_it = Word::is_filled_in;
        return words.iter().any(is_it).then(|| written(words, name, &is_it));
    }
    let run = behind_xargs(args);
    let options = args.get(..args.len() - run.len()).unwrap_or_default();
    let glued = options.iter().find_map(|word| word.plain.strip_prefix("-I").filter(|sign| !sign.is_empty()));
    let apart = || options.iter().zip(options.iter().skip(1)).find(|(option, _)| option.plain == "-I");
    let sign = glued.or_else(|| apart().map(|(_, sign)| sign.plain.as_str()));
    // `-i`, `--replace`, and what `parallel` does by itself.
    let sign = sign.unwrap_or("{}");
    let text = run.iter().map(Word::raw).collect::<Vec<_>>().join(" ");
    Some(if text.contains(sign) { text.replace(sign, name) } else { format!("{text} {name}") })
}
