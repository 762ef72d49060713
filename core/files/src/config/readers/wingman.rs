//! Wingman's `wingman.config.json` and the `agent.json` of its agents.

use super::groups::{self, Style};
use crate::config::entry::{Draft, Slot, shell};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::{Loaded, Run, Source};
use hookweave_exec::command::Shell;

const STYLE: Style<groups::Read> = Style { skipped: &[], handler };

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::Json, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        let (newer, older) = (top.get("toolHooks"), top.get("hooks"));
        if newer.is_some() && older.is_some() {
            reading.remark(&top, "both `toolHooks` and `hooks` are given; only `toolHooks`, the newer name, counts");
        }
        let Some(hooks) = newer.or(older) else { return };
        let checked = hooks.must_be_object();
        if reading.take(checked).is_some() {
            groups::read_events(reading, &hooks, &STYLE);
        }
    })
}

fn handler(_reading: &mut Reading<'_>, slot: &mut Slot, entry: &Spot<'_>) -> Take<Option<Draft>> {
    groups::kind_of(entry, &[("command", ())])?;
    let mut draft = Draft::new(Run::Command(shell(entry.required_text("command")?, Shell::Posix)));
    draft.timeout = entry.duration("timeout", 1.0)?;
    draft.clamped = true;
    // Only a hook before a tool is waited for.
    draft.detached = slot.declared != "PreToolUse";
    Ok(Some(draft))
}
