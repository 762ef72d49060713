//! Which files a command would run: the scripts that its line names.
//!
//! A line is read loosely, with words rather than a shell's grammar. What counts is what would run: a program with a path,
//! what follows an interpreter, a name with a script's ending, an executable file. Data does not: a log that a hook writes
//! changes all the time. What a script itself loads is not followed.

mod programs;
mod tokens;

use std::path::{Component, Path, PathBuf};

use super::{Declared, Run};
use crate::handlers::command::CommandLine;
use programs::{has_script_ending, is_assignment, is_code, is_count, is_interpreter, is_wrapper};
use tokens::{Token, tokens};

/// How many scripts of one hook are looked at.
const MAX_SCRIPTS: usize = 64;

/// Directories whose files belong to the system: whoever can change them needs no hook.
const SYSTEM: &[&str] = &["/bin", "/sbin", "/usr", "/lib", "/lib64", "/nix/store", "/opt/homebrew", "/System"];

/// Where the words of a command point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roots<'r> {
    pub(super) project: Option<&'r Path>,
    pub(super) home: Option<&'r Path>,
}

/// The files that a hook's command names, each once and in order: those that are there, and those that should be.
pub(super) fn scripts_of(declared: &Declared, roots: Roots<'_>) -> Vec<PathBuf> {
    named_scripts(declared, roots).into_iter().map(|script| script.path).collect()
}

/// A file that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) path: PathBuf,
    /// It is started itself, not given to an interpreter.
    pub(super) direct: bool,
}

/// The same with how each is run.
pub(super) fn named_scripts(declared: &Declared, roots: Roots<'_>) -> Vec<Script> {
    let Run::Command(command) = &declared.run else { return Vec::new() };
    let base = command.directory.as_deref().or(roots.project);
    let mut search =
        Search { roots, plugin: declared.plugin.as_deref(), base: base.map(Path::to_path_buf), found: Vec::new() };
    match &command.line {
        CommandLine::Shell { text, .. } => search.line(text, 0),
        CommandLine::Exec { program, args } => {
            let mut after = After::Start;
            for word in std::iter::once(program).chain(args) {
                after = search.word(word, after);
            }
        }
    }
    search.found
}

/// What stood before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing: the word is a program.
    Start,
    /// A program that runs the file that it is given.
    Interpreter,
    /// A program that runs the program that it is given.
    Wrapper,
    /// An option whose argument is code.
    Code,
    /// `cd`.
    Cd,
    /// Anything else.
    Word,
}

struct Search<'r> {
    roots: Roots<'r>,
    plugin: Option<&'r Path>,
    base: Option<PathBuf>,
    found: Vec<Script>,
}

impl Search<'_> {
    fn line(&mut self, text: &str, depth: usize) {
        let project = self.roots.project.and_then(Path::to_str).unwrap_or(".");
        let text = text.replace("$(git rev-parse --show-toplevel)", project).replace("$(pwd)", project);
        let mut after = After::Start;
        let mut written = false;
        for token in tokens(&text) {
            match token {
                Token::End => after = After::Start,
                Token::Into => written = true,
                // A file that is written is no script that runs.
                Token::Word(_) if written => written = false,
                Token::Word(word) => {
                    let code = after == After::Code;
                    after = self.word(&word, after);
                    // A command within a word, as in `bash -c "./check.sh x"` and `"$(./check.sh)"`.
                    let is_file =
                        self.expand(&word).and_then(|text| self.resolve(&text)).is_some_and(|path| path.is_file());
                    let holds_one =
                        !is_file && (word.contains(char::is_whitespace) || word.contains("$(") || word.contains('`'));
                    if depth < 3 && (code || holds_one) {
                        self.line(&word, depth + 1);
                    }
                }
            }
        }
    }

    /// Looks at one word and says what it is for the next.
    fn word(&mut self, word: &str, after: After) -> After {
        let assigned = after == After::Start && is_assignment(word);
        // `--config=./x` names a file as well as `./x` does.
        let text = word.split_once('=').filter(|_| assigned || word.starts_with('-')).map_or(word, |(_, value)| value);
        if let Some(text) = self.expand(text) {
            match after {
                After::Cd => self.base = self.resolve(&text),
                After::Code => {}
                _ if assigned => self.consider(&text, After::Word),
                _ => self.consider(&text, after),
            }
        }
        let base_name = word.rsplit(['/', '\\']).next().unwrap_or(word);
        match after {
            _ if assigned => After::Start,
            After::Start if word == "cd" || word == "pushd" => After::Cd,
            After::Start | After::Wrapper if is_interpreter(base_name) => After::Interpreter,
            After::Start | After::Wrapper if is_wrapper(base_name) => After::Wrapper,
            After::Interpreter if is_code(word) => After::Code,
            // `sh -u x`, `timeout 5 ./x`, `env A=1 ./x`.
            After::Interpreter | After::Wrapper if word.starts_with(['-', '+']) => after,
            After::Wrapper if is_assignment(word) || is_count(word) => after,
            _ => After::Word,
        }
    }

    fn consider(&mut self, text: &str, after: After) {
        if self.found.len() >= MAX_SCRIPTS || text.is_empty() || text.len() > 4096 || text.contains("://") {
            return;
        }
        let Some(path) = self.resolve(text) else { return };
        if SYSTEM.iter().any(|dir| path.starts_with(dir)) || self.found.iter().any(|script| script.path == path) {
            return;
        }
        let has_path = text.contains('/') && !text.starts_with("/dev/");
        let runs = match after {
            After::Interpreter => !text.starts_with("/dev/"),
            After::Start | After::Wrapper => has_path,
            _ => false,
        };
        // A file that a word clearly means is one even while it is missing: putting it there is a change.
        let meant =
            !text.starts_with('-') && !text.contains(NO_NAME) && !path.is_dir() && (runs || has_script_ending(text));
        let counts = meant || path.is_file() && (runs || has_path && is_executable(&path));
        if counts {
            self.found.push(Script { path, direct: matches!(after, After::Start | After::Wrapper) });
        }
    }

    fn resolve(&self, text: &str) -> Option<PathBuf> {
        let path = match (text.strip_prefix("~/"), self.roots.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(text),
        };
        let path = if path.is_absolute() { path } else { self.base.as_ref()?.join(path) };
        Some(without_dots(&path))
    }

    /// Puts known directories in the place of their variables; `None` when a variable is unknown.
    fn expand(&self, text: &str) -> Option<String> {
        if !text.contains('$') {
            return Some(text.to_owned());
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, from)) = rest.split_once('$') {
            out.push_str(before);
            let (name, after) = match from.strip_prefix('{') {
                Some(braced) => {
                    let (inside, after) = braced.split_once('}')?;
                    (inside.split([':', '-', '?']).next().unwrap_or(inside), after)
                }
                None => {
                    from.split_at(from.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(from.len()))
                }
            };
            out.push_str(self.variable(name)?.to_str()?);
            rest = after;
        }
        out.push_str(rest);
        Some(out)
    }

    fn variable(&self, name: &str) -> Option<&Path> {
        match name {
            "HOME" => self.roots.home,
            "PWD" => self.base.as_deref(),
            "CLAUDE_PLUGIN_ROOT" | "PLUGIN_ROOT" | "DROID_PLUGIN_ROOT" => self.plugin,
            "CLAUDE_PROJECT_DIR"
            | "GEMINI_PROJECT_DIR"
            | "CURSOR_PROJECT_DIR"
            | "FACTORY_PROJECT_DIR"
            | "HOOKWEAVE_PROJECT_DIR" => self.roots.project,
            _ => None,
        }
    }
}

