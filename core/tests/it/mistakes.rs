//! Mistakes that are easily made, each with the error that a program gets, in `tests/mistakes/rust.txt`.
//!
//! `UPDATE_GOLDEN=1` writes the file anew. Before you commit it, read each message: it names what is wrong, where, and the fix, in
//! the words of Rust.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hookweave::audit::{Anchor, AuditOptions, Redaction, verify};
use hookweave::{
    ArgTest, Engine, Error, Event, FailBehavior, HookError, HookResponse, LoadRequest, Outcome, PendingApprovals,
    Permission, Scope, ToolDefinition,
};
use serde_json::{Value, json};

/// What is printed in place of the folder of this run.
const FOLDER: &str = "<folder>";

type Refused = Result<String, Box<dyn std::error::Error>>;

fn nothing(_: &Event) {}

fn bash() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

fn message<T>(result: Result<T, Error>) -> Refused {
    match result {
        Ok(_) => Err("it was accepted".into()),
        Err(error) => Ok(format!("{}: {error}", error.code())),
    }
}

/// The failures and notes of a dispatch.
async fn failure(engine: &Engine, event: Event) -> Refused {
    let outcome: Outcome = engine.dispatch(event).await?;
    let failed = |entry: hookweave::TraceEntry<'_>| {
        let failure = entry.failure?;
        Some(format!("{} of hook `{}`: {}", failure.kind, entry.hook, failure.message))
    };
    outcome.trace().into_iter().find_map(failed).ok_or_else(|| "no hook failed".into())
}

/// What answering with it comes to.
async fn answer(response: HookResponse) -> Refused {
    let engine = Engine::new();
    engine.on("PreToolUse").name("guard").run(move |_: &Event| response.clone())?;
    failure(&engine, bash()).await
}

fn on(register: impl FnOnce(&Engine) -> Result<String, Error>) -> Refused {
    message(register(&Engine::new()))
}

async fn dispatched(event: &str, payload: Value) -> Refused {
    message(Engine::new().dispatch(Event::new(event, payload)).await)
}

/// What a dispatch comes to that a hook looks at.
async fn guarded(event: &str, payload: Value) -> Refused {
    let engine = Engine::new();
    engine.on(event).run(nothing)?;
    message(engine.dispatch(Event::new(event, payload)).await)
}

/// The warning about a payload: payloads are open, so that what agents add is no error.
async fn warning(event: &str, payload: Value) -> Refused {
    let engine = Engine::new();
    engine.on(event).name("guard").run(nothing)?;
    engine.dispatch(Event::new(event, payload)).await?;
    engine.stats().warnings.first().map(|warning| format!("warning: {warning}")).ok_or_else(|| "no warning".into())
}

fn file(folder: &Path, name: &str, text: &str) -> Result<PathBuf, std::io::Error> {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
    std::fs::write(&path, text)?;
    Ok(path)
}

/// What loading such a file comes to.
fn loaded(folder: &Path, name: &str, text: &str) -> Refused {
    message(Engine::new().load(file(folder, name, text)?))
}

/// A line of a message without its list of what is known, so that a new name changes nothing here.
fn without_lists(line: &str) -> String {
    let begins = ["known are ", "it has "].iter().find_map(|begin| Some(line.find(begin)? + begin.len()));
    begins.map_or_else(|| line.to_owned(), |place| format!("{}…", &line[..place]))
}

