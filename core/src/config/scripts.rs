//! Which files a command would run: the scripts that its line names.
//!
//! A line is read loosely, with words rather than a shell's grammar. What counts is what would run: a program with a path,
//! what follows an interpreter, a name with a script's ending, an executable file, and any other file that is named unless
//! it looks like data. Data does not count: a log that a hook writes changes all the time. What a script itself loads is
//! not followed.

mod after;
mod places;
mod programs;
mod standing;
mod tokens;

use std::path::{Path, PathBuf};

use super::{Declared, Run};
use crate::handlers::command::{CommandLine, CommandSpec};
use after::After;
use places::Places;
use programs::{has_data_ending, has_script_ending, is_assignment};
pub(super) use standing::is_executable;
use standing::{Seen, Standing};
use tokens::{Token, tokens};

/// How many scripts of one hook are looked at; one with more cannot be approved.
const MAX_SCRIPTS: usize = 64;

/// How deep commands are quoted in one another; what is deeper cannot be approved.
const MAX_DEPTH: usize = 8;

/// Directories whose files belong to the system: whoever can change them needs no hook.
const SYSTEM: &[&str] = &["/bin", "/sbin", "/usr", "/lib", "/lib64", "/nix/store", "/opt/homebrew", "/System"];

/// Where the words of a command point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roots<'r> {
    pub(super) project: Option<&'r Path>,
    pub(super) home: Option<&'r Path>,
}

/// The files that a hook's command names, each once and in order: those that are there, and those that should be. An
/// error when not all of them can be told.
pub(super) fn scripts_of(declared: &Declared, roots: Roots<'_>) -> (Vec<PathBuf>, Result<(), String>) {
    let Run::Command(command) = &declared.run else { return (Vec::new(), Ok(())) };
    let search = search(command, declared.plugin.as_deref(), roots);
    let complete = search.complete();
    (search.found.into_iter().map(|script| script.path).collect(), complete)
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
    search(command, declared.plugin.as_deref(), roots).found
}

fn search<'r>(command: &CommandSpec, plugin: Option<&'r Path>, roots: Roots<'r>) -> Search<'r> {
    let looked = look(command, plugin, roots, false);
    // A shell that is fed with what another program prints may be fed with any file that the line names.
    if looked.fed { look(command, plugin, roots, true) } else { looked }
}

fn look<'r>(command: &CommandSpec, plugin: Option<&'r Path>, roots: Roots<'r>, fed: bool) -> Search<'r> {
    let base = command.directory.as_deref().map_or_else(
        || roots.project.map(Path::to_path_buf),
        |directory| Some(roots.project.map_or_else(|| directory.to_path_buf(), |project| project.join(directory))),
    );
    let places = Places::new(roots, plugin, base);
    let mut search = Search { places, seen: Seen::default(), found: Vec::new(), fed, too_deep: false };
    for (name, value) in &command.env {
        search.places.assign(name, value);
        for part in std::iter::once(&**value).chain(value.split([' ', ':', ',', ';', '='])) {
            search.consider(part, After::Word);
        }
    }
    match &command.line {
        CommandLine::Shell { text, .. } => search.line(text, 0),
        CommandLine::Exec { program, args } => {
            let words = std::iter::once(program).chain(args);
            let last = words.fold(After::Start, |after, word| search.word(word, after, 0));
            search.ended(last);
        }
    }
    search
}

struct Search<'r> {
    places: Places<'r>,
    seen: Seen,
    found: Vec<Script>,
    /// A shell runs what it is given on its standard input, or what `eval` and `xargs` are given.
    fed: bool,
    too_deep: bool,
}

