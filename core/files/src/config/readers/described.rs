//! Settings files of systems that a file of data describes: Claude Code's shape, or a list, with the keys that the system has.

use super::claude::read_as;
use super::groups::{self, Style};
use super::listed::read_list;
use crate::config::entry::{Draft, Slot, environment, shell, webhook};
use crate::config::reading::{Reading, Spot, Syntax, Take, bounded};
use crate::config::{Loaded, Run, Source};
use hookweave_dialects::NEVER_CLOSED;
use hookweave_dialects::described::System;
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};
use hookweave_machine::hook::FailBehavior;

pub(super) fn read(text: &str, source: &Source<'_>, system: &'static System) -> Loaded {
    if system.entries.is_list {
        return Reading::of(text, Syntax::Toml, source, |reading, top| {
            read_list(reading, top, |reading, entry, event| read_listed(reading, entry, event, system));
        });
    }
    let handler = |reading: &mut Reading<'_>, slot: &mut Slot, entry: &Spot<'_>| handler(reading, slot, entry, system);
    read_as(text, source, &Style { skipped: system.entries.beside_events, handler })
}

fn read_listed(reading: &mut Reading<'_>, entry: &Spot<'_>, event: &str, system: &System) -> Take<()> {
    let matcher = entry.text("matcher")?;
    let spot = entry.get("matcher").unwrap_or_else(|| entry.clone());
    let slot = reading.slot(&spot, event, matcher.as_deref())?;
    match handler(reading, &slot, entry, system)? {
        Some(draft) => reading.declare(entry, &slot, draft),
        None => Ok(()),
    }
}

fn handler(reading: &mut Reading<'_>, slot: &Slot, entry: &Spot<'_>, system: &System) -> Take<Option<Draft>> {
    let kinds: Vec<(&str, &str)> = system.entries.kinds.iter().map(|kind| (*kind, *kind)).collect();
    let has = |key: &str| system.entries.keys.contains(&key);
    let kind =
        if system.entries.untyped { entry.kind(&kinds)?.unwrap_or("command") } else { groups::kind_of(entry, &kinds)? };
    let mut draft = Draft::new(match kind {
        "http" => Run::Webhook(webhook(entry, "allowedEnvVars")?),
        "prompt" | "agent" => Run::Prompt {
            text: entry.required_text("prompt")?,
            model: entry.text("model")?,
            agent: kind == "agent",
            continue_on_block: true,
        },
        _ => Run::Command(command(entry, system)?),
    });
    if has("name") {
        draft.name = entry.text("name")?.filter(|name| !name.trim().is_empty());
    }
    if has("async") && kind == "command" {
        draft.detached = entry.flag("async")?.unwrap_or(false);
    }
    draft.timeout = timeout(entry, system)?;
    if let Some((key, value)) = system.entries.fails_closed {
        let closes = entry.text(key)?.is_some_and(|given| given == value);
        let never = draft.detached || NEVER_CLOSED.contains(&slot.event.name());
        if closes && never {
            let what = if draft.detached { "a hook in the background" } else { slot.event.name() };
            reading.remark(entry, format!("`{key}` does not count for {what}; after a failure the agent continues"));
        } else if closes {
            draft.fail_behavior = Some(FailBehavior::Block);
        }
    }
    Ok(Some(draft))
}

fn command(entry: &Spot<'_>, system: &System) -> Take<CommandSpec> {
    let has = |key: &str| system.entries.keys.contains(&key);
    let text = entry.required_text("command")?;
    let usual = if system.entries.uses_bash { Shell::Bash } else { Shell::Posix };
    let words = [("bash", Shell::Bash), ("powershell", Shell::PowerShell)];
    let which = if has("shell") { entry.word("shell", &words)? } else { None };
    let args = if has("args") { entry.texts("args")? } else { None };
    let mut spec = match args {
        Some(args) => CommandSpec { line: CommandLine::Exec { program: text, args }, env: Vec::new(), directory: None },
        None => shell(text, which.unwrap_or(usual)),
    };
    if has("env") {
        spec.env = environment(entry)?;
    }
    Ok(spec)
}

/// The entry's own time, in the system's unit.
fn timeout(entry: &Spot<'_>, system: &System) -> Take<Option<std::time::Duration>> {
    if entry.duration("timeout", 1.0)?.is_none() {
        return Ok(None);
    }
    let Some(spot) = entry.given("timeout") else { return Ok(None) };
    let value = spot.node.to_value().as_f64().unwrap_or(f64::INFINITY);
    bounded(system.seconds(value)).map(Some).map_err(|why| spot.wrong(why))
}