/// Runs each mistake and writes its code beside what came of it.
macro_rules! mistakes {
    ($page:ident, $folder:ident: $($name:literal => $made:expr;)*) => {$(
        let came: Refused = async { $made }.await;
        let came = came.map_err(|why| format!("{}: {why}", $name))?.replace(&*$folder.to_string_lossy(), FOLDER);
        let code = stringify!($made).split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!($page, "## {}\n\n{code}\n", $name)?;
        for line in came.lines() {
            writeln!($page, "    {}", without_lists(line))?;
        }
        writeln!($page)?;
    )*};
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a list of mistakes, one after the other")]
async fn every_mistake_is_named_with_its_place_and_its_fix() -> Result<(), Box<dyn std::error::Error>> {
    let temporary = tempfile::tempdir()?;
    let folder = &temporary.path().canonicalize()?;
    let mut page =
        "Mistakes in Rust, and the errors that they give. Written by core/tests/it/mistakes.rs.\n\n".to_owned();
    mistakes! { page, folder:
        "hook: a misspelt event" => on(|engine| engine.on("PreToolUze").run(nothing));
        "hook: an event of another system" => on(|engine| engine.on("tool:before").run(nothing));
        "hook: no event" => on(|engine| engine.on("").run(nothing));
        "hook: a broken regular expression" => on(|engine| engine.on("PreToolUse").command_pattern("rm (-rf").run(nothing));
        "hook: a broken glob" => on(|engine| engine.on("PreToolUse").path_pattern("src/[a-z").run(nothing));
        "hook: a rule in place of a tool" => on(|engine| engine.on("PreToolUse").tool("Bash(rm *)").run(nothing));
        "hook: an empty tool name" => on(|engine| engine.on("PreToolUse").tool("Bash||Write").run(nothing));
        "hook: a tool for an event without one" => on(|engine| engine.on("SessionStart").tool("Bash").run(nothing));
        "hook: a path for an event without one" => on(|engine| engine.on("Stop").path_pattern("*.env").run(nothing));
        "hook: a command for an event without one" => {
            on(|engine| engine.on("UserPromptSubmit").command_pattern("rm").run(nothing))
        };
        "hook: a source for an event without one" => on(|engine| engine.on("PreToolUse").source("startup").run(nothing));
        "hook: an unclosed rule" => on(|engine| engine.on("PreToolUse").rule("Bash(git *").run(nothing));
        "hook: a rule without its key" => on(|engine| engine.on("PreToolUse").rule("WebFetch(example.com)").run(nothing));
        "hook: an argument without a name" => {
            on(|engine| engine.on("PreToolUse").arg("", ArgTest::Glob("*".into())).run(nothing))
        };
        "hook: a broken test of an argument" => {
            on(|engine| engine.on("PreToolUse").arg("content", ArgTest::Regex("(KEY".into())).run(nothing))
        };
        "hook: a timeout of zero" => on(|engine| engine.on("PreToolUse").timeout(Duration::ZERO).run(nothing));
        "hook: a timeout of years" => {
            on(|engine| engine.on("PreToolUse").timeout(Duration::from_secs(100_000_000)).run(nothing))
        };
        "hook: an empty name" => on(|engine| engine.on("PreToolUse").name(" ").run(nothing));
        "hook: detached, and fails closed" => {
            on(|engine| engine.on("Stop").detached().fail_behavior(FailBehavior::Block).run(nothing))
        };
        "hook: once, and mandatory" => on(|engine| engine.on("PreToolUse").once().mandatory().run(nothing));
        "hook: managed, and not mandatory" => {
            on(|engine| engine.on("PreToolUse").scope(Scope::Managed).not_mandatory().run(nothing))
        };
        "hook: an unknown id" => message(Engine::new().enable_hook("hook-9"));
        "hook: an id that is none" => message(Engine::new().disable_hook("guard"));
        "event: a misspelt name" => dispatched("PretoolUse ", json!({"tool": "Bash", "args": {}})).await;
        "event: a misspelt field" => guarded("PreToolUse", json!({"tool": "Bash", "arg": {"command": "ls"}})).await;
        "event: a misspelt field of what has happened" => {
            warning("PostToolUse", json!({"tool": "Bash", "arg": {"command": "ls"}})).await
        };
        "event: another agent's payload" => {
            guarded("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": "ls"}})).await
        };
        "event: a directory that is no text" => {
            dispatched("PreToolUse", json!({"tool": "Bash", "args": {}, "cwd": ["/srv"]})).await
        };
        "event: a payload that is no object" => dispatched("PreToolUse", json!("ls")).await;
        "event: dispatch_sync inside a runtime" => message(Engine::new().dispatch_sync(bash()));
        "event: a name of the catalogue is defined again" => message(Engine::new().define_event("PreToolUse", true, &[]));
        "event: defined without a name" => message(Engine::new().define_event(" ", true, &[]));
        "answer: the words of another system" => {
            answer(HookResponse::from_json(json!({"permissionDecision": "deny"})).unwrap_or_default()).await
        };
        "answer: a decision that is none" => {
            answer(HookResponse::from_json(json!({"action": "deny", "reason": "no"})).unwrap_or_default()).await
        };
        "answer: a field that does not exist" => {
            answer(HookResponse::from_json(json!({"action": "block", "resaon": "no"})).unwrap_or_default()).await
        };
        "answer: changes a field that is fixed" => {
            answer(HookResponse::continue_().modified(json!({"tool": "Read"}))).await
        };
        "answer: changes by the wrong shape" => answer(HookResponse::continue_().modified(json!("ls"))).await;
        "answer: arguments as text" => answer(HookResponse::continue_().modified(json!({"args": "ls"}))).await;
        "answer: asks with no option" => {
            answer(HookResponse::ask("Sure?").ask_with(json!({"options": []}))).await
        };
        "answer: asks with a misspelt setting" => {
            answer(HookResponse::ask("Sure?").ask_with(json!({"timeuot": 5}))).await
        };
        "answer: a message of an unknown level" => {
            answer(HookResponse::continue_().message_at("critical", "look")).await
        };
        "answer: an injection of an unknown role" => {
            answer(HookResponse::continue_().inject_as("developer", "look", false)).await
        };
        "handler: an error" => {
            let engine = Engine::new();
            engine.on("PreToolUse").name("guard").run(|_: &Event| Err::<(), HookError>("no such user".into()))?;
            failure(&engine, bash()).await
        };
        "handler: a panic" => {
            let engine = Engine::new();
            engine.on("PreToolUse").name("guard").run(|_: &Event| {
                let none: Option<u8> = None;
                assert_eq!(none, Some(1), "there is no user");
            })?;
            failure(&engine, bash()).await
        };
        "handler: a panic after an await" => {
            let engine = Engine::new();
            engine.on("PreToolUse").name("guard").run_async(|_| async {
                tokio::task::yield_now().await;
                assert!(std::env::var_os("HOOKWEAVE_NO_SUCH_VARIABLE").is_some(), "no variable");
            })?;
            failure(&engine, bash()).await
        };
        "handler: too slow" => {
            let engine = Engine::new();
            let limit = Duration::from_millis(20);
            engine.on("PreToolUse").name("guard").timeout(limit).run_async(|_| std::future::pending::<()>())?;
            failure(&engine, bash()).await
        };
        "handler: changes in place what is fixed" => {
            let engine = Engine::new();
            engine.on("PreToolUse").name("guard").run_mut(|ctx: &mut hookweave::HookContext| {
                ctx["tool"] = json!("Read");
            })?;
            failure(&engine, bash()).await
        };
        "engine: a misspelt profile" => message(Engine::builder().profile("shadwo").build());
        "engine: a misspelt setting" => {
            let settings = json!({"default_timout": 5}).as_object().cloned().unwrap_or_default();
            message(Engine::builder().settings(settings).build())
        };
        "engine: a default timeout of zero" => {
            message(Engine::builder().default_timeout(Some(Duration::ZERO)).build())
        };
        "engine: no room for commands" => message(Engine::builder().max_running(0).build());
        "engine: too many hooks" => {
            let engine = Engine::builder().max_hooks_per_event(Some(1)).build()?;
            engine.on("Stop").run(nothing)?;
            message(engine.on("Stop").run(nothing))
        };
        "engine: closed" => {
            let engine = Engine::new();
            engine.close(Duration::from_secs(5)).await;
            message(engine.dispatch(bash()).await)
        };
        "tool: says nothing" => message(Engine::new().define_tool(ToolDefinition::new("sandbox")));
        "tool: a broken schema" => {
            message(Engine::new().define_tool(ToolDefinition::new("sandbox").schema(json!({"type": "objekt"}))))
        };
        "session: a misspelt option" => message(Engine::new().session().set("max_retry", 3).open());
        "session: an option of the wrong type" => message(Engine::new().session().set("max_retries", "three").open());
        "session: a permission that is none" => {
            message(Engine::new().session().set("permissions", json!({"Bash": "never"})).open())
        };
        "session: a permission of a rule" => {
            message(Engine::new().session().permission("Bash(rm *)", Permission::Deny).open())
        };
        "session: an unknown tool" => {
            message(Engine::new().session().open()?.execute_tool("Bsah", json!({})).await)
        };
        "session: no model" => message(Engine::new().session().open()?.generate("hello").await);
        "session: a decision on nothing" => message(PendingApprovals::default().decide("request-7", "Allow once"));
        "file: does not exist" => message(Engine::new().load(folder.join("hooks.json")));
        "file: no JSON" => loaded(folder, ".claude/settings.json", "{\"hooks\": {\"PreToolUse\": [}}");
        "file: a misspelt event" => {
            loaded(folder, ".claude/settings.json", r#"{"hooks": {"PreToolUze": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#)
        };
        "file: a hook without a command" => {
            loaded(folder, ".claude/settings.json", r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command"}]}]}}"#)
        };
        "file: an unknown dialect" => {
            let path = file(folder, "own.json", "{}")?;
            message(Engine::new().load_files(LoadRequest::file(path).dialect("claude")))
        };
        "file: an unknown source" => {
            message(Engine::new().load_files(LoadRequest::places(folder).source("claud-code")))
        };
        "wire: an unknown agent" => {
            message(Event::from_wire("claude", r#"{"hook_event_name": "PreToolUse"}"#))
        };
        "wire: no event" => message(Event::from_wire("claude-code", r#"{"tool_name": "Bash"}"#));
        "audit: a key that is empty" => {
            message(Engine::builder().audit(AuditOptions::file(folder.join("audit.jsonl")).key("")).build())
        };
        "audit: required, and nowhere" => message(Engine::builder().audit(AuditOptions::default().required()).build());
        "audit: a folder in place of the file" => message(Engine::builder().audit(AuditOptions::file(folder)).build());
        "audit: a broken pattern" => {
            let redaction = Redaction::default().pattern("customer-(");
            message(Engine::builder().audit(AuditOptions::file(folder.join("audit.jsonl")).redaction(redaction)).build())
        };
        "audit: no room in the queue" => {
            message(Engine::builder().audit(AuditOptions::file(folder.join("audit.jsonl")).queue(0)).build())
        };
        "audit: a log that does not exist" => message(verify(&folder.join("none.jsonl"), None));
        "audit: an anchor that is none" => message("17".parse::<Anchor>());
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/mistakes/rust.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(golden.parent().unwrap_or(&golden))?;
        std::fs::write(&golden, &page)?;
    }
    let kept = std::fs::read_to_string(&golden)?;
    let place = page.lines().zip(kept.lines()).position(|(now, before)| now != before);
    let place = place.unwrap_or_else(|| page.lines().count().min(kept.lines().count()));
    let [now, before] =
        [&page, &kept].map(|text| text.lines().skip(place.saturating_sub(4)).take(8).collect::<Vec<_>>());
    assert!(
        page == kept,
        "tests/mistakes/rust.txt differs; UPDATE_GOLDEN=1 writes it\nnow:\n{now:#?}\nbefore:\n{before:#?}"
    );
    Ok(())
}
