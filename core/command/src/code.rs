//! Code that a line hands to an interpreter (`python -c`, `node -e`, a here-document), and the command lines in it.
//!
//! Nothing of it is run, and no grammar is known: texts in quotes are looked at, and words that start programs.

use crate::line::{Line, Simple, Word, program_name};

/// Programs whose arguments or input may be code.
const INTERPRETERS: &[&str] = &[
    "Rscript",
    "awk",
    "bun",
    "deno",
    "elixir",
    "emacs",
    "erl",
    "gawk",
    "ghc",
    "groovy",
    "ipython",
    "jshell",
    "julia",
    "lua",
    "mawk",
    "node",
    "nodejs",
    "octave",
    "osascript",
    "perl",
    "php",
    "pypy",
    "ruby",
    "tclsh",
    "ts-node",
    "tsx",
];

/// Clients of databases, whose arguments or input may be statements.
const CLIENTS: &[&str] = &[
    "bq",
    "clickhouse",
    "clickhouse-client",
    "cockroach",
    "cqlsh",
    "cypher-shell",
    "duckdb",
    "mariadb",
    "mongo",
    "mongosh",
    "mysql",
    "osql",
    "psql",
    "snowsql",
    "sqlcmd",
    "sqlite3",
    "sqlplus",
    "trino",
    "wrangler",
];

/// Programs that run a program elsewhere, which stands somewhere in their words.
const ELSEWHERE: &[&str] = &["docker", "docker-compose", "fly", "heroku", "kubectl", "nerdctl", "oc", "podman"];

/// What starts a program in their languages.
const STARTS: &[&str] = &[
    "system",
    "popen",
    "subprocess",
    "exec",
    "spawn",
    "passthru",
    "proc_open",
    "Command",
    "check_call",
    "check_output",
    "`",
    "%x",
    "qx",
    "Bun.$",
    "os.run",
    "os:cmd",
    "cmd(",
    "run(",
    "shell script",
    "do script",
    "shell-command",
    "getline",
    "| \"",
];

/// Programs that delete what they name with all that is in it, behind these words.
const REMOVES: &[(&str, &[&str])] = &[
    ("cmake", &["-E", "remove_directory"]),
    ("gio", &["trash"]),
    ("gio", &["remove"]),
    ("rimraf", &[]),
    ("trash", &[]),
    ("trash-put", &[]),
];

/// How many texts in quotes are looked at.
const MAX_TEXTS: usize = 512;

/// How many texts in quotes are read as the parts of one list.
const MAX_LIST: usize = 64;

/// Code for an interpreter.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The code.
    pub text: String,
    /// Texts in it that may be command lines, if it starts programs.
    pub lines: Vec<String>,
    /// It has more texts than are looked at.
    pub is_cut: bool,
}

/// Whether a program runs code.
pub fn is_interpreter(name: &str) -> bool {
    let versioned = |start: &str| {
        name.strip_prefix(start).is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
    };
    INTERPRETERS.contains(&name) || ["python", "perl", "php", "ruby", "lua"].iter().any(|start| versioned(start))
}

/// The code that a line hands to interpreters.
pub(crate) fn of_line<'l>(text: &str, line: &'l Line) -> Vec<Code> {
    let mut codes: Vec<Code> = Vec::new();
    let mut add = |text: &str| {
        if !codes.iter().any(|code| code.text == text) {
            let (lines, is_cut) = lines_of(text);
            codes.push(Code { text: text.to_owned(), lines, is_cut });
        }
    };
    let started = |(program, args): (&'l str, &'l [Word])| {
        let is_known = |word: &Word| CLIENTS.contains(&word.plain.as_str()) || is_interpreter(&word.plain);
        let at = args.iter().position(is_known).filter(|_| ELSEWHERE.contains(&program_name(program)));
        let inside = at.and_then(|at| args.get(at..)?.split_first());
        inside.map_or((program, args), |(program, args)| (program.plain.as_str(), args))
    };
    let calls = || line.commands.iter().flat_map(Simple::calls).map(|(program, args, _)| (program, args));
    let runs = line.commands.iter().flat_map(Simple::runs);
    let lines: Vec<String> = runs.flat_map(|(program, args, _)| removed(program_name(program), args)).collect();
    for (program, args) in calls().map(started) {
        let is_client = CLIENTS.contains(&program_name(program));
        if !is_client && !is_interpreter(program_name(program)) {
            continue;
        }
        let may_be_code = |word: &&Word| word.plain.contains(['(', ' ', ';', '`', '\n', '.']);
        args.iter().filter(may_be_code).for_each(|word| add(&word.plain));
        if args.iter().all(|word| word.plain.starts_with('-'))
            || is_client && !args.iter().any(|word| word.plain.contains(' '))
        {
            // It reads its code from what stands elsewhere in the line.
            add(text);
        }
    }
    if !lines.is_empty() {
        codes.push(Code { text: String::new(), lines, is_cut: false });
    }
    codes
}