impl Search<'_> {
    /// Whether everything was looked at.
    fn complete(&self) -> Result<(), String> {
        if self.found.len() >= MAX_SCRIPTS {
            return Err(format!(
                "it names {MAX_SCRIPTS} scripts or more, too many to look at; put them into one script"
            ));
        }
        if self.too_deep {
            return Err(format!("it quotes commands more than {MAX_DEPTH} deep; put them into a script"));
        }
        Ok(())
    }

    fn line(&mut self, text: &str, depth: usize) {
        let text = self.places.with_directories(text);
        let mut after = After::Start;
        let mut written = false;
        for token in tokens(&text) {
            match token {
                Token::End => {
                    self.ended(after);
                    after = After::Start;
                }
                Token::Into => written = true,
                // A file that is written is no script that runs.
                Token::Word(_) if written => written = false,
                Token::Word(word) => after = self.word(&word, after, depth),
            }
        }
        self.ended(after);
    }

    /// A command is over: an interpreter that was given no file reads its standard input.
    fn ended(&mut self, after: After) {
        self.fed |= matches!(after, After::Interpreter { .. });
    }

    /// Looks at one word and says what it is for the next.
    fn word(&mut self, word: &str, after: After, depth: usize) -> After {
        let assigned = after == After::Start && is_assignment(word);
        if let Some((name, value)) = word.split_once('=') {
            if assigned {
                self.places.assign(name, value);
            }
            // `--config=./x`, `A=./x` and `core.pager=./x` name a file as well as `./x` does.
            if after != After::Code && !word.contains(char::is_whitespace) {
                value.split(':').chain(std::iter::once(value)).for_each(|part| self.consider(part, After::Word));
            }
        }
        match after {
            After::Cd => self.places.enter(word),
            After::Code => {}
            _ if assigned => {}
            _ => self.consider(word, after),
        }
        // A command within a word, as in `bash -c "./check.sh x"` and `"$(./check.sh)"`.
        let holds_one = (word.contains(char::is_whitespace) || word.contains("$(") || word.contains('`'))
            && !self.places.file(word).is_some_and(|path| self.seen.is_file(&path));
        if after == After::Code || holds_one {
            if depth < MAX_DEPTH {
                self.line(word, depth + 1);
            } else {
                self.too_deep = true;
            }
        }
        self.fed |= after.feeds(word);
        if assigned { After::Start } else { after.then(word) }
    }

    fn consider(&mut self, word: &str, after: After) {
        if word.is_empty() || word.len() > 4096 {
            return;
        }
        if after == After::Module {
            let module = word.replace('.', "/");
            for ending in [".py", "/__main__.py", "/__init__.py"] {
                self.look_at(&format!("{module}{ending}"), false, After::Word);
            }
            return;
        }
        if let (After::Start | After::Wrapper, false) = (after, word.contains('/')) {
            for path in self.places.programs(word) {
                self.add(path, true);
            }
        }
        let Some((text, certain)) = self.places.expand(word) else { return };
        if matches!(after, After::Data { .. }) && !self.fed || !text.contains(['*', '?', '[']) {
            self.look_at(&text, certain, after);
        } else {
            for path in self.places.matching(&text, MAX_SCRIPTS) {
                self.add(path, false);
            }
        }
    }

    /// Takes a file in if it runs; one that a word clearly means even while it is missing, since putting it there is a change.
    fn look_at(&mut self, text: &str, certain: bool, after: After) {
        let has_path = text.contains('/') && !text.starts_with("/dev/");
        let given = matches!(after, After::Interpreter { .. } | After::Option { file: true, .. });
        let runs = match after {
            After::Start | After::Wrapper => has_path,
            _ => given && !text.starts_with("/dev/"),
        };
        let by_looks = runs || has_script_ending(text);
        let by_name = by_looks || self.fed || !matches!(after, After::Data { .. }) && !has_data_ending(text);
        if !(given || by_name || has_path) {
            return;
        }
        let Some(path) = self.places.resolve(text) else { return };
        if given && self.seen.is_dir(&path) {
            for main in ["__main__.py", "package.json", "index.js", "index.mjs", "index.cjs", "index.ts"] {
                let main = path.join(main);
                if self.seen.is_file(&main) {
                    self.add(main, false);
                }
            }
            return;
        }
        let named = || !text.starts_with('-') && !text.contains(NO_NAME) && !text.contains("://");
        let meant = certain && by_looks && named();
        let runs = match self.seen.at(&path) {
            Standing::File { executable } => meant || by_name || has_path && executable,
            Standing::Directory => false,
            Standing::Nothing => meant,
        };
        if runs {
            self.add(path, matches!(after, After::Start | After::Wrapper));
        }
    }

    fn add(&mut self, path: PathBuf, direct: bool) {
        let known =
            SYSTEM.iter().any(|dir| path.starts_with(dir)) || self.found.iter().any(|script| script.path == path);
        if !known && self.found.len() < MAX_SCRIPTS {
            self.found.push(Script { path, direct });
        }
    }
}

/// Letters that say that a word is code or a pattern, and no file's name.
const NO_NAME: &[char] = &['*', '?', '{', '}', '\n', '(', ')', ';', '"', '\'', '`', '<', '>', '|', '='];

#[cfg(test)]
mod tests;
