//! Which files a command would run: the scripts that its line names.
//!
//! A line is read loosely, with words rather than a shell's grammar. What counts is what would run: a program with a path,
//! what follows an interpreter, a name with a script's ending, an executable file, and any other file that is named unless
//! it looks like data. Data does not count: a log that a hook writes changes all the time. What a script itself loads is
//! not followed.

mod after;
mod certainty;
mod commands;
mod folders;
mod places;
mod programs;
mod standing;
mod tokens;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::{Declared, Run};
use crate::open::open_file;
use after::{After, Of};
pub(super) use commands::named_programs;
use hookweave_exec::command::{CommandLine, CommandSpec};
use places::{MAX_ENTRIES, Places, is_pattern};
use programs::{has_data_ending, has_script_ending, is_assignment};
pub(super) use standing::is_executable;
use standing::{Standing, StandingCache};
use tokens::{Join, Token, tokens};

/// How many scripts of one hook are looked at; one with more cannot be approved.
const MAX_SCRIPTS: usize = 64;

/// How deep commands are quoted in one another; what is deeper cannot be approved.
const MAX_DEPTH: usize = 8;

/// How many times a line may change its directory where it is not clear that it does; one with more cannot be approved.
const MAX_STRAYS: usize = 4;

/// Why it is not known which files a line names.
const UNCLEAR_CD: &str = "where its `cd` leads is not clear";

/// How much of a script is read for its `#!`, in bytes; systems read no more.
const MAX_SHEBANG: u64 = 1024;

/// The longest line that is looked at, in bytes; a hook with a longer one cannot be approved.
const MAX_LINE: usize = 64 * 1024;

/// Directories whose files belong to the system: whoever can change them needs no hook.
const SYSTEM: &[&str] = &["/bin", "/sbin", "/usr", "/lib", "/lib64", "/nix/store", "/opt/homebrew", "/System"];

/// Where the words of a command point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roots<'r> {
    pub(super) project: Option<&'r Path>,
    pub(super) home: Option<&'r Path>,
}

/// What a hook's command runs, as far as that is known.
#[derive(Debug)]
pub(super) struct Listing {
    /// The files, each once and in order: those that are there, and those that should be.
    pub(super) scripts: Vec<PathBuf>,
    /// Those of them that are certain to be run; the others may be data.
    pub(super) certain: Vec<PathBuf>,
    /// Why it cannot be told whether these are all, where they can be approved with what stands around them.
    pub(super) unsure: Option<String>,
    /// What comes to be there later may run too.
    pub(super) open: bool,
    /// An error when they cannot be approved at all.
    pub(super) complete: Result<(), String>,
}

