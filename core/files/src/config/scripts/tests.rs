//! What of a line is code, what is data, and which lines are not understood.

use super::*;
use crate::config::guard::Guard;

/// A project with files that are there for a test.
struct Project(tempfile::TempDir);

impl Project {
    fn with(names: &[&str]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for name in names {
            project.write(name, "");
        }
        project
    }

    /// One with files of every kind that a line may take for another.
    fn new() -> Self {
        Self::with(&[
            ".claude/hooks/other.sh",
            ".claude/log.txt",
            "hooks/guard",
            "hooks/guard.txt",
            "hooks/env",
            "hooks/a.sh",
            "bin/tool",
            "tool/__main__.py",
            "guard.py",
            "g.sh",
            "sub/g.sh",
            "x.js",
            "x.txt",
            "cmd",
            "d/index.js",
            "run.mk",
            "src/index.js",
            "tests/test_a.py",
            "data.json",
            "package.json",
        ])
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        std::fs::write(self.at(name), text).unwrap();
    }

    fn named(&self, command: CommandSpec) -> Named {
        let file = Some(self.at(".claude/settings.json"));
        let project = Some(self.0.path().to_path_buf());
        Named { command, plugin: None, file, project, home: Some(PathBuf::from("/home/u")) }
    }

    /// The scripts of a line, and why these may not be all.
    fn listed(&self, command: CommandSpec, directory: Option<&Path>) -> (Vec<String>, Option<String>) {
        let listing = self.named(command).list(directory);
        listing.complete.unwrap();
        let at = format!("{}/", self.0.path().display());
        (listing.scripts.iter().map(|path| path.display().to_string().replace(&at, "")).collect(), listing.unsure)
    }

    fn of(&self, line: &str) -> (Vec<String>, Option<String>) {
        self.listed(CommandSpec::shell(line), None)
    }
}

