//! What programs do with the files that their arguments name.

use std::borrow::Cow;

use hookweave_command::{Simple, Word, is_shell, program_name};

use super::policy;
use super::readers::{self, is_action};
use super::search::{self, Search};

/// Programs that take away the folders that they are given, with all that is in them.
const REMOVE: &[&str] = &["mv", "rm", "rmdir", "shred", "unlink"];

/// Programs that put what they are given into the last one.
const PUT: &[&str] = &["cp", "install", "ln", "mv", "rsync"];

/// Programs whose first argument is a script that they run.
const RUN: &[&str] = &["bash", "bun", "dash", "deno", "ksh", "node", "python", "python3", "ruby", "sh", "zsh"];

/// What git does with files without changing them.
const GIT_READS: &[&str] = &[
    "add",
    "annotate",
    "blame",
    "branch",
    "cat-file",
    "check-attr",
    "check-ignore",
    "commit",
    "describe",
    "diff",
    "fetch",
    "grep",
    "hash-object",
    "log",
    "ls-files",
    "ls-tree",
    "push",
    "remote",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "status",
    "tag",
];

/// Programs that run lines that come from elsewhere, most of them later and below no process of the agent.
const LATER: &[&str] = &["at", "batch", "crontab", "expect"];

/// Programs that write out what they read, byte for byte or so that it can be put together again.
const COPY: &[&str] = &["base64", "cat", "head", "tac", "tail", "xxd", "zcat"];

/// Programs that run a text that comes from elsewhere if no file is named.
const INTERPRETERS: &[&str] =
    &["bun", "deno", "ed", "ex", "lua", "node", "perl", "php", "python", "python3", "ruby", "Rscript"];

/// What a command does to files.
pub(super) enum Use<'c> {
    /// It changes none that its words name.
    Nothing,
    /// It changes what a policy is made of, whatever else its words say.
    Policy,
    /// It changes files that another command of the line names.
    Fed,
    /// It changes files that it searches.
    Found(Search<'c>),
    /// It may change these.
    Files(Changes<'c>),
}

/// What the words of a command name.
#[derive(Default)]
pub(super) struct Changes<'c> {
    /// Files that it may write.
    pub(super) written: Vec<Cow<'c, Word>>,
    /// Folders that it takes away, with all that is in them.
    pub(super) removed: Vec<Cow<'c, Word>>,
    /// Files that it writes if the other word is a folder.
    pub(super) put: Vec<(Cow<'c, Word>, Cow<'c, Word>)>,
    /// Texts that may be programs, which name the files that they write.
    pub(super) texts: Vec<Cow<'c, Word>>,
    /// It runs a text that comes from elsewhere in the line.
    pub(super) is_told: bool,
}

/// What a command may write. Words that change a policy say nothing of other files.
pub(super) fn usage(command: &Simple, is_of_policy: bool) -> Use<'_> {
    if is_of_policy && policy::changes_by_words(command) {
        return Use::Policy;
    }
    let Some((program, args, is_fed)) = running(command) else { return Use::Nothing };
    // `python -m hookweave`, `node hookweave.mjs`
    let script = args.iter().position(|word| !word.plain.starts_with('-')).filter(|_| RUN.contains(&program));
    let (program, args) = match script.filter(|at| args.get(*at).is_some_and(|word| policy::is_program(&word.plain))) {
        Some(at) => ("hookweave", args.get(at + 1..).unwrap_or_default()),
        None => (program, args),
    };
    let known = |list: &[&str]| list.contains(&program);
    let has = |test: fn(&str) -> bool| args.iter().any(|word| test(&word.plain));
    match program {
        "hookweave" if !has(|word| word == "--fix" || word.starts_with("-o") || word.starts_with("--out")) => {
            return Use::Nothing;
        }
        "git" => return git(args, is_of_policy),
        "find" | "gfind" if has(is_action) => return found(args),
        "fd" | "fdfind" if has(readers::is_run_of_fd) => return found_by_fd(args),
        "awk" | "gawk" | "mawk" | "nawk" if !readers::reads(program, args) => return awk(args),
        "sed" | "gsed" if readers::reads(program, args) => {
            let written = readers::written_by_sed(args).map(Cow::Owned).collect();
            return Use::Files(Changes { written, ..Changes::default() });
        }
        _ if readers::reads(program, args) => return Use::Nothing,
        _ if readers::writes_output_only(program, args) => {
            let written = readers::outputs(args).map(Cow::Owned).collect();
            return Use::Files(Changes { written, ..Changes::default() });
        }
        _ if is_of_policy && policy::approves(command) => return Use::Policy,
        _ if is_fed => return Use::Fed,
        _ => {}
    }
    let mut words = operands(args);
    if matches!(program, "aria2c" | "curl" | "wget") {
        words.extend(fetched(args));
    }
    let has_text = !matches!(program, "ed" | "ex") && words.first().is_some_and(|word| word.plain != "-");
    let is_told = known(LATER) || known(INTERPRETERS) && !has_text;
    // The text of a shell is read as the commands that it is.
    let texts = if is_shell(program) { Vec::new() } else { texts(args) };
    if known(RUN) && !words.is_empty() {
        words.remove(0);
    }
    let mut removed = if known(REMOVE) { words.clone() } else { Vec::new() };
    if known(PUT) {
        // What something is put into stays.
        removed.pop();
        let (written, put) = put(program, args, words);
        return Use::Files(Changes { written, removed, put, ..Changes::default() });
    }
    Use::Files(Changes { written: words, removed, put: Vec::new(), texts, is_told })
}

