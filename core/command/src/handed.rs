//! Command lines that programs hand to others: to another machine, a container, a terminal, a shell within a program.
//!
//! Where such a command begins is not always clear, so each word is looked at where it may.

use crate::code::{is_interpreter, raw};
use crate::line::{Line, Simple, Starts, Word, is_shell, is_wrapper_of_packages, program_name, wraps};
use crate::windows;

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
    ("chamber", &["--"]),
    ("cross-env", &[]),
    ("csh", &["-c"]),
    ("devbox", &["run"]),
    ("direnv", &["exec"]),
    ("distrobox", &["--", "-e", "enter"]),
    ("docker", &["exec", "run"]),
    ("docker-compose", &["exec", "run"]),
    ("doppler", &["--", "--command"]),
    ("dotenv", &[]),
    ("dotenvx", &["run"]),
    ("dsh", &[]),
    ("entr", &[]),
    ("env-cmd", &[]),
    ("envchain", &[]),
    ("faketime", &[]),
    ("fakeroot", &[]),
    ("fd", &["-x", "-X", "--exec", "--exec-batch"]),
    ("fdfind", &["-x", "-X", "--exec", "--exec-batch"]),
    ("flatpak-spawn", &[]),
    ("fly", &["-C", "--command"]),
    ("flyctl", &["-C", "--command"]),
    ("foreman", &["run"]),
    ("git", GIT),
    ("gnome-terminal", &["--"]),
    ("gosu", &[]),
    ("hatch", &["run"]),
    ("heroku", &["run"]),
    ("hyperfine", &[]),
    ("incus", &["exec"]),
    ("infisical", &["--", "--command"]),
    ("ip", &["exec"]),
    ("kitty", &[]),
    ("konsole", &["-e"]),
    ("kubectl", &["exec", "--"]),
    ("lerna", &["exec"]),
    ("ltrace", &[]),
    ("lxc", &["exec"]),
    ("machinectl", &["shell"]),
    ("mamba", &["run"]),
    ("man", &["-P"]),
    ("micromamba", &["run"]),
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
    ("pixi", &["run"]),
    ("podman", &["exec", "run"]),
    ("poetry", &["run"]),
    ("proxychains", &[]),
    ("proxychains4", &[]),
    ("pssh", &[]),
    ("pyenv", &["exec"]),
    ("rbenv", &["exec"]),
    ("rtk", &[]),
    ("rye", &["run"]),
    ("screen", &[]),
    ("sops", &["exec-env", "exec-file"]),
    ("ssh", &[]),
    ("su-exec", &[]),
    ("tcsh", &["-c"]),
    ("tini", &[]),
    ("tmux", TMUX),
    ("toolbox", &["run"]),
    ("torsocks", &[]),
    ("uv", &["run"]),
    ("vagrant", &["-c", "--command"]),
    ("valgrind", &[]),
    ("watchexec", &[]),
    ("wsl", &[]),
    ("wsl.exe", &[]),
    ("xterm", &["-e"]),
];

/// What git hands to a shell.
const GIT: &[&str] = &[
    "-x",
    "--commit-filter",
    "--env-filter",
    "--exec",
    "--index-filter",
    "--msg-filter",
    "--tree-filter",
    "foreach",
    "run",
];

/// Commands of tmux that run what follows, or type it.
const TMUX: &[&str] = &[
    "display-popup",
    "if",
    "if-shell",
    "new",
    "new-session",
    "new-window",
    "neww",
    "pipe-pane",
    "popup",
    "respawn-pane",
    "respawn-window",
    "run",
    "run-shell",
    "send",
    "send-keys",
    "split-window",
    "splitw",
];

