//! Permission rules as matchers: which calls a hook with a rule looks at, and for which its `allow` counts.

use hookweave_machine::error::Code;
use hookweave_machine::hook::HookSpec;
use hookweave_machine::json::Json;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use hookweave_machine::tool::ToolDefinition;
use serde_json::{Value, json};

fn registry(rule: &str) -> Registry<()> {
    let registry = Registry::new(Options::default());
    let shell = json!({"name": "sh", "same_as": "Bash", "command": "cmd"});
    registry.define_tool(ToolDefinition::read(&Json, &&shell).expect("a tool")).expect("a new tool");
    let matcher = MatcherSpec::default().rule(rule);
    let spec = HookSpec::new("PreToolUse").matcher(matcher);
    registry.register(spec, ()).unwrap_or_else(|error| panic!("{rule}: {error}"));
    registry
}

/// Whether the hook runs, and whether its `allow` counts.
fn judge(rule: &str, payload: &Value) -> (bool, bool) {
    let registry = registry(rule);
    let snapshot = registry.snapshot();
    let event = snapshot.event("PreToolUse").expect("the event has a hook");
    let planned = snapshot.plan(&Json, event, &payload);
    planned.plan.calls().first().map_or((false, false), |call| (true, call.grants_all()))
}

fn bash(rule: &str, command: &str) -> (bool, bool) {
    judge(rule, &json!({"tool": "Bash", "args": {"command": command}, "cwd": "/project"}))
}

fn file(rule: &str, tool: &str, path: &str) -> (bool, bool) {
    judge(rule, &json!({"tool": tool, "args": {"file_path": path}, "cwd": "/project"}))
}

const RUNS: (bool, bool) = (true, true);
/// The hook runs, and its `allow` would not count.
const LOOKS: (bool, bool) = (true, false);
const PASSES: (bool, bool) = (false, false);

