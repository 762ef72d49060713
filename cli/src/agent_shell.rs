//! Whether an agent runs this command: what a person decides is refused then.

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

/// Refuses a command that decides what agents may do where an agent runs it. Nothing on the command line changes that: the
/// agent writes it. A dry run decides nothing.
pub(crate) fn refuse(command: &str, how: How) -> Result<()> {
    let found =
        VARIABLES.iter().find(|(variable, _)| std::env::var_os(variable).is_some_and(|value| !value.is_empty()));
    match found {
        Some((variable, agent)) if !how.dry_run => Err(Failed::new(format!(
            "`hookweave {command}` decides what agents may do, and this is a shell of {agent} (`{variable}` is set); a person \
             runs it in a terminal of their own"
        ))),
        _ => Ok(()),
    }
}
