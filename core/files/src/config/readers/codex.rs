//! Codex's `hooks.json` and the `[hooks]` table of its `config.toml`.

use std::time::Duration;

use super::groups::{self, Style};
use crate::config::entry::{Draft, Slot, shell};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::{Loaded, Run, Source};
use hookweave_exec::command::Shell;

/// The longest that a hook at the end of a session may take.
const SESSION_END: Duration = Duration::from_secs(3);

/// Keys of the table that hold no hooks: what a person decided about each, and where an administrator keeps scripts.
const STYLE: Style<groups::Read> = Style { skipped: &["state", "managed_dir", "windows_managed_dir"], handler };

const KINDS: &[(&str, &str)] =
    &[("command", "command"), ("prompt", "prompt"), ("agent", "agent"), ("mcp_tool", "mcp_tool")];

pub(super) fn read_json(text: &str, source: &Source<'_>) -> Loaded {
    read(text, Syntax::Json, source)
}

pub(super) fn read_toml(text: &str, source: &Source<'_>) -> Loaded {
    read(text, Syntax::Toml, source)
}

fn read(text: &str, syntax: Syntax, source: &Source<'_>) -> Loaded {
    Reading::of(text, syntax, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        let only = top.flag("allow_managed_hooks_only");
        reading.switches().managed_only = reading.take(only).flatten();
        if let Some(hooks) = groups::hooks_of(reading, &top) {
            groups::read_events(reading, &hooks, &STYLE);
        }
    })
}

fn handler(reading: &mut Reading<'_>, slot: &mut Slot, entry: &Spot<'_>) -> Take<Option<Draft>> {
    let kind = groups::kind_of(entry, KINDS)?;
    if kind != "command" {
        let spot = entry.given("type").unwrap_or_else(|| entry.clone());
        let why = if kind == "mcp_tool" { "newer versions of Codex alone run" } else { "Codex skips" };
        return Err(spot.wrong(format!("{why} hooks of type {kind}; use a command")).newer());
    }
    let windows = if entry.get("commandWindows").is_some() { "commandWindows" } else { "command_windows" };
    let text = match entry.text(windows)? {
        Some(text) if cfg!(windows) => text,
        _ => entry.required_text("command")?,
    };
    let mut draft = Draft::new(Run::Command(shell(text, Shell::Login)));
    draft.timeout = match entry.duration("timeout", 1.0)? {
        None => entry.duration("timeoutSec", 1.0)?,
        given => given,
    };
    draft.detached = entry.flag("async")?.unwrap_or(false);
    if slot.declared == "SessionEnd" && draft.timeout.is_some_and(|given| given > SESSION_END) {
        reading.remark(entry, "the end of a session waits at most 3 seconds for a hook; 3 seconds are used");
        draft.timeout = Some(SESSION_END);
    }
    Ok(Some(draft))
}