fn check(table: &[(&str, &str, (bool, bool))], judge: impl Fn(&str, &str) -> (bool, bool)) {
    let wrong: Vec<_> = table
        .iter()
        .map(|(rule, text, wanted)| (rule, text, *wanted, judge(rule, text)))
        .filter(|(_, _, wanted, found)| wanted != found)
        .map(|(rule, text, wanted, found)| format!("{rule} on {text:?}: {found:?}, not {wanted:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_rule_about_commands_looks_at_each_of_them() {
    check(
        &[
            ("Bash", "anything", RUNS),
            ("Bash(*)", "anything", RUNS),
            ("Bash(git *)", "git push origin main", RUNS),
            ("Bash(git *)", "git", RUNS),
            ("Bash(git *)", "gitk --all", PASSES),
            ("Bash(git*)", "gitk --all", RUNS),
            ("Bash(git *)", "ls", PASSES),
            ("Bash(git status)", "git status", RUNS),
            ("Bash(git status)", "git status -s", PASSES),
            ("Bash(git:*)", "git log", RUNS),
            ("Bash(npm run test:*)", "npm run test:unit", RUNS),
            ("Bash(npm run test:*)", "npm run test --watch", RUNS),
            ("Bash(npm run test:*)", "npm run build", PASSES),
            ("Bash(* --force)", "git push --force", RUNS),
            ("Bash(git * main)", "git push origin main", RUNS),
            // Every sub-command is looked at; an allow needs all of them.
            ("Bash(git *)", "ls && git push", LOOKS),
            ("Bash(git *)", "git add . && git commit -m x", RUNS),
            ("Bash(rm *)", "echo a; (cd b || rm -rf c) | wc", LOOKS),
            ("Bash(rm *)", "if true; then rm x; fi", LOOKS),
            ("Bash(rm *)", "f() { rm x; }; f", LOOKS),
            ("Bash(rm *)", "echo rm x", PASSES),
            ("Bash(rm *)", "echo 'a; rm x'", PASSES),
            ("Bash(rm *)", "cat <<EOF\nrm x\nEOF", PASSES),
            // Leading assignments are taken off.
            ("Bash(git *)", "LC_ALL=C NO_COLOR=1 git push", RUNS),
            ("Bash(git *)", "timeout 5 nohup git push", RUNS),
            // An allow is for commands: not for variables that change what they do, for files, functions and wrappers.
            ("Bash(git *)", "GIT_DIR=/x A=1 git push", LOOKS),
            ("Bash(git *)", "PATH=.; git push", LOOKS),
            ("Bash(git *)", "git log > x", LOOKS),
            ("Bash(git *)", "git log > /dev/null 2>&1", RUNS),
            ("Bash(git *)", "git() { git push; }; git", LOOKS),
            ("Bash(git *)", "sudo git push", LOOKS),
            ("Bash(git *)", "env touch git x", LOOKS),
            ("Bash(git *)", "git\\ x/rm y", LOOKS),
            ("Bash(git *)", "/tmp/git push", LOOKS),
            ("Bash(rm *)", "/bin/rm x", LOOKS),
            ("Bash(git push *)", "git pus[h] x", LOOKS),
            ("Bash(git push *)", "ls *.txt", PASSES),
            ("Bash(rm *)", "[ -f x ] && [[ -d y ]] && test -e z && ls", PASSES),
            ("Bash(rm *)", "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done", PASSES),
            ("Bash(rm *)", "for f in *.md; do wc -l \"$f\"; done | sort -n > out.txt", PASSES),
            ("Bash(rm *)", "git commit -m \"$(cat <<'EOF'\nIt's (done) \"q\" `x`\nEOF\n)\"", PASSES),
            ("Bash(rm *)", "export X=\"$HOME/x\"; declare -a y=(1 2); read -r z < in.txt", PASSES),
            ("Bash(rm *)", "find . -name '*.py' | xargs grep -n \"a(b)\" | head -5", PASSES),
            ("Bash(rm *)", "sudo apt-get install -y \"$PACKAGE\"", PASSES),
            ("Bash(git add *)", "git add *.rs", RUNS),
            ("Bash(git *)", "A=git ls", PASSES),
            // What is substituted runs too.
            ("Bash(rm *)", "echo $(rm x)", LOOKS),
            ("Bash(rm *)", "echo `rm x`", LOOKS),
            ("Bash(rm *)", "echo \"a $(b \"$(rm x)\")\"", LOOKS),
            ("Bash(rm *)", "X=$(rm x)", LOOKS),
            ("Bash(rm *)", "diff <(rm x) y", LOOKS),
            ("Bash(rm *)", "cat > $(rm x)", LOOKS),
            // What is filled in may be any words of its program, and of no other.
            ("Bash(git push *)", "echo $HOME", PASSES),
            ("Bash(git push *)", "git $ARGS", LOOKS),
            ("Bash(git push *)", "git \"$WHAT\" x", LOOKS),
            ("Bash(git push *)", "git commit -m \"$WHAT\"", PASSES),
            ("Bash(git push *)", "echo $(date)", PASSES),
            ("Bash(rm -rf *)", "find . $WHAT", LOOKS),
            ("Bash(rm -rf *)", "find \"$WHERE\" -name x", PASSES),
            ("Bash(* --force)", "npm publish --force x", LOOKS),
            ("Bash(git push *)", "echo '$HOME'", PASSES),
            ("Bash(git *)", "echo $HOME", PASSES),
            ("Bash(git *)", "git $ARGS", RUNS),
            ("Bash(git *)", "$TOOL push", LOOKS),
            ("Bash(git *)", "$(which git) push", LOOKS),
            // Quoting hides nothing.
            ("Bash(git push *)", "g'i't \"push\" origin", RUNS),
            ("Bash(git push *)", "\\git push origin", RUNS),
            ("Bash(git push *)", "sudo timeout 5 git push origin", LOOKS),
            ("Bash(git push *)", "timeout 5 git push origin", RUNS),
            // What cannot be parsed is looked at.
            ("Bash(git *)", "echo 'unclosed", LOOKS),
            ("Bash(git *)", "if", LOOKS),
            ("Bash(git *)", "echo ${A:-$(git push)}", LOOKS),
            ("Bash(git *)", "", PASSES),
            ("Read(*.md)", "cat a.md", PASSES),
        ],
        bash,
    );
}

#[test]
fn a_rule_about_files_begins_where_it_says() {
    let edit = |rule: &str, path: &str| file(rule, "Edit", path);
    check(
        &[
            ("Edit(src/**)", "/project/src/a/b.rs", RUNS),
            ("Edit(src/**)", "src/a.rs", RUNS),
            ("Edit(src/**)", "/project/lib/src/a.rs", PASSES),
            ("Edit(src/**)", "/other/src/a.rs", PASSES),
            ("Edit(src/**)", "/project/src/../etc/a", PASSES),
            ("Edit(**/src/**)", "/project/lib/src/a.rs", RUNS),
            ("Edit(src)", "/project/src/a.rs", RUNS),
            ("Edit(src/)", "/project/src/a.rs", RUNS),
            ("Edit(*.rs)", "/project/a/b.rs", RUNS),
            ("Edit(*.rs)", "/project/a/b.py", PASSES),
            ("Edit(.env)", "/project/a/.env", RUNS),
            ("Edit(./.env)", "/project/.env", RUNS),
            ("Edit(./.env)", "/project/a/.env", PASSES),
            ("Edit(//etc/**)", "/etc/passwd", RUNS),
            ("Edit(//etc/**)", "/project/etc/passwd", PASSES),
            ("Edit(/docs/**)", "/project/docs/a.md", RUNS),
            ("Edit(/etc/**)", "/etc/passwd", LOOKS),
            ("Edit(docs/*)", "/project/docs/deep/a.md", RUNS),
        ],
        edit,
    );
    let home = std::env::home_dir().expect("a home").join(".ssh/id");
    assert_eq!(file("Read(~/.ssh/**)", "Read", &home.to_string_lossy()), RUNS);
    assert_eq!(file("Edit(src/**)", "Write", "/project/src/a"), RUNS, "Edit covers every tool that edits");
    assert_eq!(file("Write(src/**)", "Edit", "/project/src/a"), LOOKS, "and a guard of writing looks at every change");
    assert_eq!(file("Read(src/**)", "Edit", "/project/src/a"), PASSES);
    let decoy = json!({"tool": "Edit", "args": {"file_path": "/etc/x", "path": "/project/src/a"}, "cwd": "/project"});
    assert_eq!(judge("Edit(src/**)", &decoy), LOOKS, "a decoy starves no guard and wins no allow");
}

#[test]
fn a_rule_knows_tools_by_every_name() {
    let call = |tool: &str, args: Value| json!({"tool": tool, "args": args});
    assert_eq!(judge("mcp__github", &call("mcp__github__push", json!({}))), RUNS);
    assert_eq!(judge("mcp__github", &call("mcp__github2__push", json!({}))), PASSES);
    assert_eq!(judge("mcp__github__*", &call("mcp__github__push", json!({}))), RUNS);
    assert_eq!(judge("mcp__github__push", &call("mcp__github__pull", json!({}))), PASSES);
    assert_eq!(judge("Task", &call("Agent", json!({}))), RUNS, "a former name");
    assert_eq!(judge("Agent(Explore)", &call("Agent", json!({"subagent_type": "Explore"}))), RUNS);
    assert_eq!(judge("Bash(git *)", &call("sh", json!({"cmd": "git push"}))), RUNS, "a host's own tool");
    assert_eq!(judge("Bash(git *)", &call("Bash", json!({"command": [["git"]]}))), LOOKS, "a command of no words");
    assert_eq!(judge("Bash", &json!({"args": {}})), LOOKS, "a tool without a name");
    for (url, wanted) in [
        ("https://example.com/a", RUNS),
        ("https://user@EXAMPLE.com:8443/", RUNS),
        ("https://example.com.evil.org/", PASSES),
        ("https://evil.org/?example.com", PASSES),
        ("https://evil.org\\@example.com", LOOKS),
        ("no address", LOOKS),
    ] {
        assert_eq!(judge("WebFetch(domain:example.com)", &call("WebFetch", json!({"url": url}))), wanted, "{url}");
    }
    assert_eq!(
        judge("WebFetch(domain:*.example.com)", &call("WebFetch", json!({"url": "http://a.example.com"}))),
        RUNS
    );
}

#[test]
fn rules_that_cannot_hold_are_refused() {
    let refused = |event: &str, rule: &str| {
        let registry: Registry<()> = Registry::new(Options::default());
        let matcher = MatcherSpec::default().rule(rule);
        registry.register(HookSpec::new(event).matcher(matcher), ()).expect_err(rule)
    };
    for rule in ["", "Bash(git", "(git *)", "Bash git", "MyTool(x)", "WebFetch(example.com)", "Edit(/)", "Edit([)"] {
        let error = refused("PreToolUse", rule);
        assert_eq!(error.code(), Code::InvalidMatcher, "{rule}: {error}");
        assert!(error.message().contains("matcher.rule"), "{error}");
    }
    assert_eq!(refused("Stop", "Bash(git *)").code(), Code::MatcherNotApplicable);
    assert_eq!(refused("SessionStart", "Bash").code(), Code::MatcherNotApplicable);
}

#[test]
fn a_line_of_powershell_is_read_as_such_and_allowed_as_far_as_all_shells_agree() {
    let call = |command: &str| json!({"tool": "PowerShell", "args": {"command": command}});
    assert_eq!(judge("PowerShell(git *)", &call("git push origin")), RUNS);
    assert_eq!(judge("PowerShell(git *)", &call("ls x")), PASSES);
    // A backtick at the end of a line continues it.
    assert_eq!(judge("PowerShell(git rm *)", &call("git `\nrm x")), LOOKS);
    assert_eq!(judge("PowerShell(rm *)", &call("git `\nrm x")), PASSES);
    for line in ["git @(rm x)", "git; & { rm x }", "git x\nrm x"] {
        assert_eq!(judge("PowerShell(git *)", &call(line)), LOOKS, "{line}");
        assert_eq!(judge("PowerShell(rm *)", &call(line)), LOOKS, "{line}");
    }
}

#[test]
fn a_long_line_takes_no_time() {
    let words = "git log -1 && ".repeat(8_000) + "git push";
    let nested = "\"$(git log)\" ".repeat(8_000);
    let text = format!("cat <<'E'\n{}\nE\ngit push", "it's $x\n".repeat(6_000));
    for line in [&words, &nested] {
        assert_eq!(bash("Bash(git push *)", line), LOOKS, "{line:.20}");
    }
    assert_eq!(bash("Bash(git *)", &text), LOOKS);
    assert_eq!(bash("Bash(rm *)", &text), PASSES);
}

#[test]
fn a_hostile_command_takes_no_time() {
    for command in ["( ".repeat(5000), "$(".repeat(5000), "{".repeat(5000), "a && ".repeat(3000), "\"`".repeat(3000)] {
        assert!(bash("Bash(git push *)", &command).0, "{command:.20}");
    }
}

#[test]
fn nested_braces_are_refused() {
    let registry = Registry::<()>::new(Options::default());
    for (depth, why) in [(256, "too deep"), (600, "at most 256"), (1023, "at most 256")] {
        let nested = "{".repeat(depth) + "a" + &"}".repeat(depth);
        for matcher in [
            json!({"rule": format!("Edit({nested})")}),
            json!({"rule": format!("WebFetch(domain:{nested})")}),
            json!({"tool": nested}),
            json!({"path_pattern": nested}),
            json!({"session": nested}),
            json!({"args": {"q": nested}}),
        ] {
            let matcher = MatcherSpec::read(&Json, &&matcher).expect("a matcher");
            let error = registry.register(HookSpec::new("PreToolUse").matcher(matcher), ()).unwrap_err();
            assert!(error.code() == Code::InvalidMatcher && error.to_string().contains(why), "{depth}: {error}");
        }
    }
}

#[test]
fn two_dashes_in_a_rule_are_two_dashes_of_the_command() {
    check(
        &[
            ("Bash(git checkout -- *)", "git checkout -- src/a.rs", RUNS),
            ("Bash(git checkout -- *)", "git -C x checkout -q -- a", LOOKS),
            ("Bash(git checkout -- *)", "git checkout main -- a", PASSES),
            ("Bash(git checkout -- *)", "git checkout main", PASSES),
            ("Bash(git checkout -- *)", "git checkout -b main", PASSES),
            ("Bash(git checkout -- *)", "git checkout $X", LOOKS),
            ("Bash(git checkout -- *)", "git checkout \"$X\"", LOOKS),
            ("Bash(git checkout -- *)", "echo a | xargs git checkout", LOOKS),
            ("Bash(rm -- -rf)", "rm -- -rf", RUNS),
            ("Bash(rm -- -rf)", "rm -rf x", PASSES),
            ("Bash(rm -- -r*)", "rm -f -- -rf", LOOKS),
            ("Bash(rm -rf *)", "rm -rf -- x", RUNS),
            ("Bash(rm -rf *)", "rm -- -rf", PASSES),
        ],
        bash,
    );
}

#[test]
fn a_pattern_of_files_is_a_flag_only_if_a_flag_may_end_so() {
    check(
        &[
            ("Bash(rm -r *)", "rm -f *.o", PASSES),
            ("Bash(rm -r *)", "rm -f *.tar.gz [a-c]*.log", PASSES),
            ("Bash(rm -r *)", "rm -f *", LOOKS),
            ("Bash(rm -r *)", "rm -f *r", LOOKS),
            ("Bash(rm -r *)", "rm -f {-r,x}", LOOKS),
            ("Bash(rm -r *)", "rm -f *$X.o", LOOKS),
            ("Bash(rm -r *)", "rm -r *.o", RUNS),
            ("Bash(curl -o *)", "curl *.txt", LOOKS),
            ("Bash(unheard -r *)", "unheard *.o", LOOKS),
        ],
        bash,
    );
}
