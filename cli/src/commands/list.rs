//! `hookweave list`: every hook that is found here.

use std::io::Write as _;
use std::path::Path;

use clap::Args;
use hookweave_host::config::Problem;
use hookweave_host::config::load::{FoundFile, UntrustedHook};
use hookweave_host::files::LoadReport;
use hookweave_host::hook::Enforcement;
use hookweave_host::registry::HookInfo;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::delegates::{self, Delegate};
use crate::failed::{Result, Verdict};
use crate::policy::{TrustChoice, Which, matcher_text, place_text, relative};
use crate::screen::{BAD, BOLD, Cell, DIM, GOOD, Screen, Table, WARN, count, json, shown, styled};

/// List every hook that is found here
#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only hooks of this event
    #[arg(short, long, value_name = "NAME")]
    event: Option<String>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    which: Which,
}

/// The whole answer, for programs.
#[derive(Serialize)]
struct Listing<'l> {
    hooks: Vec<Listed<'l>>,
    /// Agents' settings files that run hookweave, and in how many entries.
    asks_hookweave: &'l [Delegate],
    found: &'l [FoundFile],
    untrusted: &'l [UntrustedHook],
    problems: &'l [Problem],
    options: &'l Map<String, Value>,
}

#[derive(Serialize)]
struct Listed<'l> {
    #[serde(flatten)]
    hook: &'l HookInfo,
    trust: &'static str,
}

impl List {
    /// Runs the command.
    pub(crate) fn run(&self, screen: Screen<'_>) -> Result<Verdict> {
        let (mut policy, delegates) = delegates::load(&self.which.to_look_at())?;
        let event = self.event.as_deref().map(|name| policy.registry.resolve(name)).transpose()?;
        let mut events = policy.by_event();
        if let Some(event) = &event {
            events.retain(|name, _| name == event.name());
            let is_other = |named: &str| policy.registry.resolve(named).is_ok_and(|other| other.name() != event.name());
            // A switch is of no event, and concerns all.
            policy.report.untrusted.retain(|waiting| !is_other(&waiting.approval.event));
        }
        if self.json {
            let hooks =
                events.values().flatten().map(|hook| Listed { hook, trust: trust(hook, &self.which) }).collect();
            let LoadReport { found, untrusted, problems, options, .. } = &policy.report;
            let listing = Listing { hooks, asks_hookweave: &delegates, found, untrusted, problems, options };
            json(screen, &listing)?;
            return Ok(Verdict::Fine);
        }
        let below = self.which.directory();
        for (event, hooks) in &events {
            writeln!(screen, "{}", styled(BOLD, event))?;
            table(hooks, &below, &self.which).write(screen, 2)?;
            writeln!(screen)?;
        }
        untrusted(screen, &policy.report.untrusted, &below)?;
        problems(screen, &policy.report, &below)?;
        let listed: usize = events.values().map(Vec::len).sum();
        delegates::show(screen, &delegates, &below)?;
        summary(screen, listed, &policy.report)?;
        Ok(Verdict::Fine)
    }
}

/// Why a hook counts.
fn trust(hook: &HookInfo, which: &Which) -> &'static str {
    use hookweave_host::hook::Scope::{Agent, Callback, Local, Managed, Project, User};
    match hook.scope {
        _ if !which.files.is_empty() => "named",
        Managed => "managed",
        User => "yours",
        Project | Local | Agent if which.trust == TrustChoice::All => "vouched for",
        Project | Local | Agent => "approved",
        Callback => "",
    }
}

fn table(hooks: &[HookInfo], below: &Path, which: &Which) -> Table {
    let mut table = Table::new(&["#", "hook", "for", "scope", "dialect", "trust", "place"]);
    for hook in hooks {
        let style = if hook.enabled { GOOD } else { DIM };
        let mut name = hook.name.clone();
        let observes = hook.enforcement == Enforcement::Observe;
        for (mark, is_set) in [
            ("mandatory", hook.mandatory),
            ("observes: not enforced", observes),
            ("background", hook.detached),
            ("once", hook.once),
            ("off", !hook.enabled),
        ] {
            if is_set {
                name = format!("{name} ({mark})");
            }
        }
        let matcher = matcher_text(hook);
        let origin = hook.origin.as_deref();
        table.row([
            Cell::from((hook.order + 1).to_string()),
            Cell::from(name),
            if matcher.is_empty() { Cell::new(DIM, "all") } else { Cell::from(matcher) },
            Cell::from(hook.scope.as_str()),
            Cell::from(origin.map_or("", |origin| origin.dialect)),
            Cell::new(style, trust(hook, which)),
            Cell::new(DIM, place_text(hook, below)),
        ]);
    }
    table
}

/// Hooks that do not run because they are not approved.
pub(crate) fn untrusted(screen: Screen<'_>, untrusted: &[UntrustedHook], below: &Path) -> Result<()> {
    if untrusted.is_empty() {
        return Ok(());
    }
    writeln!(screen, "{}", styled(WARN, "Not approved, so they do not run"))?;
    for hook in untrusted {
        let what = if hook.approval.event.is_empty() { "a switch" } else { &hook.approval.event };
        let file = relative(Path::new(&hook.approval.file), below);
        let line = hook.line.map(|line| format!(":{line}")).unwrap_or_default();
        writeln!(
            screen,
            "  {}  {}  {}",
            shown(what),
            shown(&hook.approval.runs),
            styled(DIM, &format!("{file}{line}"))
        )?;
        writeln!(screen, "    {}", styled(DIM, &hook.why))?;
    }
    Ok(writeln!(screen, "  Review them, then run {}\n", styled(BOLD, "hookweave trust approve"))?)
}

/// Rejected entries and likely mistakes.
pub(crate) fn problems(screen: Screen<'_>, report: &LoadReport, below: &Path) -> Result<()> {
    if report.problems.is_empty() {
        return Ok(());
    }
    writeln!(screen, "{}", styled(BOLD, "Problems"))?;
    for problem in &report.problems {
        let (style, word) = if problem.fatal { (BAD, "left out") } else { (WARN, "remark") };
        let file = relative(&problem.file, below);
        let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = if problem.place.is_empty() { String::new() } else { format!(" ({})", shown(&problem.place)) };
        writeln!(screen, "  {} {}{line}{place}: {}", styled(style, word), shown(&file), shown(&problem.message))?;
    }
    Ok(writeln!(screen)?)
}

/// Reports beside the output that entries are left out: a guard may be among them.
pub(crate) fn left_out(report: &LoadReport) -> Result<()> {
    let number = report.problems.iter().filter(|problem| problem.fatal).count();
    if number > 0 {
        let entries = count(number, "entry").replace("entrys", "entries");
        let what = format!("warning: mistakes in hooks files, {entries} left out; `hookweave list` shows why");
        writeln!(anstream::stderr().lock(), "{}", styled(WARN, &what))?;
    }
    Ok(())
}

fn summary(screen: Screen<'_>, listed: usize, report: &LoadReport) -> Result<()> {
    if report.found.is_empty() {
        writeln!(screen, "No hooks files here. `hookweave init` writes one.")?;
        return Ok(());
    }
    let mut parts = vec![count(listed, "hook"), format!("{} read", count(report.found.len(), "file"))];
    if !report.untrusted.is_empty() {
        parts.push(format!("{} not approved", report.untrusted.len()));
    }
    Ok(writeln!(screen, "{}", parts.join(", "))?)
}
