//! What dispatches leave in a recording, in processes of their own: the environment says where, once for each process.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use hookweave::audit::{AuditOptions, Redaction};
use hookweave::{Engine, Event, HookResponse};
use hookweave_host::audit::recording::{FILE, MAX_BYTES, Recorded, Recorder, SECRETS};
use serde_json::{Value, json};

/// What the test's own program does when it is started as one of those processes.
const ROLE: &str = "HOOKWEAVE_RECORDING_ROLE";

/// A secret in each of the forms that the audit's rules know: by its own form, and by the name above it.
const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn run(role: &str, environment: &[(&str, &str)]) -> ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["recording::role", "--exact", "--nocapture", "--ignored"])
        .env_remove(FILE)
        .env(ROLE, role)
        .envs(environment.iter().copied())
        .stdout(Stdio::null())
        .status()
        .unwrap()
}

fn recorded(role: &str, more: &[(&str, &str)]) -> Vec<Recorded> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.jsonl");
    let mut environment = vec![(FILE, file.to_str().unwrap())];
    environment.extend(more);
    assert!(run(role, &environment).success());
    read(&file)
}

fn read(file: &Path) -> Vec<Recorded> {
    std::fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn dispatch(engine: &Engine, event: &str, payload: Value) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(engine.dispatch(Event::new(event, payload))).unwrap();
}

fn bash(command: &str) -> Value {
    json!({"tool": "Bash", "args": {"command": command}, "session_id": "s"})
}

#[test]
#[ignore = "a part of other tests, which start it as a process of its own"]
fn role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let engine = Engine::new();
    match role.as_str() {
        "usual" => {
            dispatch(&engine, "PreToolUse", bash("nobody is asked"));
            engine.on("PreToolUse").name("watch").run(|_: &Event| None::<HookResponse>).unwrap();
            dispatch(&engine, "PreToolUse", bash("ls"));
            engine.on("PreToolUse").name("guard").run(|_: &Event| Some(HookResponse::block("not here"))).unwrap();
            dispatch(&engine, "PreToolUse", bash("rm -r /"));
            dispatch(&engine, "SessionStart", json!({"source": "startup"}));
        }
        "changes" => {
            engine
                .on("PreToolUse")
                .name("rewrite")
                .run(|_: &Event| Some(HookResponse::continue_().modified(json!({"args": {"command": "ls -l"}}))))
                .unwrap();
            dispatch(&engine, "PreToolUse", bash("ls"));
        }
        "secrets" => {
            let own = Redaction::default().pattern("house-[0-9]+");
            let log = std::env::var("LOG").unwrap();
            engine.configure_audit(AuditOptions::file(log).redaction(own)).unwrap();
            let args = json!({"command": format!("echo {SECRET} house-42"), "password": "hunter2"});
            dispatch(&engine, "PreToolUse", json!({"tool": "Bash", "args": args}));
            // Closing the log of a client does not end the recording.
            engine.audit().close(std::time::Duration::from_secs(5));
            dispatch(&engine, "PreToolUse", json!({"tool": "Bash", "args": {"command": SECRET}}));
        }
        "agent" => agent(&engine),
        "many" => {
            for number in 0..200 {
                dispatch(&engine, "PreToolUse", bash(&format!("echo {number} {}", "x".repeat(200))));
            }
        }
        role => unreachable!("{role}"),
    }
}

/// The same as `tests/recordings/agent.py` and `agent.mjs`, event for event.
fn agent(engine: &Engine) {
    let bash = |args: Value| {
        let payload = json!({"session_id": "s", "tool": "Bash", "tool_use_id": "t", "args": args});
        dispatch(engine, "PreToolUse", payload);
    };
    dispatch(engine, "UserPromptSubmit", json!({"session_id": "s", "prompt": "nobody is asked: ä 🎉"}));
    engine.on("PreToolUse").name("watch").run(|_: &Event| None::<HookResponse>).unwrap();
    engine.load(std::env::var("POLICY").unwrap()).unwrap();
    bash(json!({"command": "ls", "limit": 10, "share": 0.5}));
    bash(json!({"command": "git push --force"}));
    bash(json!({"command": "deploy --token=s3cretpassword", "password": "hunter2"}));
    let rewrite = |_: &Event| Some(HookResponse::continue_().modified(json!({"args": {"command": "ls -l"}})));
    engine.on("PreToolUse").name("rewrite").command_pattern("^ls").run(rewrite).unwrap();
    bash(json!({"command": "ls"}));
    engine.on("PreToolUse").name("guard").tool("Write").run(|_: &Event| Some(HookResponse::block("not here"))).unwrap();
    let write = json!({"session_id": "s", "tool": "Write", "tool_use_id": "t", "args": {"file_path": "a"}});
    dispatch(engine, "PreToolUse", write);
}

