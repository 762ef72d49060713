//! Rules about commands, held against what real shells run.
//!
//! Each line is run by `bash -c` and `sh -c` in a folder of its own. If a shell ran `touch`, then a guard with `Bash(touch *)`
//! must have looked at the line, and an `allow` for `Bash(git *)` must not have counted.

#![cfg(unix)]

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookweave_machine::hook::HookSpec;
use hookweave_machine::index::Snapshot;
use hookweave_machine::json::Json;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::json;

/// How many generated lines are judged; `make test-all` has more, and `HOOKWEAVE_CASES` as many as it says.
fn count() -> usize {
    let cases = std::env::var("HOOKWEAVE_CASES").ok().and_then(|cases| cases.parse().ok());
    let all = std::env::var("HOOKWEAVE_TEST_ALL").is_ok_and(|all| all == "1");
    cases.unwrap_or(if all { 5_000 } else { 500 })
}

fn snapshot(rule: &str) -> std::sync::Arc<Snapshot<()>> {
    let registry = Registry::new(Options::default());
    let matcher = MatcherSpec::default().rule(rule);
    registry.register(HookSpec::new("PreToolUse").matcher(matcher), ()).expect("a rule");
    registry.snapshot()
}

/// The rules that lines are held against.
struct Rules {
    allow: std::sync::Arc<Snapshot<()>>,
    deny: std::sync::Arc<Snapshot<()>>,
}

impl Rules {
    fn new() -> Self {
        Self { allow: snapshot("Bash(git *)"), deny: snapshot("Bash(touch *)") }
    }

    /// Whether the allow counts, and whether the guard looks.
    fn judge(&self, line: &str) -> (bool, bool) {
        let payload = json!({"tool": "Bash", "args": {"command": line}, "cwd": "/"});
        let first = |snapshot: &Snapshot<()>| {
            let event = snapshot.event("PreToolUse").expect("an event with a hook");
            snapshot.plan(&Json, event, &&payload).plan.calls().first().map(hookweave_machine::index::Call::grants_all)
        };
        (first(&self.allow) == Some(true), first(&self.deny).is_some())
    }
}

