//! The linter: each rule finds what it is for, and leaves good files alone.

use hookweave_files::config::lint::{Finding, RULES, lint};
use serde_json::json;

use super::{World, executable};

fn rules(world: &World, path: &str) -> Vec<&'static str> {
    lint(&world.path(path), &world.options()).unwrap().iter().map(|finding| finding.rule).collect()
}

fn hook(event: &str, matcher: &str, handler: &serde_json::Value) -> String {
    json!({"hooks": {event: [{"matcher": matcher, "hooks": [handler]}]}}).to_string()
}

fn command(text: &str) -> serde_json::Value {
    json!({"type": "command", "command": text})
}

fn in_file(path: &str, text: &str) -> Vec<&'static str> {
    let world = World::new();
    world.write(path, text);
    rules(&world, path)
}

const CLAUDE: &str = "project/.claude/settings.json";
const GEMINI: &str = "project/.gemini/settings.json";

#[test]
fn good_files_have_no_findings() {
    let world = World::new();
    executable(&world.path("project/guard.sh"), "#!/bin/sh\necho no >&2\nexit 2\n");
    for (path, text) in [
        (CLAUDE, hook("PreToolUse", "Bash|Edit", &command("\"$CLAUDE_PROJECT_DIR\"/guard.sh"))),
        (CLAUDE, hook("PreToolUse", "mcp__memory__.*", &command("./guard.sh"))),
        (CLAUDE, hook("PreToolUse", "^(Read|Write)$", &command("./guard.sh"))),
        (CLAUDE, hook("Stop", "*", &command("./guard.sh"))),
        (GEMINI, hook("BeforeTool", "run_shell_command", &json!({"type": "command", "command": "./guard.sh", "timeout": 30000}))),
        ("project/hookweave.toml", "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"./guard.sh\"\nfail_behavior = \"block\"\n[hooks.matcher]\ntool = \"Bash\"\n".to_owned()),
    ] {
        world.write(path, &text);
        assert_eq!(rules(&world, path), [""; 0], "{text}");
    }
}

#[test]
fn a_file_is_checked_as_whose_it_is() {
    let world = World::new();
    let text = "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"exit 2\"\nenforcement = \"observe\"\n";
    let machine = world.discovery().directories.managed_file("hookweave").unwrap();
    let machine = machine.strip_prefix(world.path("")).unwrap().to_str().unwrap().to_owned();
    for (path, wanted) in [
        ("project/hookweave.toml", vec!["remark"]),
        ("home/.config/hookweave/hookweave.toml", vec![]),
        (machine.as_str(), vec![]),
    ] {
        world.write(path, text);
        let mut found = rules(&world, path);
        found.retain(|rule| *rule == "remark");
        assert_eq!(found, wanted, "{path}");
    }
    let mandatory = "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"exit 2\"\nmandatory = false\n";
    world.write(&machine, mandatory);
    assert!(rules(&world, &machine).contains(&"remark"), "what loading ignores there is said");
}

#[test]
fn seconds_and_milliseconds() {
    let with = |timeout: u32| json!({"type": "command", "command": "true", "timeout": timeout});
    assert_eq!(in_file(GEMINI, &hook("BeforeTool", "", &with(30))), ["timeout-unit"]);
    assert_eq!(in_file(CLAUDE, &hook("Stop", "", &with(30_000))), ["timeout-unit"]);
    assert_eq!(in_file(CLAUDE, &hook("Stop", "", &with(600))), [""; 0]);
}

#[test]
fn matchers_that_never_match() {
    for (matcher, wanted) in [
        ("mcp__memory", "matcher-never"),
        ("Edit$Write", "matcher-never"),
        ("(x^Bash|Bash)", "matcher-never"),
        ("Bash(git *)", "matcher-never"),
        ("bash", "unknown-tool"),
        ("Bassh", "unknown-tool"),
        ("^bash$", "unknown-tool"),
        ("Edit*", "star-regex"),
    ] {
        let found = in_file(CLAUDE, &hook("PreToolUse", matcher, &command("true")));
        assert_eq!(found, [wanted], "{matcher}");
    }
    let with = |rule: &str| json!({"type": "command", "command": "true", "if": rule});
    assert_eq!(in_file(CLAUDE, &hook("PreToolUse", "Bash", &with("Bash(rm -rf .*)"))), ["star-regex"]);
    assert_eq!(in_file(CLAUDE, &hook("PreToolUse", "Bash", &with("Bash(rm -rf *)"))), [""; 0]);
    assert_eq!(in_file(CLAUDE, &hook("PreToolUse", "Bash", &with("Bash(^rm .*)"))), ["invalid"]);
    assert_eq!(in_file(CLAUDE, &hook("PreToolUse", "*Edit", &command("true"))), ["invalid"]);
    assert_eq!(in_file(CLAUDE, &hook("Stop", "Bash", &command("true"))), ["matcher-ignored"]);
}

