//! What counts as a script of a line, and what does not.

use super::*;

use hookweave_exec::command::Shell;

fn spec(line: &str) -> CommandSpec {
    CommandSpec {
        line: CommandLine::Shell { text: line.to_owned(), shell: Shell::Posix },
        env: Vec::new(),
        directory: None,
    }
}

fn found_of(spec: &CommandSpec, project: &Path) -> Vec<String> {
    let roots = Roots { project: Some(project), home: Some(Path::new("/home/u")) };
    let search = search(spec, None, roots, roots.project);
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

/// What is found of a line, and why that may not be all, in a project whose hooks stand in `hooks`.
fn listed(project: &Project, spec: &CommandSpec, directory: Option<&Path>) -> (Vec<String>, Option<String>) {
    let named = Named {
        command: spec.clone(),
        plugin: None,
        file: Some(project.0.path().join(".claude/settings.json")),
        project: Some(project.0.path().to_path_buf()),
        home: None,
    };
    let listing = named.list(directory);
    listing.complete.unwrap();
    let at = format!("{}/", project.0.path().display());
    (listing.scripts.iter().map(|path| path.display().to_string().replace(&at, "")).collect(), listing.unsure)
}

#[test]
fn what_may_run_more_than_it_names_says_so() {
    let project = Project::new();
    let write = |name: &str| {
        let path = project.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "true").unwrap();
    };
    write(".claude/hooks/other.sh");
    write(".claude/log.txt");
    write("x.js");
    write("run.mk");
    let folder = ".claude/hooks/other.sh";
    for (line, wanted) in [
        ("sh -c \"$(cat hooks/guard.txt)\"", "hooks/guard.txt"),
        ("cat hooks/guard.txt | $SHELL", "hooks/guard.txt"),
        ("S=sh; cat hooks/guard.txt | $S", "hooks/guard.txt"),
        ("sh 0< hooks/guard.txt", "hooks/guard.txt"),
        ("awk '{system($0)}' hooks/guard.txt", "hooks/guard.txt"),
        ("awk 'BEGIN{system(\"./guard.py\")}'", "guard.py"),
        ("for f in guard; do ./$f.py; done", "guard.py"),
        ("python3 -c 'import guard; guard.main(open(\"x\"))'", "guard.py"),
        ("make -f run.mk", "run.mk"),
        ("make -frun.mk", "run.mk"),
        ("npm run check", folder),
        ("eval \"$X\"", folder),
        ("$X check", folder),
    ] {
        let (scripts, unsure) = listed(&project, &spec(line), None);
        assert!(unsure.is_some(), "{line}");
        assert!(scripts.iter().any(|script| script == wanted), "{line}: {scripts:?}");
        assert!(scripts.iter().any(|script| script == folder), "{line}: {scripts:?}");
        assert!(!scripts.iter().any(|script| script == ".claude/log.txt"), "{line}: {scripts:?}");
    }
    for (line, wanted) in [
        ("python3 -mguard", "guard.py"),
        ("python3 -Im guard", "guard.py"),
        ("node x", "x.js"),
        ("node --require ./x -e 0", "x.js"),
        ("node -r./x -e 0", "x.js"),
        ("export PATH=./bin:$PATH; tool x", "bin/tool"),
        ("env PATH=bin:/bin tool x", "bin/tool"),
        ("PATH=bin:$PATH; later", "bin/later"),
        ("sh 'new\nline'", "new\nline"),
        ("export BASH_ENV=hooks/env; bash -c true", "hooks/env"),
    ] {
        let (scripts, unsure) = listed(&project, &spec(line), None);
        assert!(scripts.iter().any(|script| script == wanted), "{line}: {scripts:?}");
        assert_eq!(unsure, None, "{line}");
    }
    for value in ["hooks/later", "hooks/env.txt"] {
        let spec = CommandSpec { env: vec![("BASH_ENV".into(), value.into())], ..spec("bash -c true") };
        assert_eq!(listed(&project, &spec, None).0, [value]);
    }
    for line in [
        "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/other.sh",
        "jq -r '.tool_input.file_path' | { read -r f; [ -n \"$f\" ] && grep -q x \"$f\"; }",
        "sh hooks/guard \"$FILE\"",
        "DIR=hooks; sh \"$DIR/guard\"",
        "echo ok && exit 0",
    ] {
        assert_eq!(listed(&project, &spec(line), None).1, None, "{line}");
    }
}

