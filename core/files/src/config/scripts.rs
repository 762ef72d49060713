//! The files whose code a command is certain to run: those that an approval of its hook has to cover.
//!
//! That is a program with a path, the file that an interpreter is given, a file that is sourced, a module, and what these
//! load in turn. All else that a
//! line names is data, or what a program of the machine does with it is not known: neither counts, since an agent is there
//! to change the project's files. A line that computes what it runs is not understood. For it counts every file that it
//! names, and every script of the hook's folders.

mod folders;
mod interpreters;
mod loads;
mod places;
mod programs;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::{Declared, Run};
use crate::open::open_file;
use hookweave_command::{Simple, Starts, Word, program_name};
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};
use interpreters::{Given, given, imports, is_interpreter, may_run_more};
use places::{Places, is_of_system};
pub(super) use programs::named_programs;

/// How many scripts of one hook are looked at; one with more cannot be approved.
const MAX_SCRIPTS: usize = 64;

/// How much of a script is read for its `#!`, in bytes; systems read no more.
const MAX_SHEBANG: u64 = 1024;

/// The longest line that is looked at, in bytes; a hook with a longer one cannot be approved.
const MAX_LINE: usize = 64 * 1024;

/// Why it is not known which files a line runs.
const UNCLEAR_CD: &str = "where its `cd` leads is not clear";

/// Variables whose value names code that programs run, or folders in which they look for it.
const CODE_VARIABLES: &[&str] = &[
    "BASH_ENV",
    "CDPATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "ENV",
    "GIT_ASKPASS",
    "GIT_CONFIG_GLOBAL",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "ZDOTDIR",
];

/// Programs that run what they read or find: scripts of an editor, of a debugger, all files of a folder.
const RUN_WHAT_THEY_READ: &[&str] = &[
    "at",
    "batch",
    "crontab",
    "dc",
    "ed",
    "emacs",
    "ex",
    "gdb",
    "lldb",
    "m4",
    "mysql",
    "nvim",
    "psql",
    "run-parts",
    "screen",
    "sqlite3",
    "tmux",
    "vi",
    "vim",
];

/// Programs that start a shell where they are given no command.
const START_SHELLS: &[&str] =
    &["chroot", "doas", "nsenter", "parallel", "pkexec", "runuser", "script", "sg", "su", "sudo", "unshare"];

/// Programs that start none of the programs that their arguments name.
const START_NOTHING: &[&str] = &[
    ":", "[", "[[", "apt-get", "cat", "chmod", "echo", "egrep", "export", "false", "grep", "head", "hash", "jq", "ls",
    "pgrep", "pkill", "printf", "read", "rg", "stat", "tail", "test", "true", "type", "wc", "which",
];

/// Programs that write the files that they are given: before one of these is run, it may be another.
const WRITERS: &[&str] =
    &["cp", "curl", "dd", "git", "install", "ln", "mv", "patch", "rsync", "tee", "touch", "truncate", "wget"];

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
        let mut scripts = here.paths();
        if here.unsure.is_some() && complete.is_ok() {
            // The folders are those of the approval, wherever it runs.
            let there = directory.map(|_| self.search(None));
            let approved = there.as_ref().unwrap_or(&here);
            let named = (&approved.paths()[..], &approved.folders[..]);
            complete = folders::add(&mut scripts, named, self.file.as_deref(), self.project.as_deref());
        }
        let mut imports = false;
        if complete.is_ok() {
            let added = loads::add(&mut scripts, directory.or(self.project.as_deref()));
            complete = added.map(|found| imports = found);
        }
        let open = here.open || here.unsure.is_some() || imports;
        Listing { scripts, open, unsure: here.unsure, complete }
    }

    fn search(&self, directory: Option<&Path>) -> Search<'_> {
        let roots = Roots { project: self.project.as_deref(), home: self.home.as_deref() };
        search(&self.command, self.plugin.as_deref(), roots, directory.or(roots.project))
    }
}