/// Programs one of whose words holds a command line, behind such a mark.
const MARKS: &[(&str, &[&str])] = &[
    ("ed", &["!"]),
    ("ex", &["!"]),
    ("expect", &["spawn ", "exec "]),
    ("gdb", &["shell ", "!"]),
    ("git", &["=!", "core.editor=", "core.pager=", "core.sshCommand=", "sequence.editor="]),
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

/// At how many words a command that is handed on may begin.
const MAX_HANDED: usize = 16;

/// The command lines that the programs of a line may hand on.
pub(crate) fn of_line(line: &Line) -> Vec<String> {
    let of_command = |command: &Simple| {
        // `poetry run sh -c …`, `uv run python -c …`: what is started starts others.
        let packaged = match command.starts() {
            Starts::FromPackages(words) if words.first().is_some_and(|word| starts_others(&word.plain)) => {
                Some(raw(words))
            }
            _ => None,
        };
        let all = command.runs().flat_map(|(program, args, _)| of_program(program_name(program), args));
        packaged.into_iter().chain(all).collect::<Vec<_>>()
    };
    line.commands.iter().flat_map(of_command).collect()
}

/// Whether a program runs others, or code, that stand in its words.
fn starts_others(program: &str) -> bool {
    let name = program_name(program);
    is_shell(name)
        || is_interpreter(name)
        || wraps(name)
        || windows::is_shell(program)
        || HANDS.iter().any(|(known, _)| *known == name)
}

/// What may be the command that a program hands on.
fn of_program(program: &str, args: &[Word]) -> Vec<String> {
    let mut lines = Vec::new();
    let is_clear = || {
        let words: Vec<Word> = std::iter::once(Word::of(program)).chain(args.iter().cloned()).collect();
        is_wrapper_of_packages(&words)
    };
    if let Some((_, words)) = HANDS.iter().find(|(name, _)| *name == program)
        && !is_clear()
    {
        let is_mark = |word: &str| words.contains(&word);
        let from = if words.is_empty() {
            Some(0)
        } else {
            args.iter().position(|word| is_mark(word.plain.as_str())).map(|at| at + 1)
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
        // `--command=LINE`
        let joined = args.iter().filter_map(|word| word.plain.split_once('='));
        lines.extend(joined.filter(|(option, _)| is_mark(option)).map(|(_, line)| line.to_owned()));
    }
    if let Some((_, marks)) = MARKS.iter().find(|(name, _)| *name == program) {
        let texts = args.iter().flat_map(|word| marks.iter().filter_map(|mark| word.plain.split_once(mark)));
        lines.extend(texts.map(|(_, line)| line.trim().to_owned()).filter(|line| !line.is_empty()));
    }
    if let Some((_, options)) = VALUES.iter().find(|(name, _)| *name == program) {
        lines.extend(values(options, args).filter(|value| value.contains(' ')).map(str::to_owned));
    }
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

#[cfg(test)]
mod tests {
    use crate::read;

    fn lines(line: &str) -> Vec<String> {
        read(line).handed().iter().map(|line| line.text().to_owned()).collect()
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
            ("git -c alias.x='!rm -rf y' x", "rm -rf y"),
            ("doppler run --command='rm -rf y'", "rm -rf y"),
        ] {
            assert!(lines(line).iter().any(|found| found == wanted), "{line}: {:?}", lines(line));
        }
        for line in ["docker build -t reboot .", "git log --grep foreach", "sed 's/1e/2e/' x"] {
            assert!(lines(line).is_empty(), "{line}: {:?}", lines(line));
        }
    }

    #[test]
    fn what_is_handed_on_may_be_handed_on_again() {
        let found = lines("docker exec web git submodule foreach 'rm -rf x'");
        assert!(found.iter().any(|line| line == "rm -rf x"), "{found:?}");
        let many = format!("ssh {}x", "ssh ".repeat(400));
        assert!(lines(&many).len() <= 256 && read(&format!("ssh {many}")).hands_too_much());
    }

    #[test]
    fn a_program_of_the_packages_is_no_guess() {
        assert!(lines("uv run pytest tests rm").is_empty());
        assert_eq!(lines("poetry run sh -c 'rm -rf x'"), ["sh -c 'rm -rf x'"]);
    }
}
