//! What each reader takes, and how it says what it does not take.

use std::time::Duration;

use hookweave_exec::command::{CommandLine, CommandSpec, Shell};
use hookweave_files::config::{Format, Loaded, Run};
use hookweave_machine::hook::{FailBehavior, Scope, Timeout};
use serde_json::json;

use super::{read_as, read_in};

fn command(loaded: &Loaded, index: usize) -> &CommandSpec {
    match &loaded.hooks[index].run {
        Run::Command(command) => command,
        other => panic!("{other:?} is no command"),
    }
}

fn shell(loaded: &Loaded, index: usize) -> (&str, Shell) {
    match &command(loaded, index).line {
        CommandLine::Shell { text, shell } => (text, *shell),
        CommandLine::Exec { .. } => panic!("is run without a shell"),
    }
}

fn problems(loaded: &Loaded) -> String {
    loaded.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn seconds(loaded: &Loaded, index: usize) -> f64 {
    match loaded.hooks[index].spec.timeout {
        Timeout::After(limit) => limit.as_secs_f64(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn claude_takes_every_kind_of_handler() {
    let loaded = read_as(
        Format::Claude,
        r#"{
  // a comment, as in many of these files
  "permissions": {"allow": []},
  "disableAllHooks": false, "allowedHttpHookUrls": ["https://h.example/*"], "httpHookAllowedEnvVars": ["T"],
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash|Edit", "hooks": [
        {"type": "command", "command": "a.sh", "timeout": 5, "if": "Bash(git *)", "onFailure": "block"},
        {"type": "command", "command": "b", "args": ["--x", "$y"], "statusMessage": "b"},
        {"type": "http", "url": "https://u:p@h.example/x?token=1", "headers": {"A": "$T"}, "allowedEnvVars": ["T"]},
        {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"f": "${tool_input.file_path}"}},
        {"type": "prompt", "prompt": "ok? $ARGUMENTS", "model": "m", "continueOnBlock": true},
        {"type": "agent", "prompt": "look"}
      ]}
    ],
    "PostToolUse": [{"hooks": [
      {"type": "command", "command": "c", "shell": "bash", "async": true},
      {"type": "command", "command": "d", "shell": "powershell", "asyncRewake": true}]}],
  },
}"#,
    );
    assert_eq!(problems(&loaded), "");
    assert_eq!(loaded.hooks.len(), 8);
    let first = &loaded.hooks[0];
    assert_eq!(shell(&loaded, 0), ("a.sh", Shell::Posix));
    assert_eq!((first.spec.event.as_str(), first.declared_event.as_str()), ("PreToolUse", "PreToolUse"));
    assert_eq!(first.spec.timeout, Timeout::After(Duration::from_secs(5)));
    assert_eq!(first.spec.matcher.rule, Some("Bash(git *)".into()));
    assert_eq!(first.spec.fail_behavior, Some(FailBehavior::Block));
    assert_eq!(first.spec.group, Some("claude-code"));
    assert_eq!(first.spec.scope, Scope::Project);
    let origin = first.spec.origin.as_ref().unwrap();
    assert_eq!((origin.place.as_str(), origin.line), ("hooks.PreToolUse[0].hooks[0]", Some(8)));
    assert_eq!(first.label(), "a.sh");
    assert_eq!(
        command(&loaded, 1).line,
        CommandLine::Exec { program: "b".into(), args: vec!["--x".into(), "$y".into()] }
    );
    assert_eq!(loaded.hooks[2].spec.origin.as_ref().unwrap().runs, "POST https://h.example/x");
    assert!(matches!(&loaded.hooks[2].run, Run::Webhook(web) if web.allowed_env == ["T"]));
    assert!(
        matches!(&loaded.hooks[3].run, Run::McpTool { server, tool, input } if server == "s" && tool == "t" && input.len() == 1)
    );
    assert!(matches!(&loaded.hooks[4].run, Run::Prompt { agent: false, continue_on_block: true, model: Some(_), .. }));
    assert!(matches!(&loaded.hooks[5].run, Run::Prompt { agent: true, continue_on_block: true, model: None, .. }));
    assert!(loaded.hooks[6].spec.detached && !loaded.hooks[6].wakes);
    assert!(loaded.hooks[7].spec.detached && loaded.hooks[7].wakes);
    assert_eq!(loaded.switches.disable_all, Some(false));
    assert_eq!(loaded.switches.allowed_urls.as_deref(), Some(&["https://h.example/*".to_owned()][..]));
    assert_eq!(loaded.switches.allowed_env.as_deref(), Some(&["T".to_owned()][..]));
}

