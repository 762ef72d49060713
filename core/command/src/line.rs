//! The simple commands of a line, wherever they stand in it.
//!
//! Nothing is run or looked up. What is not understood whole is not understood at all: the rule that asked then selects
//! its hook, and an `allow` does not count. Two steps do the reading. [`flat`] takes out of the text what nests and what
//! needs no grammar (substitutions, here-documents, comments, continued lines), each by the rules that bash and sh share;
//! [`walk`] has the rest parsed and goes through every node of it.

mod arithmetic;
mod constants;
mod escapes;
mod flat;
mod here;
mod nameless;
mod patches;
mod programs;
mod synonyms;
mod variables;
mod walk;
mod words;
mod wrappers;

use std::ops::Range;
use std::panic::catch_unwind;

use crate::plain::MAX_LENGTH;
use constants::Constants;
pub(super) use constants::stands_for;
pub(super) use escapes::read as escapes;
pub use programs::{is_only_checked, is_shell};
pub use words::Word;
pub(super) use words::is_plain_word;
pub use wrappers::Starts;
pub(super) use wrappers::{behind_wrappers, is_wrapper_of_packages, wraps};

/// The longest text that is handed to the parser, in bytes: here-documents and substitutions are taken out before.
const MAX_FLAT: usize = 16 * 1024;

/// How deep substitutions and quoted commands may nest.
const MAX_DEPTH: usize = 10;

/// How many commands a line may have in all its substitutions and quoted commands.
const MAX_COMMANDS: usize = 2048;

/// How deep parentheses may nest: the parser tries each open one twice.
const MAX_PARENTHESES: usize = 10;

/// How deep other brackets and compound commands may nest: the parser is recursive.
const MAX_NESTING: usize = 32;

/// How many digits a descriptor may have in front of a redirection.
const MAX_DESCRIPTOR_DIGITS: usize = 9;

/// A command line taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Every simple command, leading assignments taken off.
    pub commands: Vec<Simple>,
    /// The files that redirections write.
    pub writes: Vec<Word>,
    /// The files that redirections read.
    pub reads: Vec<Word>,
    /// Of each pipeline with more than one part, which of the commands are its parts. What stands in substitutions is none.
    pub pipes: Vec<Vec<Range<usize>>>,
    /// What it sets variables to, in order; nothing where that comes from elsewhere.
    pub assigned: Vec<(String, Option<Word>)>,
    /// Each of its commands runs only if those before it have worked: they are joined by `&&`, and nothing else. The first one
    /// reads and writes no file by a redirection.
    pub is_chain: bool,
    /// Something is filled in when the line runs: `$VAR`, `$(…)`, backticks.
    pub is_dynamic: bool,
    /// The line does more than run its commands: it writes a file, sets a variable, defines a function.
    pub does_more: bool,
    /// A variable is read as a number: its text may hold a substitution, as `a[$(x)]` does.
    reads_numbers: bool,
    /// A variable is set to what is no plain text.
    sets_texts: bool,
    /// Variables that hold lists.
    arrays: Vec<String>,
    /// Variables that are declared with a value that is filled in: in one that holds a list, it is read as a list.
    declared: Vec<String>,
    /// What is known of variables.
    constants: Constants,
}

/// One simple command.
#[derive(Debug, PartialEq, Eq)]
pub struct Simple {
    /// Every way in which a rule may mean it: as it is written, without its quotes, by its base name, and every command
    /// that the program of it may run.
    pub texts: Vec<String>,
    /// What exactly runs, as it is written and without its quotes; nothing when the program's name is not a plain word.
    pub exact: Vec<String>,
    /// The program's name is filled in when the line runs.
    pub is_nameless: bool,
    /// Its words.
    words: Vec<Word>,
    /// The same with the variables filled in whose values are known; none where nothing is.
    known: Vec<Word>,
    /// Its program runs the command in its arguments.
    wraps: bool,
    /// The variables that it alone is given (`A=b cmd`), and its words behind them: the words of `env` that do the same.
    given: Vec<Word>,
}

impl Simple {
    /// Its words, as the program sees them.
    #[must_use]
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// Whether its program runs the command in its arguments.
    pub const fn wraps(&self) -> bool {
        self.wraps
    }

    /// Whether it is `cd`.
    #[must_use]
    pub fn changes_directory(&self) -> bool {
        self.words.first().is_some_and(|word| matches!(word.fixed(), Some("cd" | "pushd")))
    }

    /// Every program that it may run with the words behind it, and whether the program gets further words from elsewhere.
    /// Variables are filled in whose values the line says.
    pub fn calls(&self) -> impl Iterator<Item = (&str, &[Word], bool)> {
        let words = if self.known.is_empty() { &self.words } else { &self.known };
        let count = if self.wraps { words.len() } else { 1 };
        let feeds = |word: &Word| matches!(program_name(&word.plain), "xargs" | "parallel");
        let fed_from = words.iter().position(feeds).filter(|_| self.wraps).unwrap_or(usize::MAX);
        (0..count).filter_map(move |from| {
            let (program, args) = words.get(from..)?.split_first()?;
            Some((program.plain.as_str(), args, from > fed_from))
        })
    }

