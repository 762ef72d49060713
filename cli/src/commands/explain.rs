//! `hookweave explain`: which hooks an event would run, in which order, and why not the others.

mod drawing;

use clap::{Args, ValueEnum};
use hookweave_host::explain::{ExplainedHook, explain};
use hookweave_host::hook::Enforcement;
use hookweave_host::json::Json;
use hookweave_host::registry::HookInfo;
use serde::Serialize;

use crate::commands::list::{for_what, heading, left_out, runs};
use crate::delegates;
use crate::drive::checked;
use crate::failed::{Result, Verdict};
use crate::foreign::Permissions;
use crate::input::{EventArgs, GivenEvent};
use crate::policy::{Policy, Which, place_text};
use crate::screen::{BOLD, Cell, DIM, GOOD, Room, Screen, Table, WARN, count, is_quiet, json, shown, styled};

/// Show which hooks an event would run, in which order, and why not the others
#[derive(Debug, Args)]
#[command(after_help = "\
Nothing runs. Examples:
  hookweave explain PreToolUse
  hookweave explain 'rm -rf /'
  hookweave explain --read .env
  hookweave explain --tool Bash --args '{\"command\": \"git push\"}'
  hookweave explain --graph html > hooks.html")]
pub(crate) struct Explain {
    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    /// Draw the hooks of the event, or of all events: as a Mermaid diagram, or as a page of HTML
    #[arg(long, value_enum, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "mermaid",
        conflicts_with = "json")]
    graph: Option<Drawing>,

    #[command(flatten)]
    event: EventArgs,

    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Drawing {
    /// A flowchart for Markdown.
    Mermaid,
    /// One page that needs no network.
    Html,
}

/// Of a hook that observes.
const NOT_ENFORCED: &str = "observes: not enforced";

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
        let all = self.graph.is_some() && self.event.is_empty();
        let given = if all { None } else { Some(self.event.read()?) };
        let (policy, _) = delegates::load(&self.which)?;
        left_out(&policy.report)?;
        match (self.graph, given) {
            (Some(drawing), given) => self.draw(screen, &policy, given.as_ref(), drawing),
            (None, Some(given)) => self.tell(screen, &policy, &given),
            (None, None) => Ok(Verdict::Fine),
        }
    }

    fn tell(&self, screen: Screen<'_>, policy: &Policy, given: &GivenEvent) -> Result<Verdict> {
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
        heading(screen, &explanation.event, explanation.gate)?;
        writeln!(screen)?;
        if self.event.is_a_name_alone() && !explanation.hooks.is_empty() {
            let of_event: Vec<&HookInfo> = hooks.iter().filter(|hook| hook.event == explanation.event).collect();
            self.order(screen, &of_event)?;
        } else {
            self.verdicts(screen, &explanation.hooks, info)?;
        }
        if explanation.hooks.is_empty() {
            writeln!(screen, "No hook is registered for it.")?;
        }
        let untrusted = policy.report.untrusted.len();
        if untrusted > 0 {
            let what = format!("{} not approved and left out; see `hookweave list`", count(untrusted, "hook"));
            writeln!(screen, "\n{}", styled(WARN, &what))?;
        }
        for permissions in Permissions::of(policy) {
            writeln!(screen, "\n{}", styled(WARN, &permissions.text(&self.which.directory())))?;
        }
        Ok(Verdict::Fine)
    }

    /// The hooks of an event of which nothing but the name is known: in order, each with its condition.
    fn order(&self, screen: Screen<'_>, hooks: &[&HookInfo]) -> Result<()> {
        writeln!(screen, "{}", styled(GOOD, "In this order, each where its condition holds"))?;
        let below = self.which.directory();
        let mut table = Table::new(&[
            ("hook", Room::Whole),
            ("for", Room::Wrap),
            ("runs", Room::CutEnd),
            ("place", Room::CutStart),
        ]);
        for hook in hooks {
            let name = Cell::new(if hook.enabled { BOLD } else { DIM }, &hook.name);
            let observes = hook.enforcement == Enforcement::Observe;
            let flags = [
                ("mandatory", hook.mandatory),
                (NOT_ENFORCED, observes),
                ("background", hook.detached),
                ("off", !hook.enabled),
            ];
            let flags: Vec<&str> = flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| *flag).collect();
            let flags = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) };
            table.row([name.and(DIM, flags), for_what(hook), runs(hook), Cell::new(DIM, place_text(hook, &below))]);
        }
        table.write(screen, 2)?;
        if !is_quiet() {
            let what =
                "with --tool and --args, or --set: which of them a certain event would run, and why not the others";
            writeln!(screen, "\n{}", styled(DIM, what))?;
        }
        Ok(())
    }

    /// The hooks that an event would run, and why not the others.
    fn verdicts<'i>(
        &self,
        screen: Screen<'_>,
        hooks: &[ExplainedHook],
        info: impl Fn(&ExplainedHook) -> Option<&'i HookInfo>,
    ) -> Result<()> {
        let (run, rest): (Vec<&ExplainedHook>, Vec<&ExplainedHook>) = hooks.iter().partition(|hook| hook.matched);
        let below = self.which.directory();
        let place =
            |explained: &ExplainedHook| info(explained).map_or_else(String::new, |hook| place_text(hook, &below));
        if !run.is_empty() {
            writeln!(screen, "{}", styled(GOOD, "Would run"))?;
            let mut table = Table::new(&[
                ("stage", Room::Whole),
                ("hook", Room::Wrap),
                ("priority", Room::Whole),
                ("scope", Room::Whole),
                ("place", Room::CutStart),
            ]);
            for hook in &run {
                let mut name = hook.hook.clone();
                let partly = !hook.covers && !hook.detached;
                for (mark, is_set) in [
                    ("mandatory", hook.mandatory),
                    (NOT_ENFORCED, hook.enforcement == Enforcement::Observe),
                    ("background", hook.detached),
                    ("an allow would not count: it covers only part of the call", partly),
                ] {
                    if is_set {
                        name = format!("{name} ({mark})");
                    }
                }
                table.row([
                    Cell::from(hook.stage.map_or_else(String::new, |stage| (stage + 1).to_string())),
                    Cell::new(BOLD, name),
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
            let mut table = Table::bare(&[Room::Whole, Room::Wrap, Room::CutStart]);
            for hook in &rest {
                let why = hook.why.as_deref().unwrap_or("its matcher does not hold");
                table.row([Cell::from(&hook.hook), Cell::from(why), Cell::new(DIM, place(hook))]);
            }
            table.write(screen, 2)?;
        }
        Ok(())
    }
}
