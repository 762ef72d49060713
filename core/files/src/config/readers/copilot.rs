//! Copilot's hooks files (`.github/hooks/*.json`), which VS Code's agent reads too.

use super::flat;
use crate::config::entry::{Draft, Slot, environment, shell, webhook};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::{Loaded, Run, Source};
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| {
        let Some(top) = reading.object(top) else { return };
        if !flat::version_is_known(reading, &top) {
            return;
        }
        let disabled = top.flag("disableAllHooks");
        reading.switches().disable_all = reading.take(disabled).flatten();
        flat::read_events(reading, &top, read_entry);
    })
}

/// An entry is a handler, or a group of them as Claude Code writes it.
fn read_entry(reading: &mut Reading<'_>, event: &str, entry: &Spot<'_>) -> Take<()> {
    entry.must_be_object()?;
    let matcher = entry.text("matcher")?;
    let spot = entry.get("matcher").unwrap_or_else(|| entry.clone());
    let slot = reading.slot(&spot, event, matcher.as_deref())?;
    let Some(nested) = entry.get("hooks") else { return read_handler(reading, &slot, entry) };
    for handler in nested.items()? {
        let read = handler.must_be_object().and_then(|()| read_handler(reading, &slot, &handler));
        reading.take_on(event, read);
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Kind {
    Command,
    Http,
    Prompt,
}

fn read_handler(reading: &mut Reading<'_>, slot: &Slot, entry: &Spot<'_>) -> Take<()> {
    let kinds = [("command", Kind::Command), ("http", Kind::Http), ("prompt", Kind::Prompt)];
    let run = match entry.kind(&kinds)?.unwrap_or(Kind::Command) {
        Kind::Command => command(reading, entry)?,
        Kind::Http => Run::Webhook(webhook(entry, "allowedEnvVars")?),
        // At home the text of such an entry is submitted as if the user had typed it, which is no hook's answer.
        Kind::Prompt => {
            let spot = entry.given("type").unwrap_or_else(|| entry.clone());
            return Err(spot.wrong("a prompt is submitted, not asked, and only a host can do that; use a command"));
        }
    };
    let mut draft = Draft::new(run);
    draft.timeout = match entry.duration("timeoutSec", 1.0)? {
        None => entry.duration("timeout", 1.0)?,
        given => given,
    };
    reading.declare(entry, slot, draft)
}

fn command(reading: &Reading<'_>, entry: &Spot<'_>) -> Take<Run> {
    let own: &[(&str, Shell)] = if cfg!(windows) {
        &[("windows", Shell::PowerShell), ("powershell", Shell::PowerShell), ("bash", Shell::Bash)]
    } else if cfg!(target_os = "macos") {
        &[("osx", Shell::Bash), ("bash", Shell::Bash)]
    } else {
        &[("linux", Shell::Bash), ("bash", Shell::Bash)]
    };
    let mut found = None;
    for (field, which) in own {
        if found.is_none() && entry.get(field).is_some() {
            found = Some(shell(entry.required_text(field)?, *which));
        }
    }
    let mut spec = match found {
        Some(spec) => spec,
        None if entry.get("exec").is_some() => CommandSpec {
            line: CommandLine::Exec {
                program: entry.required_text("exec")?,
                args: entry.texts("args")?.unwrap_or_default(),
            },
            env: Vec::new(),
            directory: None,
        },
        None if entry.get("command").is_some() => shell(entry.required_text("command")?, Shell::Bash),
        None if entry.get("powershell").is_some() => {
            return Err(entry.wrong("only `powershell` is given, which does not run on this system; add `bash`"));
        }
        None => return Err(entry.wrong("says nothing to run; add `bash` (and `powershell` for Windows)")),
    };
    spec.env = environment(entry)?;
    spec.directory = match entry.text("cwd")? {
        Some(path) => Some(reading.below_project(&path)),
        None => reading.source.project_dir.clone(),
    };
    Ok(Run::Command(spec))
}
