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

/// Programs that hand a command to another machine, a container, a terminal or a shell, which begins somewhere behind one of
/// these words, and with none of them anywhere in theirs.
const HANDS: &[(&str, &[&str])] = &[
    ("adb", &["shell"]),
    ("alacritty", &["-e"]),
    ("asdf", &["exec"]),
    ("aws-vault", &["--"]),
    ("bwrap", &[]),
    ("cmake", &["-E"]),
    ("clush", &[]),
    ("concurrently", &[]),
    ("conda", &["run"]),
    ("csh", &["-c"]),
    ("devbox", &["run"]),
    ("direnv", &["exec"]),
    ("distrobox", &["--", "-e", "enter"]),
    ("docker", &["exec", "run"]),
    ("docker-compose", &["exec", "run"]),
    ("doppler", &["--"]),
    ("dotenv", &["--"]),
    ("dsh", &[]),
    ("entr", &[]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("flatpak-spawn", &[]),
    ("fly", &["-C", "--command"]),
    ("flyctl", &["-C", "--command"]),
    ("git", &["-x", "--exec", "foreach", "run"]),
    ("gnome-terminal", &["--"]),
    ("gosu", &[]),
    ("hatch", &["run"]),
    ("heroku", &["run"]),
    ("hyperfine", &[]),
    ("incus", &["exec"]),
    ("ip", &["exec"]),
    ("kitty", &[]),
    ("konsole", &["-e"]),
    ("kubectl", &["exec", "--"]),
    ("ltrace", &[]),
    ("lxc", &["exec"]),
    ("machinectl", &["shell"]),
    ("man", &["-P"]),
    ("mise", &["exec", "x", "--"]),
    ("mosh", &[]),
    ("multipass", &["exec"]),
    ("nerdctl", &["exec", "run"]),
    ("nix", &["-c", "--command"]),
    ("nix-shell", &["--run", "--command"]),
    ("nodemon", &["--exec", "-x"]),
    ("npm", &["-c", "--call"]),
    ("npx", &["-c", "--call", "--"]),
    ("nu", &["-c"]),
    ("numactl", &[]),
    ("oc", &["exec", "rsh"]),
    ("op", &["--"]),
    ("pdm", &["run"]),
    ("pdsh", &[]),
    ("perf", &["record", "stat"]),
    ("pipenv", &["run"]),
    ("podman", &["exec", "run"]),
    ("poetry", &["run"]),
    ("pssh", &[]),
    ("rtk", &[]),
    ("rye", &["run"]),
    ("screen", &[]),
    ("ssh", &[]),
    ("su-exec", &[]),
    ("tcsh", &["-c"]),
    ("tmux", &["new", "new-session", "new-window", "neww", "run-shell", "send", "send-keys", "split-window"]),
    ("toolbox", &["run"]),
    ("uv", &["run"]),
    ("vagrant", &["-c", "--command"]),
    ("valgrind", &[]),
    ("watchexec", &[]),
    ("wsl", &[]),
    ("wsl.exe", &[]),
    ("xterm", &["-e"]),
];

/// Programs one of whose words holds a command line, behind such a mark.
const MARKS: &[(&str, &[&str])] = &[
    ("ed", &["!"]),
    ("ex", &["!"]),
    ("expect", &["spawn ", "exec "]),
    ("gdb", &["shell ", "!"]),
    ("less", &["+!"]),
    ("mariadb", &["system ", "\\!"]),
    ("more", &["+!"]),
    ("mysql", &["system ", "\\!"]),
    ("nvim", &["!"]),
    ("psql", &["\\!"]),
    ("sed", &["1e "]),
    ("sqlite3", &[".shell ", ".system "]),
    ("ssh", &["ProxyCommand=", "LocalCommand="]),
    ("tar", &["--to-command=", "exec="]),
    ("vi", &["!"]),
    ("vim", &["!"]),
];

/// Programs with options whose value is a command line.
const VALUES: &[(&str, &[&str])] = &[
    ("rg", &["--pre"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("tar", &["-I", "--use-compress-program"]),
    ("zip", &["-TT", "--unzip-command"]),
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

/// At how many words a command that is handed on may begin.
const MAX_HANDED: usize = 16;

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
    let lines: Vec<String> = runs.flat_map(|(program, args, _)| handed(program_name(program), args)).collect();
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

/// What may be the command that a program hands on.
fn handed(program: &str, args: &[Word]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((_, words)) = HANDS.iter().find(|(name, _)| *name == program) {
        let from = if words.is_empty() {
            Some(0)
        } else {
            args.iter().position(|word| words.contains(&word.plain.as_str())).map(|at| at + 1)
        };
        let behind = from.and_then(|from| args.get(from..)).unwrap_or_default();
        for from in 0..behind.len().min(MAX_HANDED) {
            let rest = behind.get(from..).unwrap_or_default();
            let Some(first) = rest.first().filter(|first| !first.plain.starts_with('-')) else { continue };
            if first.plain.contains(char::is_whitespace) {
                lines.push(first.plain.trim_end().to_owned());
            } else {
                lines.push(raw(rest));
            }
        }
    }
    if let Some((_, marks)) = MARKS.iter().find(|(name, _)| *name == program) {
        let texts = args.iter().flat_map(|word| marks.iter().filter_map(|mark| word.plain.split_once(mark)));
        lines.extend(texts.map(|(_, line)| line.trim().to_owned()).filter(|line| !line.is_empty()));
    }
    if let Some((_, options)) = VALUES.iter().find(|(name, _)| *name == program) {
        lines.extend(values(options, args).filter(|value| value.contains(' ')).map(str::to_owned));
    }
    let removed = REMOVES.iter().filter(|(name, _)| *name == program);
    lines.extend(removed.filter_map(|(_, words)| Some(format!("rm -r {}", raw(behind(words, args)?)))));
    lines
}

/// The values of some options: `-e VALUE`, `--rsh=VALUE`.
fn values<'w>(options: &'w [&str], args: &'w [Word]) -> impl Iterator<Item = &'w str> {
    args.iter().enumerate().filter_map(move |(at, word)| match word.plain.split_once('=') {
        Some((option, value)) if options.contains(&option) => Some(value),
        _ if options.contains(&word.plain.as_str()) => args.get(at + 1).map(|value| value.plain.as_str()),
        _ => None,
    })
}

/// The arguments that follow these words.
fn behind<'w>(words: &[&str], args: &'w [Word]) -> Option<&'w [Word]> {
    let (first, rest) = args.split_at_checked(words.len())?;
    first.iter().zip(words).all(|(word, wanted)| word.plain == *wanted).then_some(rest)
}

fn raw(words: &[Word]) -> String {
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
    fn commands_that_are_handed_on_are_found() {
        for (line, wanted) in [
            ("ssh -p 22 host rm -rf /", "rm -rf /"),
            ("ssh host 'rm -rf /srv'", "rm -rf /srv"),
            ("docker exec -it web rm -rf '/a b'", "rm -rf '/a b'"),
            ("kubectl exec web -n prod -- sh -c 'rm -rf /data'", "sh -c 'rm -rf /data'"),
            ("vim -es -c '!git reset --hard' -c q", "git reset --hard"),
            ("sqlite3 :memory: '.shell rm -rf /'", "rm -rf /"),
            ("less +'!rm -rf /' x", "rm -rf /"),
            ("zip x.zip a -T -TT 'rm -rf / #'", "rm -rf / #"),
            ("devbox run rm -rf /", "rm -rf /"),
            ("tmux send-keys -t 0 'git reset --hard' C-m", "git reset --hard"),
            ("git submodule foreach git clean -fd", "git clean -fd"),
        ] {
            assert!(lines(line).iter().any(|found| found == wanted), "{line}: {:?}", lines(line));
        }
        for line in ["docker build -t reboot .", "git log --grep foreach", "sed 's/1e/2e/' x"] {
            assert!(lines(line).is_empty(), "{line}: {:?}", lines(line));
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
