//! What a word of a command line is by what stands before it.

use super::commands::is_of_machine;
use super::programs::{
    is_assignment, is_chdir, is_code, is_count, is_data_program, is_interpreter, is_reserved, is_wrapper, loads_file,
    module_of, runs_its_option, starts_code, takes_module, takes_value, writes,
};

/// Programs that run what they are given as text, wherever it comes from.
const FEEDERS: &[&str] = &["eval", "xargs", "parallel"];

/// What stood before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Nothing: the word is a program.
    Start,
    /// A program that runs the file that it is given, and whether it is a shell.
    Interpreter { shell: bool },
    /// A program that runs the program that it is given.
    Wrapper,
    /// An option whose argument is code, and whether it is a shell's.
    Code { shell: bool },
    /// An option of an interpreter whose argument is the name of a module.
    Module,
    /// An option whose argument is a file that is run, or no file.
    Option { file: bool, of: Of },
    /// `cd`.
    Cd,
    /// An option of a wrapper, as `env -C`, whose argument is the directory that the program starts in.
    Chdir,
    /// A program that runs every file of the folder that it is given.
    Folder,
    /// `export` and its kin.
    Export,
    /// A program that only reads or writes the files that it is given: whether `-f` gives it one to run, and whether it
    /// writes them.
    Data { runs_option: bool, writes: bool },
    /// A program of the machine of which nothing is known: it may run what it is given.
    Program,
    /// Anything else.
    Word,
}

/// Whose option it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Interpreter { shell: bool },
    Wrapper,
    Program,
}

impl After {
    /// What names a file that is run.
    pub(super) const FILE: Self = Self::Option { file: true, of: Of::Program };

    /// What stands before the next word.
    pub(super) fn then(self, word: &str) -> Self {
        let base_name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        match self {
            Self::Start if is_reserved(word) => Self::Start,
            Self::Start | Self::Wrapper if word == "cd" || word == "pushd" => Self::Cd,
            Self::Start if matches!(word, "export" | "declare" | "typeset" | "local" | "readonly") => Self::Export,
            Self::Export => Self::Export,
            Self::Cd if word.starts_with('-') && word.len() > 1 => Self::Cd,
            Self::Wrapper if is_chdir(word) => Self::Chdir,
            // `env -u NAME`, `sudo -u bob -g staff`.
            Self::Wrapper if matches!(word, "-u" | "-g" | "--unset" | "--user" | "--group") => {
                Self::Option { file: false, of: Of::Wrapper }
            }
            Self::Chdir | Self::Option { of: Of::Wrapper, .. } => Self::Wrapper,
            Self::Start | Self::Wrapper if base_name == "run-parts" => Self::Folder,
            Self::Folder => Self::Folder,
            Self::Start | Self::Wrapper if FEEDERS.contains(&word) => Self::Wrapper,
            Self::Start | Self::Wrapper if is_interpreter(base_name) => {
                Self::Interpreter { shell: base_name.ends_with("sh") }
            }
            Self::Start | Self::Wrapper if is_wrapper(base_name) => Self::Wrapper,
            Self::Start | Self::Wrapper if is_data_program(base_name) => {
                Self::Data { runs_option: runs_its_option(base_name), writes: writes(base_name) }
            }
            Self::Program if starts_code(base_name) => Self::Interpreter { shell: base_name.ends_with("sh") },
            Self::Program => Self::Program,
            // `sh -s x` reads its standard input, and `x` is an argument of that.
            Self::Interpreter { shell: true } if word == "-s" => Self::Word,
            Self::Interpreter { .. } if word == "-m" => Self::Module,
            Self::Interpreter { shell: false } if takes_module(word) => Self::Module,
            Self::Interpreter { shell: false } if module_of(word).is_some() => Self::Word,
            Self::Interpreter { shell } if is_code(word, shell) => Self::Code { shell },
            Self::Interpreter { shell } if loads_file(word) => {
                Self::Option { file: true, of: Of::Interpreter { shell } }
            }
            Self::Interpreter { shell } if takes_value(word, shell) => {
                Self::Option { file: false, of: Of::Interpreter { shell } }
            }
            Self::Option { of: Of::Interpreter { shell }, .. } => Self::Interpreter { shell },
            Self::Data { runs_option: true, .. } if matches!(word, "-f" | "--file" | "--from-file" | "--makefile") => {
                Self::Option { file: true, of: Of::Program }
            }
            Self::Interpreter { .. } if word.starts_with("/dev/") => self,
            // `sh -u x`, `timeout 5 ./x`, `env A=1 ./x`.
            Self::Interpreter { .. } | Self::Wrapper if word.starts_with(['-', '+']) => self,
            Self::Wrapper if is_assignment(word) || is_count(word) => self,
            Self::Data { .. } => self,
            Self::Start | Self::Wrapper if is_of_machine(word) => Self::Program,
            _ => Self::Word,
        }
    }

    /// Whether a file that the word names is certain to be run.
    pub(super) const fn runs(self) -> bool {
        matches!(
            self,
            Self::Start
                | Self::Wrapper
                | Self::Interpreter { .. }
                | Self::Module
                | Self::Folder
                | Self::Option { file: true, .. }
        )
    }

    /// Whether the word makes its command run what it reads.
    pub(super) fn feeds(self, word: &str) -> bool {
        match self {
            Self::Start | Self::Wrapper => FEEDERS.contains(&word),
            Self::Interpreter { shell } => shell && word == "-s",
            _ => false,
        }
    }
}