#[test]
fn every_mistake_in_a_claude_file_is_named_and_spares_the_rest() {
    let good = r#"{"type": "command", "command": "good"}"#;
    // What is wrong, and what of the message must be there.
    for (handler, place, words) in [
        (r#"{"command": "x"}"#, "hooks.Stop[0].hooks[0]", "add \"type\": \"command\""),
        (r#"{"type": "comand", "command": "x"}"#, "hooks.Stop[0].hooks[0].type", "did you mean `command`?"),
        (r#"{"type": "command"}"#, "hooks.Stop[0].hooks[0]", "`command` is missing"),
        (r#"{"type": "command", "command": ["x"]}"#, "hooks.Stop[0].hooks[0].command", "must be a string, is a list"),
        (r#"{"type": "command", "command": "  "}"#, "hooks.Stop[0].hooks[0].command", "is empty"),
        (r#"{"type": "command", "command": "a\u0000b"}"#, "hooks.Stop[0].hooks[0].command", "NUL"),
        (
            r#"{"type": "command", "command": "x", "timeout": "5"}"#,
            "hooks.Stop[0].hooks[0].timeout",
            "a number of seconds",
        ),
        (r#"{"type": "command", "command": "x", "timeout": 0}"#, "hooks.Stop[0].hooks[0].timeout", "greater than 0"),
        (
            r#"{"type": "command", "command": "x", "timeout": 1e300}"#,
            "hooks.Stop[0].hooks[0].timeout",
            "longer than a year",
        ),
        (r#"{"type": "command", "command": "x", "async": "yes"}"#, "hooks.Stop[0].hooks[0].async", "true or false"),
        (
            r#"{"type": "command", "command": "x", "onFailure": "blok"}"#,
            "hooks.Stop[0].hooks[0].onFailure",
            "did you mean `block`?",
        ),
        (
            r#"{"type": "command", "command": "x", "shell": "zsh"}"#,
            "hooks.Stop[0].hooks[0].shell",
            "known are bash, powershell",
        ),
        (r#"{"type": "command", "command": "x", "args": "y"}"#, "hooks.Stop[0].hooks[0].args", "must be a list"),
        (r#"{"type": "command", "command": "x", "if": "Bash(*)"}"#, "hooks.Stop[0].hooks[0].if", "never runs on Stop"),
        (r#"{"type": "http", "url": "ftp://x"}"#, "hooks.Stop[0].hooks[0].url", "https://"),
        (r#"{"type": "mcp_tool", "server": "s"}"#, "hooks.Stop[0].hooks[0]", "`tool` is missing"),
        (r#"{"type": "prompt"}"#, "hooks.Stop[0].hooks[0]", "`prompt` is missing"),
        ("3", "hooks.Stop[0].hooks[0]", "must be an object, is a number"),
    ] {
        let text = format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [\n{handler},\n{good}]}}]}}}}");
        let loaded = read_as(Format::Claude, &text);
        assert_eq!(loaded.hooks.len(), 1, "{handler}: {}", problems(&loaded));
        assert_eq!(shell(&loaded, 0).0, "good", "{handler}");
        let [problem] = loaded.problems.as_slice() else { panic!("{handler}: {}", problems(&loaded)) };
        assert_eq!((problem.place.as_str(), problem.line, problem.fatal), (place, Some(2), true), "{handler}");
        assert!(problem.message.contains(words), "{handler}: {problem}");
    }
}

#[test]
fn mistakes_in_groups_and_events_spare_the_rest() {
    let loaded = read_as(
        Format::Claude,
        r#"{"hooks": {
"PreToolUs": [{"hooks": []}],
"PreToolUse": [
 {"matcher": 3, "hooks": []},
 {"matcher": "(", "hooks": []},
 {"matcher": "Bash"},
 "x",
 {"matcher": "Bash", "hooks": [{"type": "command", "command": "good"}]}],
"Stop": {"hooks": []}
}}"#,
    );
    assert_eq!(loaded.hooks.len(), 1);
    let lines: Vec<_> = loaded.problems.iter().map(|problem| (problem.line, problem.place.as_str())).collect();
    assert_eq!(
        lines,
        [
            (Some(2), "hooks.PreToolUs"),
            (Some(4), "hooks.PreToolUse[0].matcher"),
            (Some(5), "hooks.PreToolUse[1].matcher"),
            (Some(6), "hooks.PreToolUse[2]"),
            (Some(7), "hooks.PreToolUse[3]"),
            (Some(9), "hooks.Stop"),
        ],
        "{}",
        problems(&loaded)
    );
    assert!(loaded.problems[0].message.contains("did you mean `PreToolUse`?"), "{}", problems(&loaded));
}

#[test]
fn kinds_that_do_not_run_on_an_event_are_refused() {
    let text = |event: &str, kind: &str| {
        format!(
            r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "{kind}", "prompt": "p", "url": "https://h.example"}}]}}]}}}}"#
        )
    };
    for (event, kind, runs) in [
        ("SessionStart", "http", false),
        ("SessionStart", "prompt", false),
        ("Notification", "agent", false),
        ("Notification", "http", true),
        ("Stop", "prompt", true),
    ] {
        let loaded = read_as(Format::Claude, &text(event, kind));
        assert_eq!(loaded.hooks.len() == 1, runs, "{event} {kind}: {}", problems(&loaded));
    }
}

