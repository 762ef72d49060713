//! Programs that run the command in their arguments, and the texts by which rules know a command.

use super::words::{Word, is_name, is_plain_word};
use super::{Line, Simple, program_name, synonyms};

/// A program that runs the command in its arguments.
struct Wrapper {
    name: &'static str,
    begins: Begins,
    /// It takes a whole command line as one argument.
    takes_line: bool,
    /// It starts what comes with the project's packages. To a rule that is no other program.
    is_of_packages: bool,
}

/// Where among its arguments the command of a wrapper begins.
#[derive(Clone, Copy)]
enum Begins {
    /// Behind these options and so many further words.
    Behind { flags: &'static [&'static str], valued: &'static [&'static str], operands: usize },
    /// Behind one of these words, and these options behind it; without it the wrapper runs no command.
    BehindVerb { verbs: &'static [&'static str], flags: &'static [&'static str], valued: &'static [&'static str] },
    /// Anywhere.
    Somewhere,
}

const fn behind(name: &'static str, flags: &'static [&'static str], valued: &'static [&'static str]) -> Wrapper {
    let begins = Begins::Behind { flags, valued, operands: 0 };
    Wrapper { name, begins, takes_line: false, is_of_packages: false }
}

const fn timed(name: &'static str) -> Wrapper {
    let (flags, valued) = (&["--foreground", "--preserve-status", "-v", "--verbose"], &["-k", "-s"]);
    let begins = Begins::Behind { flags, valued, operands: 1 };
    Wrapper { name, begins, takes_line: false, is_of_packages: false }
}

const fn somewhere(name: &'static str) -> Wrapper {
    Wrapper { name, begins: Begins::Somewhere, takes_line: false, is_of_packages: false }
}

const fn with_line(name: &'static str) -> Wrapper {
    Wrapper { takes_line: true, ..somewhere(name) }
}

const fn packages(
    name: &'static str,
    verbs: &'static [&'static str],
    flags: &'static [&'static str],
    valued: &'static [&'static str],
) -> Wrapper {
    let begins = if verbs.is_empty() {
        Begins::Behind { flags, valued, operands: 0 }
    } else {
        Begins::BehindVerb { verbs, flags, valued }
    };
    Wrapper { name, begins, takes_line: false, is_of_packages: true }
}

const SUDO: &[&str] = &["-A", "-b", "-E", "-H", "-n", "-P", "-S"];

/// All of them, in order of their names.
const WRAPPERS: &[Wrapper] = &[
    packages("bun", &["run", "x"], &["-b", "--bun", "--silent"], &[]),
    behind("builtin", &[], &[]),
    packages("bundle", &["exec"], &[], &[]),
    packages("bunx", &[], &["-b", "--bun"], &[]),
    behind("busybox", &[], &[]),
    behind("caffeinate", &["-d", "-i", "-m", "-s", "-u"], &["-t", "-w"]),
    somewhere("catchsegv"),
    somewhere("chroot"),
    somewhere("chrt"),
    behind("command", &["-p", "-v", "-V"], &[]),
    somewhere("dbus-run-session"),
    packages("deno", &["run"], &["-A", "-q", "--allow-*", "--no-*", "--quiet"], &[]),
    behind("doas", &["-n"], &["-u"]),
    behind("env", &["-", "-i", "--ignore-environment", "-0", "-v"], &["-u", "--unset"]),
    behind("exec", &["-c", "-l"], &["-a"]),
    somewhere("find"),
    somewhere("firejail"),
    with_line("flock"),
    somewhere("gfind"),
    timed("gtimeout"),
    packages("hatch", &["run"], &[], &[]),
    behind("ionice", &["-t", "-c1", "-c2", "-c3"], &["-c", "-n"]),
    somewhere("linux32"),
    somewhere("linux64"),
    behind("nice", &[], &["-n"]),
    behind("nocorrect", &[], &[]),
    behind("noglob", &[], &[]),
    behind("nohup", &[], &[]),
    packages("npm", &["exec", "x"], &["-y", "--yes", "--silent"], &["--package"]),
    packages("npx", &[], &["-y", "--yes", "-q", "--quiet", "--no*"], &["-p", "--package"]),
    somewhere("nsenter"),
    with_line("parallel"),
    packages("pdm", &["run"], &[], &[]),
    packages("pipenv", &["run"], &[], &[]),
    somewhere("pkexec"),
    packages("pnpm", &["dlx", "exec"], &["--silent", "-s"], &["--package"]),
    packages("poetry", &["run"], &[], &[]),
    somewhere("rlwrap"),
    with_line("runuser"),
    with_line("script"),
    somewhere("setarch"),
    somewhere("setpriv"),
    behind("setsid", &["-c", "-f", "-w", "--fork", "--wait"], &[]),
    with_line("sg"),
    behind("stdbuf", &["-i0", "-iL", "-o0", "-oL", "-e0", "-eL"], &["-i", "-o", "-e"]),
    somewhere("strace"),
    with_line("su"),
    behind("sudo", SUDO, &["-u", "-g", "-h", "-p", "-C", "--user", "--group"]),
    somewhere("systemd-run"),
    somewhere("taskset"),
    behind("time", &["-p"], &[]),
    timed("timeout"),
    behind("toybox", &[], &[]),
    with_line("unbuffer"),
    somewhere("unshare"),
    packages("uv", &["run"], &["-q", "--quiet", "--frozen", "--locked", "--no-*", "--isolated"], UV_VALUED),
    packages("uvx", &[], &["-q", "--quiet"], &["--from", "--with", "-p", "--python"]),
    with_line("watch"),
    somewhere("xargs"),
    somewhere("xvfb-run"),
    packages("yarn", &["dlx", "exec"], &["-s", "--silent"], &[]),
];

