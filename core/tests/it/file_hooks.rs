//! Hooks from files in the engine for Rust: loading, chains with callbacks, hosted questions, reload, late answers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use hookweave::{Engine, Event, HookResponse, HostQuestion};
use serde_json::{Value, json};

use crate::support::{LONG, until_async};

type Checked = Result<(), Box<dyn std::error::Error>>;

/// A project directory with one settings file of Claude Code.
struct Project {
    dir: tempfile::TempDir,
}

impl Project {
    fn new(settings: &Value) -> Result<Self, std::io::Error> {
        let project = Self { dir: tempfile::tempdir()? };
        std::fs::create_dir(project.dir.path().join(".claude"))?;
        project.write(settings)?;
        Ok(project)
    }

    fn settings(&self) -> PathBuf {
        self.dir.path().join(".claude/settings.json")
    }

    fn write(&self, settings: &Value) -> Result<(), std::io::Error> {
        std::fs::write(self.settings(), settings.to_string())
    }

    fn engine(&self) -> Result<Engine, hookweave::Error> {
        let engine = Engine::builder().project_dir(self.dir.path()).build()?;
        engine.load(self.settings())?;
        Ok(engine)
    }

    fn bash(&self, command: &str) -> Event {
        Event::pre_tool_use("Bash", json!({"command": command})).with("cwd", self.dir.path().to_string_lossy().as_ref())
    }
}

fn command(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
}

#[tokio::test]
async fn callbacks_and_commands_chain_in_order() -> Checked {
    let rewrite = r#"sed 's/.*"command":"\([^"]*\)".*/{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"\1 two"}}}/'"#;
    let project = Project::new(&command("PreToolUse", rewrite))?;
    let engine = project.engine()?;
    let append = |word: &'static str| {
        move |event: &Event| {
            let command = event.args()["command"].as_str().unwrap_or_default();
            HookResponse::continue_().modified(json!({"args": {"command": format!("{command} {word}")}}))
        }
    };
    engine.on("PreToolUse").priority(-1).run(append("one"))?;
    engine.on("PreToolUse").priority(1).run(append("three"))?;
    let outcome = engine.dispatch(project.bash("echo")).await?;
    assert_eq!(outcome.event().args()["command"], "echo one two three", "{:?}", outcome.trace());
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn dropping_a_dispatch_kills_its_command() -> Checked {
    let project = Project::new(&command("PreToolUse", "echo $$ > pid; sleep 1000"))?;
    let engine = project.engine()?;
    let written = || std::fs::read_to_string(project.dir.path().join("pid")).ok().filter(|pid| pid.ends_with('\n'));
    tokio::select! {
        outcome = engine.dispatch(project.bash("ls")) => panic!("{outcome:?}"),
        runs = until_async(|| written().is_some()) => assert!(runs),
    }
    let process = PathBuf::from(format!("/proc/{}", written().ok_or("no process")?.trim()));
    assert!(until_async(|| !process.exists()).await, "the command still runs");
    Ok(())
}

#[tokio::test]
async fn a_model_is_asked_and_nobody_to_ask_is_a_failure() -> Checked {
    let project = Project::new(&json!({"hooks": {"PreToolUse": [
        {"hooks": [{"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"}]}
    ]}}))?;
    let engine = project.engine()?;
    let outcome = engine.dispatch(project.bash("ls")).await?;
    let failure = outcome.trace()[0].failure.clone().ok_or("no failure")?;
    assert!(failure.message.contains("set_judge"), "{failure:?}");
    assert!(!outcome.blocked());

    engine.set_judge(|question| async move {
        let HostQuestion::Judge { prompt, agent, .. } = question else { return Err("not for me".into()) };
        let safe = !agent && prompt.contains("\"ls\"");
        Ok(json!({"ok": safe, "reason": "it does not look safe"}))
    });
    assert!(!engine.dispatch(project.bash("ls")).await?.blocked());
    let outcome = engine.dispatch(project.bash("rm -rf /")).await?;
    assert!(outcome.blocked());
    assert_eq!(outcome.reason(), Some("it does not look safe"));
    Ok(())
}

