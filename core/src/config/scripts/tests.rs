//! What counts as a script of a line, and what does not.

use super::*;

use crate::handlers::command::Shell;

fn spec(line: &str) -> CommandSpec {
    CommandSpec {
        line: CommandLine::Shell { text: line.to_owned(), shell: Shell::Posix },
        env: Vec::new(),
        directory: None,
    }
}

fn found_of(spec: &CommandSpec, project: &Path) -> Vec<String> {
    let roots = Roots { project: Some(project), home: Some(Path::new("/home/u")) };
    let search = search(spec, None, roots);
    search.found.iter().map(|script| script.path.display().to_string()).collect()
}

fn found(line: &str) -> Vec<String> {
    found_of(&spec(line), Path::new("/project"))
}

/// What is found in a project that has `hooks/guard`, a script without an ending, and what a line may mistake for it.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in
            ["hooks/guard", "hooks/guard.txt", "hooks/env", "bin/tool", "tool/__main__.py", "guard.py", "data.json"]
        {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "true").unwrap();
        }
        Self(dir)
    }

    fn found(&self, spec: &CommandSpec) -> Vec<String> {
        let at = format!("{}/", self.0.path().display());
        found_of(spec, self.0.path()).iter().map(|path| path.replace(&at, "")).collect()
    }
}

#[test]
fn a_script_is_found_behind_whatever_stands_before_it() {
    let project = Project::new();
    for line in [
        "bash -o pipefail hooks/guard",
        "bash -euo pipefail -o errexit hooks/guard",
        "sh -- hooks/guard",
        "if true; then sh hooks/guard; fi",
        "{ sh hooks/guard; }",
        "! sh hooks/guard",
        "while sh hooks/guard; do sleep 1; done",
        "busybox sh hooks/guard",
        "sh $'hooks/guard'",
        "sh ${SCRIPT:-hooks/guard}",
        "sh $UNSET\"hooks/guard\"",
        "S=hooks/guard; sh $S",
        "DIR=hooks && sh \"$DIR/guard\"",
        "cat hooks/guard | sh",
        "cat hooks/guard | bash -s x",
        "eval \"$(cat hooks/guard)\"",
        "echo hooks/guard | xargs sh",
        "BASH_ENV=hooks/guard bash -c true",
        "git -c core.pager=hooks/guard log",
        "awk -f hooks/guard",
        "sed -n -f hooks/guard",
        "python3 -W ignore hooks/guard",
        "node -r ./hooks/guard -e 0",
        "bash -c \"bash -c 'sh hooks/guard'\"",
        "some-runner hooks/guard",
    ] {
        assert_eq!(project.found(&spec(line)), ["hooks/guard"], "{line}");
    }
    assert_eq!(project.found(&spec("cat hooks/guard.txt | sh")), ["hooks/guard.txt"]);
    assert_eq!(project.found(&spec("sh hooks/gu*")), ["hooks/guard", "hooks/guard.txt"]);
    assert_eq!(project.found(&spec("python3 -m guard")), ["guard.py"]);
    assert_eq!(project.found(&spec("python3 tool")), ["tool/__main__.py"]);
}

#[test]
fn variables_of_a_hook_and_lists_of_arguments_are_looked_at_too() {
    let project = Project::new();
    let exec = |words: &[&str]| CommandSpec {
        line: CommandLine::Exec {
            program: words[0].to_owned(),
            args: words[1..].iter().map(|&word| word.to_owned()).collect(),
        },
        ..spec("")
    };
    assert_eq!(project.found(&exec(&["bash", "-o", "pipefail", "hooks/guard"])), ["hooks/guard"]);
    assert_eq!(project.found(&exec(&["bash", "-c", "sh hooks/guard"])), ["hooks/guard"]);
    for (name, value, line, wanted) in [
        ("BASH_ENV", "hooks/env", "bash -c true", "hooks/env"),
        ("NODE_OPTIONS", "--require ./guard.py", "node -e 0", "guard.py"),
        ("GIT_SSH_COMMAND", "sh hooks/guard", "git fetch", "hooks/guard"),
        ("PATH", "/usr/bin:bin", "tool check", "bin/tool"),
        ("DIR", "hooks", "sh $DIR/guard", "hooks/guard"),
    ] {
        let spec = CommandSpec { env: vec![(name.into(), value.into())], ..spec(line) };
        assert_eq!(project.found(&spec), [wanted], "{name}={value} {line}");
    }
}

