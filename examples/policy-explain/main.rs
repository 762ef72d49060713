//! Several hooks watch over one call: which of them look at it, in which order, and why the others do not.
#![allow(clippy::print_stdout, reason = "what it prints is what the program is for")]

use hookweave::{Engine, Error, Event, FailBehavior, HookResponse, Outcome};
use serde_json::{Value, json};

fn engine() -> Result<Engine, Error> {
    let engine = Engine::new();
    let on = |name: &str| engine.on("PreToolUse").name(name);

    // Sees every call first.
    on("audit").priority(-100).run(|_| ())?;
    // Protects what others have fetched.
    on("no-force")
        .rule("Bash(git push --force*)")
        .fail_behavior(FailBehavior::Block)
        .run(|_| HookResponse::block("others have this history already; use git revert"))?;
    // Nothing leaves the machine unasked.
    on("ask-before-push").rule("Bash(git push *)").priority(10).run(|_| HookResponse::ask("Publish these commits?"))?;
    // Keeps files with secrets as they are.
    on("protect-secrets")
        .path_pattern("**/.env*")
        .fail_behavior(FailBehavior::Block)
        .run(|_| HookResponse::block("files with secrets stay as they are"))?;
    // Switched on before a release.
    let freeze = on("freeze").tool("Edit|Write").run(|_| HookResponse::block("no changes before the release"))?;
    engine.disable_hook(&freeze)?;
    Ok(engine)
}

/// What each hook would make of a call; none of them is run.
fn explain(engine: &Engine, call: &Event) -> Result<(), Error> {
    for hook in engine.explain(call)?.hooks {
        let why = if hook.matched { "looks at it" } else { hook.why.as_deref().unwrap_or_default() };
        println!("  {:>4}  {:<17}{why}", hook.priority, hook.hook);
    }
    Ok(())
}

/// What came of it, and what each hook that ran had to say.
fn decided(outcome: &Outcome) {
    let asks = outcome.asks();
    let asked = asks.first().and_then(|ask| ask.part.prompt.as_deref());
    println!("  {}: {}", outcome.decision().as_str(), outcome.reason().or(asked).unwrap_or_default());
    for entry in outcome.trace() {
        println!("    {} {}: {}", entry.hook, entry.status.as_str(), entry.why.unwrap_or(entry.action.as_str()));
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let engine = engine()?;
    for (tool, args) in [
        ("Bash", json!({"command": "cd shop && git push --force origin main"})),
        ("Bash", json!({"command": "git push origin main"})),
        ("Write", json!({"file_path": "src/../.env.local", "content": "KEY=1"})),
    ] {
        let about = args.get("command").or_else(|| args.get("file_path")).and_then(Value::as_str);
        println!("{tool} {}", about.unwrap_or_default());
        let call = Event::pre_tool_use(tool, args);
        explain(&engine, &call)?;
        decided(&engine.dispatch(call).await?);
    }
    Ok(())
}