#[test]
fn what_is_certain_to_be_run_is_code_and_nothing_else() {
    let project = Project::new();
    let mut wrong = Vec::new();
    for (line, code) in [
        // Programs with a path, and what stands before them.
        ("./g.sh x.txt ./sub/x.json", "g.sh"),
        ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/other.sh --flag", ".claude/hooks/other.sh"),
        ("${CLAUDE_PROJECT_DIR:-.}/g.sh", "g.sh"),
        ("\"$(git rev-parse --show-toplevel)/g.sh\"", "g.sh"),
        ("./sub/../g.sh", "g.sh"),
        ("cat | ~/bin/a.sh", "/home/u/bin/a.sh"),
        ("timeout 5 nohup ./g.sh", "g.sh"),
        ("timeout -k 1 5s ./hooks/guard", "hooks/guard"),
        ("nice -n 5 ./g.sh", "g.sh"),
        ("stdbuf -oL setsid ./g.sh", "g.sh"),
        ("sudo -u bob ./g.sh", "g.sh"),
        ("env A=1 ./hooks/guard >/dev/null 2>&1", "hooks/guard"),
        ("! ./g.sh", "g.sh"),
        ("echo \"$(./g.sh)\"", "g.sh"),
        ("x=`./g.sh`", "g.sh"),
        ("./later.sh", "later.sh"),
        // What an interpreter is given.
        ("sh guard", "guard"),
        ("bash -euo pipefail -o errexit hooks/guard", "hooks/guard"),
        ("sh -- hooks/guard \"$FILE\"", "hooks/guard"),
        ("if true; then sh hooks/guard; fi", "hooks/guard"),
        ("while sh hooks/guard; do sleep 1; done", "hooks/guard"),
        ("{ sh hooks/guard; }", "hooks/guard"),
        ("busybox sh hooks/guard", "hooks/guard"),
        ("sh $'hooks/guard'", "hooks/guard"),
        ("bash -c \"bash -c 'sh hooks/guard'\"", "hooks/guard"),
        ("bash -euxc './g.sh x'", "g.sh"),
        ("sh 'new\nline'", "new\nline"),
        (". ./g.sh && source hooks/env", "g.sh hooks/env"),
        ("python3.12 -u -W ignore guard.py", "guard.py"),
        ("python3 -IB g.sh", "g.sh"),
        ("python3 tool", "tool/__main__.py"),
        ("FOO=1 node x.js", "x.js"),
        ("node x", "x.js"),
        ("node ./d", "d/index.js"),
        ("node -r ./x.js -e 0", "x.js"),
        ("node --require=./x.js -e 0", "x.js"),
        ("cat x.txt | sh hooks/guard", "hooks/guard"),
        ("awk -f hooks/guard data.json", "hooks/guard"),
        ("sed -n -f hooks/guard", "hooks/guard"),
        ("make -frun.mk", "run.mk"),
        ("uv run guard.py", "guard.py"),
        ("npx tsx x.js", "x.js"),
        ("deno run --allow-read x.js", "x.js"),
        ("poetry run python guard.py", "guard.py"),
        ("npm run check", "package.json"),
        ("java X.java", "X.java"),
        // Modules.
        ("python3 -m guard", "guard.py"),
        ("python3 -Imguard", "guard.py"),
        ("python3 -c 'import sys, guard; guard.main(sys)'", "guard.py"),
        // Variables that the line sets.
        ("DIR=hooks && sh \"$DIR/guard\"", "hooks/guard"),
        ("H=\"$CLAUDE_PROJECT_DIR/g.sh\"; [ -x \"$H\" ] && \"$H\"", "g.sh"),
        ("A=sh B=x.txt; $A $B", "x.txt"),
        // Where the line goes first.
        ("cd sub && ./g.sh", "sub/g.sh"),
        ("cd -- sub; ./g.sh | cat", "sub/g.sh"),
        ("cd sub || exit 1; ./g.sh", "sub/g.sh"),
        ("cd \"$CLAUDE_PROJECT_DIR/sub\" && ./g.sh", "sub/g.sh"),
        ("chmod +x ./g.sh && [ -x ./g.sh ] && ./g.sh > log.json", "g.sh"),
        // Data: what programs read, write, look for, check.
        ("cat src/index.js; exit 2", ""),
        ("grep -q 'sh src/index.js' hooks/env; cat src/index.js", ""),
        ("jq . data.json >> hooks/guard", ""),
        ("cat | tee -a hooks/guard", ""),
        ("[ -f hooks/guard ] || echo hooks/guard", ""),
        ("bash -c 'cat hooks/guard'", ""),
        ("pytest -q tests/test_a.py", ""),
        ("python3 -m pytest -q tests/test_a.py", ""),
        ("node --test tests/test_a.py", ""),
        ("npx eslint src/index.js", ""),
        ("npx --yes prettier --check ./g.sh", ""),
        ("cargo test && go vet ./... && ruff check guard.py", ""),
        ("some-runner hooks/guard", ""),
        ("mytool --config=./guard.py \"run cmd\"", ""),
        ("git diff --name-only | xargs prettier --check", ""),
        ("find . -name '*.sh' -print | wc -l", ""),
        ("git -C sub status", ""),
        ("curl https://x.example/a.sh", ""),
        ("/usr/bin/jq -r .tool_name", ""),
        ("command -v jq > /dev/null || exit 0; jq -e .x data.json", ""),
        ("jq -r '.tool_input.file_path' | { read -r f; [ -n \"$f\" ] && grep -q x \"$f\"; }", ""),
        ("while IFS= read -r line; do echo \"$line\"; done", ""),
        ("awk '$1 > 5 { print $2 > \"/dev/stderr\" }' data.json", ""),
        ("sed -n 's/e/x/gp' src/me", ""),
        ("awk -v x=\"$X\" '{ print x }' \"$F\"; git grep -c x; git commit -m 'use g.sh'", ""),
        ("npx --no-color eslint src/index.js", ""),
        ("echo 'a * b' && jq '.a * 2'", ""),
        // Code in the line names no files.
        ("python3 -c \"import sys, json\ncmd = json.load(sys.stdin).get('cmd')\nif 'rm' in cmd: print('no')\"", ""),
        ("node -e 'const cmd = JSON.parse(require(\"fs\").readFileSync(0)); process.exit(cmd.length)'", ""),
        ("python3 -c 'print(open(\"cmd\").read(), 2 * 3)'", ""),
    ] {
        let found = project.of(line);
        if (found.0.join(" ").as_str(), &found.1) != (code, &None) {
            wrong.push((line, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each covers the scripts of the hook's folders, and the file that the line names.
#[test]
fn a_line_that_computes_what_it_runs_is_not_understood() {
    let project = Project::new();
    let mut wrong = Vec::new();
    for (line, named) in [
        ("X=$(cat x.txt); sh -c \"$X\"", "x.txt"),
        ("sh -c \"$(cat x.txt)\"", "x.txt"),
        ("python3 -c \"$(cat x.txt)\"", "x.txt"),
        ("python3 <<E\n$(cat x.txt)\nE", "x.txt"),
        ("python3 - <<E\nx\nE", ""),
        ("git -c alias.z='!./g.sh' z", "g.sh"),
        ("git -c core.pager=hooks/guard log", "hooks/guard"),
        ("cat x.txt | sh", "x.txt"),
        ("cat x.txt | bash -s x", "x.txt"),
        ("cat guard.py | python3", "guard.py"),
        ("cat x.txt | $SHELL", "x.txt"),
        ("sh 0< x.txt", "x.txt"),
        ("python3 < x.txt", "x.txt"),
        ("bash <(cat ./hooks/guard)", "hooks/guard"),
        ("eval \"$(cat hooks/guard)\"", "hooks/guard"),
        ("eval \"$X\"", ""),
        ("$X check", ""),
        ("echo hooks/guard | xargs sh", "hooks/guard"),
        ("echo x | xargs -n 1 ./g.sh", "g.sh"),
        ("find hooks -exec sh {} \\;", "hooks/a.sh"),
        ("find hooks -type f -exec env A=1 bash {} +", "hooks/a.sh"),
        ("fd . hooks -x sh", "hooks/a.sh"),
        ("sh ${SCRIPT:-hooks/guard}", "hooks/guard"),
        ("Q=1; sh ${Q:+x.txt}", "x.txt"),
        ("IFS=_; C=sh_x.txt; $C", ""),
        ("P=g.sh; read P < x.txt; sh $P", "x.txt"),
        ("bash -c 'declare -n r=q; q=x.txt; sh $r'", "x.txt"),
        ("for f in guard; do ./$f.py; done", "guard.py"),
        ("sh hooks/*", "hooks/a.sh"),
        ("./hooks/$X.sh", "hooks/a.sh"),
        ("run-parts hooks", "hooks/a.sh"),
        ("awk \"$(cat x.txt)\" data.json", "x.txt"),
        ("sed -e \"$(cat x.txt)\" data.json", "x.txt"),
        ("git $(cat x.txt) log", "x.txt"),
        ("parallel < x.txt", "x.txt"),
        ("cat x.txt | sudo -s", "x.txt"),
        ("cat x.txt | su bob", "x.txt"),
        ("source /dev/stdin < x.txt", "x.txt"),
        // Programs that start others.
        ("chroot sub ./g.sh", "g.sh"),
        ("flock lock ./later", ""),
        ("ionice --class 2 ./hooks/guard", "hooks/guard"),
        ("unshare -r sh hooks/guard", "hooks/guard"),
        ("/lib64/ld-linux-x86-64.so.2 /bin/sh x.txt", "x.txt"),
        ("tar -xf x.tar --to-command=sh", ""),
        ("printf '!sh x.txt\\nq\\n' | ed -s", "x.txt"),
        ("vim -es -S x.txt", "x.txt"),
        ("gdb -batch -x x.txt", "x.txt"),
        ("sqlite3 < x.txt", "x.txt"),
        ("env -C sub ./g.sh", "g.sh"),
        ("make -C sub", ""),
        ("env -u X -S './g.sh -v'", "g.sh"),
        // Code in the line.
        ("awk '{system($0)}' x.txt", "x.txt"),
        ("awk 'BEGIN{system(\"./guard.py\")}'", "guard.py"),
        ("sed e x.txt", "x.txt"),
        ("sed -n '1e ./hooks/guard'", "hooks/guard"),
        ("sed 's/x/y/ge' x.txt", "x.txt"),
        ("perl -lne 'system $_' x.txt", "x.txt"),
        ("perl -Isub -MGuard -e 1", ""),
        ("python3 -Ic 'import os; os.system(\"sh g.sh\")'", "g.sh"),
        ("python3 -c 'exec(open(\"x.txt\").read())'", "x.txt"),
        ("node -e 'require(\"./x.js\")'", "x.js"),
        ("node --unknown 1 x.js", "x.js"),
        ("php -r 'system(\"sh g.sh\");'", "g.sh"),
        ("ruby -e 'puts %x(sh g.sh)'", "g.sh"),
        // Variables that programs take code from.
        ("BASH_ENV=hooks/env bash -c true", "hooks/env"),
        ("export PATH=./bin:$PATH; tool x", ""),
        ("env PYTHONPATH=sub python3 guard.py", "guard.py"),
        // What it writes before.
        ("cat x.txt > g.sh; sh g.sh", "g.sh"),
        ("cp x.txt g.sh && ./g.sh", "g.sh"),
        ("echo true | tee g.sh; . ./g.sh", "g.sh"),
        ("sed -n 'w g.sh' x.txt; sh g.sh", "g.sh"),
        ("awk '{print > \"g.sh\"}' x.txt; sh g.sh", "g.sh"),
        ("python3 -c 'import shutil; shutil.copy(\"x.txt\", \"g.sh\")'; sh g.sh", "g.sh"),
        // Where it goes.
        ("cd nope || cd sub; ./g.sh", "g.sh"),
        ("cd nope; ./g.sh", "g.sh"),
        ("(cd sub); ./g.sh", "g.sh"),
        ("false && cd sub; ./g.sh", "g.sh"),
        ("cd sub | true; ./g.sh", "g.sh"),
        ("cd sub & ./g.sh", "g.sh"),
        ("cd sub; cd -; ./g.sh", "g.sh"),
        ("cd s* && ./g.sh", "g.sh"),
    ] {
        let (scripts, unsure) = project.of(line);
        let has = |name: &str| scripts.iter().any(|script| script == name);
        let is_covered = has(".claude/hooks/other.sh") && (named.is_empty() || has(named)) && !has(".claude/log.txt");
        if unsure.is_none() || !is_covered {
            wrong.push((line, scripts, unsure));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn variables_of_a_hook_and_lists_of_words_are_read_as_its_line() {
    let project = Project::new();
    let exec = |words: &[&str]| CommandSpec {
        line: CommandLine::Exec {
            program: words[0].to_owned(),
            args: words[1..].iter().map(|&word| word.to_owned()).collect(),
        },
        ..CommandSpec::shell("")
    };
    for (words, code) in [
        (&["bash", "-o", "pipefail", "hooks/guard"][..], "hooks/guard"),
        (&["bash", "-c", "sh hooks/guard"], "hooks/guard"),
        (&["$CLAUDE_PROJECT_DIR/g.sh", "a \"b\" `c`"], "g.sh"),
        (&["echo", "hooks/guard"], ""),
    ] {
        assert_eq!(project.listed(exec(words), None), (code.split_whitespace().map(str::to_owned).collect(), None));
    }
    let with = |name: &str, value: &str, line: &str| {
        let command = CommandSpec { env: vec![(name.into(), value.into())], ..CommandSpec::shell(line) };
        project.listed(command, None)
    };
    assert_eq!(with("DIR", "hooks", "sh $DIR/guard"), (vec!["hooks/guard".to_owned()], None));
    for (name, value, line, named) in [
        ("BASH_ENV", "hooks/env", "bash -c true", "hooks/env"),
        ("NODE_OPTIONS", "--require ./guard.py", "node -e 0", "guard.py"),
        ("GIT_SSH_COMMAND", "sh hooks/guard", "git fetch", "hooks/guard"),
    ] {
        let (scripts, unsure) = with(name, value, line);
        assert!(unsure.is_some() && scripts.contains(&named.to_owned()), "{name}={value} {line}: {scripts:?}");
    }
}

#[test]
fn the_same_words_are_other_files_in_another_directory() {
    let project = Project::new();
    let elsewhere = project.at("tool");
    for (line, wanted) in [
        ("sh hooks/guard", "tool/hooks/guard"),
        ("./guard.py", "tool/guard.py"),
        ("\"$CLAUDE_PROJECT_DIR\"/guard.py", "guard.py"),
        ("\"$(pwd)\"/guard.py", "tool/guard.py"),
    ] {
        assert_eq!(project.listed(CommandSpec::shell(line), Some(&elsewhere)).0, [wanted], "{line}");
    }
}

/// A project's folder may have letters that mean something to a shell.
#[test]
fn a_folder_with_odd_letters_is_one_word() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("my $project's (new)");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("g.sh"), "").unwrap();
    let roots = Roots { project: Some(&folder), home: None };
    for line in ["\"$CLAUDE_PROJECT_DIR\"/g.sh", "cd \"$CLAUDE_PROJECT_DIR\" && ./g.sh", "sh \"${PWD}/g.sh\""] {
        let command = CommandSpec::shell(line);
        let found = search(&command, None, roots, roots.project);
        assert_eq!((found.paths(), found.unsure), (vec![folder.join("g.sh")], None), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn the_interpreter_that_a_script_names_runs_too() {
    let project = Project::with(&[]);
    project.write("g.sh", &format!("#!{} -x\nexit 0\n", project.at("i.sh").display()));
    project.write("i.sh", "#!/bin/sh\nexit 0\n");
    project.write("e.sh", "#!/usr/bin/env -S ./i.sh -x\n");
    project.write("s.sh", "#!/usr/bin/env bash\n");
    project.write("loop.sh", &format!("#!{}\n", project.at("loop.sh").display()));
    for (line, wanted) in [
        ("./g.sh", "g.sh i.sh"),
        ("./e.sh x", "e.sh i.sh"),
        ("timeout 5 ./g.sh", "g.sh i.sh"),
        ("./s.sh", "s.sh"),
        ("./loop.sh", "loop.sh"),
        ("sh ./g.sh", "g.sh"),
    ] {
        let (scripts, unsure) = project.of(line);
        assert_eq!((scripts.join(" ").as_str(), unsure), (wanted, None), "{line}");
    }
}

#[cfg(unix)]
#[test]
fn two_dots_behind_a_link_leave_what_it_points_to() {
    let project = Project::with(&["g.sh", "d/g.sh", "d/e/x"]);
    std::os::unix::fs::symlink("d/e", project.at("bin")).unwrap();
    let real = project.0.path().canonicalize().unwrap().join("d/g.sh");
    for line in ["bin/../g.sh", "sh bin/../g.sh", "cd bin && ../g.sh"] {
        assert_eq!(project.named(CommandSpec::shell(line)).list(None).scripts, std::slice::from_ref(&real), "{line}");
    }
    // A shell takes the link back.
    assert!(project.of("cd bin/.. && ./g.sh").1.is_some());
}

#[test]
fn what_comes_before_the_file_that_runs_now_is_a_change() {
    for (line, now, later) in [
        ("python3 -m json.tool", "x", "json.py"),
        ("python3 -m g", "g.py", "g/__main__.py"),
        ("python3 -c 'import json'", "x", "json.py"),
        ("python3 -c 'import json'", "x", "json.pyc"),
        ("python3 -m g", "g.py", "g.cpython-312-x86_64-linux-gnu.so"),
        ("python3 g.py", "g.py", "json.abi3.so"),
        ("python3 g.py", "g.py", "json/__init__.pyc"),
        ("node ./d", "d/index.js", "d.js"),
        ("node .", "index.js", "package.json"),
        ("run-parts hooks", "hooks/a.sh", "hooks/b.sh"),
        ("sh -c \"$(cat later.txt)\"", "x", "later.txt"),
        ("sh hooks/*", "hooks/a.sh", "hooks/b.sh"),
        ("./$X.sh", "x", "later.sh"),
    ] {
        let project = Project::with(&[now]);
        if now == "g.py" {
            project.write(now, "import json\n");
        }
        let named = project.named(CommandSpec::shell(line));
        let guard = Guard::of(named.clone(), &named.list(None));
        guard.check_in(None).unwrap();
        project.write(later, "");
        assert!(named.list(None).scripts.contains(&project.at(later)), "{line}");
        guard.check_in(None).expect_err(line);
    }
    let project = Project::with(&["e.js"]);
    project.write("package.json", r#"{"main": "e"}"#);
    assert_eq!(project.of("node .").0, ["package.json", "e.js"]);
}

#[test]
fn what_cannot_be_looked_at_whole_cannot_be_approved() {
    let project = Project::with(&[]);
    let complete = |line: &str| project.named(CommandSpec::shell(line)).list(None).complete;
    let many = (0..80).map(|number| format!("sh a{number}")).collect::<Vec<_>>().join("; ");
    assert!(complete(&many).unwrap_err().contains("64 scripts"));
    complete("sh a").unwrap();
    assert!(complete(&format!("sh a{}", " ".repeat(MAX_LINE))).unwrap_err().contains("bytes"));
    for number in 0..300 {
        project.write(&format!(".claude/hooks/{number}.sh"), "");
    }
    assert!(complete("eval \"$X\"").unwrap_err().contains("more than 256 scripts"));
    complete("sh hooks/guard").unwrap();
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
fn hostile_lines_take_no_time() {
    let begin = std::time::Instant::now();
    let project = Project::with(&[]);
    for (start, piece) in [
        ("", "$("),
        ("", "${"),
        ("A=1;", "$A "),
        ("A=a;", "$A"),
        ("", "'$("),
        ("", "A=$A$A;"),
        ("", "$(pwd)"),
        ("", "A=1 "),
    ] {
        for times in [1_000, 10_000, 400_000] {
            let command = CommandSpec::shell(format!("{start}{}", piece.repeat(times)));
            let _ = named_programs(&command);
            let _ = project.named(command).list(None);
        }
    }
    // What looks at each piece for each other one needs hours.
    assert!(begin.elapsed() < std::time::Duration::from_secs(120), "{:?}", begin.elapsed());
}

#[test]
fn what_scripts_load_is_code_too() {
    for (files, loaded) in [
        (&[("g.sh", "#!/bin/sh\n. ./lib/rules.sh\nbad \"$1\" && exit 2")][..], "lib/rules.sh"),
        (&[("g.sh", "source \"$(dirname \"$0\")/lib/rules.sh\"")], "lib/rules.sh"),
        (
            &[(
                "g.sh",
                "DIR=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nif true; then\n  . \"$DIR/lib/rules.sh\"\nfi",
            )],
            "lib/rules.sh",
        ),
        (&[("g.sh", "((x))\n. lib/rules.sh")], "lib/rules.sh"),
        (&[("g.sh", "python3 lib/judge.py data.json"), ("data.json", "{}")], "lib/judge.py"),
        (&[("g.sh", "exec ./bin/tool")], "bin/tool"),
        (
            &[("g.sh", "python3 p.py"), ("p.py", "import os, rules\nfrom lib.judge import words")],
            "p.py rules.py lib/judge.py",
        ),
        (
            &[("g.sh", "node n.js"), ("n.js", "const rules = require('./lib/rules');\nimport x from \"./y.mjs\"")],
            "n.js lib/rules.js y.mjs",
        ),
        (&[("g.sh", "ruby r.rb"), ("r.rb", "require_relative 'lib/rules'")], "r.rb lib/rules.rb"),
        (&[("g.sh", "jq . data.json; cat src/x.py"), ("data.json", "{}"), ("src/x.py", "")], ""),
    ] {
        let project = Project::with(&loaded.split_whitespace().collect::<Vec<_>>());
        for (name, text) in files {
            project.write(name, text);
        }
        let (scripts, unsure) = project.of("./g.sh");
        assert_eq!((scripts.join(" "), unsure), (format!("g.sh {loaded}").trim().to_owned(), None), "{files:?}");
    }
}

#[test]
fn scripts_that_load_each_other_are_listed_once_and_not_without_end() {
    let project = Project::with(&[]);
    project.write("g.sh", ". ./a.sh");
    project.write("a.sh", ". ./g.sh; . ./a.sh");
    assert_eq!(project.of("./g.sh").0, ["g.sh", "a.sh"]);
    let many = (0..300).map(|number| format!(". ./s{number}.sh")).collect::<Vec<_>>().join("\n");
    (0..300).for_each(|number| project.write(&format!("s{number}.sh"), ""));
    project.write("a.sh", &many);
    let listing = project.named(CommandSpec::shell("./g.sh")).list(None);
    assert!(listing.complete.unwrap_err().contains("load 256 files"));
}