/// A command, and where its words are read.
#[derive(Debug, Clone)]
pub(super) struct Named {
    command: CommandSpec,
    plugin: Option<PathBuf>,
    file: Option<PathBuf>,
    project: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl Named {
    /// What a hook runs; nothing when it runs no command.
    pub(super) fn of(declared: &Declared, roots: Roots<'_>) -> Option<Self> {
        let Run::Command(command) = &declared.run else { return None };
        Some(Self {
            command: command.clone(),
            plugin: declared.plugin.clone(),
            file: declared.spec.origin.as_ref().map(|origin| origin.file.clone()),
            project: roots.project.map(Path::to_path_buf),
            home: roots.home.map(Path::to_path_buf),
        })
    }

    /// The directory in which it was approved.
    pub(super) fn directory(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// The files that it runs when it is started in a directory; that in which it is approved unless another is given.
    pub(super) fn list(&self, directory: Option<&Path>) -> Listing {
        let here = self.search(directory);
        let mut complete = here.complete();
        let (unsure, open, folders) = (here.unsure, here.open, here.folders);
        let paths = |found: Vec<Script>| -> Vec<PathBuf> { found.into_iter().map(|script| script.path).collect() };
        let certain = here.found.iter().filter(|script| script.certain).map(|script| script.path.clone()).collect();
        let mut scripts = paths(here.found);
        if unsure.is_some() && complete.is_ok() {
            // The folders are those of the approval, wherever it runs.
            let (approved, folders) = match directory {
                Some(_) => {
                    let there = self.search(None);
                    (paths(there.found), there.folders)
                }
                None => (scripts.clone(), folders),
            };
            let named = (&approved[..], &folders[..]);
            complete = folders::add(&mut scripts, named, self.file.as_deref(), self.project.as_deref());
        }
        Listing { scripts, certain, open: open || unsure.is_some(), unsure, complete }
    }

    fn search<'r>(&'r self, directory: Option<&'r Path>) -> Search<'r> {
        let roots = Roots { project: self.project.as_deref(), home: self.home.as_deref() };
        search(&self.command, self.plugin.as_deref(), roots, directory.or(roots.project))
    }
}

/// A file that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) path: PathBuf,
    /// It is started itself, not given to an interpreter.
    pub(super) direct: bool,
    /// It is certain to be run: the line starts it, or gives it to an interpreter as its program.
    pub(super) certain: bool,
}

/// The same with how each is run.
pub(super) fn named_scripts(declared: &Declared, roots: Roots<'_>) -> Vec<Script> {
    let Run::Command(command) = &declared.run else { return Vec::new() };
    search(command, declared.plugin.as_deref(), roots, roots.project).found
}

fn search<'r>(
    command: &CommandSpec,
    plugin: Option<&'r Path>,
    roots: Roots<'r>,
    directory: Option<&'r Path>,
) -> Search<'r> {
    let look = |missed| {
        let looked = look(command, plugin, roots, directory, false, missed);
        // A shell that is fed with what another program prints may be fed with any file that the line names.
        if looked.fed { look(command, plugin, roots, directory, true, missed) } else { looked }
    };
    let mut looked = look(0);
    if looked.strays {
        looked.open = true;
        let certain = looked.found.len();
        for missed in 1..1_u32 << looked.entered.min(MAX_STRAYS) {
            let other = look(missed);
            looked.certain = false;
            other.found.into_iter().for_each(|script| looked.add(script.path, script.direct));
            looked.open |= other.open;
        }
        if looked.found.len() > certain {
            looked.doubt(|| UNCLEAR_CD.to_owned());
        }
    }
    looked
}

fn look<'r>(
    command: &CommandSpec,
    plugin: Option<&'r Path>,
    roots: Roots<'r>,
    directory: Option<&'r Path>,
    fed: bool,
    missed: u32,
) -> Search<'r> {
    let base = command.directory.as_deref().map_or_else(
        || directory.map(Path::to_path_buf),
        |own| Some(directory.map_or_else(|| own.to_path_buf(), |directory| directory.join(own))),
    );
    let places = Places::new(roots, plugin, base);
    let mut search = Search {
        places,
        seen: StandingCache::default(),
        found: Vec::new(),
        folders: Vec::new(),
        written: Vec::new(),
        fed,
        in_text: false,
        code: None,
        certain: false,
        too_deep: false,
        too_long: false,
        open: false,
        entered: 0,
        missed,
        led: Led::Surely,
        strays: false,
        unsure: None,
    };
    for (name, value) in &command.env {
        search.sets(name, value);
        for part in std::iter::once(&**value).chain(value.split([' ', ':', ',', ';', '='])) {
            search.consider(part, if programs::runs_variable(name) { After::FILE } else { After::Word });
        }
    }
    match &command.line {
        CommandLine::Shell { text, shell } => {
            search.line(text, 0);
            search.is_certain(text, *shell);
        }
        CommandLine::Exec { program, args } => {
            let words = std::iter::once(program).chain(args);
            let last = words.fold(After::Start, |after, word| search.word(word, after, 0));
            search.ended(last);
        }
    }
    search.runs_what_it_writes();
    search
}

