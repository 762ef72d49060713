//! The command lines of Windows: what PowerShell and `cmd` run, as a shell says it.
//!
//! Rules know the words of a shell. So a line of theirs is written out as one: a command that means the same as a
//! shell's has that one's words beside its own, and a path has the name that rules know. Nothing is run or looked up.

mod cmd;
mod cmdlets;
mod expressions;
mod powershell;
mod shells;
mod words;

pub use shells::is_shell;
pub(crate) use shells::{Handed, handed};

/// How deep what nests may nest: what goes through it is recursive.
const MAX_DEPTH: usize = 24;

/// The language of a command line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Language {
    /// That of `sh` and its kind.
    #[default]
    Shell,
    /// That of `PowerShell`.
    PowerShell,
    /// That of Windows' `cmd`.
    Cmd,
}

/// A line as a shell says it.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// The line.
    pub(crate) text: String,
    /// All of what it was made of is understood.
    pub(crate) is_whole: bool,
}

/// Writes a line of another language as one of a shell.
pub(crate) fn write(text: &str, language: Language) -> Written {
    at_depth(text, language, 0)
}

fn at_depth(text: &str, language: Language, depth: usize) -> Written {
    if text.len() > crate::plain::MAX_LENGTH || depth > MAX_DEPTH {
        return Written::default();
    }
    match language {
        Language::Shell => Written { text: text.to_owned(), is_whole: true },
        Language::PowerShell => powershell::write(text, depth),
        Language::Cmd => cmd::write(text, depth),
    }
}

/// Words behind a command, each with a blank before it.
fn behind(words: impl Iterator<Item = String>) -> String {
    words.fold(String::new(), |said, word| said + " " + &word)
}

/// Commands that run one after the other, as one.
fn group(commands: &[String]) -> String {
    match commands {
        [] => ":".to_owned(),
        [one] => one.clone(),
        several => format!("{{ {}; }}", several.join("; ")),
    }
}

#[cfg(test)]
mod tests;