#[test]
fn what_does_not_count_is_taken_with_a_remark() {
    let loaded = read_as(
        Format::Claude,
        r#"{"hooks": {"Stop": [{"hooks": [
{"type": "command", "command": "x", "onFailure": "block"},
{"type": "command", "command": "y", "once": true}]}]}, "hooks2": 1, "x": 1, "x": 2}"#,
    );
    assert_eq!(loaded.hooks.len(), 2);
    assert_eq!(loaded.hooks[0].spec.fail_behavior, None);
    assert!(!loaded.hooks[1].spec.once);
    assert_eq!(loaded.problems.len(), 3, "{}", problems(&loaded));
    assert!(loaded.problems.iter().all(|problem| !problem.fatal));
    assert!(problems(&loaded).contains("given twice"));
}

#[test]
fn managed_hooks_are_awaited() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "async": true}]}]}}"#;
    let loaded = read_in(Format::Claude, Scope::Managed, text);
    assert!(!loaded.hooks[0].spec.detached);
    assert!(problems(&loaded).contains("mandatory"));
}

#[test]
fn default_timeouts_are_the_systems_own() {
    for (format, text, wanted) in [
        (Format::Claude, r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#, 600.0),
        (
            Format::Claude,
            r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#,
            30.0,
        ),
        (Format::Gemini, r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#, 60.0),
        (
            Format::Gemini,
            r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", "timeout": 30}]}]}}"#,
            0.03,
        ),
        (Format::Wingman, r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#, 60.0),
        (
            Format::Wingman,
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 1000}]}]}}"#,
            600.0,
        ),
        (Format::Copilot, r#"{"version": 1, "hooks": {"preToolUse": [{"bash": "x"}]}}"#, 30.0),
        (Format::HookweaveToml, "hookweave = 1\n[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"", 60.0),
        (
            Format::HookweaveToml,
            "hookweave = 1\n[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\ntimeout = \"1500ms\"",
            1.5,
        ),
        (
            Format::Claude,
            r#"{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "x", "timeout": 90}]}]}}"#,
            60.0,
        ),
        (
            Format::CodexToml,
            "[[hooks.SessionEnd]]\n[[hooks.SessionEnd.hooks]]\ntype = \"command\"\ncommand = \"x\"\ntimeout = 30",
            3.0,
        ),
    ] {
        let loaded = read_as(format, text);
        assert_eq!(loaded.hooks.len(), 1, "{text}: {}", problems(&loaded));
        assert!((seconds(&loaded, 0) - wanted).abs() < 1e-9, "{text}: {}", seconds(&loaded, 0));
    }
}

#[test]
fn codex_reads_both_of_its_files_alike() {
    let json = read_as(
        Format::CodexJson,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "timeout": 7}]}]}}"#,
    );
    let toml = read_as(
        Format::CodexToml,
        "model = \"m\"\n[hooks.state.x]\nenabled = true\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"x\"\ntimeout = 7\n",
    );
    assert_eq!((problems(&json), problems(&toml)), (String::new(), String::new()));
    assert_eq!(json.hooks[0].entry, toml.hooks[0].entry);
    assert_eq!(shell(&toml, 0), ("x", Shell::Login));
    assert_eq!(toml.hooks[0].spec.origin.as_ref().unwrap().line, Some(6));
}