    /// Words that are filled in may make it run a program that stands nowhere in the line.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let name = self.words.first().map(|word| program_name(&word.plain)).unwrap_or_default();
        wrappers::finds_programs(name) && self.words.iter().any(|word| word.splits)
    }
}

/// A command line as far as it is understood.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// What was read of it.
    pub(super) line: Line,
    /// It is understood whole.
    pub(super) is_whole: bool,
}

/// Takes a command line apart.
pub(super) fn parse(text: &str) -> Parsed {
    if text.len() > MAX_LENGTH {
        return Parsed::default();
    }
    // The parser is not ours, and the line is the model's. One on which it panics is not understood: its guards run, and no
    // `allow` counts.
    catch_unwind(|| read_whole(text)).unwrap_or_default()
}

/// Reads a line, and once more where it sets variables that it uses.
fn read_whole(text: &str) -> Parsed {
    let parsed = read_once(text, Constants::default());
    match parsed.line.constants.for_second_reading().filter(|_| parsed.is_whole) {
        Some(constants) => read_once(text, constants),
        None => parsed,
    }
}

fn read_once(text: &str, constants: Constants) -> Parsed {
    #[cfg(test)]
    assert!(!tests::PANICS.get(), "the parser panics");
    let mut line = Line { constants, ..Line::default() };
    let is_read = flat::collect(text, &mut line, 0).is_some();
    patches::add(text, &mut line);
    let is_whole = is_read && !(line.reads_numbers && line.sets_texts || line.reads_list());
    Parsed { line, is_whole }
}

/// Programs whose first word says what they do.
const WITH_SUBCOMMANDS: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bun",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gcloud",
    "gem",
    "gh",
    "git",
    "glab",
    "go",
    "helm",
    "kubectl",
    "make",
    "npm",
    "npx",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "systemctl",
    "terraform",
    "uv",
    "yarn",
];

/// What a line runs, in a word or two for each command: `git push`, `sudo rm`. `None` when not all of the line is understood.
///
/// For people and their counts: it leaves out the arguments.
#[must_use]
pub fn summary(text: &str) -> Option<Vec<String>> {
    let is_name = |word: &&Word| {
        let letters = word.plain.bytes();
        word.plain.len() <= 24
            && letters.clone().all(|letter| letter.is_ascii_alphanumeric() || letter == b'-')
            && letters.take(1).all(|letter| letter.is_ascii_alphabetic())
    };
    let name = |command: &Simple| {
        let program = command.words.first().filter(|_| !command.is_nameless)?;
        let program = program_name(&program.plain).to_owned();
        let goes_on = command.wraps || WITH_SUBCOMMANDS.contains(&program.as_str());
        let next = command.words.get(1).filter(|_| goes_on).filter(is_name);
        Some(next.map_or_else(|| program.clone(), |next| format!("{program} {}", next.plain)))
    };
    let mut names: Vec<String> = Vec::new();
    let parsed = parse(text);
    if !parsed.is_whole {
        return None;
    }
    for command in &parsed.line.commands {
        let name = name(command)?;
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(names)
}

/// Whether a text nests no deeper than the parser can bear, quotes not looked at.
pub(super) fn is_bearable(text: &str) -> bool {
    let (mut parentheses, mut others) = (0_usize, 0_usize);
    for letter in text.chars() {
        match letter {
            '(' => parentheses += 1,
            ')' => parentheses = parentheses.saturating_sub(1),
            '{' | '[' => others += 1,
            '}' | ']' => others = others.saturating_sub(1),
            _ => {}
        }
        if parentheses > MAX_PARENTHESES || others > MAX_NESTING {
            return false;
        }
    }
    if has_long_descriptor(text) {
        return false;
    }
    let opens = |word: &&str| matches!(*word, "if" | "while" | "until" | "for" | "case" | "select" | "!" | "[[");
    text.len() <= MAX_FLAT && text.split([' ', '\t', '\n', ';', '&', '|', '(']).filter(opens).count() <= MAX_NESTING
}

/// Whether a redirection may name a descriptor of more digits than the parser can bear.
fn has_long_descriptor(text: &str) -> bool {
    let mut digits = 0_usize;
    text.chars().any(|letter| {
        let is_long = digits > MAX_DESCRIPTOR_DIGITS && matches!(letter, '<' | '>');
        digits = if letter.is_ascii_digit() { digits + 1 } else { 0 };
        is_long
    })
}

/// The part of a program's path that names it; empty for a path that ends in `/`, which no program has.
pub fn program_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests;