/// What `find` changes of what it finds, and the files into which it writes the names.
fn found(args: &[Word]) -> Use<'_> {
    let runs = |word: &Word| ["-exec", "-ok"].iter().any(|option| word.plain.starts_with(option));
    let is_read = |(at, _): (usize, &Word)| {
        let run = args.get(at + 1..).and_then(<[Word]>::split_first);
        run.is_some_and(|(program, behind)| readers::reads(program_name(&program.plain), behind))
    };
    if args.iter().any(|word| word.plain == "-delete")
        || !args.iter().enumerate().filter(|(_, word)| runs(word)).all(is_read)
    {
        return Use::Found(search::of_find(args));
    }
    let lists = |word: &Word| word.plain.starts_with("-fprint") || word.plain == "-fls";
    let files = args.iter().zip(args.iter().skip(1)).filter(|(option, _)| lists(option));
    Use::Files(Changes { written: files.map(|(_, file)| Cow::Borrowed(file)).collect(), ..Changes::default() })
}

/// What `fd` changes of what it finds.
fn found_by_fd(args: &[Word]) -> Use<'_> {
    let search = search::of_fd(args);
    let run = search.runs.get(1..).and_then(<[Word]>::split_first);
    let is_read = run.is_some_and(|(program, behind)| readers::reads(program_name(&program.plain), behind));
    if is_read { Use::Nothing } else { Use::Found(search) }
}

/// What a program of `awk` writes is a text in it behind what writes or runs, or a variable that it is given.
fn awk(args: &[Word]) -> Use<'_> {
    let is_in_place = args.iter().any(|word| word.plain == "inplace");
    let is_given = |word: &&Word| is_in_place || word.plain.contains('=');
    let given: Vec<&Word> = args.iter().filter(is_given).collect();
    let written = given.into_iter().flat_map(|word| operands(std::slice::from_ref(word))).collect();
    let named = texts(args).into_iter().flat_map(|word| {
        let begins = ["system", ">", "|"].iter().filter_map(|sign| word.plain.find(sign)).min();
        let behind = begins.and_then(|at| word.plain.get(at..)).unwrap_or_default();
        behind.split('"').skip(1).step_by(2).map(|text| Cow::Owned(word.with(text))).collect::<Vec<_>>()
    });
    Use::Files(Changes { written, texts: named.collect(), ..Changes::default() })
}

/// The files as which programs keep what they fetch, if they take the names of the addresses.
fn fetched(args: &[Word]) -> impl Iterator<Item = Cow<'_, Word>> {
    args.iter().filter_map(|word| {
        let (_, path) = word.plain.split_once("://")?;
        let name = path.split(['?', '#']).next()?.rsplit('/').next()?;
        Some(Cow::Owned(word.with(name)))
    })
}

/// The words that may be programs: those that are more than one name.
fn texts(args: &[Word]) -> Vec<Cow<'_, Word>> {
    let is_text =
        |word: &&Word| word.is_filled_in() || word.plain.contains([' ', '(', '\'', '"', '\n', ';', '>', '|', ',']);
    args.iter().filter(is_text).map(Cow::Borrowed).collect()
}

/// Programs that say the names that they are given, and read no file.
const SAY: &[&str] = &[
    "basename", "cd", "dirname", "echo", "false", "mkdir", "popd", "printf", "pushd", "pwd", "touch", "true", "type",
    "which",
];