/// Whether a shell that is given the line runs `touch`.
fn runs(shell: &str, line: &str, bin: &Path) -> bool {
    let dir = tempfile::tempdir().expect("a folder");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let started = Command::new(shell)
        .args(["-c", line])
        .current_dir(dir.path())
        .env_clear()
        .env("PATH", path)
        .env("MARK", dir.path().join("ran"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let Ok(mut child) = started else { return false };
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begin.elapsed() > Duration::from_secs(3) {
            // With all that it has started.
            let group = format!("-{}", child.id());
            Command::new("/bin/kill").args(["-9", "--", &group]).status().expect("kill");
            child.wait().expect("a child that was killed");
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    if line.contains('&') || line.contains(">(") || line.contains("coproc") {
        // What runs in the background may be a little later.
        std::thread::sleep(Duration::from_millis(25));
    }
    dir.path().join("ran").exists()
}

/// A folder with a `git` that does nothing and a `touch` that leaves a mark.
fn programs() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let bin = tempfile::tempdir().expect("a folder");
    for (name, text) in [("git", "#!/bin/sh\nexit 0\n"), ("touch", "#!/bin/sh\n: > \"$MARK\"\n")] {
        let path = bin.path().join(name);
        std::fs::write(&path, text).expect("a program");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program that can be started");
    }
    bin
}

/// What is wrong with the judgement of a line; says also whether any shell ran it.
fn wrong(rules: &Rules, line: &str, bin: &Path) -> (bool, Option<String>) {
    let (allowed, guarded) = rules.judge(line);
    if !allowed && guarded {
        // Nothing to find out: as strict as can be.
        return (false, None);
    }
    let ran: Vec<&str> = ["bash", "sh"].into_iter().filter(|shell| runs(shell, line, bin)).collect();
    if ran.is_empty() {
        return (false, None);
    }
    let what = format!("{line:?}: {ran:?} ran it; allowed {allowed}, guarded {guarded}");
    (true, Some(what))
}

/// Lines with text that a shell evaluates once more. The parser's own test reads them too.
const EVALUATED_AGAIN: &str = include_str!("../../../command/src/line/tests/evaluated_again.json");

/// Further lines that hide a command from some parser.
const HIDDEN: &[&str] = &[
    "git --version; ( ( touch P ) )",
    "git --version; ((touch P))",
    "git --version a[$(touch P)]=1",
    "a[$(touch P)]=1 git --version",
    "git --version ${x:-<(touch P)}",
    "git --version ${x:-$(touch P)}",
    "git --version ${x:-`touch P`}",
    "git --version \"${x:-$(touch P)}\"",
    "git --version <<E\n'$(touch P)'\nE",
    "git --version <<E\n\"`touch P`\"\nE",
    "git --version <<-E\n\t$(touch P)\n\tE",
    "git --version <<'A' <<B\n$(x)\nA\n$(touch P)\nB",
    "git --version <<E\n${x:-$(touch P)}\nE",
    "git --version <<E\n$((a[$(touch P)]))\nE",
    "git --version <<< $(touch P)",
    "git 'b[$(touch P)]'; git $((_))",
    "git $((PATH=1)); git x",
    "git $((PATH++))",
    "git $((PATH<<=1))",
    "git {1..$((PATH=1))}",
    "git 'b[$(touch P)]'; git {1..$((_))}",
    "git 'b[$(touch P)]'; case $((_)) in *) git;; esac",
    "git 'b[$(touch P)]'; LC_ALL=$((_)) git",
    "git 'b[$(touch P)]'; git <<< $((_))",
    "git 'b[$(touch P)]'; git $(($_))",
    "LC_ALL[PATH=1]=x git",
    "LC_ALL='PATH=1'; git $((LC_ALL)); git x",
    "LC_ALL=_; git 'b[$(touch P)]'; git $((LC_ALL))",
    "git 'b[$(touch P)]'; git $((LC_ALL=_)) $((LC_ALL))",
    "coproc touch P",
    "coproc X { touch P; }",
    "{fd}>x touch P",
    "{fd}<&0 touch P",
    "{touch,P}",
    "{,touch} P",
    "tou{c,}h P",
    "t'ou'ch P",
    "\"touch\" P",
    "\\touch P",
    "to\\\nuch P",
    "git $\\\n(touch P)",
    "git \"$\\\n(touch P)\"",
    "git --version # c \\\ntouch P",
    "git a\\ # x; touch P",
    "git \\ #; touch P",
    "git \"\"#; touch P",
    "git $'\\'; touch P #'",
    "git $'a\\\\'; touch P",
    "$'touch' P",
    "$'\\x74ouch' P",
    "$\"touch\" P",
    "git --version &>x touch P",
    "git --version &>/dev/null touch P",
    "&>x touch P",
    "git |& touch P",
    "time touch P",
    "time -p touch P",
    "! touch P",
    "! ! touch P",
    "select x in a; do touch P; done <<< 1",
    "for x in $(touch P); do git; done",
    "for ((i=0;i<$(touch P)1;i++)); do git; break; done",
    "for ((;;)); do touch P; break; done",
    "case $(touch P) in *) git;; esac",
    "case x in $(touch P)) git;; *) git;; esac",
    "case x in x) touch P;; esac",
    "case x in y) git;& *) touch P;; esac",
    "case a in a) git;;& *) touch P;; esac",
    "if touch P; then git; fi",
    "until touch P; do git; done",
    "while touch P; do break; done",
    "git() { touch P; }; git",
    "function git { touch P; }; git",
    "git () ( touch P ); git",
    "f() { \"$@\"; }; f touch P",
    "f() { $1 P; }; f touch",
    "eval touch P",
    "eval 'tou''ch P'",
    "eval \"$(echo touch P)\"",
    "trap 'touch P' EXIT",
    "trap 'touch P' 0; git",
    "alias git='touch P'\ngit",
    "shopt -s expand_aliases\nalias git='touch P'\ngit",
    "sh -c 'touch P'",
    "bash -ec 'touch P'",
    "bash -c -e 'touch P'",
    "bash -o errexit -c 'touch P'",
    "sh <<'E'\ntouch P\nE",
    "bash -s <<< 'touch P'",
    "echo touch P | sh",
    "bash <(echo touch P)",
    ". /dev/stdin <<< 'touch P'",
    "source <(echo touch P)",
    "env touch P",
    "env -S 'touch P'",
    "env X=1 touch P",
    "command touch P",
    "builtin eval touch P",
    "exec touch P",
    "exec -a git touch P",
    "nohup touch P",
    "timeout 5 touch git",
    "env touch git x",
    "nice -n 1 touch P",
    "xargs touch < /dev/null",
    "echo P | xargs touch",
    "echo P | xargs -I{} touch {}",
    "echo touch | xargs -I{} {} P",
    "echo touch P | xargs env",
    "find . -maxdepth 0 -exec touch P \\;",
    "find . -maxdepth 0 -exec sh -c 'touch P' \\;",
    "/usr/bin/env touch P",
    "$(command -v touch) P",
    "`command -v touch` P",
    "x=touch; $x P",
    "x=touch; \"$x\" P",
    "set -- touch P; \"$@\"",
    "[[ a || touch == P ]]",
    "[[ -n $(touch P) ]]",
    "[[ a[$(touch P)] -eq 1 ]]",
    "x='a[$(touch P)]'; ((x))",
    "x='a[$(touch P)]'; git $((x))",
    "x='a[$(touch P)]'; [[ x -eq 1 ]]",
    "x='a[$(touch P)]'; git ${y:x}",
    "x='a[$(touch P)]'; a[x]=1",
    "x='a[$(touch P)]'; declare -i y=x",
    "x='a[$(touch P)]'; let x",
    "x='a[$(touch P)]'; git ${!x}",
    "x='$(touch P)'; git ${x@P}",
    "let 'a[$(touch P)]'",
    "test -v 'a[$(touch P)]'",
    "[[ -v 'a[$(touch P)]' ]]",
    "printf -v 'a[$(touch P)]' x",
    "read 'a[$(touch P)]' <<< x",
    "unset 'a[$(touch P)]'",
    "declare 'a[$(touch P)]=1'",
    "export x=$(touch P)",
    "declare x=(a $(touch P))",
    "x=(a $(touch P))",
    "x=([$(touch P)]=b)",
    "git ${x[$(touch P)]}",
    "git $[a[$(touch P)]]",
    "git $((a[$(touch P)]))",
    "git $((touch P);(true))",
    "git $( (touch P) )",
    "git \"$(echo \"$(touch P)\")\"",
    "git `echo \\`touch P\\``",
    "git \"`echo \\\"$(touch P)\\\"`\"",
    "git --x=<(touch P)",
    "git >(touch P)",
    "git < <(touch P)",
    "git 2> >(touch P)",
    "git > $(touch P)x",
    "{ git; } 2> $(touch P)x",
    "git @($(touch P))",
    "git;touch P",
    "git&touch P",
    "git\ntouch P",
    "git||:;touch P",
    "git|touch P",
    "git&&touch P",
    "(git;touch P)",
    "{ git;touch P; }",
    "git ;\\\ntouch P",
    "mapfile -C 'touch P #' -c 1 <<< a",
    "enable -n git; hash -p \"$(command -v touch)\" git; git P",
    "hash -p /usr/bin/../bin/touch git; command -p true; PATH=$PATH git P",
    "PATH=. git",
    "git commit -m \"$(cat <<'E'\nit's \"x\n$(no)\nE\ntouch P)\"",
    "git commit -m \"$(cat <<E\nit's \"x\n$(touch P)\nE\n)\"",
    "cat <<\"E F\"\nx\nE F\ntouch P",
    "cat <<E\\\nF\nx\nEF\ntouch P",
    "cat <<E\nx\\\nE\nE\ntouch P",
    "cat <<-'E'\n\tx\n\tE\ntouch P",
    "git 'a\nb' <<E\n$(touch P)\nE",
    "cat << E\n$(echo ')'; touch P)\nE",
    "git $(case x in x) touch P;; esac)",
    "git $(echo # )\ntouch P)",
    "git \"$(echo '\"'; touch P)\"",
    "git \"${x:-'$(touch P)'}\"",
    "git ${x:-'}'$(touch P)}",
    "git ${x:-\\}$(touch P)}",
    "git \u{a0}touch; \u{a0}touch P; touch P",
    "git;\u{a0}touch P\ntouch P",
    "git\rtouch P\ntouch P",
    "git $$(touch P)",
    "git \\$(touch P)",
    "git \\\\$(touch P)",
    "git '\\'$(touch P)''",
    "git \"\\\\\"$(touch P)\"\"",
    "time -p -- touch P",
    "command -p touch P",
    "exec 3<&0 4>&1; touch P",
    "2>&1 touch P",
    "> x touch P",
    "< /dev/null touch P",
    "A=1 touch P",
    "A=1 B=$(touch P) git",
];

#[test]
fn no_line_hides_a_command_from_a_rule() {
    let (rules, bin) = (Rules::new(), programs());
    let again: Vec<String> = serde_json::from_str(EVALUATED_AGAIN).expect("a list of lines");
    let lines: Vec<&str> = HIDDEN.iter().copied().chain(again.iter().map(String::as_str)).collect();
    let wrong: Vec<String> = lines.iter().filter_map(|line| wrong(&rules, line, bin.path()).1).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), lines.len(), wrong.join("\n"));
    // A reader that understands nothing would pass, too.
    for (line, wanted) in [
        ("git log --oneline | git apply --stat && (git status; git diff)", (true, false)),
        ("git commit -m \"$(git log -1)\"", (true, false)),
        ("git commit -m 'touch P; $(touch P)'", (true, false)),
        ("echo \"$HOME\" | grep touch > out.txt", (false, false)),
        ("cat > a.txt <<'E'\ntouch P $(touch P)\nE", (false, false)),
        ("for f in a b; do echo $f $((1+2)); done", (false, false)),
    ] {
        assert_eq!(rules.judge(line), wanted, "{line}");
    }
}