#[test]
fn invalid_entries_and_remarks_are_findings_too() {
    let if_on_stop = json!({"type": "command", "command": "true", "if": "Bash(*)"});
    assert_eq!(in_file(CLAUDE, &hook("Stop", "", &if_on_stop)), ["invalid"]);
    assert_eq!(in_file(CLAUDE, &hook("PreToolUs", "", &command("true"))), ["invalid"]);
    assert_eq!(in_file(CLAUDE, r#"{"a": 1, "a": 2}"#), ["remark"]);
    assert_eq!(in_file(CLAUDE, "{"), ["invalid"]);
    assert_eq!(in_file("project/x.json", &hook("PreToolUse", "", &command("true"))), ["ambiguous-file"]);
}

#[test]
fn scripts_that_cannot_run() {
    let world = World::new();
    world.write(CLAUDE, &hook("Stop", "", &command("./none.sh")));
    assert_eq!(rules(&world, CLAUDE), ["script-missing"]);
    world.write("project/none.sh", "exit 0");
    #[cfg(unix)]
    assert_eq!(rules(&world, CLAUDE), ["script-not-executable"]);
    world.write(CLAUDE, &hook("Stop", "", &command("sh ./none.sh")));
    assert_eq!(rules(&world, CLAUDE), [""; 0]);
}

#[test]
fn guards_that_do_not_guard() {
    let script = |path: &str, text: &str, body: &str| {
        let world = World::new();
        executable(&world.path("project/guard.sh"), body);
        world.write(path, text);
        rules(&world, path)
    };
    let claude = hook("PreToolUse", "Bash", &command("./guard.sh"));
    assert_eq!(script(CLAUDE, &claude, "grep -q rm && exit 1"), ["exit-one-guard"]);
    assert_eq!(script(CLAUDE, &claude, "import sys\nsys.exit(1)"), ["exit-one-guard"]);
    assert_eq!(script(CLAUDE, &claude, "test -t 0 && exit 1\nexit 2"), [""; 0]);
    assert_eq!(script(CLAUDE, &hook("PostToolUse", "Bash", &command("./guard.sh")), "exit 1"), [""; 0]);
    assert_eq!(script(CLAUDE, &claude, "echo $CLAUDE_TOOL_INPUT"), ["unknown-variable"]);
    let gemini = hook("BeforeTool", "run_shell_command", &command("./guard.sh"));
    assert_eq!(
        script(GEMINI, &gemini, "echo '{\"hookSpecificOutput\": {\"permissionDecision\": \"deny\"}}'"),
        ["unread-field"]
    );
    assert_eq!(script(GEMINI, &gemini, "[ \"$tool_name\" = \"Bash\" ] && exit 2"), ["foreign-tool-name"]);
}

#[test]
fn keys_and_addresses() {
    let typo = json!({"type": "command", "command": "true", "timout": 5});
    let world = World::new();
    world.write(CLAUDE, &hook("Stop", "", &typo));
    let findings: Vec<Finding> = lint(&world.path(CLAUDE), &world.options()).unwrap();
    assert_eq!(findings[0].rule, "unknown-key");
    assert!(findings[0].to_string().contains("did you mean `timeout`?"), "{}", findings[0]);
    let web = |url: &str| in_file(CLAUDE, &hook("Stop", "", &json!({"type": "http", "url": url})));
    assert_eq!(web("http://hooks.example/x"), ["plain-http"]);
    assert_eq!(web("http://localhost:8080/x"), [""; 0]);
}

#[test]
fn codex_refuses_other_keys_beside_its_hooks() {
    let text = r#"{"$schema": "https://x.example/s.json", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "timeoutSec": 5}]}]}}"#;
    assert_eq!(in_file("project/.codex/hooks.json", text), ["unknown-key"]);
    assert_eq!(in_file("project/.codex/hooks.json", &text.replace("\"$schema\"", "\"description\"")), [""; 0]);
}

#[test]
fn every_rule_is_listed_once() {
    let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
}

#[test]
fn guards_that_fail_open_are_found_once() {
    let world = World::new();
    let found = |settings: &[&str]| {
        let hooks = settings
            .iter()
            .map(|setting| format!("[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"true\"\n{setting}\n"));
        world.write("project/hookweave.toml", &format!("hookweave = 1\n{}", hooks.collect::<String>()));
        rules(&world, "project/hookweave.toml")
    };
    assert_eq!(found(&["", "", ""]), ["guard-fails-open"]);
    for decided in ["fail_behavior = \"block\"", "fail_behavior = \"continue\"", "mandatory = true", "detached = true"]
    {
        assert_eq!(found(&[decided]), [""; 0], "{decided}");
        assert_eq!(found(&[decided, ""]), ["guard-fails-open"], "{decided}");
    }
    assert_eq!(found(&["enabled = false"]), ["switched-off"]);
    assert_eq!(found(&["enabled = false", ""]), ["switched-off", "guard-fails-open"]);
    world.write("project/hookweave.toml", "hookweave = 1\n[[hooks]]\nevent = \"PostToolUse\"\ncommand = \"true\"\n");
    assert_eq!(rules(&world, "project/hookweave.toml"), [""; 0]);
}
