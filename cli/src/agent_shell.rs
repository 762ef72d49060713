//! Whether an agent runs this command: what a person decides is refused then.

use std::ffi::OsString;

use crate::change::How;
use crate::failed::{Failed, Result};

/// Variables that agents set in the commands that they run, and whose they are.
const VARIABLES: &[(&str, &str)] = &[
    ("CLAUDECODE", "Claude Code"),
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("CODEX_THREAD_ID", "Codex"),
    ("COPILOT_AGENT_SESSION_ID", "Copilot"),
    ("COPILOT_CLI", "Copilot"),
    ("CURSOR_AGENT", "Cursor"),
    ("GEMINI_CLI", "Gemini CLI"),
];

/// How many processes above this one are looked at. Only numbers that are given a second time meanwhile make so many.
const MAX_ANCESTORS: usize = 4096;

/// Refuses a command that decides what agents may do where an agent runs it. Nothing on the command line changes that:
/// the agent writes it. A dry run decides nothing.
pub(crate) fn refuse(command: &str, how: How) -> Result<()> {
    if how.dry_run {
        return Ok(());
    }
    let own = variable(std::env::var_os).map(|found| (found, "is set".to_owned()));
    // Whoever takes the variable out of the environment does so for what it starts, and still has it.
    let found = own.or_else(|| {
        ancestors().find_map(|id| {
            let environment = std::fs::read(format!("/proc/{id}/environ")).ok()?;
            let found = variable(|name| value_in(&environment, name))?;
            Some((found, format!("is set in process {id}, which this one descends from")))
        })
    });
    let Some(((variable, agent), place)) = found else { return Ok(()) };
    Err(Failed::new(format!(
        "`hookweave {command}` decides what agents may do, and this is a shell of {agent} (`{variable}` {place}); a \
         person runs it in a terminal of their own"
    )))
}

/// The first variable of an agent that an environment has, and whose it is.
fn variable(value: impl Fn(&'static str) -> Option<OsString>) -> Option<(&'static str, &'static str)> {
    VARIABLES.iter().find(|(name, _)| value(name).is_some_and(|value| !value.is_empty())).copied()
}

/// The processes above this one but for the first of the system. Only Linux shows them: elsewhere there are none.
fn ancestors() -> impl Iterator<Item = u32> {
    let above = std::iter::successors(parent(std::process::id()), |id| parent(*id));
    above.take_while(|id| *id > 1).take(MAX_ANCESTORS)
}

/// The process that a process was started by.
fn parent(id: u32) -> Option<u32> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    let text = String::from_utf8_lossy(&stat);
    // The name stands in parentheses, and holds any bytes that its program likes.
    let (_, behind_name) = text.rsplit_once(')')?;
    behind_name.split_whitespace().nth(1)?.parse().ok()
}

/// A variable's value in the environment that a process was started with.
fn value_in(environment: &[u8], name: &str) -> Option<OsString> {
    environment.split(|byte| *byte == 0).find_map(|entry| {
        let value = entry.strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned().into())
    })
}
