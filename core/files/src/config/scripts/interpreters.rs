//! Interpreters: which of their words is a file that they run, which is code.

use hookweave_command::{Word, is_shell};

/// Interpreters beside shells and Python, with their options.
struct Interpreter {
    names: &'static [&'static str],
    /// Options behind which code stands.
    code: &'static [&'static str],
    /// Options behind which a file of code stands.
    files: &'static [&'static str],
    /// Options without a value.
    flags: &'static [&'static str],
}

const INTERPRETERS: &[Interpreter] = &[
    Interpreter {
        names: &["node", "nodejs", "tsx", "ts-node"],
        code: &["-e", "--eval", "-p", "--print", "-pe"],
        files: &["-r", "--require", "--import", "--loader", "--experimental-loader"],
        flags: &[
            "--no-warnings",
            "--no-deprecation",
            "--enable-source-maps",
            "--experimental-strip-types",
            "-c",
            "--check",
        ],
    },
    Interpreter { names: &["perl", "ruby"], code: &["-e", "-E"], files: &[], flags: &["-w", "-W", "-s", "-T"] },
    Interpreter { names: &["php"], code: &["-r"], files: &["-f"], flags: &["-n", "-q"] },
    Interpreter { names: &["Rscript", "lua", "osascript"], code: &["-e"], files: &[], flags: &["--vanilla"] },
    Interpreter { names: &["elixir", "groovy", "java", "julia"], code: &["-e"], files: &[], flags: &[] },
    Interpreter { names: &["expect", "tclsh"], code: &["-c"], files: &["-f"], flags: &[] },
    Interpreter {
        names: &["powershell", "pwsh"],
        code: &["-Command", "-c"],
        files: &["-File", "-f"],
        flags: &["-NoProfile"],
    },
];

/// What an interpreter runs.
pub(super) enum Given<'w> {
    File(&'w str),
    Module(&'w str),
    /// Code of another language than a shell's; that of a shell is read with its line.
    Code(&'w str),
}

/// The name of a program without its version: `python3.12` is `python`.
fn without_version(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.')
}

fn known(name: &str) -> Option<&'static Interpreter> {
    let plain = without_version(name);
    INTERPRETERS.iter().find(|known| known.names.contains(&name) || known.names.contains(&plain))
}

fn is_python(name: &str) -> bool {
    matches!(without_version(name), "python" | "pypy")
}

/// Whether a program runs the file that it is given.
pub(super) fn is_interpreter(name: &str) -> bool {
    matches!(name, "." | "source") || is_shell(name) || is_python(name) || known(name).is_some()
}

/// What an interpreter is given to run; an error says why that is not known.
pub(super) fn given<'w>(name: &str, args: &'w [Word]) -> Result<Vec<Given<'w>>, String> {
    let mut args = Arguments { name, rest: args.iter() };
    match known(name) {
        Some(interpreter) => args.of(interpreter),
        None if is_python(name) => args.of_python(),
        None if is_shell(name) => args.of_shell(),
        None => Ok(vec![Given::File(args.next("file")?)]),
    }
}

struct Arguments<'n, 'w> {
    name: &'n str,
    rest: std::slice::Iter<'w, Word>,
}