#[test]
fn codex_runs_what_newer_versions_have_or_leaves_it_out() {
    let read = |handler: &str| {
        let text = format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{handler}]}}]}}}}"#);
        read_as(Format::CodexJson, &text)
    };
    for kind in [r#""prompt", "prompt": "x""#, r#""agent", "prompt": "x""#, r#""mcp_tool", "server": "s""#, r#""wasm""#]
    {
        let loaded = read(&format!(r#"{{"type": {kind}}}"#));
        assert_eq!((loaded.hooks.len(), loaded.problems.len()), (0, 1), "{kind}");
        assert!(!loaded.problems[0].fatal, "{}", problems(&loaded));
    }
    let misspelt = read(r#"{"type": "comand", "command": "x"}"#);
    assert!(misspelt.problems[0].fatal && misspelt.hooks.is_empty(), "{}", problems(&misspelt));
    let loaded = read(r#"{"type": "command", "command": "x", "async": true, "timeoutSec": 7}"#);
    assert_eq!(problems(&loaded), "");
    assert!(loaded.hooks[0].spec.detached);
    assert!((seconds(&loaded, 0) - 7.0).abs() < 1e-9);
}

#[test]
fn defaults_of_a3s_count_beside_a_setting_that_is_unknown() {
    let loaded = read_as(Format::A3s, r#"{"hooks": {"brandNewSetting": 1, "maxTotalHooks": 7}}"#);
    assert!(problems(&loaded).contains("brandNewSetting") && !loaded.problems[0].fatal, "{}", problems(&loaded));
    assert_eq!(loaded.switches.options.get("max_total_hooks"), Some(&json!(7)));
    let misspelt = read_as(Format::A3s, r#"{"hooks": {"failBehaviour": "block"}}"#);
    assert!(misspelt.problems[0].fatal, "{}", problems(&misspelt));
}

#[test]
fn gemini_knows_switches_and_sequences() {
    let loaded = read_as(
        Format::Gemini,
        r#"{"hooks": {"enabled": true, "disabled": ["lint"],
"BeforeTool": [{"matcher": "run_shell_command", "sequential": true, "hooks": [
 {"type": "command", "command": "x", "name": "guard", "env": {"A": "1"}}, {"type": "http", "url": "https://x"}]}]},
"hooksConfig": {"disabled": ["other"]}}"#,
    );
    assert_eq!(loaded.hooks.len(), 1);
    assert_eq!(loaded.hooks[0].label(), "guard");
    assert_eq!(command(&loaded, 0).env, [("A".to_owned(), "1".to_owned())]);
    assert_eq!(shell(&loaded, 0).1, Shell::Bash);
    assert_eq!(loaded.switches.disabled, ["lint", "other"]);
    assert_eq!(loaded.switches.sequential, ["BeforeTool"]);
    assert_eq!(loaded.switches.disable_all, Some(false));
    assert!(problems(&loaded).contains("hooks.BeforeTool[0].hooks[1].type"));
}

#[test]
fn cursor_entries_are_flat_and_run_where_they_belong() {
    let text = r#"{"version": 1, "hooks": {"beforeShellExecution": [
 {"command": "./a.sh", "matcher": "curl|wget", "failClosed": true, "timeout": 3},
 {"type": "prompt", "prompt": "ok?"}, {"matcher": "x"}], "nonsense": [{"command": "x"}],
 "stop": [{"command": "b", "loop_limit": null}]}}"#;
    let loaded = read_as(Format::Cursor, text);
    assert_eq!(loaded.hooks.len(), 3, "{}", problems(&loaded));
    assert_eq!(loaded.hooks[0].spec.fail_behavior, Some(FailBehavior::Block));
    assert_eq!(command(&loaded, 0).directory.as_deref(), Some(std::path::Path::new("/project")));
    assert_eq!(loaded.problems.iter().filter(|problem| problem.fatal).count(), 1, "{}", problems(&loaded));
    assert!(problems(&loaded).contains("hooks.nonsense"), "{}", problems(&loaded));
    let user = read_in(Format::Cursor, Scope::User, text);
    assert_eq!(command(&user, 0).directory.as_deref(), Some(std::path::Path::new("/project/")));
    for version in ["2", "\"1\""] {
        let loaded =
            read_as(Format::Cursor, &format!(r#"{{"version": {version}, "hooks": {{"stop": [{{"command": "x"}}]}}}}"#));
        assert!(loaded.broken && loaded.hooks.is_empty(), "{version}");
    }
}

#[test]
fn copilot_takes_flat_entries_and_groups() {
    let loaded = read_as(
        Format::Copilot,
        r#"{"version": 1, "hooks": {
"preToolUse": [{"type": "command", "bash": "a.sh", "powershell": "a.ps1", "cwd": "sub", "env": {"A": "1"}, "timeoutSec": 9}],
"PreToolUse": [{"hooks": [{"type": "command", "command": "b"}, {"type": "command", "powershell": "c"}]}],
"sessionStart": [{"type": "prompt", "prompt": "hello"}],
"agentStop": [{"exec": "p", "args": ["$a"]}]}}"#,
    );
    assert_eq!(loaded.hooks.len(), 3, "{}", problems(&loaded));
    assert_eq!(command(&loaded, 2).line, CommandLine::Exec { program: "p".into(), args: vec!["$a".into()] });
    assert_eq!(shell(&loaded, 0), ("a.sh", Shell::Bash));
    assert_eq!(command(&loaded, 0).directory.as_deref(), Some(std::path::Path::new("/project/sub")));
    assert!((seconds(&loaded, 0) - 9.0).abs() < 1e-9);
    assert_eq!(loaded.hooks[1].declared_event, "PreToolUse");
    assert_eq!(loaded.problems.len(), 2, "{}", problems(&loaded));
}

#[test]
fn wingman_waits_only_before_a_tool_and_clamps() {
    let loaded = read_as(
        Format::Wingman,
        r#"{"name": "coder", "toolHooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "a", "timeout": 0.1}]}],
"PostToolUse": [{"hooks": [{"type": "command", "command": "b"}]}], "Stop": [{"hooks": [{"type": "command", "command": "c"}]}]},
"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "old"}]}]}}"#,
    );
    let detached: Vec<bool> = loaded.hooks.iter().map(|hook| hook.spec.detached).collect();
    assert_eq!(detached, [false, true, true]);
    assert!((seconds(&loaded, 0) - 1.0).abs() < 1e-9);
    assert_eq!(loaded.problems.len(), 2, "{}", problems(&loaded));
    assert_eq!(loaded.hooks[0].spec.group, None);
}

