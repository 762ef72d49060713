//! Commands that change what a policy is made of without naming a file of it: hookweave's own, git's settings, and those
//! that end hookweave.

use hookweave_command::{Line, Simple, Word, program_name};

/// Words of hookweave that change a policy, its approvals or agents' settings.
const CHANGES: &[&str] = &["approve", "init", "install", "revoke", "uninstall"];

/// Commands of hookweave that change nothing of them, whatever their other words say.
const ASKS: &[&str] = &[
    "audit",
    "completion",
    "convert",
    "doctor",
    "explain",
    "help",
    "hook",
    "lint",
    "list",
    "man",
    "policies",
    "record",
    "replay",
    "run",
    "schema",
    "test",
    "try",
];

/// Options of hookweave that stand before its command, with a value.
const VALUED: &[&str] = &["-C", "--cwd", "--color"];

/// Ends of the names under which it is started.
const ENDINGS: &[&str] = &["", "-cli", ".cjs", ".cmd", ".exe", ".js", ".mjs", ".ps1", ".py"];

/// Settings of git that name a program, or a file with further settings; `*` stands for any name.
const GIT_RUNS: &[&str] = &[
    "alias.*",
    "core.alternaterefscommand",
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "credential.*helper",
    "diff.*command",
    "diff.external",
    "diff.*textconv",
    "difftool.*cmd",
    "filter.*clean",
    "filter.*process",
    "filter.*smudge",
    "gpg.*program",
    "include.path",
    "includeif.*path",
    "init.templatedir",
    "interactive.difffilter",
    "merge.*driver",
    "mergetool.*cmd",
    "pager.*",
    "sequence.editor",
    "uploadpack.packobjectshook",
];

/// Whether a word is the program, by any path.
pub(super) fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.split('@').next().unwrap_or(name).to_ascii_lowercase();
    name.strip_prefix("hookweave").is_some_and(|end| ENDINGS.contains(&end))
}

/// Words of package managers that take a package away.
const TAKE_AWAY: &[&str] = &["erase", "purge", "r", "remove", "rm", "un", "uninstall", "unlink"];

/// Words of package managers that bring a package.
const BRING: &[&str] = &["add", "i", "install"];

/// Options by which a package that is there is replaced by one that may be another.
const REPLACE: &[&str] = &["--force", "--force-reinstall", "--ignore-installed", "--reinstall", "--version", "-I"];

/// Package managers that bring the program.
const MANAGERS: &[&str] = &[
    "apt", "apt-get", "brew", "bun", "cargo", "conda", "dnf", "mamba", "npm", "pdm", "pip", "pip3", "pipenv", "pipx",
    "pnpm", "poetry", "scoop", "uv", "winget", "yarn",
];

/// Whether a command takes the package of the program away, or replaces it with a version that the line names.
fn replaces_package(command: &Simple) -> bool {
    command.calls().any(|(program, args, is_fed)| {
        let (manager, args) = match args {
            [option, module, args @ ..] if option.plain == "-m" => (module.plain.as_str(), args),
            args => (program_name(program), args),
        };
        if !(MANAGERS.contains(&manager) || manager.starts_with("pip3.")) {
            return false;
        }
        let has = |list: &[&str]| args.iter().any(|word| list.contains(&word.plain.as_str()));
        let packages = || args.iter().filter_map(|word| package(&word.plain));
        if has(TAKE_AWAY) {
            return packages().next().is_some() || is_fed;
        }
        let is_replaced = || has(REPLACE) || args.iter().any(|word| word.plain.starts_with("--version="));
        has(BRING) && packages().any(|is_other| is_other || is_replaced())
    })
}

/// Whether a word that names the package asks for another one than the newest; `None` where it names another package.
fn package(word: &str) -> Option<bool> {
    if word.contains("://") {
        let path = word.split(['#', '?']).next().unwrap_or(word).trim_end_matches('/').trim_end_matches(".git");
        return is_program(path).then_some(true);
    }
    let end = word.find(|letter: char| !letter.is_alphanumeric() && !"-_.".contains(letter)).unwrap_or(word.len());
    let (name, rest) = word.split_at_checked(end)?;
    if !is_program(name) {
        return None;
    }
    let rest = rest.strip_prefix('[').and_then(|extras| Some(extras.split_once(']')?.1)).unwrap_or(rest).trim_start();
    Some(!(rest.is_empty() || rest == "@latest" || rest.starts_with(">=") && !rest.contains(',')))
}

