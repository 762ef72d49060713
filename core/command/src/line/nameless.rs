//! A program whose name is filled in when the line runs may be any. What may become of it goes by its words, where these
//! say all that it is given.

use super::programs::is_shell;
use super::words::{is_name, is_plain_word};
use super::{Line, Simple, Word, program_name, wrappers};

/// Letters of the flags with which programs of the shell change where, or as what, the commands of the line run.
const OF_SHELL: &[char] = &['-', '@', 'L', 'P', 'e', 'f', 'n', 'p', 'q', 'r', 's', 'v'];

impl Line {
    /// Whether each program that is filled in (`"$PYTHON" -m pytest`) is one program and does no more than its words say,
    /// whichever it is. `text` is the line as it is written.
    pub(crate) fn says_what_nameless_get(&self, text: &str) -> bool {
        let mut nameless = self.commands.iter().enumerate().filter(|(_, command)| command.is_nameless);
        // A file or a text that it reads may hold commands, and a variable may be one that it sets.
        !text.contains('<')
            && self.assigned.is_empty()
            && nameless.all(|(at, command)| {
                command.says_what_it_gets() && !self.is_fed(at) && (self.is_alone(at) || command.is_no_builtin())
            })
    }

    /// Whether a pipe may give it what it runs.
    fn is_fed(&self, at: usize) -> bool {
        self.pipes.iter().any(|parts| parts.iter().skip(1).any(|part| part.contains(&at)))
    }

    /// Whether it changes nothing for other commands: there are none but those that read what it writes.
    fn is_alone(&self, at: usize) -> bool {
        let begins = |parts: &Vec<_>| {
            parts.first() == Some(&(at..at + 1)) && parts.last().is_some_and(|last| last.end == self.commands.len())
        };
        at == 0 && (self.commands.len() == 1 || self.pipes.iter().any(begins))
    }
}

impl Simple {
    /// Whether its words are all that the program is given, and none of them is a text that it may run.
    fn says_what_it_gets(&self) -> bool {
        let Some((name, args)) = self.words.split_first() else { return false };
        !name.splits
            && !name.is_patterned
            && !args.is_empty()
            && self.given.is_empty()
            && args.iter().all(is_ordinary)
            && !args.iter().enumerate().any(|(at, word)| runs_more(word, at + 1 == args.len()))
    }

    /// Whether it has a flag that no program of the shell has which changes something for the commands behind it.
    fn is_no_builtin(&self) -> bool {
        let is_other =
            |letters: &str| letters.len() > 1 && letters.starts_with('-') || !letters.trim_matches(OF_SHELL).is_empty();
        self.words.iter().skip(1).any(|word| word.plain.strip_prefix('-').is_some_and(is_other))
    }
}

/// Whether a word is no more than a word to every program.
fn is_ordinary(word: &Word) -> bool {
    let is_letter = |letter: char| letter == '=' || is_plain_word(letter.encode_utf8(&mut [0; 4]));
    let sets = word.plain.split_once('=').is_some_and(|(name, _)| is_name(name));
    let is_stream = word.plain == "-" || word.plain.starts_with("/dev/") || word.plain.starts_with("/proc/");
    !sets && !is_stream && word.fixed().is_some_and(|text| !text.is_empty() && text.chars().all(is_letter))
}

/// Whether a word is a program that runs more than the words behind it, where it is one.
fn runs_more(word: &Word, is_last: bool) -> bool {
    let name = program_name(&word.plain);
    let is_of_shell = matches!(name, "cd" | "eval" | "popd" | "pushd" | "source" | "trap") || name == "." && !is_last;
    is_of_shell || is_shell(name) || wrappers::wraps(name)
}