/// A program of which nothing is known may start one, or run a file, whatever it is called.
#[test]
fn a_program_that_may_run_what_it_is_given_says_so() {
    let names = ["hooks/a.sh", "hooks/guard", "jail/x.sh", "x.txt", "g.sh", "log.json", "sub/x"];
    let project = project_of(&names);
    for (line, wanted) in [
        ("find hooks -exec sh {} \\;", "hooks/a.sh"),
        ("find hooks -type f -exec env A=1 bash {} +", "hooks/a.sh"),
        ("fd . hooks -x sh", "hooks/a.sh"),
        ("chroot jail ./x", "jail/x.sh"),
        ("flock lock ./hooks/guard", "hooks/guard"),
        ("ionice -c 2 ./hooks/guard", "hooks/guard"),
        ("unshare -r sh hooks/guard", "hooks/guard"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/sh x.txt", "x.txt"),
        ("tar -xf x.tar --to-command=sh", ""),
        ("sqlite3 < x.txt", ""),
        ("echo x | xargs -n 1 ./g.sh", "g.sh"),
        ("printf '!sh x.txt\\nq\\n' | ed -s", ""),
        ("IFS=_; C=sh_x.txt; $C", ""),
        ("gdb -batch -x x.txt", ""),
        ("gdb -batch -ex run --args sh x.txt", "x.txt"),
        ("Q=1; sh ${Q:+x.txt}", ""),
        ("bash -c 'q=ax.txt; sh ${q:1}'", ""),
        ("bash -c 'declare -n r=q; q=x.txt; sh $r'", ""),
        ("perl -lne 'system $_' x.txt", ""),
        ("python3 -Ic 'import os; os.system(\"sh g.sh\")'", "g.sh"),
        ("php -r 'system(\"sh g.sh\");'", "g.sh"),
        ("sed -n 'w g.sh' x.txt; sh g.sh", "g.sh"),
        ("sed -n 's/x/y/w g.sh' x.txt; sh g.sh", "g.sh"),
        ("awk '{print > \"g.sh\"}' x.txt; sh g.sh", "g.sh"),
        ("python3 -c 'import shutil; shutil.copy(\"x.txt\", \"g.sh\")'; sh g.sh", "g.sh"),
        ("sed e x.txt", "x.txt"),
        ("sed -n '1e ./hooks/guard'", "hooks/guard"),
        ("sed 's/x/y/ge' x.txt", "x.txt"),
        ("perl -Isub -MGuard -e 1", ""),
        ("ruby -Isub g.rb", "g.rb"),
        ("cat x.txt > g.sh; sh g.sh", "g.sh"),
        ("cp x.txt g.sh && ./g.sh", "g.sh"),
        ("echo true | tee g.sh; . ./g.sh", "g.sh"),
    ] {
        let (scripts, unsure) = listed(&project, &spec(line), None);
        assert!(unsure.is_some(), "{line}");
        assert!(wanted.is_empty() || scripts.iter().any(|script| script == wanted), "{line}: {scripts:?}");
    }
    // What stands at the path now does not decide.
    for line in ["chroot jail ./later", "flock lock ./later", "sqlite3 < later.txt"] {
        assert!(listed(&project, &spec(line), None).1.is_some(), "{line}");
    }
    for (line, wanted) in [
        ("nice -n 5 ./g.sh", Some("g.sh")),
        ("timeout 5 nohup ./g.sh", Some("g.sh")),
        ("stdbuf -oL setsid ./g.sh", Some("g.sh")),
        ("sudo -u bob ./g.sh", Some("g.sh")),
        ("sh -c './g.sh x'", Some("g.sh")),
        ("bash -euxc './g.sh x'", Some("g.sh")),
        (". ./g.sh", Some("g.sh")),
        ("prettier --check ./g.sh", Some("g.sh")),
        ("chmod +x ./g.sh && [ -x ./g.sh ] && ./g.sh > log.json", Some("g.sh")),
        ("./g.sh x.txt ./sub/x.json", Some("g.sh")),
        ("git -C sub status", None),
        ("git diff --name-only origin/main", None),
        ("mytool --strict check", None),
        ("command -v jq > /dev/null || exit 0; jq -e .x log.json", None),
        ("which python3 && find . -name '*.md' -print | wc -l", None),
        ("python3 -IB g.sh", Some("g.sh")),
        ("sed -n 's/e/x/gp' src/me", None),
        ("while IFS= read -r line; do echo \"$line\"; done", None),
        ("awk '$1 > 5 { print $2 > \"/dev/stderr\" }' log.json", None),
        ("env -S 'sh x.txt'", Some("x.txt")),
        ("ed -s < x.txt", Some("x.txt")),
        ("vim -es -S x.txt", Some("x.txt")),
        ("env -Ssh\\ x.txt", Some("x.txt")),
        ("env -iS'sh x.txt'", Some("x.txt")),
        ("env --split-string='sh x.txt'", Some("x.txt")),
        ("A=sh B=x.txt; $A $B", Some("x.txt")),
    ] {
        let (scripts, unsure) = listed(&project, &spec(line), None);
        assert_eq!(unsure, None, "{line}");
        assert_eq!(scripts.first().map(String::as_str), wanted, "{line}: {scripts:?}");
    }
    // A list of commands in brackets, too.
    assert!(listed(&project, &spec("bash <(cat ./hooks/guard)"), None).1.is_some());
}

#[test]
fn a_folder_of_too_many_scripts_cannot_be_approved() {
    let project = Project::new();
    let folder = project.0.path().join(".claude/hooks");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..300 {
        std::fs::write(folder.join(format!("{number}.sh")), "").unwrap();
    }
    let list = |line: &str| {
        let named = Named {
            command: spec(line),
            plugin: None,
            file: Some(project.0.path().join(".claude/settings.json")),
            project: Some(project.0.path().to_path_buf()),
            home: None,
        };
        named.list(None).complete
    };
    assert!(list("npm run check").unwrap_err().contains("more than 256 scripts"));
    list("sh hooks/guard").unwrap();
}

#[test]
fn the_same_words_are_other_files_in_another_directory() {
    let project = Project::new();
    let elsewhere = project.0.path().join("tool");
    for (line, wanted) in [
        ("sh hooks/guard", "tool/hooks/guard"),
        ("./guard.py", "tool/guard.py"),
        ("\"$CLAUDE_PROJECT_DIR\"/guard.py", "guard.py"),
        ("\"$(pwd)\"/guard.py", "tool/guard.py"),
    ] {
        assert_eq!(listed(&project, &spec(line), Some(&elsewhere)).0, [wanted], "{line}");
    }
}

#[test]
fn what_cannot_be_looked_at_whole_is_told() {
    let search_of = |line: &str| {
        let roots = Roots { project: Some(Path::new("/project")), home: None };
        search(&spec(line), None, roots, roots.project).complete()
    };
    let many = (0..80).map(|number| format!("sh a{number}")).collect::<Vec<_>>().join("; ");
    assert!(search_of(&many).unwrap_err().contains("64 scripts"));
    let deep = "$(sh ".repeat(12) + "x" + &")".repeat(12);
    assert!(search_of(&format!("echo \"{deep}\"")).is_ok());
    assert!(search_of(&("cd x; ".repeat(5) + "./g.sh")).unwrap_err().contains("more than 4 times"));
    search_of(&("cd x && ".repeat(5) + "./g.sh")).unwrap();
    let quoted = |times| (0..times).fold("./x".to_owned(), |line: String, _| format!("sh -c {}", shell_quoted(&line)));
    assert!(search_of(&quoted(9)).unwrap_err().contains("deep"));
    assert!(search_of(&quoted(12)).unwrap_err().contains("bytes"));
    search_of("sh a").unwrap();
    assert!(search_of(&format!("sh a{}", " ".repeat(MAX_LINE))).unwrap_err().contains("bytes"));
    let doubled = format!("A=aaaaaaaa; {} sh $A", "A=$A$A; ".repeat(40));
    assert!(search_of(&doubled).unwrap_err().contains("bytes"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
fn hostile_lines_take_no_time() {
    let begin = std::time::Instant::now();
    for (start, piece) in
        [("", "$("), ("", "${"), ("A=1;", "$A "), ("A=a;", "$A"), ("", "'$("), ("", "A=$A$A;"), ("", "$(pwd)")]
    {
        for times in [10_000, 400_000] {
            let command = spec(&format!("{start}{}", piece.repeat(times)));
            let roots = Roots { project: Some(Path::new("/project")), home: None };
            let _ = search(&command, None, roots, roots.project).complete();
            let _ = named_programs(&command);
        }
    }
    // What looks at each piece for each other one needs hours.
    assert!(begin.elapsed() < std::time::Duration::from_secs(120), "{:?}", begin.elapsed());
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

#[test]
fn a_star_in_code_or_text_is_no_pattern() {
    let project = Project::new();
    for line in ["python3 -c 'print(2 * 3)'", "jq '.a * 2'", "python3 -c 'print(\"a\" * 7)'", "echo 'a * b'"] {
        let found = project.found(&spec(line));
        assert!(found.is_empty(), "{line}: {found:?}");
    }
    for line in ["bash -c 'sh hooks/*'", "su -c 'sh hooks/*'", "env -S 'sh hooks/*'", "watch 'tool hooks/*'"] {
        assert!(!project.found(&spec(line)).is_empty(), "{line}");
    }
}

/// A project with the files, whose contents are their names.
fn project_of(names: &[&str]) -> Project {
    let project = Project(tempfile::tempdir().unwrap());
    for name in names {
        let path = project.0.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    project
}

#[test]
fn a_wrapper_may_start_its_program_in_another_directory() {
    let project = project_of(&["g.sh", "sub/g.sh"]);
    for line in [
        "env -C sub ./g.sh",
        "env -Csub ./g.sh",
        "env -iC sub A=1 ./g.sh",
        "env --chdir=sub sh g.sh",
        "env --chdir sub timeout 5 ./g.sh",
        "sudo -u bob -D sub ./g.sh",
        "env -u X -C sub ./g.sh",
    ] {
        assert_eq!(listed(&project, &spec(line), None), (vec!["sub/g.sh".to_owned()], None), "{line}");
    }
    assert_eq!(project.found(&spec("env -C sub ./g.sh; ./g.sh")), ["sub/g.sh", "g.sh"]);
    for line in ["env -S '-C sub ./g.sh'", "start-stop-daemon --chdir sub --exec ./g.sh"] {
        assert!(listed(&project, &spec(line), None).1.is_some(), "{line}");
    }
    assert_eq!(project.found(&spec("env -S '-C sub ./g.sh'")), ["sub/g.sh"]);
    assert_eq!(project.found(&spec("sudo -C 3 ./g.sh")), ["g.sh"]);
    assert_eq!(project.found(&spec("sudo -uDave ./g.sh")), ["g.sh"]);
}

#[cfg(unix)]
#[test]
fn the_interpreter_that_a_script_names_runs_too() {
    let project = project_of(&["g.sh", "i.sh", "e.sh", "s.sh", "loop.sh"]);
    let at = |name: &str| project.0.path().join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(project.0.path().join(name), text).unwrap();
    write("g.sh", &format!("#!{} -x\nexit 0\n", at("i.sh")));
    write("i.sh", "#!/bin/sh\nexit 0\n");
    write("e.sh", "#!/usr/bin/env -S ./i.sh -x\n");
    write("s.sh", "#!/usr/bin/env bash\n");
    write("loop.sh", &format!("#!{}\n", at("loop.sh")));
    for (line, wanted) in [
        ("./g.sh", &["g.sh", "i.sh"][..]),
        ("./e.sh x", &["e.sh", "i.sh"]),
        ("timeout 5 ./g.sh", &["g.sh", "i.sh"]),
        ("./s.sh", &["s.sh"]),
        ("./loop.sh", &["loop.sh"]),
        ("sh ./g.sh", &["g.sh"]),
    ] {
        assert_eq!(project.found(&spec(line)), wanted, "{line}");
        assert_eq!(listed(&project, &spec(line), None).1, None, "{line}");
    }
}

#[test]
fn a_pattern_may_stand_in_any_part_of_a_path() {
    let project = project_of(&["hooks/a/g.sh", "hooks/b/g.sh", "other/x"]);
    for (line, wanted) in [
        ("sh ho*/a/g.sh", &["hooks/a/g.sh"][..]),
        ("./h?oks/*/g.sh", &["hooks/a/g.sh", "hooks/b/g.sh"]),
        ("sh [h]ooks/b/*", &["hooks/b/g.sh"]),
        ("bash -c 'sh */*/g.sh'", &["hooks/a/g.sh", "hooks/b/g.sh"]),
        ("sh hooks/*/../b/g.sh", &["hooks/b/g.sh"]),
        ("D=hooks; sh $D/$X/g.sh", &["hooks/a/g.sh", "hooks/b/g.sh"]),
    ] {
        assert_eq!(project.found(&spec(line)), wanted, "{line}");
    }
    for name in ["[ab].sh", "a[b", "x?.sh"] {
        std::fs::write(project.0.path().join(name), "").unwrap();
        assert_eq!(project.found(&spec(&format!("sh '{name}'"))), [name], "{name}");
    }
    for line in ["sh [[:alpha:]]ooks/a/g.sh", "cd ho*/a && ./g.sh", "env -C ho*/a ./g.sh", "env -Cho*/a ./g.sh"] {
        assert!(listed(&project, &spec(line), None).1.is_some(), "{line}");
    }
    for number in 0..MAX_ENTRIES / 100 {
        std::fs::create_dir(project.0.path().join(format!("other/{number}"))).unwrap();
    }
    let search_of = |line: &str| {
        let roots = Roots { project: Some(project.0.path()), home: None };
        search(&spec(line), None, roots, roots.project).complete()
    };
    search_of("sh other/*/x").unwrap();
    let many = "sh other/*/x; ".repeat(101);
    assert!(search_of(&many).unwrap_err().contains("more than 16384 entries"));
}

#[test]
fn two_dots_behind_a_link_leave_what_it_points_to() {
    let project = project_of(&["g.sh", "d/g.sh", "d/e/x"]);
    std::os::unix::fs::symlink("d/e", project.0.path().join("bin")).unwrap();
    let real = project.0.path().canonicalize().unwrap().join("d/g.sh").display().to_string();
    for line in ["bin/../g.sh", "sh bin/../g.sh", "cd bin && ../g.sh", "env -C bin/.. ./g.sh"] {
        assert_eq!(found_of(&spec(line), project.0.path()), std::slice::from_ref(&real), "{line}");
    }
    // A shell takes the link back.
    assert_eq!(project.found(&spec("cd bin/.. && ./g.sh")), ["g.sh"]);
}

#[test]
fn where_a_cd_may_fail_both_directories_count() {
    let project = project_of(&["g.sh", "sub/g.sh", "sub/x/g.sh"]);
    for (line, wanted) in [
        ("cd nope || cd sub; ./g.sh", "sub/g.sh"),
        ("cd nope; ./g.sh", "g.sh"),
        ("(cd sub); ./g.sh", "g.sh"),
        ("false && cd sub; ./g.sh", "g.sh"),
        ("if false; then cd sub; fi; ./g.sh", "g.sh"),
        ("cd sub | true; ./g.sh", "g.sh"),
        ("cd sub & ./g.sh", "g.sh"),
        ("pushd sub; popd; ./g.sh", "g.sh"),
        ("cd sub; cd -; ./g.sh", "g.sh"),
        ("bash -c 'cd sub'; ./g.sh", "g.sh"),
        ("CDPATH=sub; cd x && ./g.sh", "sub/x/g.sh"),
        ("command cd sub; ./g.sh", "sub/g.sh"),
    ] {
        let (scripts, unsure) = listed(&project, &spec(line), None);
        assert!(scripts.iter().any(|script| script == wanted), "{line}: {scripts:?}");
        assert!(unsure.is_some() || line.starts_with("command"), "{line}");
    }
    for line in ["cd -- sub && ./g.sh", "cd \\\nsub && ./g.sh"] {
        assert_eq!(project.found(&spec(line)), ["sub/g.sh"], "{line}");
    }
    for line in ["cd sub && ./g.sh", "cd sub; ./g.sh", "cd sub || exit 1; ./g.sh", "cd sub && ./g.sh | cat"] {
        assert_eq!(listed(&project, &spec(line), None), (vec!["sub/g.sh".to_owned()], None), "{line}");
    }
}

#[test]
fn what_comes_before_the_file_that_runs_now_is_a_change() {
    for (line, now, later) in [
        ("python3 -m json.tool", "x", "json.py"),
        ("python3 -m g", "g.py", "g/__main__.py"),
        ("python3 -c 'import json'", "x", "json.py"),
        ("node ./d", "d/index.js", "d.js"),
        ("node .", "index.js", "package.json"),
        ("run-parts hooks", "hooks/a", "hooks/b"),
    ] {
        let project = project_of(&[now]);
        let named = Named {
            command: spec(line),
            plugin: None,
            file: None,
            project: Some(project.0.path().to_path_buf()),
            home: None,
        };
        let listing = named.list(None);
        let guard = crate::config::guard::Guard::of(named.clone(), &listing);
        guard.check_in(None).unwrap();
        let path = project.0.path().join(later);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(named.list(None).scripts.contains(&path), "{line}");
        guard.check_in(None).expect_err(line);
    }
    let project = project_of(&["package.json", "e.js"]);
    std::fs::write(project.0.path().join("package.json"), r#"{"main": "e"}"#).unwrap();
    assert_eq!(project.found(&spec("node .")), ["e.js", "package.json"]);
}

#[test]
fn a_name_in_code_is_no_file() {
    let project = Project::new();
    std::fs::write(project.0.path().join("cmd"), "true").unwrap();
    let code = "import sys\nctx = sys.argv\ncmd = ctx.get('tool_input', {})\n# Reject what is dangerous\nif any(d in cmd for d in ['rm -rf /', ':(){:|:&};:']): print('no')";
    for (line, runs) in [
        (format!("python3 -c \"{code}\""), false),
        ("node -e 'const cmd = process.argv; process.exit(cmd.length)'".to_owned(), false),
        ("python3 -c 'import os; os.system(\"cmd x\")'".to_owned(), true),
        ("python3 -c 'print(open(\"cmd\").read())'".to_owned(), true),
        ("ruby -e 'puts %x(cmd)'".to_owned(), true),
        ("python3 -c 'print(1) # don\"t\nrun(cmd)'".to_owned(), true),
        ("sh -c 'x=1; . cmd'".to_owned(), true),
        ("mytool \"run cmd\"".to_owned(), true),
    ] {
        assert_eq!(project.found(&spec(&line)).contains(&"cmd".to_owned()), runs, "{line}");
    }
}