#[test]
fn a_judge_that_panics_or_asks_itself_without_end_fails_its_hook_alone() -> Checked {
    let project =
        Project::new(&json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "Safe?"}]}]}}))?;
    let engine = project.engine()?;
    let failure =
        |outcome: &hookweave::Outcome| outcome.trace()[0].failure.clone().map(|failure| failure.message.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;

    engine.set_judge(|_| -> std::future::Ready<Result<Value, hookweave::HookError>> { panic!("at once") });
    let outcome = runtime.block_on(engine.dispatch(project.bash("ls")))?;
    assert_eq!(failure(&outcome).as_deref(), Some("panicked: at once"));

    engine.set_judge(|_| async { panic!("later") });
    let outcome = runtime.block_on(engine.dispatch(project.bash("ls")))?;
    assert_eq!(failure(&outcome).as_deref(), Some("panicked: later"));

    let (again, event) = (engine.clone(), project.bash("ls"));
    engine.set_judge(move |_| {
        let (again, event) = (again.clone(), event.clone());
        async move { Ok(json!({"ok": !again.dispatch(event).await?.blocked(), "reason": "asked again"})) }
    });
    let outcome = runtime.block_on(engine.dispatch(project.bash("ls")))?;
    assert!(!outcome.blocked(), "{:?}", outcome.trace());

    // Without a clock no driver knows when the time is up.
    engine.set_judge(|_| std::future::pending());
    let clockless = tokio::runtime::Builder::new_current_thread().build()?;
    let outcome = clockless.block_on(engine.dispatch(project.bash("ls")))?;
    assert!(failure(&outcome).is_some_and(|why| why.contains("tokio runtime")), "{:?}", outcome.trace());
    Ok(())
}

#[tokio::test]
async fn a_reload_asks_the_hooks_in_force_first() -> Checked {
    let guard = |extra: Option<&str>| {
        let mut hooks = command("PreToolUse", "echo no >&2; exit 2");
        if let Some(extra) = extra {
            hooks["hooks"]["ConfigChange"] = json!([{"hooks": [{"type": "command", "command": extra}]}]);
        }
        hooks
    };
    let project = Project::new(&guard(Some("echo stays >&2; exit 2")))?;
    let engine = project.engine()?;
    project.write(&json!({}))?;
    let kept = engine.reload().await?;
    assert_eq!((kept.kept, engine.list_hooks().len()), (vec!["stays".to_owned()], 2));

    project.write(&guard(None))?;
    std::fs::write(project.settings(), "{ broken")?;
    let broken = engine.reload().await?;
    assert!(broken.kept[0].contains("settings.json"), "{:?}", broken.kept);
    assert_eq!(engine.list_hooks().len(), 2);

    let mut more = guard(Some("echo stays >&2; exit 2"));
    more["hooks"]["Stop"] = json!([{"hooks": [{"type": "command", "command": "true"}]}]);
    project.write(&more)?;
    let grown = engine.reload().await?;
    assert_eq!((grown.added.len(), grown.kept.len(), engine.list_hooks().len()), (1, 0, 3));
    Ok(())
}

#[tokio::test]
async fn what_an_asynchronous_hook_says_late_is_told() -> Checked {
    let command = r#"echo '{"systemMessage": "the tests are green"}'"#;
    let project = Project::new(&json!({"hooks": {"PostToolUse": [
        {"hooks": [{"type": "command", "command": command, "async": true}]}
    ]}}))?;
    let engine = project.engine()?;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    engine.on_late_answer(move |late| ears.lock().unwrap().push(late));
    let event = Event::post_tool_use("Bash", json!({"command": "make"}), json!({"success": true, "output": ""}));
    assert_eq!(engine.dispatch(event).await?.trace()[0].status.as_str(), "detached");
    assert!(engine.drain(LONG).await);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.len(), 1);
    assert_eq!((heard[0].event.as_str(), heard[0].wakes), ("PostToolUse", false));
    assert!(heard[0].answer.to_string().contains("the tests are green"), "{heard:?}");
    Ok(())
}

#[tokio::test]
async fn hooks_find_the_project_of_their_own_file() -> Checked {
    let says = command("PreToolUse", "echo \"$CLAUDE_PROJECT_DIR\" >&2; exit 2");
    let projects = [Project::new(&says)?, Project::new(&says)?];
    let engine = Engine::builder().build()?;
    for project in &projects {
        engine.load(project.settings())?;
    }
    let (first, second) =
        (engine.list_hooks(), projects.each_ref().map(|project| project.dir.path().display().to_string()));
    for (hook, project) in first.iter().zip(second) {
        let outcome = engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "ls"}))).await?;
        assert_eq!(outcome.reason(), Some(project.as_str()), "not the process's directory, and not another file's");
        engine.disable_hook(&hook.id)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_script_that_changed_after_loading_keeps_the_gate_shut() -> Checked {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new(&command("PreToolUse", "\"$CLAUDE_PROJECT_DIR\"/guard.sh"))?;
    let script = project.dir.path().join("guard.sh");
    std::fs::write(&script, "#!/bin/sh\nexit 0\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    let engine = project.engine()?;
    assert!(!engine.dispatch(project.bash("ls")).await?.blocked());
    std::fs::write(&script, "#!/bin/sh\nexit 0 # other\n")?;
    let outcome = engine.dispatch(project.bash("ls")).await?;
    assert!(outcome.blocked());
    assert!(outcome.reason().is_some_and(|reason| reason.contains("guard.sh")), "{:?}", outcome.reason());
    Ok(())
}
