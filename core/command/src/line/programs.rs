//! Programs that run what they are given, and programs of the shell that change what the others are.

use super::flat::collect;
use super::walk::Walk;
use super::words::{Word, is_name};
use super::{program_name, wrappers};
use crate::windows::{self, Handed};

/// Words of a shell's grammar. A parser that takes one for a program does not know this shell.
const GRAMMAR: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "end", "esac", "fi", "for", "foreach",
    "function", "if", "in", "repeat", "select", "then", "time", "until", "while",
];

/// Shells.
const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "ksh93", "mksh", "rbash", "sh", "yash", "zsh"];

/// Whether a program is a shell.
#[must_use]
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// Whether a shell of these arguments reads its input and runs nothing of it.
#[must_use]
pub fn is_only_checked(args: &[Word]) -> bool {
    matches!(args, [only] if only.fixed() == Some("-n"))
}

/// Programs of the shell whose arguments may be assignments.
pub(super) const DECLARES: &[&str] = &["declare", "export", "float", "integer", "local", "readonly", "typeset"];

/// Programs of the shell that set what they name to what comes from elsewhere.
const SETS: &[&str] = &["getopts", "mapfile", "printf", "read", "readarray", "set", "unset", "wait"];

/// Programs of the shell that make a name mean another program, or run what was kept for later.
const REBINDS: &[&str] =
    &["alias", "autoload", "bind", "compgen", "complete", "emulate", "enable", "fc", "hash", "sched"];