/// The words of a command that name what it may read: any, unless it is known to read none.
pub(super) fn read_words(command: &Simple) -> Vec<Cow<'_, Word>> {
    let mut words = match running(command) {
        Some((program, args, _)) if !SAY.contains(&program) => {
            let mut words = operands(args);
            words.extend(inputs(args));
            words.extend(glued(program, args));
            words.extend(in_commits(program, args));
            words
        }
        _ => Vec::new(),
    };
    words.extend(listed(command));
    words
}

/// What git reads of a commit or of the index: `HEAD:FILE`, `:0:FILE`, `-L1,9:FILE`.
fn in_commits<'w>(program: &str, args: &'w [Word]) -> impl Iterator<Item = Cow<'w, Word>> {
    const READ: &[&str] = &["archive", "blame", "cat-file", "diff", "difftool", "grep", "log", "show"];
    let is_read = program == "git" && args.iter().any(|word| READ.contains(&word.plain.as_str()));
    args.iter().filter(move |_| is_read).filter_map(|word| {
        let (_, path) = word.plain.rsplit_once(':')?;
        (!path.is_empty() && !path.contains(char::is_whitespace)).then(|| Cow::Owned(word.with(path)))
    })
}

/// What `dd` and its kin read: `if=FILE`.
fn inputs(args: &[Word]) -> impl Iterator<Item = Cow<'_, Word>> {
    args.iter().filter_map(|word| Some(Cow::Owned(word.with(word.plain.strip_prefix("if=")?))))
}

/// The words of a command that name what it copies, also by what it prints where that is written to a file.
pub(super) fn copied_words(command: &Simple, is_written: bool) -> Vec<Cow<'_, Word>> {
    match running(command) {
        Some(("cp" | "ditto" | "install" | "rsync" | "scp", args, _)) => operands(args),
        Some(("dd", args, _)) => inputs(args).collect(),
        Some((program, args, _)) if is_written && COPY.contains(&program) => operands(args),
        _ => Vec::new(),
    }
}

/// Values that stand in one word with their option: `-fFILE`.
fn glued<'w>(program: &str, args: &'w [Word]) -> impl Iterator<Item = Cow<'w, Word>> {
    let is_text = SEARCH.contains(&program);
    args.iter().filter_map(move |word| {
        let option = word.plain.strip_prefix('-').filter(|option| !option.starts_with('-'))?;
        let mut letters = option.chars();
        let letter = letters.next()?;
        let value = letters.as_str();
        (!(value.is_empty() || is_text && letter == 'e')).then(|| Cow::Owned(word.with(value)))
    })
}

/// The file from which `xargs` reads what it hands on.
fn listed(command: &Simple) -> Vec<Cow<'_, Word>> {
    let Some((_, args)) =
        command.starts().words().split_first().filter(|(program, _)| program_name(&program.plain) == "xargs")
    else {
        return Vec::new();
    };
    let options = args.get(..args.len() - behind_xargs(args).len()).unwrap_or_default();
    let mut files = operands(options);
    files.extend(glued("xargs", options));
    files
}

/// Programs whose first operand is a pattern or a program for texts.
const SEARCH: &[&str] = &["ack", "ag", "awk", "egrep", "fgrep", "gawk", "grep", "jq", "rg", "sed", "yq", "zgrep"];

/// The same without the patterns that are searched for.
pub(super) fn surely_read_words(command: &Simple) -> Vec<Cow<'_, Word>> {
    let mut words = read_words(command);
    let is_given = |word: &Word| matches!(word.plain.as_str(), "-e" | "-f") || word.plain.starts_with("--regexp");
    let searches =
        running(command).is_some_and(|(program, args, _)| SEARCH.contains(&program) && !args.iter().any(is_given));
    if searches && !words.is_empty() {
        words.remove(0);
    }
    words
}

/// The program that a command runs, with its arguments, and whether it gets further ones from elsewhere: for one that
/// starts another, the other.
fn running(command: &Simple) -> Option<(&str, &[Word], bool)> {
    let (program, args) = command.starts().words().split_first()?;
    match program_name(&program.plain) {
        "xargs" => {
            let (program, args) = behind_xargs(args).split_first()?;
            Some((program_name(&program.plain), args, true))
        }
        "parallel" => Some(("parallel", args, true)),
        name => Some((name, args, false)),
    }
}