/// Lines around `touch P`, built from what shells have to nest, quote and join with.
fn lines() -> impl Strategy<Value = String> {
    let leaf =
        proptest::sample::select(vec!["touch P", "'touch' P", "to\\\nuch P", "git x", "git 'a b'", "A=1 touch P"]);
    let around = proptest::sample::select(vec![
        "git x; @",
        "git x & @",
        "git x && @",
        "git x | @",
        "git x\n@",
        "( @ )",
        "(@)",
        "{ @; }",
        "((@))",
        "( (@) )",
        "git $(@)",
        "git \"$(@)\"",
        "git `@`",
        "git \"`@`\"",
        "git <(@)",
        "git --x=<(@)",
        "git ${x:-$(@)}",
        "git ${x:-<(@)}",
        "git \"${x:+@}$(@)\"",
        "git a[$(@)]=1",
        "x[$(@)]=1",
        "git $((1+$(@)))",
        "git $(( @ ))",
        "git <<E\n$(@)\nE\n",
        "git <<E\n'$(@)' \"\nE\n",
        "git <<'E'\n$(@)\nE\n",
        "git <<-E\n\t`@`\n\tE\n",
        "git <<< \"$(@)\"",
        "if @; then git; fi",
        "while @; do break; done",
        "for i in 1; do @; done",
        "for i in $(@); do git; done",
        "case x in x) @;; esac",
        "case $(@) in *) git;; esac",
        "f() { @; }; f",
        // Not `git() { @; }; git`: what is nested calls `git` too, and shells would start one another without end.
        "! @",
        "time @",
        "eval '@'",
        "sh -c '@'",
        "env @",
        "command @",
        "coproc @",
        "exec @",
        "echo '@' | sh",
        "git '@'",
        "git \"@\"",
        "git # @\n@",
        "git a#@",
        "git \\@",
        "git $'@'",
        "git $'\\'@'",
        "git &>x @",
        "git 2>&1 @",
        "{fd}>x @",
        "> x @",
        "[[ x || @ ]]",
        "[[ -n $(@) ]]",
        "@ # '",
        "'git' \"a\" @",
        "trap '@' EXIT",
        "alias git='@'\ngit",
        "x='@'; $x",
        "x='a[$(@)]'; ((x))",
        "x='a[$(@)]'; git $((x))",
        "git $[ $(@) ]",
        "git {a,$(@)}",
        "{@,}",
        "git \\\n@",
        "git ;\\\n@",
        "@ <<E\nE\n",
        "git @ <<E\n$x\nE\n",
        "git <<E; @\nE\n",
        "git <<E\nx\\\nE\nE\n@",
        "git $(git <<E\n@\nE\n)",
        "git \"$(git <<'E'\n'@\nE\n)\"",
        "git $\\\n(@)",
        "git |& @",
        "until @; do :; done",
        "git;@",
        "git&@",
        "git;\n\n @",
    ]);
    let step = (around, leaf.clone()).prop_map(|(around, leaf)| (around.to_owned(), leaf));
    (leaf, proptest::collection::vec(step, 1..4)).prop_map(|(leaf, steps)| {
        steps.into_iter().fold(leaf.to_owned(), |line, (around, other)| {
            // The first place holds what is nested so far, a second one another command.
            let filled = around.replacen('@', &line, 1);
            filled.replace('@', other)
        })
    })
}

#[test]
fn no_combination_hides_a_command_from_a_rule() {
    let (rules, bin, lines) = (Rules::new(), programs(), lines());
    let (count, mut found) = (count(), Vec::new());
    let mut runner = TestRunner::default();
    for _ in 0..count {
        let line = lines.new_tree(&mut runner).expect("a line").current();
        found.extend(wrong(&rules, &line, bin.path()).1);
        if found.len() == 10 {
            break;
        }
    }
    assert!(found.is_empty(), "{} of {count} lines:\n{}", found.len(), found.join("\n"));
}