/// What a program that deletes by another name does, as `rm` says it.
fn removed(program: &str, args: &[Word]) -> Vec<String> {
    let rows = REMOVES.iter().filter(|(name, _)| *name == program);
    rows.filter_map(|(_, words)| Some(format!("rm -r {}", raw(behind(words, args)?)))).collect()
}

/// The arguments that follow these words.
fn behind<'w>(words: &[&str], args: &'w [Word]) -> Option<&'w [Word]> {
    let (first, rest) = args.split_at_checked(words.len())?;
    first.iter().zip(words).all(|(word, wanted)| word.plain == *wanted).then_some(rest)
}

pub(crate) fn raw(words: &[Word]) -> String {
    words.iter().map(Word::raw).collect::<Vec<_>>().join(" ")
}

/// The texts in quotes that may be command lines, alone and those of a list together, and whether there are too many.
fn lines_of(code: &str) -> (Vec<String>, bool) {
    if !STARTS.iter().any(|word| code.contains(word)) {
        return (Vec::new(), false);
    }
    let mut lines: Vec<String> = Vec::new();
    // The texts that are parts of one list.
    let mut list: Vec<&str> = Vec::new();
    let mut rest = code;
    let mut is_cut = false;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        is_cut = lines.len() >= MAX_TEXTS || list.len() >= MAX_LIST;
        if is_cut {
            break;
        }
        let (before, behind) = rest.split_at(at);
        let Some(quote) = behind.chars().next() else { break };
        let inside = behind.get(quote.len_utf8()..).unwrap_or_default();
        let Some(length) = closing(inside, quote) else { break };
        let text = inside.get(..length).unwrap_or_default();
        if !before.chars().all(|letter| letter.is_whitespace() || ",[(".contains(letter)) {
            list.clear();
        }
        list.push(text);
        lines.push(text.to_owned());
        if list.len() > 1 {
            lines.push(list.join(" "));
        }
        rest = inside.get(length + quote.len_utf8()..).unwrap_or_default();
    }
    lines.retain(|line| !line.trim().is_empty());
    (lines, is_cut)
}

/// Where a text in quotes ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, letter)| {
        let ends = letter == quote && !is_escaped;
        is_escaped = letter == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use crate::read;

    fn lines(line: &str) -> Vec<String> {
        read(line).code().iter().flat_map(|code| code.lines.clone()).collect()
    }

    #[test]
    fn command_lines_in_code_are_found() {
        for (line, wanted) in [
            ("python3 -c 'import os; os.system(\"rm -rf /\")'", "rm -rf /"),
            ("python -c \"import subprocess as s; s.run(['rm', '-rf', '/'])\"", "rm -rf /"),
            ("node -e \"require('child_process').execSync('git reset --hard')\"", "git reset --hard"),
            ("perl -e 'system(\"rm\", \"-rf\", \"/\")'", "rm -rf /"),
            ("ruby -e '`rm -rf /`'", "rm -rf /"),
            ("python3 <<'E'\nimport os\nos.system('rm -rf /')\nE", "rm -rf /"),
            ("sudo python3.11 -c 'import os; os.popen(\"rm -rf /\")'", "rm -rf /"),
        ] {
            assert!(lines(line).iter().any(|found| found == wanted), "{line}: {:?}", lines(line));
        }
    }

    #[test]
    fn code_with_too_many_texts_says_so() {
        let texts = |times| format!("python3 -c \"import os; os.system('a'); x = [{}]\"", "'b', ".repeat(times));
        let is_cut = |line: &str| read(line).code().iter().any(|code| code.is_cut);
        assert!(is_cut(&texts(1000)) && !is_cut(&texts(10)));
    }

    #[test]
    fn code_that_starts_nothing_has_none() {
        for line in ["python3 -c 'print(\"rm -rf /\")'", "echo 'os.system(\"rm -rf /\")'", "python3 x.py"] {
            assert!(lines(line).is_empty(), "{line}");
        }
    }
}