#[test]
fn wingman_reads_no_file_with_a_comment() {
    let hooks = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "a"}]}]}"#;
    assert_eq!(read_as(Format::Wingman, &format!("{hooks}}}")).hooks.len(), 1);
    let loaded = read_as(Format::Wingman, &format!("{hooks} // mine\n}}"));
    assert!(loaded.hooks.is_empty() && loaded.broken, "{}", problems(&loaded));
}

#[test]
fn cocode_reads_commands_and_webhooks() {
    let loaded = read_as(
        Format::Cocode,
        r#"
[[hooks]]
event = "PreToolUse"
tool_matcher = "Bash*"
timeout_sec = 60
name = "validate"
[hooks.shell]
command = "python check.py"
pass_context = true
parse_result = true

[[hooks]]
event = "PostToolUse"
once = true
[hooks.webhook]
url = "https://api.example/x"
method = "Put"
headers = { Authorization = "Bearer ${HOOK_KEY}" }

[[hooks]]
event = "SessionStart"

[[hooks]]
event = "NoSuchEvent"
[hooks.shell]
command = "x"
"#,
    );
    assert_eq!(loaded.hooks.len(), 2, "{}", problems(&loaded));
    assert_eq!(loaded.hooks[0].label(), "validate");
    assert!(loaded.hooks[1].spec.once);
    assert!(matches!(&loaded.hooks[1].run, Run::Webhook(web) if web.allowed_env == ["HOOK_KEY"]));
    let lines: Vec<_> = loaded.problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [Some(20), Some(24)], "{}", problems(&loaded));
}