struct Search<'r> {
    places: Places<'r>,
    seen: StandingCache,
    found: Vec<Script>,
    /// The folders that programs are given which may run what is in them.
    folders: Vec<PathBuf>,
    /// The files that the line writes.
    written: Vec<PathBuf>,
    /// A shell runs what it is given on its standard input, or what `eval` and `xargs` are given.
    fed: bool,
    /// The words are part of one that no shell is known to run.
    in_text: bool,
    /// Code of another language than a shell's, while its words are looked at.
    code: Option<String>,
    /// What is found for the word that is looked at is certain to be run.
    certain: bool,
    too_deep: bool,
    too_long: bool,
    /// A pattern stands for files that may come to be there.
    open: bool,
    /// How many times the line changes its directory, and by bits which of them are taken to fail.
    entered: usize,
    missed: u32,
    led: Led,
    /// A word stands where the directory is not clear.
    strays: bool,
    /// Why the files that were found may not be all.
    unsure: Option<String>,
}

/// Whether the line is in the directory that its `cd` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Led {
    /// It is.
    Surely,
    /// What follows runs only if it is.
    IfItRuns,
    /// It may be elsewhere.
    Unclear,
}

impl Search<'_> {
    /// Whether everything was looked at.
    fn complete(&self) -> Result<(), String> {
        if self.found.len() >= MAX_SCRIPTS {
            return Err(format!(
                "it names {MAX_SCRIPTS} scripts or more, too many to look at; put them into one script"
            ));
        }
        if self.places.too_many() {
            return Err(format!(
                "its patterns look at more than {MAX_ENTRIES} entries of folders; have it name its scripts"
            ));
        }
        if self.too_deep {
            return Err(format!("it quotes commands more than {MAX_DEPTH} deep; put them into a script"));
        }
        if self.too_long || self.places.too_long() {
            return Err(format!("a line or a value of it has more than {MAX_LINE} bytes; put it into a script"));
        }
        if self.strays && self.entered > MAX_STRAYS {
            return Err(format!("it changes its directory more than {MAX_STRAYS} times; put it into a script"));
        }
        Ok(())
    }

    fn line(&mut self, text: &str, depth: usize) {
        if text.len() > MAX_LINE {
            self.too_long = true;
            return;
        }
        let text = self.places.with_directories(text);
        if text.len() > MAX_LINE {
            self.too_long = true;
            return;
        }
        let mut after = After::Start;
        let mut written = false;
        // Whether a command may be left out, alone or with all that follow; and where `env -C` was called.
        let (mut skipped, mut all_skipped) = (depth > 0, depth > 0);
        let (mut changes, mut around) = (false, None);
        for token in tokens(&text) {
            match token {
                Token::End(join) => {
                    if after == After::Cd {
                        self.change("$HOME");
                    }
                    self.ended(after);
                    after = After::Start;
                    let is_clear = match join {
                        Join::And => true,
                        Join::Pipe => !changes,
                        Join::Then | Join::Or => self.led == Led::Surely,
                        Join::Other => self.led == Led::Surely && !changes,
                    };
                    if !is_clear {
                        self.led = Led::Unclear;
                    }
                    (skipped, changes) = (all_skipped || join != Join::Then, false);
                    if let Some(base) = around.take() {
                        self.places.go_back(base);
                    }
                }
                Token::Into => written = true,
                // A file that is written is no script that runs.
                Token::Word(word) if written => {
                    written = false;
                    self.writes(&word);
                }
                Token::Word(word) => {
                    self.strays |= self.led == Led::Unclear;
                    all_skipped |= after == After::Start && programs::is_reserved(&word);
                    if after == After::Start && word == "popd" {
                        self.led = Led::Unclear;
                    }
                    let changes_own = after == After::Wrapper && programs::chdir_of(&word).is_some();
                    if (after == After::Chdir || changes_own) && around.is_none() {
                        around = Some(self.places.base());
                    }
                    let before = self.entered;
                    after = self.word(&word, after, depth);
                    if self.entered > before && self.led == Led::Surely && (skipped || all_skipped) {
                        self.led = Led::IfItRuns;
                    }
                    changes |= self.entered > before;
                }
            }
        }
        self.ended(after);
        if let Some(base) = around {
            self.places.go_back(base);
        }
        if depth > 0 && self.led == Led::IfItRuns {
            self.led = Led::Unclear;
        }
    }

    /// `cd` to a directory, unless it is taken to fail.
    fn change(&mut self, word: &str) {
        if word == "--" {
            return;
        }
        let is_known = self.places.expand(word).is_some_and(|(text, is_known)| is_known && !is_pattern(&text));
        if word.starts_with('-') || !is_known {
            // `cd -`, `cd -P x`, `cd "$X"` and `cd h*`.
            self.doubt(|| UNCLEAR_CD.to_owned());
            self.led = Led::Unclear;
        }
        if word.starts_with('-') && word.len() > 1 {
            return;
        }
        let fails = self.entered < MAX_STRAYS && self.missed & (1 << self.entered) != 0;
        self.entered += 1;
        if !fails && !self.places.change(word) && self.led == Led::Surely {
            self.led = Led::IfItRuns;
        }
    }

    /// A wrapper starts its program in a directory.
    fn enter(&mut self, word: &str) {
        if is_pattern(word) {
            self.doubt(|| "where its program starts is not clear".to_owned());
        }
        self.places.enter(word);
    }

    /// A command is over: an interpreter that was given no file reads its standard input.
    fn ended(&mut self, after: After) {
        self.fed |= matches!(after, After::Interpreter { .. });
    }

    /// A file is written by the line.
    fn writes(&mut self, word: &str) {
        self.written.extend(self.places.resolve(word).filter(|path| !path.starts_with("/dev")));
    }

    /// What the line writes before it runs it is not what was approved.
    fn runs_what_it_writes(&mut self) {
        if let Some(script) = self.found.iter().find(|script| self.written.contains(&script.path)) {
            let name = script.path.display().to_string();
            self.doubt(|| format!("the line may write `{name}` before it runs it"));
        }
    }

    /// A variable is set, by the hook or by its line.
    fn sets(&mut self, name: &str, value: &str) {
        self.places.assign(name, value);
        if programs::runs_folder(name) {
            self.doubt(|| format!("`{name}` names folders that programs load code from"));
        }
    }

    /// Notes the first reason why what was found may not be all.
    fn doubt(&mut self, why: impl FnOnce() -> String) {
        if self.unsure.is_none() {
            self.unsure = Some(why());
        }
    }

    /// Looks at one word and says what it is for the next.
    fn word(&mut self, word: &str, after: After, depth: usize) -> After {
        let starts = matches!(after, After::Start | After::Wrapper);
        if starts && word.starts_with('$') {
            // `S=sh; $S x` is `sh x`; with an `IFS`, `$S` is several words.
            if self.places.is_set("IFS") {
                self.doubt(|| "its `IFS` splits what its variables hold".to_owned());
            }
            let value =
                self.places.expand(word).filter(|(text, is_known)| *is_known && !text.contains(['$', ' ', '\t']));
            if let Some((text, _)) = value {
                return self.plain_word(&text, after, depth);
            }
        }
        if let Some(line) = programs::split_of(word).filter(|_| after == After::Wrapper) {
            // `env -S '-C sub ./x'` splits its own options.
            if depth < MAX_DEPTH {
                self.line(&format!("env {line}"), depth + 1);
            } else {
                self.too_deep = true;
            }
            return if line.is_empty() { After::Wrapper } else { After::Word };
        }
        self.plain_word(word, after, depth)
    }

    fn plain_word(&mut self, word: &str, after: After, depth: usize) -> After {
        let assigned = matches!(after, After::Start | After::Wrapper | After::Export) && is_assignment(word);
        if let Some((name, value)) = word.split_once('=') {
            if assigned {
                self.sets(name, value);
            }
            let as_what = if programs::runs_variable(name) { After::FILE } else { After::Word };
            // `--config=./x`, `A=./x` and `core.pager=./x` name a file as well as `./x` does.
            if !matches!(after, After::Code { .. }) && !word.contains(char::is_whitespace) {
                value.split(':').chain(std::iter::once(value)).for_each(|part| self.consider(part, as_what));
            }
        }
        match after {
            After::Cd => self.change(word),
            After::Chdir if !programs::is_count(word) => self.enter(word),
            After::Folder if !word.starts_with('-') => {
                self.open = true;
                self.certain = !self.in_text;
                for path in self
                    .places
                    .expand(word)
                    .map_or_else(Vec::new, |(folder, _)| self.places.matching(&format!("{folder}/*"), MAX_SCRIPTS))
                {
                    self.add(path, true);
                }
            }
            After::Code { shell: false } => self.code(word),
            After::Export if word.starts_with('-') && word.contains('n') => {
                self.doubt(|| "a variable of its line stands for another one".to_owned());
            }
            // The number of a file, as `sudo -C 3` takes it, is no directory.
            After::Chdir | After::Folder | After::Code { shell: true } => {}
            _ if assigned => {}
            _ => self.named(word, after),
        }
        // A command within a word, as in `bash -c "./check.sh x"` and `"$(./check.sh)"`.
        let holds_one = (word.contains(char::is_whitespace) || word.contains("$(") || word.contains('`'))
            && !self.places.file(word).is_some_and(|path| self.seen.is_file(&path));
        if matches!(after, After::Code { .. }) || holds_one {
            if depth < MAX_DEPTH {
                // A `*` in another language's code, or in a text for a program, is no pattern.
                let is_shell = after == (After::Code { shell: true }) || word.contains("$(") || word.contains('`');
                let around = self.in_text;
                self.in_text |= !is_shell;
                let around_code = self.code.take();
                self.code = (after == After::Code { shell: false }).then(|| word.to_owned());
                if after == After::Wrapper && word.starts_with('-') {
                    // The word behind `env -S`.
                    self.line(&format!("env {word}"), depth + 1);
                } else {
                    self.line(word, depth + 1);
                }
                self.in_text = around;
                self.code = around_code;
            } else {
                self.too_deep = true;
            }
        }
        self.fed |= after.feeds(word);
        if assigned && after == After::Start { After::Start } else { after.then(word) }
    }

    /// A word that may name a file, or hold code, as behind `php -r`, also together with its option: `-mx`, `-r./x`.
    fn named(&mut self, word: &str, after: After) {
        if after == After::Program {
            self.given(word);
        }
        if let After::Data { writes: true, .. } = after {
            self.writes(word);
        }
        if matches!(after, After::Word | After::Program)
            && ["--chdir", "--working-directory"].iter().any(|option| word.starts_with(option))
        {
            self.doubt(|| "an option of it sets the directory in which programs start".to_owned());
        }
        if let (After::Wrapper, Some(directory)) = (after, programs::chdir_of(word))
            && !programs::is_count(directory)
        {
            self.enter(directory);
        }
        if let After::Interpreter { shell: false } = after {
            if programs::loads_folder(word) {
                self.doubt(|| format!("`{word}` names code that is looked for in folders"));
            }
            if let Some(module) = programs::module_of(word) {
                self.consider(module, After::Module);
            }
            if let Some(file) = word.strip_prefix("-r").filter(|file| !file.is_empty()) {
                self.consider(file, After::FILE);
            }
        }
        if let After::Data { runs_option: true, .. } = after {
            if let Some(file) = word.strip_prefix("-f").filter(|file| !file.is_empty()) {
                self.consider(file, After::FILE);
            }
            if certainty::runs_commands(word) {
                self.doubt(|| "code in its line runs commands or writes files".to_owned());
                self.fed = true;
                self.code(word);
            }
        }
        if matches!(after, After::Option { file: true, of: Of::Interpreter { .. } }) && word.contains('(') {
            self.code(word);
        }
        self.consider(word, after);
    }

    /// A word that a program gets of which nothing is known: it may start an interpreter, or run a file.
    fn given(&mut self, word: &str) {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        if programs::starts_code(value.rsplit('/').next().unwrap_or(value)) {
            self.doubt(|| format!("a program of its line may start `{value}`"));
            return;
        }
        // What has a script's ending is looked at by itself, whether it is there or not.
        let is_path = ["./", "../", "/"].iter().any(|start| value.starts_with(start)) && !has_script_ending(value);
        let is_plain = !value.contains(NO_NAME) && !value.contains(char::is_whitespace) && !value.contains("://");
        let Some(path) = self.places.resolve(value).filter(|_| is_plain && !value.starts_with('-')) else { return };
        if self.seen.is_dir(&path) {
            self.folders.push(path);
        } else if (is_path || has_data_ending(value))
            && !SYSTEM.iter().chain(&["/dev"]).any(|dir| path.starts_with(dir))
        {
            self.doubt(|| format!("a program of its line may run `{value}`"));
        }
    }

    /// Code of a program: the files that it names, and the modules of the project's that it loads.
    fn code(&mut self, code: &str) {
        if certainty::runs_files(code) {
            self.doubt(|| "code in its line runs or loads what it computes".to_owned());
        }
        // What the code does with the files that it names is not known.
        let around = std::mem::replace(&mut self.in_text, true);
        for token in code.split(|c: char| !(c.is_alphanumeric() || "_-./~$%+@".contains(c))).filter(|t| !t.is_empty()) {
            if token.contains('/') || has_script_ending(token) {
                self.consider(token, After::Word);
            } else if token.chars().all(|c| c.is_alphanumeric() || c == '_') && code.contains("import") {
                self.consider(token, After::Module);
            }
        }
        self.in_text = around;
    }

    fn consider(&mut self, word: &str, after: After) {
        if word.is_empty() || word.len() > 4096 {
            return;
        }
        self.certain = !self.in_text && after.runs();
        if after == After::Module {
            // A module of the directory comes before one of the same name elsewhere, and so do the packages around it.
            self.open = true;
            let whole = word.replace('.', "/");
            for module in
                whole.match_indices('/').map(|(end, _)| whole.get(..end)).chain([Some(whole.as_str())]).flatten()
            {
                for ending in [".py", "/__main__.py", "/__init__.py"] {
                    self.look_at(&format!("{module}{ending}"), false, After::Word);
                }
            }
            return;
        }
        if let (After::Start | After::Wrapper, false) = (after, word.contains('/')) {
            for path in self.places.programs(word) {
                self.add(path, true);
            }
            for file in programs::reads(word) {
                if let Some(path) = self.places.resolve(file).filter(|path| self.seen.is_file(path)) {
                    self.add(path, false);
                }
            }
        }
        let Some((text, certain)) = self.places.expand(word) else { return };
        if !certain && !matches!(after, After::Data { .. } | After::Word | After::Program) {
            // `./$name.sh` is any of these.
            let pattern = self.places.pattern(word).filter(|pattern| !is_bare(pattern));
            let runs = matches!(after, After::Interpreter { .. } | After::Option { file: true, .. });
            if pattern.is_none() && runs {
                self.doubt(|| "the file that it runs is filled in when it runs".to_owned());
            }
            for path in pattern.map_or_else(Vec::new, |pattern| self.places.matching(&pattern, MAX_SCRIPTS)) {
                self.open = true;
                self.add(path, false);
            }
        }
        if matches!(after, After::Data { .. }) && !self.fed || !is_pattern(&text) {
            self.look_at(&text, certain, after);
        } else if self.fed || !self.in_text || !is_bare(&text) {
            self.open = true;
            if ["[:", "[.", "[="].iter().any(|class| text.contains(class)) {
                self.doubt(|| "a pattern in it is not understood".to_owned());
            }
            for path in self.places.matching(&text, MAX_SCRIPTS) {
                self.add(path, false);
            }
            // In quotes, and where nothing fits, it is the name of a file.
            self.look_at(&text, certain, after);
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
        if !has_path
            && !has_script_ending(text)
            && self.code.as_ref().is_some_and(|code| certainty::is_a_name(code, text))
        {
            return;
        }
        // What stands before a `..` may become a link.
        self.open |= text.contains("..");
        let Some(path) = self.places.resolve(text) else { return };
        if given && self.seen.is_dir(&path) {
            // `node ./d` is `d.js` before it is `d/index.js`, and `package.json` may come to name another file.
            self.open = true;
            for ending in ["js", "cjs", "mjs", "ts", "json", "node"] {
                let mut other = path.clone().into_os_string();
                other.push(format!(".{ending}"));
                let other = PathBuf::from(other);
                if self.seen.is_file(&other) {
                    self.add(other, false);
                }
            }
            for main in ["__main__.py", "package.json", "index.js", "index.mjs", "index.cjs", "index.ts"] {
                let main = path.join(main);
                if self.seen.is_file(&main) {
                    for named in main_of(&main) {
                        if self.seen.is_file(&named) {
                            self.add(named, false);
                        }
                    }
                    self.add(main, false);
                }
            }
            return;
        }
        let odd = |c: char| NO_NAME.contains(&c) || c == '\n' && !given;
        let named = || !text.starts_with('-') && !text.contains(odd) && !text.contains("://");
        let meant = certain && by_looks && named();
        let runs = match self.seen.at(&path) {
            Standing::File { executable } => meant || by_name || has_path && executable,
            Standing::Directory => false,
            Standing::Nothing => meant,
        };
        if given && !matches!(after, After::Interpreter { shell: true }) && path.extension().is_none() {
            // `node x` is `x.js` as well, also when it comes to be there.
            let may_come =
                meant && matches!(after, After::Interpreter { .. }) && self.seen.at(&path) == Standing::Nothing;
            for ending in ["js", "cjs", "mjs", "ts"] {
                let other = path.with_extension(ending);
                if self.seen.is_file(&other) || may_come && ending == "js" {
                    self.add(other, false);
                }
            }
        }
        if runs {
            self.add(path, matches!(after, After::Start | After::Wrapper));
        }
    }

    fn add(&mut self, path: PathBuf, direct: bool) {
        if let Some(known) = self.found.iter_mut().find(|script| script.path == path) {
            known.certain |= self.certain;
            return;
        }
        if SYSTEM.iter().any(|dir| path.starts_with(dir)) || self.found.len() >= MAX_SCRIPTS {
            return;
        }
        let interpreter = if direct { shebang(&path) } else { String::new() };
        self.found.push(Script { path, direct, certain: self.certain });
        // The system's own interpreters are left out by `add` itself.
        for word in interpreter.split_whitespace().filter(|word| word.contains('/')) {
            if let Some(path) = self.places.resolve(word) {
                self.add(path, true);
            }
        }
    }
}