/// Whether a command of hookweave or of a package manager, by any program that starts it, changes the policy.
pub(super) fn changes_by_words(command: &Simple) -> bool {
    if replaces_package(command) {
        return true;
    }
    let words = command.words();
    let known = words.iter().position(|word| is_program(&word.plain));
    match known {
        Some(at) => changes(words.get(at + 1..).unwrap_or_default()),
        // A program that is filled in may be any.
        None if command.is_nameless => is_approval(words.get(1..).unwrap_or_default()),
        None => false,
    }
}

/// Whether words behind the program's name change the policy.
fn changes(args: &[Word]) -> bool {
    let mut words = args.iter();
    let mut is_sure = true;
    let verb = loop {
        let Some(word) = words.next() else { return false };
        match word.plain.as_str() {
            option if VALUED.contains(&option) => drop(words.next()),
            option if option.starts_with('-') => {
                is_sure &= matches!(option, "-q" | "--quiet" | "-v" | "--verbose") || option.contains('=');
            }
            _ => break word,
        }
    };
    if is_sure && verb.fixed().is_some_and(|verb| ASKS.contains(&verb)) {
        return false;
    }
    // What is filled in may be such a word.
    args.iter().any(|word| CHANGES.contains(&word.plain.as_str()) || word.is_filled_in())
}

/// Whether words behind any program's name are those by which approvals are given and taken: a copy of the program has the
/// name that it was given. What is filled in may be one of them if the line does not say its value.
pub(super) fn approves(command: &Simple) -> bool {
    command.calls().any(|(program, args, _)| {
        let is = |word: &Word, texts: &[&str]| texts.contains(&word.plain.as_str());
        // `docker trust revoke` takes a signature back.
        if matches!(program, "docker" | "npm") && !args.iter().any(|word| is(word, &["approve"])) {
            return false;
        }
        let is_noun = |word: &Word| is(word, &["approvals", "trust"]);
        let is_verb = |word: &Word| is(word, &["approve", "revoke"]);
        // A copy is started by its path, unless it is put where all programs are.
        let may_be = |word: &Word| program.contains(['/', '$']) && word.fixed().is_none();
        let mut pairs = args.iter().zip(args.iter().skip(1));
        args.iter().skip_while(|word| !is_noun(word)).any(is_verb)
            || pairs.any(|(one, other)| is_noun(one) && may_be(other) || may_be(one) && is_verb(other))
    })
}

/// `trust approve` and its kin.
fn is_approval(args: &[Word]) -> bool {
    let mut pairs = args.iter().zip(args.iter().skip(1));
    pairs.any(|(one, other)| {
        matches!(one.plain.as_str(), "trust" | "approvals") && CHANGES.contains(&other.plain.as_str())
    })
}

/// Whether a text that a program runs, or a line that is not understood, names hookweave and such a word behind it, or gives
/// or takes approvals by a program of any name.
pub(super) fn changes_by_text(text: &str) -> bool {
    let is_of_name = |letter: char| letter.is_alphanumeric() || "._-/\\@".contains(letter);
    let words = || text.split(move |letter: char| !is_of_name(letter)).filter(|word| !word.is_empty());
    let mut behind = words().skip_while(|word| !is_program(word));
    let mut pairs = words().zip(words().skip(1));
    behind.any(|word| CHANGES.contains(&word))
        || pairs.any(|pair| matches!(pair, ("trust", "approve" | "revoke") | ("approvals", "revoke")))
}

/// Whether a line ends processes of hookweave: `pkill hookweave`, `kill $(pgrep hookweave)`.
pub(super) fn ends_processes(line: &Line) -> bool {
    let runs = |command: &Simple, programs: &[&str]| {
        command.calls().any(|(program, ..)| programs.contains(&program_name(program)))
    };
    let names =
        |command: &Simple| command.words().iter().any(|word| word.plain.to_ascii_lowercase().contains("hookweave"));
    let commands = || line.commands.iter();
    commands().any(|command| runs(command, &["pkill", "killall", "taskkill"]) && names(command))
        || commands().any(|command| runs(command, &["kill"])) && commands().any(names)
}