#[test]
fn an_agent_leaves_what_the_same_agent_leaves_in_other_languages() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let policy = root.join("cli/tests/projects/guarded/hookweave.toml");
    let mut lines = recorded("agent", &[("POLICY", policy.to_str().unwrap())]);
    for line in &mut lines {
        line.time_ms = 0;
    }
    assert_eq!(lines, read(&root.join("tests/recordings/expected.jsonl")));
}

#[test]
fn every_dispatch_is_recorded_with_what_came_of_it() {
    let lines = recorded("usual", &[]);
    let recorded: Vec<_> = lines
        .iter()
        .map(|line| {
            let hooks: Vec<_> = line.came.hooks.iter().map(|(name, came)| format!("{name} {came}")).collect();
            (line.event.as_str(), line.came.decision.as_str(), hooks.join(", "), line.came.answered_in_code.join(", "))
        })
        .collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        recorded,
        [
            ("PreToolUse", "continue", text(""), text("")),
            ("PreToolUse", "continue", text("watch continue"), text("")),
            ("PreToolUse", "block", text("watch continue, guard block"), text("guard")),
            ("SessionStart", "continue", text(""), text("")),
        ]
    );
    let second = lines.get(1).unwrap();
    assert_eq!(Value::Object(second.payload.clone()), bash("ls"));
    assert_eq!(second.came.in_code, ["watch"]);
    assert_eq!(lines.get(2).unwrap().came.reason.as_deref(), Some("not here"));
}

#[test]
fn the_event_is_recorded_as_it_came_and_changes_as_they_became() {
    let lines = recorded("changes", &[]);
    let [line] = lines.as_slice() else { panic!("one dispatch: {lines:?}") };
    assert_eq!(Value::Object(line.payload.clone()), bash("ls"));
    assert_eq!(Value::Object(line.came.modified.clone()), json!({"args": {"command": "ls -l"}}));
    assert_eq!(line.came.answered_in_code, ["rewrite"]);
}

#[test]
fn secrets_are_blacked_out_by_the_audits_rules_and_the_clients_own() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("audit.jsonl");
    let log = ("LOG", log.to_str().unwrap());
    let lines = recorded("secrets", &[log]);
    let text = serde_json::to_string(&lines).unwrap();
    assert_eq!(lines.len(), 2, "{text}");
    for secret in [SECRET, "hunter2", "house-42"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(lines.iter().all(Recorded::is_redacted), "{text}");
    let text = serde_json::to_string(&recorded("secrets", &[log, (SECRETS, "1")])).unwrap();
    for secret in [SECRET, "hunter2", "house-42"] {
        assert!(text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn a_recording_stays_as_small_as_was_said_and_says_that_it_ended() {
    let lines = recorded("many", &[(MAX_BYTES, "10000")]);
    assert!((20..40).contains(&lines.len()), "{}", lines.len());
    let last = lines.last().unwrap();
    assert_eq!(last.left_out.as_deref(), Some("the file may have 10000 bytes; nothing more was recorded"));
    assert!(last.payload.is_empty());
    assert!(lines.iter().rev().skip(1).all(|line| line.left_out.is_none()));
}

#[test]
fn several_processes_write_whole_lines_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runs.jsonl");
    let path = file.to_str().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(run("many", &[(FILE, path)]).success()));
        }
    });
    assert_eq!(read(&file).len(), 800);
}

#[test]
fn a_file_that_cannot_be_recorded_to_changes_nothing_for_the_program() {
    assert!(run("usual", &[(FILE, "/nowhere/at/all.jsonl")]).success());
}

#[test]
fn only_a_regular_file_is_recorded_to() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for refused in [&link, &pipe, &folder.path().to_path_buf(), &Path::new("/dev/null").to_path_buf()] {
        assert!(Recorder::open(refused, false, 1).is_err(), "{}", refused.display());
    }
    assert!(!target.exists());
    drop(Recorder::open(&target, false, 1).unwrap());
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
}
