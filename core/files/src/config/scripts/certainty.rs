//! Whether all files that a command runs are known.
//!
//! A line is read once more, by the reader of rules, which says when it does not understand all of it. What is not certain can
//! be approved, but says so, and is asked about anew when a script of the hook's folders changes.

use super::programs::is_runner;
use super::{MAX_LINE, Search};
use hookweave_exec::command::Shell;

impl Search<'_> {
    /// Notes why the files that a line runs cannot all be told.
    pub(super) fn is_certain(&mut self, line: &str, shell: Shell) {
        if self.fed {
            self.doubt(|| "a shell of it runs what another program gives it".to_owned());
        }
        if shell == Shell::PowerShell {
            self.doubt(|| "it is a line for PowerShell, which is not read".to_owned());
        }
        if line.len() > MAX_LINE {
            return;
        }
        let text = self.places.filled(&self.places.with_directories(line));
        let Some(programs) = hookweave_command::programs(&text) else {
            self.fed = true;
            self.doubt(|| "not all of its line is understood".to_owned());
            return;
        };
        for (name, is_filled) in programs {
            if is_filled {
                self.fed = true;
                self.doubt(|| format!("`{name}` is filled in when it runs"));
            } else if is_runner(&name) {
                self.doubt(|| format!("`{name}` runs what it finds in the project"));
            }
        }
    }
}

/// Whether code of awk or sed starts programs, or writes files that may run later.
pub(super) fn runs_commands(code: &str) -> bool {
    let calls = ["system", "getline", "@include", "@load"].iter().any(|word| code.contains(word));
    calls
        || code.contains("print") && code.contains('|')
        || code.split("print").skip(1).any(prints_into_a_file)
        || code.split([';', '\n', '{', '}']).any(executes)
}

/// Whether what follows a `print` of awk sends it into a file, beside those of `/dev`.
fn prints_into_a_file(rest: &str) -> bool {
    let statement = rest.split([';', '\n', '}']).next().unwrap_or_default();
    let target = statement.split_once('>').map(|(_, target)| target.trim_start_matches(['>', ' ', '"']));
    target.is_some_and(|target| !target.starts_with("/dev/"))
}

/// Whether a command of sed runs what it reads, or writes a file: `e`, `1e date`, `s/x/y/ge`, `w x`.
fn executes(command: &str) -> bool {
    let is_flag = |letter: char| "gpiImMew".contains(letter) || letter.is_ascii_digit();
    let is_address = |letter: char| "$,!~+ ".contains(letter) || letter.is_ascii_digit();
    let command = command.trim().trim_start_matches(is_address);
    let mark = command.strip_prefix('s').and_then(|rest| rest.chars().next()).filter(|mark| !mark.is_alphanumeric());
    let rest = mark.and_then(|mark| command.rsplit(mark).next()).unwrap_or_default();
    let flags = rest.split(' ').next().unwrap_or_default();
    let starts = ["e ", "w ", "W "].iter().any(|start| command.starts_with(start));
    command == "e" || starts || flags.contains(['e', 'w']) && flags.chars().all(is_flag)
}

/// Whether a word of a language's code is a name of that code, such as a variable's: it stands in none of its texts.
pub(super) fn is_a_name(code: &str, word: &str) -> bool {
    // Perl and Ruby have further ways to write a text.
    if ["qw", "qx", "q(", "q{", "%x", "%w", "%q", "<<"].iter().any(|mark| code.contains(mark)) {
        return false;
    }
    let mut mark = None;
    let mut escaped = false;
    let mut texts = String::new();
    for letter in code.chars() {
        let ends = mark == Some(letter) && !escaped;
        escaped = letter == '\\' && !escaped;
        match mark {
            _ if ends => {
                mark = None;
                texts.push('\n');
            }
            None if matches!(letter, '"' | '\'' | '`') => mark = Some(letter),
            None => {}
            Some(_) => texts.push(letter),
        }
    }
    // A mark that nothing closes may be one of a comment, and what is a text is not known.
    mark.is_none() && !texts.contains(word)
}

/// Whether code of a language starts programs or loads what it computes.
pub(super) fn runs_files(code: &str) -> bool {
    const WORDS: &[&str] = &[
        "__import__",
        "child_process",
        "compile(",
        "copy",
        "do ",
        "eval",
        "exec",
        "execfile",
        "importlib",
        "load",
        "open(",
        "popen",
        "qx",
        "readFile",
        "rename",
        "require",
        "runpy",
        "source",
        "spawn",
        "subprocess",
        "system",
        "import(",
        "write",
    ];
    code.contains('`') || WORDS.iter().any(|word| code.contains(word))
}
