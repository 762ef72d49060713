//! Cursor's `hooks.json`.

use std::path::{Path, PathBuf};

use super::flat;
use crate::config::entry::{Draft, shell};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::{Loaded, Run, Source};
use hookweave_exec::command::Shell;
use hookweave_machine::hook::{FailBehavior, Scope};

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        if flat::version_is_known(reading, &top) {
            flat::read_events(reading, &top, read_entry);
        }
    })
}

fn read_entry(reading: &mut Reading<'_>, event: &str, entry: &Spot<'_>) -> Take<()> {
    entry.must_be_object()?;
    let matcher = entry.text("matcher")?;
    let spot = entry.get("matcher").unwrap_or_else(|| entry.clone());
    let slot = reading.slot(&spot, event, matcher.as_deref())?;
    let prompt = entry.kind(&[("command", false), ("prompt", true)])?.unwrap_or(false);
    let run = if prompt {
        Run::Prompt {
            text: entry.required_text("prompt")?,
            model: entry.text("model")?,
            agent: false,
            continue_on_block: false,
        }
    } else {
        let mut spec = shell(entry.required_text("command")?, Shell::Posix);
        spec.directory = directory(reading.source);
        Run::Command(spec)
    };
    let mut draft = Draft::new(run);
    draft.timeout = entry.duration("timeout", 1.0)?;
    if entry.flag("failClosed")? == Some(true) {
        draft.fail_behavior = Some(FailBehavior::Block);
    }
    if entry.given("loop_limit").is_some() {
        reading.remark(entry, "`loop_limit` is ignored; a session keeps an agent from stopping at most 8 times");
    }
    reading.declare(entry, &slot, draft)
}

/// Hooks of a project run in its directory, others beside the file that declares them.
fn directory(source: &Source<'_>) -> Option<PathBuf> {
    match source.scope {
        Scope::Managed | Scope::User => source.file.parent().map(Path::to_path_buf),
        _ => source.project_dir.clone(),
    }
}