/// A file that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) path: PathBuf,
    /// It is started itself, not given to an interpreter.
    pub(super) direct: bool,
}

/// The files that a hook runs, as it stands in its file.
pub(super) fn named_scripts(declared: &Declared, roots: Roots<'_>) -> Vec<Script> {
    let Run::Command(command) = &declared.run else { return Vec::new() };
    search(command, declared.plugin.as_deref(), roots, roots.project).found
}

/// Whether a file can be started as a program.
pub(super) fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    let can_be_started = |meta: &std::fs::Metadata| {
        use std::os::unix::fs::PermissionsExt as _;
        meta.permissions().mode() & 0o111 != 0
    };
    // Elsewhere a file's name says so.
    #[cfg(not(unix))]
    let can_be_started = |_: &std::fs::Metadata| true;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && can_be_started(&meta))
}

fn search<'r>(
    command: &'r CommandSpec,
    plugin: Option<&'r Path>,
    roots: Roots<'r>,
    directory: Option<&Path>,
) -> Search<'r> {
    let base = match (&command.directory, directory) {
        (Some(own), Some(directory)) => Some(directory.join(own)),
        (own, directory) => own.as_deref().or(directory).map(Path::to_path_buf),
    };
    let text = match &command.line {
        CommandLine::Shell { text, .. } => text.clone(),
        CommandLine::Exec { program, args } => {
            std::iter::once(program).chain(args).map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
        }
    };
    let places = Places::new(roots, plugin, base.clone(), &command.env);
    let mut search = Search {
        places,
        found: Vec::new(),
        folders: Vec::new(),
        written: Vec::new(),
        listed: loads::Folders::default(),
        open: false,
        unsure: None,
        too_long: text.len() > MAX_LINE,
    };
    if search.too_long {
        return search;
    }
    let understood = match &command.line {
        CommandLine::Shell { shell: Shell::PowerShell, .. } => {
            Err("it is a line for PowerShell, which is not read".to_owned())
        }
        _ => search.variables(&text).and_then(|()| search.line(&text)),
    };
    if let Err(why) = understood {
        search.unsure = Some(why);
        // From where it went, and from where it begins.
        let entered = search.places.base().clone();
        for base in if entered == base { vec![base] } else { vec![base, entered] } {
            *search.places.base() = base;
            for text in command.env.iter().map(|(_, value)| value).chain([&text]) {
                search.everything_named(text);
            }
        }
    }
    search
}

/// A word as it stands in a line: a host fills in the variables of a list of words too.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\"").replace('`', "\\`").replace("$(", "\\$("))
}

/// What was found of a line; a line that is not understood has a reason.
struct Search<'r> {
    places: Places<'r>,
    found: Vec<Script>,
    /// Folders that a line which is not understood names.
    folders: Vec<PathBuf>,
    /// Words of programs that write files, and code: what they name may be written.
    written: Vec<String>,
    /// Folders in which modules were looked for.
    listed: loads::Folders,
    open: bool,
    unsure: Option<String>,
    too_long: bool,
}

/// An error says why it is not known which files are run.
type Understood = Result<(), String>;

