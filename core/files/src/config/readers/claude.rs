//! Claude Code's settings files, and the `hooks/hooks.json` of its plugins.

use std::time::Duration;

use serde_json::json;

use super::groups::{self, Handler, Style};
use crate::config::entry::{Draft, Slot, environment, mcp_tool, shell, webhook};
use crate::config::reading::{Reading, Spot, Syntax, Take};
use crate::config::variables::is_place;
use crate::config::{Loaded, Run, Source};
use hookweave_dialects::NEVER_CLOSED;
use hookweave_exec::command::{CommandLine, CommandSpec, Shell};
use hookweave_machine::hook::FailBehavior;

/// Events on which a hook's `if` is looked at; elsewhere such a hook never runs.
pub(in crate::config) const IF_EVENTS: &[&str] = &[
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "PreSkillShellCommand",
];

/// Kinds of handlers.
const KINDS: &[(&str, &str)] =
    &[("command", "command"), ("http", "http"), ("mcp_tool", "mcp_tool"), ("prompt", "prompt"), ("agent", "agent")];

/// Events on which a model or an agent can be asked.
const ASKING_EVENTS: &[&str] = &[
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PreSkillShellCommand",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStop",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "Stop",
];

/// How far a hook's own timeout raises what the end of a session waits.
const SESSION_END: Duration = Duration::from_secs(60);

/// Events on which only commands and MCP tools run.
const LOCAL_EVENTS: &[&str] = &["SessionStart", "Setup"];

pub(super) fn read(text: &str, source: &Source<'_>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| {
        read_top(reading, top, &Style { skipped: &[], handler });
        // A plugin has no settings.
        if source.plugin.is_none() {
            read_variables(reading, top);
        }
    })
}

/// The variables that the settings set for all that the agent starts. What the system itself sets is not among them.
fn read_variables(reading: &mut Reading<'_>, top: &Spot<'_>) {
    match environment(top) {
        Ok(mut variables) => {
            variables.retain(|(name, _)| !is_place(name));
            if !variables.is_empty() {
                reading.give_variables(&variables);
            }
        }
        Err(wrong) => reading.refuse(wrong.newer()),
    }
}

/// Reads a file of this shape.
pub(super) fn read_as<H: Handler>(text: &str, source: &Source<'_>, style: &Style<H>) -> Loaded {
    Reading::of(text, Syntax::JsonWithComments, source, |reading, top| read_top(reading, top, style))
}

fn read_top<H: Handler>(reading: &mut Reading<'_>, top: &Spot<'_>, style: &Style<H>) {
    let Some(top) = reading.object(top) else { return };
    let switches = read_switches(reading, &top);
    reading.take(switches);
    if let Some(hooks) = groups::hooks_of(reading, &top) {
        groups::read_events(reading, &hooks, style);
    }
}

fn read_switches(reading: &mut Reading<'_>, top: &Spot<'_>) -> Take<()> {
    read_switches_as(reading, top, ["disableAllHooks", "allowManagedHooksOnly"])
}

/// The switches of a file that names the first two in its own way.
pub(super) fn read_switches_as(reading: &mut Reading<'_>, top: &Spot<'_>, names: [&str; 2]) -> Take<()> {
    let [disable_all, managed_only] = names;
    let (disable_all, managed_only) = (top.flag(disable_all)?, top.flag(managed_only)?);
    let allowed_urls = top.texts("allowedHttpHookUrls")?;
    let allowed_env = top.texts("httpHookAllowedEnvVars")?;
    let switches = reading.switches();
    switches.disable_all = disable_all;
    switches.managed_only = managed_only;
    switches.allowed_urls = allowed_urls;
    switches.allowed_env = allowed_env;
    Ok(())
}

