//! `hookweave explain`: which hooks an event would run, in which order, and why not the others.

use clap::Args;
use hookweave_host::explain::{ExplainedHook, explain};
use hookweave_host::hook::Enforcement;
use hookweave_host::json::Json;
use hookweave_host::registry::HookInfo;
use serde::Serialize;

use crate::commands::list::left_out;
use crate::delegates;
use crate::drive::checked;
use crate::failed::{Result, Verdict};
use crate::input::EventArgs;
use crate::policy::{Which, place_text};
use crate::screen::{BOLD, Cell, DIM, GOOD, Screen, Table, WARN, count, json, shown, styled};

/// Show which hooks an event would run, in which order, and why not the others
#[derive(Debug, Args)]
#[command(
    after_help = "Nothing runs. Example:\n  hookweave explain --event PreToolUse --tool Bash --args '{\"command\": \"git push\"}'"
)]
pub(crate) struct Explain {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    event: EventArgs,

    #[command(flatten)]
    which: Which,
}

/// A hook under the event's light, with where it stands.
#[derive(Serialize)]
struct Row<'r> {
    #[serde(flatten)]
    explained: &'r ExplainedHook,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'r hookweave_host::hook::Origin>,
}

impl Explain {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let given = self.event.read()?;
        let (policy, _) = delegates::load(&self.which)?;
        left_out(&policy.report)?;
        let snapshot = policy.registry.snapshot();
        let spec = snapshot.resolve(&given.name)?;
        let payload = checked(&given.payload)?;
        let explanation = explain(&snapshot, &Json, &spec, &&payload);
        let hooks = policy.registry.list();
        let info = |explained: &ExplainedHook| hooks.iter().find(|hook| hook.id == explained.id);
        if self.json {
            let rows: Vec<Row<'_>> = explanation
                .hooks
                .iter()
                .map(|explained| Row { explained, origin: info(explained).and_then(|hook| hook.origin.as_deref()) })
                .collect();
            let untrusted = &policy.report.untrusted;
            let whole = serde_json::json!({
                "event": explanation.event, "gate": explanation.gate, "hooks": rows, "untrusted": untrusted,
            });
            json(screen, &whole)?;
            return Ok(Verdict::Fine);
        }
        let gate = if explanation.gate { "a block stops it" } else { "it cannot be blocked, only observed" };
        writeln!(screen, "{}  {}\n", styled(BOLD, &explanation.event), styled(DIM, gate))?;
        let (run, rest): (Vec<&ExplainedHook>, Vec<&ExplainedHook>) =
            explanation.hooks.iter().partition(|hook| hook.matched);
        let place = |explained: &ExplainedHook| {
            info(explained).map_or_else(String::new, |hook: &HookInfo| place_text(hook, &self.which.directory()))
        };
        if !run.is_empty() {
            writeln!(screen, "{}", styled(GOOD, "Would run"))?;
            let mut table = Table::new(&["stage", "hook", "priority", "scope", "place"]);
            for hook in &run {
                let mut name = hook.hook.clone();
                let partly = !hook.covers && !hook.detached;
                for (mark, is_set) in [
                    ("mandatory", hook.mandatory),
                    ("observes: not enforced", hook.enforcement == Enforcement::Observe),
                    ("background", hook.detached),
                    ("an allow would not count: it covers only part of the call", partly),
                ] {
                    if is_set {
                        name = format!("{name} ({mark})");
                    }
                }
                table.row([
                    Cell::from(hook.stage.map_or_else(String::new, |stage| (stage + 1).to_string())),
                    Cell::from(name),
                    Cell::from(hook.priority.to_string()),
                    Cell::from(hook.scope.as_str()),
                    Cell::new(DIM, place(hook)),
                ]);
            }
            table.write(screen, 2)?;
            for (hook, why) in run.iter().filter_map(|hook| Some((hook, hook.why.as_deref()?))) {
                writeln!(screen, "  {}: {}", shown(&hook.hook), shown(why))?;
            }
        }
        if !rest.is_empty() {
            writeln!(screen, "{}{}", if run.is_empty() { "" } else { "\n" }, styled(WARN, "Would not run"))?;
            for hook in &rest {
                writeln!(screen, "  {}  {}", shown(&hook.hook), styled(DIM, &place(hook)))?;
                writeln!(screen, "    {}", shown(hook.why.as_deref().unwrap_or("its matcher does not hold")))?;
            }
        }
        if explanation.hooks.is_empty() {
            writeln!(screen, "No hook is registered for it.")?;
        }
        let untrusted = policy.report.untrusted.len();
        if untrusted > 0 {
            let what = format!("{} not approved and left out; see `hookweave list`", count(untrusted, "hook"));
            writeln!(screen, "\n{}", styled(WARN, &what))?;
        }
        Ok(Verdict::Fine)
    }
}