/// Programs that run a line later, below no process of the agent.
const SCHEDULERS: &[&str] = &["at", "batch", "crontab"];

/// Options by which these only show or take away what is to run.
const LISTS: &[&str] = &["--help", "--version", "-V", "-c", "-d", "-l", "-q", "-r"];

/// Programs that print the files that they are given.
const PRINTS: &[&str] = &["base64", "cat", "head", "sed", "tac", "tail"];

/// Whether a line hands a file, whose text it does not say, to a program that runs it later.
pub(super) fn schedules_file(line: &Line) -> bool {
    let has = |args: &[Word], options: &[&str]| args.iter().any(|word| options.contains(&word.plain.as_str()));
    let names_file = |program: &str, args: &[Word]| match program {
        "crontab" => args.iter().any(|word| !word.plain.starts_with('-')),
        _ => args.iter().any(|word| word.plain.starts_with("-f")),
    };
    let prints_file = |command: &Simple| {
        let files = |args: &[Word]| args.iter().any(|word| !word.plain.starts_with('-'));
        command.calls().any(|(program, args, _)| PRINTS.contains(&program_name(program)) && files(args))
    };
    let is_filled = || !line.reads.is_empty() || line.commands.iter().any(prints_file);
    line.commands.iter().flat_map(Simple::calls).any(|(program, args, _)| {
        let program = program_name(program);
        SCHEDULERS.contains(&program) && !has(args, LISTS) && (names_file(program, args) || is_filled())
    })
}

/// Whether a line looks up where the program is.
pub(super) fn looks_up_program(line: &Line) -> bool {
    const FIND: &[&str] = &["command", "hash", "readlink", "realpath", "type", "whence", "where", "whereis", "which"];
    line.commands.iter().any(|command| {
        let words = command.words();
        let finds = words.first().is_some_and(|name| FIND.contains(&program_name(&name.plain)));
        finds && words.iter().skip(1).any(|word| is_program(&word.plain))
    })
}

/// Whether a setting of git decides what git runs.
pub(super) fn names_program_of_git(setting: &str) -> bool {
    let setting = setting.split('=').next().unwrap_or(setting).to_ascii_lowercase();
    GIT_RUNS.iter().any(|known| match known.split_once('*') {
        Some((start, end)) => setting.starts_with(start) && setting.ends_with(end),
        None => setting == *known,
    })
}

/// Whether `git clone` or `git init` gives a repository hooks, or settings that name a program.
pub(super) fn equips_repository(args: &[Word]) -> bool {
    let pairs = args.iter().zip(args.iter().skip(1));
    let mut apart =
        pairs.filter(|(option, _)| matches!(option.plain.as_str(), "-c" | "--config")).map(|(_, word)| word);
    let is_setting = |text: Option<&str>| text.is_some_and(names_program_of_git);
    apart.any(|word| is_setting(word.fixed()) || word.fixed().is_none())
        || args.iter().any(|word| {
            let text = word.plain.as_str();
            text.starts_with("--template")
                || is_setting(text.strip_prefix("--config=").or_else(|| text.strip_prefix("-c")))
        })
}

/// Whether `git config` changes what git runs by itself.
pub(super) fn changes_git(args: &[Word]) -> bool {
    const READS: &[&str] = &["get", "list", "-l", "--list"];
    const WRITES: &[&str] =
        &["--edit", "--remove-section", "--rename-section", "-e", "edit", "remove-section", "rename-section"];
    let has = |words: &[&str]| args.iter().any(|word| words.contains(&word.plain.as_str()));
    if has(WRITES) {
        return true;
    }
    let reads = has(READS) || args.iter().any(|word| word.plain.starts_with("--get"));
    let Some(at) = args.iter().position(|word| names_program_of_git(&word.plain) || word.fixed().is_none()) else {
        return false;
    };
    let takes_away = args.iter().any(|word| word.plain.starts_with("--unset") || word.plain == "unset");
    !reads && (args.len() > at + 1 || takes_away)
}
