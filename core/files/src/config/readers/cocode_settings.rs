//! cocode's `settings.json`: the hooks of Claude Code in a flat form, where an entry is its own handler.
//!
//! Claude Code's nested form is refused, as there: cocode then reads none of the file's hooks.

use serde_json::json;

use super::claude::{IF_EVENTS, read_switches_as};
use crate::config::entry::{Draft, shell, webhook};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::tree::Kind;
use crate::config::{Loaded, Run, Source};
use hookweave_exec::command::Shell;

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        let switches = read_switches_as(reading, &top, ["disable_all_hooks", "allow_managed_hooks_only"]);
        reading.take(switches);
        let Some(hooks) = top.get("hooks") else { return };
        let checked = hooks.must_be_object();
        if reading.take(checked).is_none() {
            return;
        }
        for (event, entries) in hooks.fields() {
            if !reading.knows_key(&hooks, &entries, event) {
                continue;
            }
            let listed = entries.items();
            for entry in reading.take_on(event, listed).unwrap_or_default() {
                let read = read_entry(reading, event, &entry);
                reading.take_on(event, read);
            }
        }
    })
}

fn read_entry(reading: &mut Reading<'_>, event: &str, entry: &Spot<'_>) -> Take<()> {
    entry.must_be_object()?;
    if let Some(nested) = entry.get("hooks") {
        return Err(nested.wrong(
            "is Claude Code's form, and cocode reads no hook of a file that has it; write the handler into the entry: \
             {\"matcher\": \"Bash\", \"type\": \"command\", \"command\": \"…\"}",
        ));
    }
    let (spot, matcher) = matcher(entry)?;
    let mut slot = reading.slot(&spot, event, matcher.as_deref())?;
    if let Some(rule) = entry.text("if")? {
        let spot = entry.given("if").unwrap_or_else(|| entry.clone());
        if !IF_EVENTS.contains(&event) {
            let on = IF_EVENTS.join(", ");
            return Err(spot.wrong(format!("a hook with `if` never runs on {event}, only on {on}; take `if` out")));
        }
        slot.compiles = false;
        slot.matcher.rule = Some(rule.as_str().into());
        // The rule means what it means there, also where no matcher has said whose names it has.
        slot.matcher.naming.get_or_insert("claude-code");
        slot.written = json!({"matcher": slot.written, "if": rule});
    }
    let mut draft = Draft::new(run(entry)?);
    draft.timeout = match entry.duration("timeout_ms", 0.001)? {
        Some(own) => Some(own),
        None => entry.duration("timeout", 1.0)?,
    };
    draft.priority = priority(entry)?;
    draft.once = entry.flag("once")?.unwrap_or(false);
    draft.wakes = entry.flag("async_rewake")?.unwrap_or(false);
    draft.detached = entry.flag("async")?.unwrap_or(false) || draft.wakes;
    reading.declare(entry, &slot, draft)
}

/// The matcher as a text, or as an object with the tool's name.
fn matcher<'n>(entry: &Spot<'n>) -> Take<(Spot<'n>, Option<String>)> {
    match entry.get("matcher") {
        None => Ok((entry.clone(), None)),
        Some(spot) if matches!(spot.node.kind, Kind::Object(_)) => {
            let tool = spot.text("tool_name")?;
            Ok((spot, tool))
        }
        Some(spot) => Ok((spot, entry.text("matcher")?)),
    }
}

fn run(entry: &Spot<'_>) -> Take<Run> {
    let kinds = [("command", "command"), ("http", "http"), ("prompt", "prompt"), ("agent", "agent")];
    let kind = entry.kind(&kinds)?.unwrap_or("command");
    Ok(match kind {
        "http" => {
            let allowed = if entry.get("allowedEnvVars").is_some() { "allowedEnvVars" } else { "allowed_env_vars" };
            Run::Webhook(webhook(entry, allowed)?)
        }
        "prompt" | "agent" => Run::Prompt {
            text: entry.required_text("prompt")?,
            model: entry.text("model")?,
            agent: kind == "agent",
            continue_on_block: kind == "agent",
        },
        _ => {
            let which = entry.word("shell", &[("bash", Shell::Bash), ("powershell", Shell::PowerShell)])?;
            Run::Command(shell(entry.required_text("command")?, which.unwrap_or(Shell::Posix)))
        }
    })
}

fn priority(entry: &Spot<'_>) -> Take<i32> {
    let Some(spot) = entry.get("priority") else { return Ok(0) };
    let number = match &spot.node.kind {
        Kind::Number(number) => number.as_i64().and_then(|number| i32::try_from(number).ok()),
        _ => None,
    };
    number.ok_or_else(|| spot.wrong("must be a whole number between -2147483648 and 2147483647"))
}