fn handler(reading: &mut Reading<'_>, slot: &mut Slot, entry: &Spot<'_>) -> Take<Option<Draft>> {
    let kind = groups::kind_of(entry, KINDS)?;
    let event = slot.declared.clone();
    let asking = matches!(kind, "prompt" | "agent");
    if asking && !ASKING_EVENTS.contains(&event.as_str()) || kind == "http" && LOCAL_EVENTS.contains(&event.as_str()) {
        let spot = entry.given("type").unwrap_or_else(|| entry.clone());
        return Err(spot.wrong(format!("hooks of type {kind} do not run on {event}; use a command")));
    }
    if let Some(rule) = entry.text("if")? {
        let spot = entry.given("if").unwrap_or_else(|| entry.clone());
        if !IF_EVENTS.contains(&event.as_str()) {
            let on = IF_EVENTS.join(", ");
            return Err(spot.wrong(format!("a hook with `if` never runs on {event}, only on {on}; take `if` out")));
        }
        slot.compiles = false;
        slot.matcher.rule = Some(rule.as_str().into());
        // The rule means what it means there, also where no matcher has said whose names it has.
        slot.matcher.naming.get_or_insert("claude-code");
        slot.written = json!({"matcher": slot.written, "if": rule});
    }
    let mut draft = match kind {
        "http" => Draft::new(Run::Webhook(webhook(entry, "allowedEnvVars")?)),
        "mcp_tool" => Draft::new(mcp_tool(entry)?),
        "prompt" | "agent" => Draft::new(Run::Prompt {
            text: entry.required_text("prompt")?,
            model: entry.text("model")?,
            agent: kind == "agent",
            continue_on_block: kind == "agent" || entry.flag("continueOnBlock")?.unwrap_or(false),
        }),
        _ => command(reading, entry)?,
    };
    draft.timeout = entry.duration("timeout", 1.0)?;
    if event == "SessionEnd" && draft.timeout.is_some_and(|given| given > SESSION_END) {
        reading.remark(entry, "the end of a session waits at most 60 seconds for hooks; 60 seconds are used");
        draft.timeout = Some(SESSION_END);
    }
    draft.fail_behavior = fail_behavior(reading, entry, &event, kind, draft.detached)?;
    entry.text("statusMessage")?;
    if entry.flag("once")? == Some(true) {
        reading.remark(entry, "`once` counts only in the front matter of a skill; here the hook runs every time");
    }
    Ok(Some(draft))
}

fn command(reading: &Reading<'_>, entry: &Spot<'_>) -> Take<Draft> {
    let text = entry.required_text("command")?;
    let which = entry.word("shell", &[("bash", Shell::Bash), ("powershell", Shell::PowerShell)])?;
    let spec = match entry.texts("args")? {
        Some(args) => CommandSpec {
            line: CommandLine::Exec {
                program: in_plugin(reading, &text),
                args: args.iter().map(|arg| in_plugin(reading, arg)).collect(),
            },
            env: Vec::new(),
            directory: None,
        },
        None => shell(in_plugin(reading, &text), which.unwrap_or(Shell::Posix)),
    };
    let wakes = entry.flag("asyncRewake")?.unwrap_or(false);
    let mut draft = Draft::new(Run::Command(spec));
    draft.detached = entry.flag("async")?.unwrap_or(false) || wakes;
    draft.wakes = wakes;
    Ok(draft)
}

/// The plugin's directory in the place of its variable, so that copies in two plugins are two hooks.
fn in_plugin(reading: &Reading<'_>, text: &str) -> String {
    match reading.source.plugin.as_ref().and_then(|root| root.to_str()) {
        Some(root) => text.replace("${CLAUDE_PLUGIN_ROOT}", root),
        None => text.to_owned(),
    }
}

fn fail_behavior(
    reading: &mut Reading<'_>,
    entry: &Spot<'_>,
    event: &str,
    kind: &str,
    detached: bool,
) -> Take<Option<FailBehavior>> {
    let given = entry.word("onFailure", FailBehavior::WORDS)?;
    if given != Some(FailBehavior::Block) {
        return Ok(given);
    }
    let why = if matches!(kind, "prompt" | "agent") {
        format!("a hook of type {kind}")
    } else if detached {
        "a hook in the background".to_owned()
    } else if NEVER_CLOSED.contains(&event) || kind == "mcp_tool" && LOCAL_EVENTS.contains(&event) {
        event.to_owned()
    } else {
        return Ok(given);
    };
    reading.remark(entry, format!("`onFailure` does not count for {why}; after a failure the agent continues"));
    Ok(None)
}
