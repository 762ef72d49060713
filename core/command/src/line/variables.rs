//! Variables that mean something to a shell: those it fills with text of the line, reads as numbers, or runs.

use super::programs::is_file;
use super::words::is_plain_text;
use super::{Line, arithmetic};

/// What shells set to text of the line they run: the last argument, the last match, the command itself.
const TEXTS: &[&str] = &[
    "_",
    "COPROC",
    "DIRSTACK",
    "FUNCNAME",
    "MAPFILE",
    "MATCH",
    "OLDPWD",
    "OPTARG",
    "PWD",
    "REPLY",
    "_temporary",
    "argv",
    "match",
    "reply",
];

/// What Bash sets itself, under names that begin with `BASH`, to numbers alone.
const NUMBERS: &[&str] = &["BASHPID", "BASH_LINENO", "BASH_SUBSHELL", "BASH_VERSINFO"];

/// What bash or zsh reads as a sum when it is set.
const INTEGERS: &[&str] = &[
    "BASHPID",
    "BASH_MONOSECONDS",
    "BASH_SUBSHELL",
    "COLUMNS",
    "COMP_CWORD",
    "EGID",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "ERRNO",
    "EUID",
    "FUNCNEST",
    "GID",
    "HISTCMD",
    "HISTSIZE",
    "KEYTIMEOUT",
    "LINENO",
    "LINES",
    "LISTMAX",
    "MAILCHECK",
    "OPTIND",
    "PERIOD",
    "PPID",
    "RANDOM",
    "SAVEHIST",
    "SECONDS",
    "SHLVL",
    "SRANDOM",
    "TMOUT",
    "UID",
];

/// Tables of zsh in which a name is made to mean another program.
const TABLES: &[&str] = &["aliases", "commands", "functions", "galiases", "saliases"];

impl Line {
    /// Notes what a sum reads and sets; `None` when shells do not all read it alike.
    pub(super) fn reads_sum(&mut self, text: &str) -> Option<()> {
        let sum = arithmetic::sum(text)?;
        self.constants.is_unsure |= sum.assigns;
        self.reads_numbers |= sum.reads;
        self.sets_texts |= names_text(text);
        self.does_more |= sum.assigns;
        Some(())
    }

    /// Notes what a variable is set to; `None` when a shell may run it.
    pub(super) fn sets(&mut self, name: &str, value: &str, is_filled: bool) -> Option<()> {
        self.constants.assigned.push(name.to_owned());
        self.sets_texts |= is_filled || !is_plain_text(value);
        self.reads_numbers |= is_integer(name) && (is_filled || value.contains(|c: char| !c.is_ascii_digit()));
        let is_text = !is_filled && !value.contains(['$', '`', '\\']);
        let is_understood = match name {
            "BASH_ENV" | "ENV" => is_text && (value.is_empty() || is_file(value)),
            name if is_prompt(name) => is_text,
            name if is_run(name) => is_text && value.is_empty(),
            _ => true,
        };
        is_understood.then_some(())
    }

    /// Notes that a variable is set to what comes from elsewhere.
    pub(super) fn fills(&mut self, name: &str) -> Option<()> {
        self.assigned.push((name.to_owned(), None));
        self.sets(name, "", true)
    }

    /// Whether a quoted list may be read once more: `b=(); declare b=$x`.
    pub(super) fn reads_list(&self) -> bool {
        self.declared.iter().any(|name| self.arrays.contains(name))
    }
}

/// Whether a text names a variable that the shell sets to text of the line.
pub(super) fn names_text(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|name| {
        TEXTS.contains(&name)
            || ["BASH", "COMP_", "READLINE_"].iter().any(|start| name.starts_with(start)) && !NUMBERS.contains(&name)
    })
}

/// Whether the shell itself sets a variable, or reads its text otherwise than as one.
pub(super) fn is_own(name: &str) -> bool {
    is_integer(name) || names_text(name) || matches!(name, "IFS" | "SHELLOPTS")
}

/// Whether an entry of this table is another program.
pub(super) fn is_table(name: &str, index: &str) -> bool {
    TABLES.contains(&name) && index.contains(|c: char| !c.is_ascii_digit())
}

fn is_integer(name: &str) -> bool {
    INTEGERS.contains(&name)
}

/// Whether a shell fills in what stands in it whenever it shows it.
fn is_prompt(name: &str) -> bool {
    matches!(name, "PS0" | "PS1" | "PS2" | "PS3" | "PS4" | "RPS1" | "RPS2" | "MAILPATH")
        || name != "PROMPT_COMMAND" && (name.starts_with("PROMPT") || name.starts_with("RPROMPT"))
}

/// Whether a shell runs what stands in it.
fn is_run(name: &str) -> bool {
    matches!(name, "BASH_ALIASES" | "BASH_CMDS" | "PROMPT_COMMAND") || name.starts_with("BASH_FUNC_")
}