#[test]
fn a3s_defaults_are_settings_of_the_client() {
    let loaded = read_as(
        Format::A3s,
        r#"{"hooks": {"enabled": true, "maxHooksPerEvent": 10, "maxTotalHooks": 50, "defaultTimeout": 5000, "failBehavior": "block", "auditLevel": "info"}}"#,
    );
    assert_eq!(problems(&loaded), "");
    assert_eq!(
        json!(loaded.switches.options),
        json!({"enabled": true, "max_hooks_per_event": 10, "max_total_hooks": 50, "default_timeout": 5000.0, "fail_behavior": "block", "audit_level": "info"})
    );
    assert!(!read_as(Format::A3s, r#"{"hooks": {"maxHooks": 10}}"#).problems.is_empty());
}

#[test]
fn hooks_of_ours_declare_everything() {
    let loaded = read_as(
        Format::HookweaveToml,
        r#"
hookweave = 1

[[hooks]]
name = "no-force-push"
description = "keeps history"
event = "tool:pre"
command = ["scripts/guard", "--strict"]
env = { MODE = "x" }
directory = "sub"
timeout = 2.5
priority = -5
fail_behavior = "block"
mandatory = true
[hooks.matcher]
tool = "Bash"
command_pattern = "git push"

[[hooks]]
event = "PreToolUse"
matcher = "Bash|Edit"
dialect = "claude-code"
command = "a.sh"
shell = "bash"

[[hooks]]
event = "deploy:start"
[hooks.webhook]
url = "https://h.example/x"
method = "PUT"
"#,
    );
    assert_eq!(problems(&loaded), "");
    let first = &loaded.hooks[0];
    assert_eq!((first.spec.event.as_str(), first.spec.priority, first.spec.mandatory), ("PreToolUse", -5, Some(true)));
    assert_eq!(first.spec.matcher.command_pattern.as_deref(), Some("git push"));
    assert_eq!(loaded.hooks[1].dialect.name(), "claude-code");
    assert_eq!(loaded.hooks[1].spec.group, Some("claude-code"));
    assert_eq!(loaded.hooks[2].spec.event, "deploy:start");
    let json = read_as(Format::HookweaveJson, r#"{"hookweave": 1, "hooks": [{"event": "Stop", "command": "x"}]}"#);
    assert_eq!(json.hooks.len(), 1);
}

#[test]
fn files_without_hooks_are_quiet() {
    for (format, text) in [
        (Format::Claude, r#"{"permissions": {}}"#),
        (Format::Gemini, r#"{"theme": "x"}"#),
        (Format::CodexToml, "model = \"x\""),
        (Format::HookweaveToml, "hookweave = 1"),
        (Format::Wingman, r#"{"name": "x"}"#),
        (Format::Cocode, ""),
    ] {
        let loaded = read_as(format, text);
        assert!(loaded.problems.is_empty() && loaded.hooks.is_empty() && !loaded.broken, "{}", problems(&loaded));
    }
}

#[test]
fn a_cursor_plugins_hooks_find_its_directory() {
    let world = super::World::new();
    let text = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "$CURSOR_PLUGIN_ROOT/x.sh"}]}}"#;
    world.write("plugins/p/.cursor-plugin/hooks.json", text);
    let file = world.path("plugins/p/.cursor-plugin/hooks.json");
    let options = hookweave_files::config::load::LoadOptions { dialect: Some("cursor"), ..world.options() };
    let loaded = hookweave_files::config::load::load(&file, &options).unwrap();
    let Run::Command(command) = &loaded.hooks[0].declared.run else { panic!("is no command") };
    assert_eq!(command.env, [("CURSOR_PLUGIN_ROOT".to_owned(), world.path("plugins/p").display().to_string())]);
}

#[test]
fn a_plugins_hooks_run_from_its_directory() {
    let source = hookweave_files::config::Source {
        file: "/plugins/p/hooks/hooks.json".into(),
        scope: Scope::User,
        dialect: Format::Claude.dialect().unwrap(),
        project_dir: None,
        plugin: Some("/plugins/p".into()),
        claude: None,
        catalogue: None,
    };
    let text = r#"{"description": "d", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}]}]}}"#;
    let loaded = hookweave_files::config::read(Format::Claude, text, &source);
    assert_eq!(shell(&loaded, 0).0, "/plugins/p/x.sh");
    assert_eq!(command(&loaded, 0).env, [("CLAUDE_PLUGIN_ROOT".to_owned(), "/plugins/p".to_owned())]);
}