impl Search<'_> {
    fn paths(&self) -> Vec<PathBuf> {
        self.found.iter().map(|script| script.path.clone()).collect()
    }

    /// Whether everything was looked at.
    fn complete(&self) -> Result<(), String> {
        if self.too_long {
            return Err(format!("its line has more than {MAX_LINE} bytes; put it into a script"));
        }
        if self.found.len() >= MAX_SCRIPTS {
            return Err(format!(
                "it names {MAX_SCRIPTS} scripts or more, too many to look at; put them into one script"
            ));
        }
        Ok(())
    }

    /// Variables of the hook and of its line that name code.
    fn variables(&self, text: &str) -> Understood {
        let sets = |name: &&&str| self.places.is_set(name) || places::assigns(text, name);
        match CODE_VARIABLES.iter().find(sets) {
            Some(name) => Err(format!("`{name}` names code, or folders that programs load code from")),
            None => Ok(()),
        }
    }

    fn line(&mut self, text: &str) -> Understood {
        let mut rest = text;
        while let Some((directory, behind)) = places::leading_cd(rest) {
            let words = hookweave_command::read(&self.places.filled(&format!("cd {directory}")));
            let word = words.line.as_ref().and_then(|line| line.commands.first()?.words().last()?.fixed());
            let is_there = word.is_some_and(|word| self.places.enter(word));
            is_there.then_some(()).ok_or(UNCLEAR_CD)?;
            rest = behind;
        }
        let reading = hookweave_command::read(&self.places.filled(rest));
        let line = reading.line.as_ref().ok_or("not all of its line is understood")?;
        line.commands.iter().try_for_each(|command| self.command(command))?;
        self.written.extend(line.writes.iter().map(|word| word.plain.clone()));
        self.runs_what_it_writes()
    }

    fn command(&mut self, command: &Simple) -> Understood {
        if command.is_nameless || command.is_open() {
            let name = command.words().first().map(|word| word.plain.as_str()).unwrap_or_default();
            return Err(format!("what `{name}` starts is filled in when it runs"));
        }
        match command.starts() {
            Starts::Program(words) => self.program(words, false),
            Starts::FromPackages(words) => self.program(words, true),
            Starts::Somewhere(words) => {
                let name = words.first().map(|word| program_name(&word.plain)).unwrap_or_default();
                if START_SHELLS.contains(&name) {
                    return Err(format!("`{name}` may run what it is given"));
                }
                starts_no_code(words, |word| self.is_path(word))
            }
        }
    }

    /// A program and its arguments.
    fn program(&mut self, words: &[Word], of_packages: bool) -> Understood {
        let Some((first, args)) = words.split_first() else { return Ok(()) };
        let program = first.fixed().ok_or("the program that it starts is filled in when it runs")?;
        let name = program_name(program);
        if program.contains('/') || cfg!(windows) && program.contains('\\') {
            self.add(program, true);
        } else if of_packages && has_script_ending(program) {
            self.add(program, false);
        }
        if matches!(name, "cd" | "pushd" | "popd") {
            return Err(UNCLEAR_CD.to_owned());
        }
        if WRITERS.contains(&name) {
            self.written.extend(args.iter().map(|word| word.plain.clone()));
        }
        if is_interpreter(name) {
            return given(name, args)?.into_iter().try_for_each(|given| self.given(name, &given));
        }
        if RUN_WHAT_THEY_READ.contains(&name) {
            return Err(format!("`{name}` runs what it reads"));
        }
        self.named_by_options(name, args)?;
        let own: &[&str] = match name {
            "make" | "gmake" => &["GNUmakefile", "makefile", "Makefile"],
            "just" => &["justfile", "Justfile", ".justfile"],
            "rake" => &["Rakefile", "rakefile"],
            "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
            _ => &[],
        };
        for file in own {
            self.add_present(file);
        }
        if START_NOTHING.contains(&name) || program.contains('/') && !is_of_system(Path::new(program)) {
            return Ok(());
        }
        starts_no_code(words, |_| false)
    }

    /// Programs that run a file, or a command, which an option names.
    fn named_by_options(&mut self, name: &str, args: &[Word]) -> Understood {
        match name {
            "awk" | "gawk" | "mawk" | "sed" | "gsed" => {
                // `awk -v x="$X" CODE`
                let is_set = |word: &&Word| {
                    word.plain.split_once('=').is_some_and(|(name, _)| !name.contains(['$', '/', '{', ' ']))
                };
                let operand = args.iter().find(|word| !word.plain.starts_with('-') && !is_set(word));
                if operand.is_some_and(Word::is_filled_in) {
                    return Err(format!("the code that `{name}` runs is filled in when it runs"));
                }
                for text in self.files_of_options(args)? {
                    if interpreters::runs_commands(text) {
                        return Err("code in its line runs commands or writes files".to_owned());
                    }
                    self.written.push(text.to_owned());
                }
            }
            "make" | "gmake" => {
                let leaves = |text: &&str| text.starts_with("-C") || text.starts_with("--directory");
                if self.files_of_options(args)?.iter().any(leaves) {
                    return Err(format!("`{name}` runs in another folder"));
                }
            }
            "git" => return git_runs_nothing(args),
            _ => {}
        }
        Ok(())
    }

    /// Adds the file that `-f` names, and gives back the other words.
    fn files_of_options<'w>(&mut self, args: &'w [Word]) -> Result<Vec<&'w str>, String> {
        let mut others = Vec::new();
        let mut args = args.iter();
        while let Some(word) = args.next() {
            let text = word.plain.as_str();
            let file = match text {
                "-f" | "--file" | "--makefile" => args.next().and_then(Word::fixed),
                _ if text.starts_with("-f") => word.fixed().and_then(|text| text.get(2..)),
                _ => {
                    others.push(text);
                    continue;
                }
            };
            self.add(file.ok_or("the file that it runs is filled in when it runs")?, false);
        }
        Ok(others)
    }

    /// What an interpreter is given to run.
    fn given(&mut self, name: &str, given: &Given<'_>) -> Understood {
        match *given {
            Given::File(file) => {
                let shell = hookweave_command::is_shell(name) || matches!(name, "." | "source");
                if shell { self.add(file, false) } else { self.add_program(file, name) }
            }
            Given::Module(module) => self.add_module(module),
            Given::Code(code) => {
                self.written.push(code.to_owned());
                if may_run_more(name, code) {
                    return Err("code in its line may run or load other files".to_owned());
                }
                if name.starts_with("py") {
                    imports(code).for_each(|module| self.add_module(module));
                }
            }
        }
        Ok(())
    }

    /// A module of the directory comes before one of the same name elsewhere, and so do the packages around it.
    fn add_module(&mut self, module: &str) {
        self.open = true;
        let whole = module.replace('.', "/");
        let parents = whole.match_indices('/').filter_map(|(end, _)| whole.get(..end));
        for module in parents.chain([whole.as_str()]) {
            let path = self.places.resolve(module);
            let endings = path.map(|path| self.listed.endings_of_module(&path)).unwrap_or_default();
            for ending in endings {
                self.add_present(&format!("{module}{ending}"));
            }
        }
    }

    /// The file that an interpreter is given: `node d` is `d`, `d.js` or what stands in the folder `d`.
    fn add_program(&mut self, file: &str, name: &str) {
        let Some(path) = self.places.resolve(file) else { return };
        let others: &[&str] = if name.starts_with("py") {
            &["/__main__.py"]
        } else {
            &[
                ".js",
                ".cjs",
                ".mjs",
                ".ts",
                ".json",
                "/package.json",
                "/index.js",
                "/index.mjs",
                "/index.cjs",
                "/index.ts",
            ]
        };
        if path.is_file() {
            return self.add_path(path, false);
        }
        self.open = true;
        let before = self.found.len();
        for ending in others {
            self.add_present(&format!("{}{ending}", file.trim_end_matches('/')));
        }
        for main in main_of(&path.join("package.json")).into_iter().filter(|main| main.is_file()) {
            self.add_path(main, false);
        }
        if self.found.len() == before {
            self.add_path(path, false);
        }
    }

    fn add_present(&mut self, word: &str) {
        if let Some(path) = self.places.resolve(word).filter(|path| path.is_file()) {
            self.add_path(path, false);
        }
    }

    fn add(&mut self, word: &str, direct: bool) {
        if let Some(path) = self.places.resolve(word) {
            self.add_path(path, direct);
        }
    }

    fn add_path(&mut self, path: PathBuf, direct: bool) {
        let is_known = self.found.iter().any(|script| script.path == path);
        if is_known || is_of_system(&path) || self.found.len() >= MAX_SCRIPTS {
            return;
        }
        let interpreter = if direct { shebang(&path) } else { String::new() };
        self.found.push(Script { path, direct });
        // The system's own interpreters are left out.
        interpreter.split_whitespace().filter(|word| word.contains('/')).for_each(|word| self.add(word, true));
    }

    /// Whether a word names a file by a path, in whatever way it will come to be there.
    fn is_path(&self, word: &str) -> bool {
        let path = self.places.resolve(word).filter(|_| word.contains('/') && !word.starts_with('-'));
        path.is_some_and(|path| !is_of_system(&path) && !path.is_dir())
    }

    /// What the line writes before it runs it is not what was approved.
    fn runs_what_it_writes(&self) -> Understood {
        let may_write = |script: &&Script| {
            let name = script.path.file_name().unwrap_or_default().to_string_lossy();
            self.written.iter().any(|text| text.contains(&*name))
        };
        match self.found.iter().find(may_write) {
            Some(script) => Err(format!("the line may write `{}` before it runs it", script.path.display())),
            None => Ok(()),
        }
    }

    /// Every file and folder that a line names which is not understood.
    fn everything_named(&mut self, text: &str) {
        for (word, is_part) in places::loose_words(&self.places.filled(text)) {
            let Some(path) = self.places.resolve(&word) else { continue };
            if path.is_file() {
                self.add_path(path, false);
            } else if path.is_dir() && (is_part || Some(&*path) != self.places.project()) {
                self.folders.push(path);
            }
        }
    }
}

