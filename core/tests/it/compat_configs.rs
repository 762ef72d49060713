//! The configuration files of other systems' documentation, as they stand there: what is taken from them, and whose events they get.

use std::path::{Path, PathBuf};

use hookweave::compat::cocode::{HookContext, HookEventType, HookRegistry, HookResult, load_hooks_from_config};
use hookweave::{Engine, Event};
use serde_json::{Value, json};

type Checked = Result<(), Box<dyn std::error::Error>>;

fn config(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/compat").join(name)
}

async fn before(registry: &mut HookRegistry, name: &str, input: Value) -> HookResult {
    let (tool_name, tool_input) = (Some(name.to_owned()), Some(input));
    let ctx = HookContext { tool_name, tool_input, cwd: std::env::temp_dir(), ..Default::default() };
    registry.execute(HookEventType::PreToolUse, ctx).await
}

/// Whether each hook of an event would run, in order.
fn selected(engine: &Engine, event: &Event) -> Result<Vec<bool>, hookweave::Error> {
    Ok(engine.explain(event)?.hooks.iter().map(|hook| hook.matched).collect())
}

#[tokio::test]
async fn the_documented_command_rejects_dangerous_commands() -> Checked {
    let mut registry = load_hooks_from_config(&config("cocode/validate-bash.toml"))?;
    let hooks = registry.engine().list_hooks();
    assert_eq!((hooks.len(), hooks[0].name.as_str()), (1, "validate-bash"));
    for command in ["rm -rf / --no-preserve-root", "sudo rm /etc/passwd", ":(){:|:&};:"] {
        let result = before(&mut registry, "Bash", json!({"command": command})).await;
        assert_eq!(result, HookResult::Reject { reason: "Dangerous command blocked".to_owned() }, "{command}");
    }
    assert_eq!(before(&mut registry, "Bash", json!({"command": "ls"})).await, HookResult::Continue);
    assert_eq!(before(&mut registry, "BashOutput", json!({"command": "rm -rf /"})).await, HookResult::Continue);
    Ok(())
}

#[test]
fn every_documented_configuration_is_taken_as_it_stands() -> Checked {
    for (file, hooks) in [("hooks", 3), ("validate-bash", 1), ("log-edits", 1), ("session-notify", 1)] {
        let registry = load_hooks_from_config(&config(&format!("cocode/{file}.toml")))?;
        assert_eq!(registry.engine().list_hooks().len(), hooks, "{file}");
    }
    let engine = Engine::new();
    let report = engine.load(config("cocode/hooks.toml"))?;
    assert_eq!(report.found[0].dialect, "cocode");
    let remarks: Vec<_> =
        report.problems.iter().map(|problem| (problem.message.contains("HOOK_API_KEY"), problem.fatal)).collect();
    assert_eq!(remarks, [(true, false)], "the variable is not set here: {:?}", report.problems);
    let selected = |event| selected(&engine, &event);
    assert_eq!(selected(Event::pre_tool_use("BashOutput", json!({})))?, [true], "`Bash*` is a beginning");
    assert_eq!(selected(Event::pre_tool_use("Read", json!({})))?, [false]);
    assert_eq!(selected(Event::post_tool_use("Edit", json!({}), json!({})))?, [true]);
    assert_eq!(selected(Event::post_tool_use("MultiEdit", json!({}), json!({})))?, [false], "`Edit` is a whole name");
    assert_eq!(selected(Event::new("SessionStart", json!({"source": "startup"})))?, [true]);
    let hooks = engine.list_hooks();
    let limits: Vec<_> = hooks.iter().map(|hook| (hook.event.as_str(), hook.timeout_ms, hook.once)).collect();
    let wanted = [
        ("PreToolUse", Some(60_000.0), false),
        ("PostToolUse", Some(30_000.0), false),
        ("SessionStart", Some(600_000.0), true),
    ];
    for (event, limit, once) in wanted {
        assert!(limits.contains(&(event, limit, once)), "{event}: {limits:?}");
    }
    Ok(())
}

#[test]
fn a_configuration_with_a_guard_that_makes_no_sense_is_refused() -> Checked {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("hooks.toml");
    std::fs::write(&file, "[[hooks]]\nevent = \"PreToolUze\"\n[hooks.shell]\ncommand = \"true\"\n")?;
    let error = load_hooks_from_config(&file).err().ok_or("the file was taken")?;
    assert!(error.message().contains("PreToolUze") && error.message().contains("hooks.toml"), "{error}");
    assert_eq!(
        load_hooks_from_config(&directory.path().join("none.toml")).err().map(|error| error.code().as_str()),
        Some("invalid_config")
    );
    Ok(())
}

#[test]
fn wingman_s_matchers_are_names_lists_and_patterns() -> Checked {
    let engine = Engine::new();
    let report = engine.load(config("wingman/wingman.config.json"))?;
    assert_eq!((report.found[0].dialect, report.found[0].hooks), ("wingman", 7));
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    // By the engine's names and by Wingman's own.
    for (tool, before, after) in [
        ("Bash", [true, true, true, false], [false, false]),
        ("command_execute", [true, true, true, false], [false, false]),
        ("Write", [false, true, true, false], [true, true]),
        ("edit_file", [false, true, true, false], [true, true]),
        ("read_file", [false, true, true, false], [false, true]),
        ("slow_tool", [false, true, true, true], [false, false]),
        ("Command_execute", [false, true, true, false], [false, false]),
    ] {
        assert_eq!(selected(&engine, &Event::pre_tool_use(tool, json!({})))?, before, "before {tool}");
        assert_eq!(selected(&engine, &Event::post_tool_use(tool, json!({}), json!({})))?, after, "after {tool}");
    }
    assert_eq!(selected(&engine, &Event::new("Stop", json!({})))?, [true]);
    let detached =
        |event: &str| engine.list_hooks().iter().filter(|hook| hook.event == event).all(|hook| hook.detached);
    assert!(detached("PostToolUse") && detached("Stop") && !detached("PreToolUse"));
    Ok(())
}

#[test]
fn a3s_s_defaults_are_settings_of_the_engine() -> Checked {
    let report = Engine::new().load(config("a3s/hooks.json"))?;
    assert_eq!((report.found[0].dialect, report.hooks.len(), report.problems.len()), ("a3s", 0, 0));
    let mut settings = report.options;
    assert_eq!(settings.shift_remove("audit_level"), Some(json!("info")));
    settings.insert("profile".to_owned(), json!("a3s"));
    let engine = Engine::builder().settings(settings).build()?;
    for _ in 0..10 {
        engine.on("PreToolUse").run(|_: &Event| ())?;
    }
    let refused = engine.on("PreToolUse").run(|_: &Event| ()).err().ok_or("an eleventh hook was taken")?;
    assert!(refused.message().contains("max_hooks_per_event"), "{refused}");
    let hook = &engine.list_hooks()[0];
    assert_eq!((hook.timeout_ms, hook.fail_behavior.as_str()), (Some(5000.0), "continue"));
    Ok(())
}