#[test]
fn data_is_no_script() {
    let project = Project::new();
    for line in [
        "cat hooks/guard",
        "grep -q x hooks/env",
        "jq . data.json",
        "check --config data.json",
        "date >> hooks/guard",
        "cat | tee -a hooks/guard",
        "[ -f hooks/guard ]",
        "bash -c 'cat hooks/guard'",
    ] {
        assert_eq!(project.found(&spec(line)), [""; 0], "{line}");
    }
}

#[test]
fn what_cannot_be_looked_at_whole_is_told() {
    let search_of = |line: &str| {
        let roots = Roots { project: Some(Path::new("/project")), home: None };
        search(&spec(line), None, roots).complete()
    };
    let many = (0..80).map(|number| format!("sh a{number}")).collect::<Vec<_>>().join("; ");
    assert!(search_of(&many).unwrap_err().contains("64 scripts"));
    let deep = "$(sh ".repeat(12) + "x" + &")".repeat(12);
    assert!(search_of(&format!("echo \"{deep}\"")).is_ok());
    let quoted = (0..12).fold("./x".to_owned(), |line, _| format!("sh -c {}", shell_quoted(&line)));
    assert!(search_of(&quoted).unwrap_err().contains("deep"), "{quoted}");
    search_of("sh a").unwrap();
}

fn shell_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn scripts_are_found_however_they_are_named() {
    for (line, wanted) in [
        ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.sh --flag", "/project/.claude/hooks/a.sh"),
        ("${CLAUDE_PROJECT_DIR}/a.sh", "/project/a.sh"),
        ("python3 .claude/hooks/a.py", "/project/.claude/hooks/a.py"),
        ("sh guard", "/project/guard"),
        ("cd hooks && ./a.sh", "/project/hooks/a.sh"),
        ("FOO=1 node a.mjs", "/project/a.mjs"),
        ("cat | ~/bin/a.sh", "/home/u/bin/a.sh"),
        ("\"$(git rev-parse --show-toplevel)/a.sh\"", "/project/a.sh"),
        ("x --config=./conf.py", "/project/conf.py"),
        ("echo \"$(./a.sh)\"", "/project/a.sh"),
        ("sh -c ./a.sh", "/project/a.sh"),
        ("timeout 5s ./guard", "/project/guard"),
        ("env A=1 ./guard >/dev/null 2>&1", "/project/guard"),
        ("x 2>&1 | sh guard", "/project/guard"),
        ("sudo -u bob ./a.sh", "/project/a.sh"),
        ("x=`./a.sh`", "/project/a.sh"),
        ("python3.12 -u run.py", "/project/run.py"),
        ("./sub/../a.sh", "/project/a.sh"),
    ] {
        assert_eq!(found(line), [wanted], "{line}");
    }
}

#[test]
fn a_quoted_line_is_a_command_and_a_quoted_path_a_path() {
    assert_eq!(found("bash -c \"./a.sh x\""), ["/project/a.sh"]);
    assert!(found("\"./my hooks/a.sh\"").contains(&"/project/my hooks/a.sh".to_owned()));
}

#[test]
fn what_is_no_script_is_left_alone() {
    for line in [
        "echo hello",
        "/usr/bin/jq -r .tool_name",
        "curl https://x.example/a.sh",
        "$UNKNOWN/a.sh",
        "echo x > /dev/null",
    ] {
        assert_eq!(found(line), [""; 0], "{line}");
    }
}