/// Letters that say that a word is code or a pattern, and no file's name.
const NO_NAME: &[char] = &['*', '?', '{', '}', '\n', '(', ')', ';', '"', '\'', '`', '<', '>', '|', '='];

/// Whether a file can be started as a program.
#[cfg(unix)]
pub(super) fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a file can be started as a program; elsewhere its name says so.
#[cfg(not(unix))]
pub(super) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// The path without `.` and `..`, as far as that can be said without looking.
fn without_dots(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Vec<String> {
        let roots = Roots { project: Some(Path::new("/project")), home: Some(Path::new("/home/u")) };
        let mut search = Search { roots, plugin: None, base: Some("/project".into()), found: Vec::new() };
        search.line(line, 0);
        search.found.iter().map(|script| script.path.display().to_string()).collect()
    }

    #[test]
    fn scripts_are_found_however_they_are_named() {
        for (line, wanted) in [
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.sh --flag", "/project/.claude/hooks/a.sh"),
            ("${CLAUDE_PROJECT_DIR}/a.sh", "/project/a.sh"),
            ("python3 .claude/hooks/a.py", "/project/.claude/hooks/a.py"),
            ("sh guard", "/project/guard"),
            ("cd hooks && ./a.sh", "/project/hooks/a.sh"),
            ("FOO=1 node a.mjs", "/project/a.mjs"),
            ("cat | ~/bin/a.sh", "/home/u/bin/a.sh"),
            ("\"$(git rev-parse --show-toplevel)/a.sh\"", "/project/a.sh"),
            ("x --config=./conf.py", "/project/conf.py"),
            ("echo \"$(./a.sh)\"", "/project/a.sh"),
            ("sh -c ./a.sh", "/project/a.sh"),
            ("timeout 5s ./guard", "/project/guard"),
            ("env A=1 ./guard >/dev/null 2>&1", "/project/guard"),
            ("x 2>&1 | sh guard", "/project/guard"),
            ("sudo -u bob ./a.sh", "/project/a.sh"),
            ("x=`./a.sh`", "/project/a.sh"),
            ("python3.12 -u run.py", "/project/run.py"),
            ("./sub/../a.sh", "/project/a.sh"),
        ] {
            assert_eq!(found(line), [wanted], "{line}");
        }
    }

    #[test]
    fn a_quoted_line_is_a_command_and_a_quoted_path_a_path() {
        assert_eq!(found("bash -c \"./a.sh x\""), ["/project/a.sh"]);
        assert!(found("\"./my hooks/a.sh\"").contains(&"/project/my hooks/a.sh".to_owned()));
    }

    #[test]
    fn what_is_no_script_is_left_alone() {
        for line in [
            "echo hello",
            "/usr/bin/jq -r .tool_name",
            "curl https://x.example/a.sh",
            "$UNKNOWN/a.sh",
            "echo x > /dev/null",
        ] {
            assert_eq!(found(line), [""; 0], "{line}");
        }
    }
}