/// `git` runs no program that its words name: no alias, no pager, no command of an option.
fn git_runs_nothing(args: &[Word]) -> Understood {
    let runs = ["--exec", "--extcmd", "--upload-pack", "--receive-pack", "--config-env"];
    let is_harmless = |text: &str| ["user.", "color.", "core.quotepath"].iter().any(|start| text.starts_with(start));
    let mut is_before_verb = true;
    let mut words = args.iter().map(|word| word.plain.as_str());
    let mut options = args.iter().take_while(|word| word.plain.starts_with(['-', '$']));
    if options.any(Word::is_filled_in) {
        return Err("what `git` does is filled in when it runs".to_owned());
    }
    while let Some(text) = words.next() {
        let setting = if is_before_verb && matches!(text, "-c" | "-C") { words.next() } else { None };
        is_before_verb &= text.starts_with('-');
        let sets = text == "-c" && setting.is_some_and(|setting| !is_harmless(setting));
        if sets || runs.iter().any(|option| text.starts_with(option)) {
            return Err(format!("`{}` may have git run a program", setting.unwrap_or(text)));
        }
    }
    Ok(())
}

/// A program that may start what its words name starts neither an interpreter nor one of these.
fn starts_no_code(words: &[Word], is_code: impl Fn(&str) -> bool) -> Understood {
    let Some((first, args)) = words.split_first() else { return Ok(()) };
    let is_run = |word: &&Word| {
        let value = word.plain.split_once('=').map_or(word.plain.as_str(), |(_, value)| value);
        is_interpreter(program_name(value)) && value != "." && value != "source" || is_code(value)
    };
    match args.iter().find(is_run) {
        Some(word) => Err(format!("`{}` may start `{}`", program_name(&first.plain), word.plain)),
        None => Ok(()),
    }
}

/// Whether a name ends as those of scripts and programs do.
fn has_script_ending(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "sh", "bash", "zsh", "fish", "ps1", "py", "js", "mjs", "cjs", "ts", "mts", "rb", "pl", "php", "lua", "awk",
        "jq", "bat", "cmd", "exe",
    ];
    Path::new(text).extension().and_then(|ending| ending.to_str()).is_some_and(|ending| ENDINGS.contains(&ending))
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
    let read = || serde_json::from_slice::<serde_json::Value>(&std::fs::read(package).ok()?).ok();
    let value = read().unwrap_or_default();
    let Some(main) = value.get("main").and_then(serde_json::Value::as_str) else { return Vec::new() };
    let endings = ["", ".js", ".json", ".node", "/index.js", "/index.json"];
    endings.iter().map(|ending| package.with_file_name(format!("{main}{ending}"))).collect()
}

#[cfg(test)]
mod tests;