/// The command of `xargs`, behind its options.
pub(super) fn behind_xargs(args: &[Word]) -> &[Word] {
    const VALUED: &[&str] = &[
        "-E",
        "-I",
        "-J",
        "-L",
        "-P",
        "-R",
        "-a",
        "-d",
        "-n",
        "-s",
        "--arg-file",
        "--delimiter",
        "--max-args",
        "--max-procs",
    ];
    let mut rest = args;
    while let Some((option, behind)) = rest.split_first().filter(|(word, _)| word.plain.starts_with('-')) {
        let values = usize::from(VALUED.contains(&option.plain.as_str()));
        rest = behind.get(values..).unwrap_or_default();
    }
    rest
}

/// The words that may name files: no options, but what stands behind their `=`; not what is left out.
fn operands(args: &[Word]) -> Vec<Cow<'_, Word>> {
    let mut words = Vec::new();
    let mut is_left_out = false;
    let mut are_options = true;
    for word in args {
        let text = word.plain.as_str();
        if std::mem::take(&mut is_left_out) {
            continue;
        }
        if text == "--" {
            are_options = false;
        } else if text.starts_with("--exclude") {
            is_left_out = !text.contains('=');
        } else if let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.contains('/')) {
            if name != "if" {
                words.push(Cow::Owned(word.with(value)));
            }
        } else if !(are_options && text.starts_with('-')) {
            words.push(Cow::Borrowed(word));
        }
    }
    words
}

/// Whether `cp` makes links, by which what it is given is changed later.
fn makes_links(args: &[Word]) -> bool {
    args.iter().any(|word| match word.plain.strip_prefix('-') {
        Some(long) if long.starts_with('-') => matches!(long, "-link" | "-symbolic-link"),
        Some(letters) => !letters.starts_with('S') && letters.contains(['l', 's']),
        None => false,
    })
}

/// What `cp` and its kin write: the last word, or what is given below it; what makes links, and `mv`, what it is given too.
fn put<'w>(program: &str, args: &'w [Word], mut words: Vec<Cow<'w, Word>>) -> PutWords<'w> {
    let has_target = args.iter().any(|word| word.plain.starts_with("-t") || word.plain.starts_with("--target"));
    if has_target {
        return (words, Vec::new());
    }
    let Some(last) = words.pop() else { return (words, Vec::new()) };
    let below = words.iter().filter_map(|source| {
        let name = source.plain.trim_end_matches('/').rsplit('/').next()?;
        Some((last.clone(), Cow::Owned(source.with(&format!("{}/{name}", last.plain)))))
    });
    let below = below.collect();
    if !(matches!(program, "mv" | "ln") || program == "cp" && makes_links(args)) {
        words.clear();
    }
    words.push(last);
    (words, below)
}

/// What is written, and what is if the folder beside it is one.
type PutWords<'w> = (Vec<Cow<'w, Word>>, Vec<(Cow<'w, Word>, Cow<'w, Word>)>);

fn git(args: &[Word], is_of_policy: bool) -> Use<'_> {
    let mut rest = args;
    while let Some((word, behind)) = rest.split_first() {
        match word.plain.as_str() {
            "-c" | "-C" | "--git-dir" | "--work-tree" => {
                let names_hooks = |value: &Word| value.plain.to_ascii_lowercase().starts_with("core.hookspath");
                if is_of_policy && behind.first().is_some_and(names_hooks) {
                    return Use::Policy;
                }
                rest = behind.get(1..).unwrap_or_default();
            }
            option if option.starts_with('-') => rest = behind,
            "config" if is_of_policy && policy::changes_git(behind) => return Use::Policy,
            "clone" | "init" if is_of_policy && policy::equips_repository(behind) => return Use::Policy,
            "config" => return Use::Files(Changes { written: operands(behind), ..Changes::default() }),
            verb if GIT_READS.contains(&verb) => {
                return Use::Files(Changes { written: git_output(behind), ..Changes::default() });
            }
            verb => {
                let written = operands(behind);
                let removed = if matches!(verb, "rm" | "mv") { written.clone() } else { Vec::new() };
                return Use::Files(Changes { written, removed, ..Changes::default() });
            }
        }
    }
    Use::Nothing
}

/// The file into which a command of git that reads is told to write.
fn git_output(args: &[Word]) -> Vec<Cow<'_, Word>> {
    let apart = args.iter().zip(args.iter().skip(1)).filter(|(option, _)| option.plain == "--output");
    let joined = args.iter().filter_map(|word| Some(Cow::Owned(word.with(word.plain.strip_prefix("--output=")?))));
    apart.map(|(_, file)| Cow::Borrowed(file)).chain(joined).collect()
}