const UV_VALUED: &[&str] = &["--with", "-p", "--python", "--extra", "--group"];

fn wrapper(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

/// What a command starts.
#[derive(Debug, Clone, Copy)]
pub enum Starts<'w> {
    /// The program that is the first of these words.
    Program(&'w [Word]),
    /// The same, by a program that starts those of the project's packages, and a script where its name is a file's.
    FromPackages(&'w [Word]),
    /// A program that stands somewhere in these words, the first of which is the one that starts it.
    Somewhere(&'w [Word]),
}

impl<'w> Starts<'w> {
    /// The words, whichever of them is the program.
    #[must_use]
    pub const fn words(self) -> &'w [Word] {
        match self {
            Self::Program(words) | Self::FromPackages(words) | Self::Somewhere(words) => words,
        }
    }
}

/// What the words of a command start, behind all programs that only start another one.
fn started(mut words: &[Word]) -> Starts<'_> {
    let mut of_packages = false;
    loop {
        let known = words.first().and_then(|name| wrapper(program_name(&name.plain)));
        let Some(wrapper) = known else { break };
        let Ok(behind) = wrapper.command(words) else { return Starts::Somewhere(words) };
        let Some(behind) = behind else { break };
        of_packages |= wrapper.is_of_packages;
        words = behind;
    }
    if of_packages { Starts::FromPackages(words) } else { Starts::Program(words) }
}

/// How many words stand before the program that a command starts.
pub(crate) fn behind_wrappers(words: &[Word]) -> usize {
    words.len() - started(words).words().len()
}

impl Simple {
    /// What it starts, behind all programs that only start another one.
    #[must_use]
    pub fn starts(&self) -> Starts<'_> {
        started(self.words())
    }

    /// The programs that it runs, those that start others before these: its own, and where it is clear which one that
    /// starts, this one, else each that it may be. One with variables of its own (`A=b cmd`) is run by `env`. What comes with
    /// the project's packages, and what Python runs, are programs too.
    pub fn runs(&self) -> impl Iterator<Item = (&str, &[Word], bool)> {
        let all = self.words().len();
        let (only, last) = match self.starts() {
            Starts::Program(words) if self.wraps() => (Some(all - words.len()), words),
            Starts::Program(words) | Starts::FromPackages(words) => (None, words),
            Starts::Somewhere(_) => (None, &[][..]),
        };
        let packaged = if last.len() < all && only.is_none() { Some(last) } else { of_project(last) };
        let of_python = of_python(last);
        let given = (!self.given.is_empty()).then_some(("env", &*self.given, false));
        let calls = self.calls().enumerate();
        let calls = calls.filter(move |(at, _)| *at == 0 || only.is_none_or(|only| *at == only)).map(|(_, call)| call);
        let started = [packaged, of_python].into_iter().flatten().filter_map(|words| words.split_first());
        given.into_iter().chain(calls).chain(started.map(|(program, args)| (program.plain.as_str(), args, false)))
    }
}

/// A program of the project's packages that a manager of packages runs by its bare name: `yarn prisma migrate`.
fn of_project(words: &[Word]) -> Option<&[Word]> {
    let (name, args) = words.split_first()?;
    let is_manager = matches!(program_name(&name.plain), "bun" | "pnpm" | "yarn");
    (is_manager && args.first()?.fixed()?.starts_with(|letter: char| letter.is_ascii_alphabetic())).then_some(args)
}