impl<'w> Arguments<'_, 'w> {
    /// The next word, which must be plain to see.
    fn next(&mut self, what: &str) -> Result<&'w str, String> {
        let word = self.rest.next().ok_or_else(|| format!("`{}` runs what it is given", self.name))?;
        word.fixed().ok_or_else(|| format!("the {what} that `{}` runs is filled in when it runs", self.name))
    }

    fn unknown<T>(&self, option: &str) -> Result<T, String> {
        Err(format!("what `{option}` makes `{}` run is not known", self.name))
    }

    fn file(&self, word: &'w str) -> Result<Given<'w>, String> {
        if word == "-" || word.starts_with("/dev/") || word.starts_with("/proc/") {
            return Err(format!("`{}` runs what it is given", self.name));
        }
        Ok(Given::File(word))
    }

    fn of(&mut self, interpreter: &Interpreter) -> Result<Vec<Given<'w>>, String> {
        let mut all = Vec::new();
        loop {
            let word = self.next("file")?;
            // `perl -lne`
            let letters = word.strip_prefix('-').and_then(|letters| letters.strip_suffix(['e', 'E']));
            let is_cluster = letters.is_some_and(|letters| letters.chars().all(|c| "acilnpsw0".contains(c)));
            if interpreter.code.contains(&word) || interpreter.code.contains(&"-E") && is_cluster {
                all.push(Given::Code(self.next("code")?));
                return Ok(all);
            } else if interpreter.files.contains(&word) {
                all.push(Given::File(self.next("file")?));
            } else if let Some(file) = interpreter.files.iter().find_map(|option| joined(option, word)) {
                all.push(Given::File(file));
            } else if matches!(word, "--version" | "-v" | "--help" | "-h" | "--test") {
                return Ok(all);
            } else if word == "--" {
                let word = self.next("file")?;
                all.push(self.file(word)?);
                return Ok(all);
            } else if word.starts_with('-') && word != "-" {
                if !interpreter.flags.contains(&word) {
                    return self.unknown(word);
                }
            } else {
                all.push(self.file(word)?);
                return Ok(all);
            }
        }
    }

    fn of_python(&mut self) -> Result<Vec<Given<'w>>, String> {
        loop {
            let word = self.next("file")?;
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                return Ok(vec![self.file(word)?]);
            };
            if matches!(word, "--version" | "--help" | "-V" | "-h") {
                return Ok(Vec::new());
            }
            let value = letters.trim_start_matches(|letter: char| "bBdEiIOPqsSuvxR".contains(letter));
            let mut value = value.chars();
            let option = value.next();
            let mut value_of = |what: &str| match value.as_str() {
                "" => self.next(what),
                joined => Ok(joined),
            };
            match option {
                None => {}
                Some('c') => return Ok(vec![Given::Code(value_of("code")?)]),
                Some('m') => return Ok(vec![Given::Module(value_of("module")?)]),
                Some('W' | 'X') => {
                    value_of("option")?;
                }
                Some(_) => return self.unknown(word),
            }
        }
    }

    /// The commands behind `-c` are commands of the line.
    fn of_shell(&mut self) -> Result<Vec<Given<'w>>, String> {
        loop {
            let word = self.next("file")?;
            match word {
                "--version" | "--help" => return Ok(Vec::new()),
                "--rcfile" | "--init-file" => return self.unknown(word),
                "-o" | "+o" | "-O" | "+O" => _ = self.next("option")?,
                "--" => return Ok(vec![Given::File(self.next("file")?)]),
                _ if word.starts_with("--") => {}
                _ if word.len() > 1 && word.starts_with(['-', '+']) => {
                    if word.contains('c') {
                        return Ok(Vec::new());
                    }
                    if word.ends_with(['o', 'O']) {
                        self.next("option")?;
                    }
                }
                _ => return Ok(vec![self.file(word)?]),
            }
        }
    }
}

/// The value of an option in the same word: `-r./x`, `--import=./x`.
fn joined<'w>(option: &str, word: &'w str) -> Option<&'w str> {
    let value = word.strip_prefix(option)?;
    if option.starts_with("--") { value.strip_prefix('=') } else { Some(value).filter(|value| !value.is_empty()) }
}

/// The modules that code of Python names to load.
pub(super) fn imports(code: &str) -> impl Iterator<Item = &str> {
    code.split(['\n', ';', ':']).flat_map(|statement| {
        let (verb, rest) = statement.trim().split_once(' ').unwrap_or_default();
        let listed = if verb == "import" { rest } else { "" };
        let from = if verb == "from" { rest } else { "" };
        listed.split(',').chain([from]).filter_map(|module| module.split_whitespace().next())
    })
}

/// Whether code of a language may start programs, or load what it computes.
pub(super) fn may_run_more(name: &str, code: &str) -> bool {
    const WORDS: &[&str] = &[
        "__import__",
        "child_process",
        "compile(",
        "eval",
        "exec",
        "from \"",
        "from '",
        "import(",
        "importlib",
        "popen",
        "Popen",
        "qx",
        "%x",
        "runpy",
        "source",
        "spawn",
        "subprocess",
        "system",
    ];
    let is_scripted = !is_python(name) && known(name).is_none_or(|known| !known.names.contains(&"node"));
    // A template of JavaScript has the same mark.
    let marks: &[&str] = if is_scripted { &["`", "do ", "load", "require", "include"] } else { &[] };
    let has = |words: &[&str]| words.iter().any(|word| code.contains(word));
    // `require("fs")` comes with Node.
    let loads = |rest: &str| !rest.trim_start_matches(['(', '\'', '"']).starts_with(|c: char| c.is_ascii_lowercase());
    has(WORDS) || has(marks) || code.split("require").skip(1).any(loads)
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