/// What a script has behind its `#!`: the program that the system starts with it.
fn shebang(script: &Path) -> String {
    let mut head = Vec::new();
    let is_file = || std::fs::metadata(script).is_ok_and(|meta| meta.is_file());
    if !is_file() || open_file(script).and_then(|file| file.take(MAX_SHEBANG).read_to_end(&mut head)).is_err() {
        return String::new();
    }
    let head = String::from_utf8_lossy(&head);
    head.strip_prefix("#!").and_then(|rest| rest.lines().next()).unwrap_or_default().to_owned()
}

/// The files that a `package.json` may mean by its `main`.
fn main_of(package: &Path) -> Vec<PathBuf> {
    if package.file_name().is_none_or(|name| name != "package.json") {
        return Vec::new();
    }
    let read = || serde_json::from_slice::<serde_json::Value>(&std::fs::read(package).ok()?).ok();
    let value = read().unwrap_or_default();
    let Some(main) = value.get("main").and_then(serde_json::Value::as_str) else { return Vec::new() };
    let endings = ["", ".js", ".json", ".node", "/index.js", "/index.json"];
    endings.iter().map(|ending| package.with_file_name(format!("{main}{ending}"))).collect()
}

/// A pattern that says nothing of a file's name, as the `*` of `a * b` does.
fn is_bare(pattern: &str) -> bool {
    pattern.trim_matches(['*', '/', '.']).is_empty()
}

/// Letters that say that a word is code or a pattern, and no file's name.
const NO_NAME: &[char] = &['*', '?', '{', '}', '(', ')', ';', '"', '\'', '`', '<', '>', '|', '='];

#[cfg(test)]
mod tests;