/// The module or the script that Python runs: `python3 -m twine upload`, `python manage.py flush`.
fn of_python(words: &[Word]) -> Option<&[Word]> {
    let (name, args) = words.split_first()?;
    let version = program_name(&name.plain).strip_prefix("python")?;
    if !version.chars().all(|letter| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    let at = args.iter().position(|word| matches!(word.plain.as_str(), "-m" | "-c") || !word.plain.starts_with('-'))?;
    let (first, behind) = args.get(at..)?.split_first()?;
    match first.plain.as_str() {
        "-m" => Some(behind),
        "-c" => None,
        _ => args.get(at..),
    }
}

impl Wrapper {
    /// The command in its words; `None` for one that runs none, an error where it is not known where it begins.
    fn command<'w>(&self, words: &'w [Word]) -> Result<Option<&'w [Word]>, ()> {
        let args = words.get(1..).unwrap_or_default();
        match self.begins {
            Begins::Behind { flags, valued, operands } => {
                let behind = behind_options(args, flags, valued).ok_or(())?;
                Ok(behind.get(operands..).filter(|behind| !behind.is_empty()))
            }
            Begins::BehindVerb { verbs, flags, valued } => {
                let Some((verb, behind)) = args.split_first() else { return Ok(None) };
                let verb = verb.fixed().ok_or(())?;
                if verbs.contains(&verb) {
                    return behind_options(behind, flags, valued).ok_or(()).map(Some);
                }
                // `bun x.ts`
                Ok(verb.contains(['/', '.']).then_some(args))
            }
            // `find` runs what stands behind such an option, and else nothing.
            Begins::Somewhere if matches!(self.name, "find" | "gfind") => {
                let runs = |word: &Word| ["-exec", "-ok"].iter().any(|option| word.plain.starts_with(option));
                if words.iter().any(runs) { Err(()) } else { Ok(None) }
            }
            Begins::Somewhere => Err(()),
        }
    }
}

/// The words behind options and assignments; `None` where one of them is not known.
fn behind_options<'w>(args: &'w [Word], flags: &[&str], valued: &[&str]) -> Option<&'w [Word]> {
    let is_flag = |text: &str| {
        flags.iter().any(|flag| flag.strip_suffix('*').map_or(*flag == text, |start| text.starts_with(start)))
    };
    let mut rest = args;
    while let Some((word, behind)) = rest.split_first() {
        let text = word.fixed()?;
        let is_assignment = text.split_once('=').is_some_and(|(name, _)| is_name(name));
        // `-u bob`, `-ubob`, `--user=bob`.
        let holds_value = |option: &&str| {
            let value = text.strip_prefix(*option).unwrap_or_default();
            !value.is_empty() && (value.starts_with('=') || !option.starts_with("--"))
        };
        if text == "--" {
            return Some(behind);
        } else if valued.contains(&text) {
            rest = behind.get(1..)?;
        } else if is_flag(text) || is_assignment || text.starts_with('-') && valued.iter().any(holds_value) {
            rest = behind;
        } else {
            return (!text.starts_with('-')).then_some(rest);
        }
    }
    Some(rest)
}

/// Those of them that change nothing of the command but how it is waited for.
const PEELED: &[&str] = &["command", "nice", "nohup", "time"];

/// Options of `xargs` that take a value.
const XARGS_VALUED: &[&str] = &[
    "-n",
    "-P",
    "-L",
    "-s",
    "-d",
    "-a",
    "-E",
    "--max-args",
    "--max-procs",
    "--max-lines",
    "--max-chars",
    "--delimiter",
    "--arg-file",
    "--eof",
];

/// Whether a command is one that starts a program of the project's packages, and it is clear which.
pub(crate) fn is_wrapper_of_packages(words: &[Word]) -> bool {
    let known = words.first().and_then(|name| wrapper(program_name(&name.plain)));
    known.is_some_and(|wrapper| wrapper.is_of_packages && matches!(wrapper.command(words), Ok(Some(_))))
}

/// Whether a rule looks for the command in a program's arguments too.
pub(crate) fn wraps(name: &str) -> bool {
    let is_known = wrapper(name).is_some_and(|wrapper| !wrapper.is_of_packages);
    is_known || name.starts_with("ld-linux") || name.starts_with("ld-musl")
}

/// Whether a program looks for others anywhere in its arguments.
pub(super) fn finds_programs(name: &str) -> bool {
    takes_lines(name) || matches!(name, "find" | "gfind" | "xargs")
}

pub(super) fn takes_lines(name: &str) -> bool {
    wrapper(name).is_some_and(|wrapper| wrapper.takes_line)
}

/// Whether it is clear which word of a wrapper's is the program: `None` when it may be one that is filled in.
pub(super) fn is_certain(words: &[Word]) -> Option<()> {
    let mut options = false;
    for word in words.iter().skip(1) {
        let is_assignment = word.plain.split_once('=').is_some_and(|(name, _)| is_name(name));
        if is_assignment && !word.is_patterned {
            continue;
        }
        let text = word.fixed()?;
        if text.starts_with('-') {
            options = true;
        } else if !options && !text.starts_with(|c: char| c.is_ascii_digit()) {
            return Some(());
        }
    }
    Some(())
}

