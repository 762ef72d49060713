//! Outcomes as text for a person, and as data that stays the same from run to run.

use hookweave::{Engine, Event, HookError, HookResponse, Outcome, Stand};
use serde_json::{Value, json};

fn engine() -> Engine {
    let engine = Engine::new();
    engine.on("PreToolUse").name("log").run(|_: &Event| HookResponse::continue_().message("seen")).unwrap();
    engine
        .on("PreToolUse")
        .name("fix")
        .run(|event: &Event| {
            let command = event.args()["command"].as_str().unwrap_or_default().replace("sudo ", "");
            HookResponse::continue_().modified(json!({"args": {"command": command}}))
        })
        .unwrap();
    engine.on("PreToolUse").name("broken").run(|_: &Event| Err::<HookResponse, _>(HookError::from("no disk"))).unwrap();
    engine.on("PreToolUse").name("writes").tool("Write").run(|_: &Event| HookResponse::continue_()).unwrap();
    engine.on("PreToolUse").name("guard").run(|_: &Event| HookResponse::block("never\u{1b}[2K this\nway")).unwrap();
    engine.on("PreToolUse").name("late").run(|_: &Event| HookResponse::continue_()).unwrap();
    engine
}

async fn dispatched(command: &str) -> Outcome {
    engine().dispatch(Event::pre_tool_use("Bash", json!({"command": command}))).await.unwrap()
}

#[tokio::test]
async fn a_description_says_who_decided_and_what_became_of_every_hook() {
    let text = dispatched("sudo ls").await.describe();
    let expected = "\
PreToolUse of Bash: block by `guard`: never\\u{1b}[2K this\\nway
  args: {\"command\":\"ls\"}  (came as {\"command\":\"sudo ls\"})
hooks:
  log     ran           continue
  fix     ran           continue; changed args
  broken  failed        raised, so the action continues: no disk
  guard   ran           block: never\\u{1b}[2K this\\nway
  late    skipped       blocked by `guard`
  writes  not selected  tool `Bash` does not match `Write`
message (info) of `log`: seen
";
    assert_eq!(text, expected);
}

#[tokio::test]
async fn a_description_of_an_event_that_nobody_waits_for_says_so() {
    let text = Engine::new().dispatch(Event::new("SessionEnd", json!({"reason": "logout"}))).await.unwrap().describe();
    assert_eq!(text, "SessionEnd: continue\n  reason: \"logout\"\n  the event has no hooks\n");
}

#[tokio::test]
async fn long_values_are_cut() {
    let text = dispatched(&"x".repeat(10_000)).await.describe();
    assert!(text.len() < 3000, "{text}");
    assert!(text.contains("more letters)"), "{text}");
}

#[tokio::test]
async fn a_snapshot_is_the_same_from_run_to_run() {
    let (first, second) = (dispatched("sudo ls").await.snapshot(&[]), dispatched("sudo ls").await.snapshot(&[]));
    assert_eq!(first, second);
    assert_eq!(first["by"], "guard");
    assert_eq!(first["modified"], json!({"args": {"command": "ls"}}));
    assert_eq!(first["hooks"][1], json!({"hook": "fix", "status": "ran", "action": "continue", "modified": ["args"]}));
    assert_eq!(first["unmatched"], json!([{"hook": "writes", "why": "tool `Bash` does not match `Write`"}]));
    assert_eq!(first.get("feedback"), None, "what is empty is left out");
}

async fn renamed(reason: &str) -> Value {
    let engine = Engine::new();
    let reason = reason.to_owned();
    engine.on("PreToolUse").run(move |_: &Event| HookResponse::block(reason.clone())).unwrap();
    let outcome = engine.dispatch(Event::pre_tool_use("Bash", json!({}))).await.unwrap();
    let stand = |text: &str, name: &str, with_child| Stand { text: text.into(), name: name.into(), with_child };
    let stands =
        [stand("/tmp", "<tmp>", true), stand("/tmp/p/project", "<project>", false), stand("/", "<root>", false)];
    outcome.snapshot(&stands)["reason"].clone()
}

#[tokio::test]
async fn what_differs_from_run_to_run_gets_a_name() {
    assert_eq!(renamed("cannot read /tmp/p/project/a.txt").await, "cannot read <project>/a.txt");
    assert_eq!(renamed("cannot read /tmp/pytest-12.x_y/a.txt, /tmp").await, "cannot read <tmp>/a.txt, <tmp>");
    assert_eq!(renamed("cannot read /tmpfiles or /a/tmp").await, "cannot read /tmpfiles or /a/tmp");
    assert_eq!(renamed("/tmp/p/projects").await, "<tmp>/projects");
}