impl Walk<'_> {
    /// A simple command of these words.
    pub(super) fn run(&mut self, words: &[Word]) -> Option<()> {
        let Some(name) = words.first() else { return Some(()) };
        self.has_room()?;
        let is_written = name.raw == name.plain;
        // `time -p -- x` and the like: a parser that takes an option for a program does not know this shell either.
        if is_written && (GRAMMAR.contains(&name.plain.as_str()) || name.plain.starts_with('-')) {
            return None;
        }
        let wraps = wrappers::wraps(program_name(&name.plain));
        wrappers::push(self.line, words, wraps);
        self.inner(words, 0)?;
        if wraps {
            self.wrapped_variables(words)?;
            self.wrapped(words)?;
        }
        Some(())
    }

    /// What a command runs by itself.
    pub(super) fn inner(&mut self, words: &[Word], nested: usize) -> Option<()> {
        let Some((name, args)) = words.split_first() else { return Some(()) };
        if windows::is_shell(&name.plain) {
            return self.windows_shell(&name.plain, args);
        }
        let name = program_name(&name.plain);
        match name {
            _ if is_shell(name) => self.shell(args),
            "eval" => self.eval(args),
            "trap" => self.trap(args),
            "." | "source" => self.source(args),
            "let" => args.iter().try_for_each(|arg| {
                self.line.does_more = true;
                self.line.rebinds();
                self.line.reads_sum(arg.fixed()?)
            }),
            "test" | "[" => looks_up(args),
            _ if DECLARES.contains(&name) => self.declare(name, args),
            _ if SETS.contains(&name) => self.set(name, args),
            _ if REBINDS.contains(&name) => {
                let asks = |arg: &Word| matches!(arg.fixed(), Some("-p" | "-r" | "-l" | "-a"));
                (args.is_empty() || name != "hash" && args.iter().all(asks)).then_some(())
            }
            "xargs" => wrappers::xargs(args),
            "find" | "gfind" => wrappers::find(args),
            _ if nested == 0 && wrappers::wraps(name) => wrappers::is_certain(words),
            _ => Some(()),
        }
    }

    /// `env NAME=value`: variables for a program that may be a shell.
    fn wrapped_variables(&mut self, words: &[Word]) -> Option<()> {
        words.iter().skip(1).try_for_each(|word| {
            let Some((name, value)) = word.plain.split_once('=') else { return Some(()) };
            if name.starts_with("BASH_FUNC_") || is_name(name) {
                self.line.sets(name, value, word.is_dynamic)?;
            }
            Some(())
        })
    }

    /// Every command that the arguments of a wrapper may be.
    fn wrapped(&mut self, words: &[Word]) -> Option<()> {
        let program = program_name(&words.first()?.plain);
        let takes_lines = wrappers::takes_lines(program);
        // What `find` is given before says where it searches and for what; what is filled in may be `-exec`.
        let may_run = |word: &Word| wrappers::runs_found(word) || word.is_dynamic;
        let begin = match program {
            "find" | "gfind" => words.iter().position(may_run).map_or(words.len(), |at| at + 1),
            _ => 1,
        };
        for from in begin..words.len() {
            let rest = words.get(from..)?;
            self.inner(rest, 1)?;
            let word = rest.first()?;
            let before = words.get(from - 1)?.plain.as_str();
            let is_line = takes_lines || matches!(before, "-S" | "--split-string" | "-c" | "--command");
            let inside = word.plain.split_once('=').filter(|(option, _)| *option == "--split-string");
            let text = inside.map_or(word.plain.as_str(), |(_, text)| text);
            let text = text.strip_prefix("-S").filter(|text| !text.is_empty()).unwrap_or(text);
            if (is_line || text.len() != word.plain.len()) && text.contains([' ', '\t', '\n', ';', '&', '|']) {
                word.fixed()?;
                collect(text, self.line, self.depth + 1)?;
            }
        }
        Some(())
    }

    /// `sh -c TEXT` is read; a shell that reads its commands from elsewhere is not.
    fn shell(&mut self, args: &[Word]) -> Option<()> {
        if is_only_checked(args) {
            return Some(());
        }
        let mut args = args.iter();
        let mut is_text = false;
        while let Some(arg) = args.next() {
            let word = arg.fixed()?;
            match word {
                "--version" | "--help" => return Some(()),
                "--rcfile" | "--init-file" => {
                    is_file(args.next()?.fixed()?).then_some(())?;
                }
                "-o" | "+o" | "-O" | "+O" => {
                    args.next()?.fixed()?;
                }
                "--" => {
                    let text = args.next()?.fixed()?;
                    return self.shell_runs(text, is_text);
                }
                _ if word.starts_with("--") => {}
                _ if word.len() > 1 && word.starts_with(['-', '+']) => {
                    if word.contains('s') {
                        return None;
                    }
                    is_text |= word.contains('c');
                    if word.ends_with(['o', 'O']) {
                        args.next()?.fixed()?;
                    }
                }
                _ => return self.shell_runs(word, is_text),
            }
        }
        None
    }

    /// PowerShell and `cmd`: what they are handed is read in their language.
    fn windows_shell(&mut self, program: &str, args: &[Word]) -> Option<()> {
        let words: Vec<Option<&str>> = args.iter().map(Word::fixed).collect();
        match windows::handed(program, &words)? {
            Handed::Nothing => Some(()),
            Handed::Unknown => None,
            Handed::Line(text, language) => {
                let said = windows::write(&text, language);
                let is_read = collect(&said.text, self.line, self.depth + 1);
                is_read.filter(|()| said.is_whole)
            }
        }
    }

    fn shell_runs(&mut self, word: &str, is_text: bool) -> Option<()> {
        if is_text {
            return collect(word, self.line, self.depth + 1);
        }
        is_file(word).then_some(())
    }

    fn eval(&mut self, args: &[Word]) -> Option<()> {
        let words: Option<Vec<&str>> = args.iter().map(Word::fixed).collect();
        let text = words?.join(" ");
        collect(text.strip_prefix("-- ").unwrap_or(&text), self.line, self.depth + 1)
    }

    fn trap(&mut self, args: &[Word]) -> Option<()> {
        let mut words = args.iter().skip_while(|arg| arg.plain == "--");
        match words.next() {
            None => Some(()),
            Some(text) => match text.fixed()? {
                "-l" | "-p" | "-" => Some(()),
                text => collect(text, self.line, self.depth + 1),
            },
        }
    }

    /// A file that is read in may define anything.
    fn source(&mut self, args: &[Word]) -> Option<()> {
        self.line.does_more = true;
        self.line.rebinds();
        self.line.sets_texts = true;
        is_file(args.iter().find(|arg| arg.plain != "--")?.fixed()?).then_some(())
    }

    fn declare(&mut self, program: &str, args: &[Word]) -> Option<()> {
        self.line.does_more = true;
        // What is declared may be no plain text from then on, and what stays as it is takes no other value.
        if program != "export" || args.iter().any(|arg| arg.fixed().is_none() || arg.plain.starts_with('-')) {
            self.line.rebinds();
        }
        self.line.reads_numbers |= matches!(program, "float" | "integer");
        let mut is_array = false;
        for arg in args {
            let (name, value) = arg.plain.split_once('=').unwrap_or((&arg.plain, ""));
            let name = name.strip_suffix('+').unwrap_or(name);
            if name.starts_with(['-', '+']) {
                arg.fixed()?;
                // A number, or another name for a variable.
                self.line.reads_numbers |= name.contains(['i', 'n', 'E', 'F']);
                is_array |= name.contains(['a', 'A']);
                continue;
            }
            if !is_name(name) {
                return None;
            }
            let is_list = arg.raw == arg.plain && value.starts_with('(');
            if !is_list {
                // What is filled in is read once more if the variable holds a list.
                let is_filled = arg.is_dynamic && value.starts_with(['$', '`', '\\']);
                if value.starts_with('(') || is_filled && is_array {
                    return None;
                }
                if is_filled {
                    self.line.declared.push(name.to_owned());
                }
            }
            if is_array {
                self.line.arrays.push(name.to_owned());
            }
            if arg.plain.contains('=') && !is_list {
                self.line.sets(name, value, arg.is_dynamic)?;
            }
            self.line.sets_texts |= arg.is_dynamic;
        }
        Some(())
    }

    fn set(&mut self, name: &str, args: &[Word]) -> Option<()> {
        if name == "printf" && !args.first().is_some_and(|arg| arg.is_dynamic || arg.plain.starts_with("-v")) {
            return Some(());
        }
        if name == "wait" && !args.iter().any(|arg| arg.is_dynamic || arg.plain.starts_with("-p")) {
            return Some(());
        }
        self.line.does_more = true;
        self.line.sets_texts = true;
        if name == "unset" || args.iter().any(|arg| arg.fixed().is_none()) {
            self.line.rebinds();
        }
        if !matches!(name, "set" | "unset") {
            let is_list = args.iter().any(|arg| arg.plain.starts_with('-') && arg.plain.contains('a'));
            for arg in args {
                // `-vNAME` is `-v NAME`.
                let target = arg.plain.strip_prefix('-').and_then(|option| option.get(1..)).unwrap_or(&arg.plain);
                self.line.fills(target)?;
                if matches!(name, "mapfile" | "readarray") || is_list {
                    self.line.arrays.push(target.to_owned());
                }
            }
        }
        match name {
            // What is set are the arguments, which no sum reads by a name.
            "set" => Some(()),
            // `-C` runs a command for the lines that are read.
            "mapfile" | "readarray" if args.iter().any(|arg| arg.is_dynamic || arg.plain.starts_with("-C")) => None,
            "printf" => {
                let target = args.get(usize::from(args.first()?.plain == "-v"))?;
                (!target.is_dynamic && !target.plain.contains('[')).then_some(())
            }
            // An index of what is named is a sum.
            _ => args.iter().all(|arg| !arg.is_dynamic && !arg.plain.contains(['[', '$'])).then_some(()),
        }
    }
}

/// A file that a shell reads its commands from, and no stream that this line or another may fill.
pub(super) fn is_file(name: &str) -> bool {
    let is_stream = name == "-" || name.starts_with("/dev/") || name.starts_with("/proc/");
    !is_stream && !name.is_empty()
}

/// `test -v a[…]` reads a sum.
fn looks_up(args: &[Word]) -> Option<()> {
    let mut pairs = args.iter().zip(args.iter().skip(1));
    pairs
        .all(|(option, name)| {
            let asks = option.is_dynamic || matches!(option.plain.as_str(), "-v" | "-R");
            !asks || option.is_dynamic && !name.plain.contains('[') || name.fixed().is_some_and(is_name)
        })
        .then_some(())
}