/// `xargs`: a program that its input names, or a command that its input is put into, may be any.
pub(super) fn xargs(args: &[Word]) -> Option<()> {
    let mut args = args.iter();
    let mut replaced: Option<String> = None;
    while let Some(arg) = args.next() {
        let word = arg.fixed()?;
        if matches!(word, "-I" | "-J") {
            replaced = Some(args.next()?.fixed()?.to_owned());
        } else if let Some(mark) = word.strip_prefix("-I").or_else(|| word.strip_prefix("--replace=")) {
            replaced = Some(mark.to_owned());
        } else if word.starts_with("-i") || word == "--replace" {
            replaced =
                Some(word.get(2..).filter(|mark| !mark.is_empty() && word != "--replace").unwrap_or("{}").to_owned());
        } else if XARGS_VALUED.contains(&word) {
            args.next()?;
        } else if !word.starts_with('-') {
            let runs_more = wraps(program_name(word)) || program_name(word).ends_with("sh") || word == "eval";
            let is_filled = replaced.is_some_and(|mark| word.contains(&mark));
            return (!runs_more && !is_filled).then_some(());
        }
    }
    // It prints what it is given.
    Some(())
}

/// Whether a word of `find` stands before a program that it runs.
pub(super) fn runs_found(word: &Word) -> bool {
    matches!(word.plain.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
}

/// `find`: a program that it is to run must be named.
pub(super) fn find(args: &[Word]) -> Option<()> {
    let mut pairs = args.iter().zip(args.iter().skip(1)).filter(|(option, _)| runs_found(option));
    pairs
        .all(|(_, program)| {
            let is_named = program.fixed().is_some_and(|name| !name.contains("{}"));
            is_named && !wraps(program_name(&program.plain)) && !program_name(&program.plain).ends_with("sh")
        })
        .then_some(())
}

/// Adds a command, and for a program that runs another one every command that its arguments may be.
pub(super) fn push(line: &mut Line, words: &[Word], wraps: bool) {
    let Some(name) = words.first() else { return };
    let is_known = |word: &&Word| word.known.is_some();
    let known = words.iter().find(is_known).map(|_| words.iter().map(|word| word.known().into_owned()).collect());
    let known: Vec<Word> = known.unwrap_or_default();
    let mut texts = Vec::new();
    for from in 0..if wraps { words.len() } else { 1 } {
        let rest = words.get(from..).unwrap_or_default();
        let raw = join(rest, |word| &word.raw);
        let plain = join(rest, |word| &word.plain);
        let filled = known.get(from..).filter(|_| !known.is_empty()).map(|rest| join(rest, |word| &word.plain));
        // `/bin/rm` is `rm`.
        let based = rest.first().filter(|first| first.plain.contains('/')).map(|first| {
            let (_, args) = plain.split_at_checked(first.plain.len()).unwrap_or_default();
            format!("{}{args}", program_name(&first.plain))
        });
        for text in [Some(raw), Some(plain), based, filled].into_iter().flatten() {
            let text = text.trim().to_owned();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let is_nameless = name.is_dynamic || name.is_patterned;
    let mut command = Simple {
        exact: if is_nameless { Vec::new() } else { exact(words) },
        texts,
        is_nameless,
        words: words.to_vec(),
        known,
        wraps,
        given: Vec::new(),
    };
    let packaged = match command.starts() {
        Starts::FromPackages(words) => [join(words, |word| &word.plain), join(words, |word| &word.raw)].map(Some),
        Starts::Program(_) | Starts::Somewhere(_) => [None, None],
    };
    command.texts.extend(packaged.into_iter().flatten());
    let more: Vec<String> = command.texts.iter().flat_map(|text| synonyms::of(text)).collect();
    command.texts.extend(more);
    line.commands.push(command);
}

/// The command as an `allow` may mean it.
fn exact(words: &[Word]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = words;
    while let Some(name) = rest.first().filter(|name| is_plain_word(&name.plain)) {
        texts.extend([join(rest, |word| &word.raw), join(rest, |word| &word.plain)]);
        rest = match (name.plain.as_str(), rest) {
            ("timeout", [_, limit, behind @ ..]) if is_count(&limit.plain) => behind,
            (name, [_, behind @ ..]) if PEELED.contains(&name) => behind,
            _ => break,
        };
    }
    texts.dedup();
    texts
}

/// A number with or without a unit, as `timeout` takes it.
fn is_count(text: &str) -> bool {
    let digits = text.trim_end_matches(['s', 'm', 'h']);
    !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit() || c == '.')
}

fn join(words: &[Word], pick: fn(&Word) -> &str) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(pick(word));
    }
    text
}
