//! `hookweave list`: every hook that is found here.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use hookweave_host::config::Problem;
use hookweave_host::config::lint::Severity;
use hookweave_host::config::load::{FoundFile, UntrustedHook};
use hookweave_host::files::LoadReport;
use hookweave_host::hook::{Enforcement, FailBehavior};
use hookweave_host::registry::HookInfo;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::delegates::{self, Delegate};
use crate::failed::{Result, Verdict};
use crate::mark::Mark;
use crate::policy::{Policy, TrustChoice, Which, matcher_text, place_text, relative};
use crate::screen::{BOLD, Cell, DIM, Room, Screen, Table, WARN, count, is_quiet, is_verbose, json, micros, styled};
use crate::snippet;

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
            events.retain(|(name, _)| name == event.name());
            let is_other = |named: &str| policy.registry.resolve(named).is_ok_and(|other| other.name() != event.name());
            // A switch is of no event, and concerns all.
            policy.report.untrusted.retain(|waiting| !is_other(&waiting.approval.event));
        }
        if self.json {
            let hooks = events
                .iter()
                .flat_map(|(_, hooks)| hooks)
                .map(|hook| Listed { hook, trust: trust(hook, &self.which) })
                .collect();
            let LoadReport { found, untrusted, problems, options, .. } = &policy.report;
            let listing = Listing { hooks, asks_hookweave: &delegates, found, untrusted, problems, options };
            json(screen, &listing)?;
            return Ok(Verdict::Fine);
        }
        let below = self.which.directory();
        let seen = Seen::of(&policy, &self.which)?;
        let mut marks = Marks::default();
        let shown_events = seen.whole.as_ref().map_or(events, Policy::by_event);
        for (name, hooks) in &shown_events {
            if event.as_ref().is_some_and(|event| event.name() != name) {
                continue;
            }
            heading(screen, name, policy.registry.resolve(name)?.gate())?;
            if is_verbose() {
                hooks.iter().try_for_each(|hook| in_full(screen, hook, &seen, &below, &self.which, &mut marks))?;
            } else {
                table(hooks, &seen, &below, &mut marks).write(screen, 2)?;
            }
            if !is_quiet() {
                writeln!(screen)?;
            }
        }
        let unseen: Vec<&UntrustedHook> = seen.without_a_row(&policy.report.untrusted);
        untrusted(screen, &unseen, &below)?;
        problems(screen, &policy.report, &below)?;
        if is_quiet() {
            return Ok(Verdict::Fine);
        }
        delegates::show(screen, &delegates, &below)?;
        marks.show(screen)?;
        let hooks = policy.registry.list();
        let is_listed = |hook: &&HookInfo| {
            event.as_ref().is_none_or(|event| event.name() == hook.event)
                && hook.origin.is_some()
                && !hook.name.starts_with(CLOSED)
        };
        summary(screen, hooks.iter().filter(is_listed).count(), &policy.report)?;
        if !policy.report.untrusted.is_empty() {
            let hooks = count(policy.report.untrusted.len(), "hook");
            let what = format!("{hooks} will not run until you approve:");
            writeln!(screen, "{} {}", styled(WARN, &what), styled(BOLD, "hookweave trust approve"))?;
        }
        Ok(Verdict::Fine)
    }
}

/// How the name of a hook begins that only blocks, until a person decides about an approval.
const CLOSED: &str = "closed: ";

/// The hooks as they would be with every approval, and which of them are in force.
pub(crate) struct Seen {
    /// `None` where nothing waits for an approval.
    pub(crate) whole: Option<Policy>,
    in_force: Vec<(PathBuf, String)>,
}

impl Seen {
    /// What a policy has in force, and what waits for an approval.
    pub(crate) fn of(policy: &Policy, which: &Which) -> Result<Self> {
        let hooks = policy.registry.list();
        let is_closed = |hook: &&HookInfo| hook.name.starts_with(CLOSED);
        let in_force = hooks.iter().filter(|hook| !is_closed(hook)).flat_map(places_of).collect();
        let waits = !policy.report.untrusted.is_empty();
        let all = Which { trust: TrustChoice::All, ..which.to_look_at() };
        let whole = if waits { Some(delegates::load(&all)?.0) } else { None };
        Ok(Self { whole, in_force })
    }

    /// Whether a hook waits for an approval.
    pub(crate) fn waits(&self, hook: &HookInfo) -> bool {
        self.whole.is_some() && hook.origin.is_some() && !places_of(hook).any(|place| self.in_force.contains(&place))
    }

    /// What waits for an approval and is no hook, or is none with every approval either.
    fn without_a_row<'u>(&self, untrusted: &'u [UntrustedHook]) -> Vec<&'u UntrustedHook> {
        let hooks: Vec<HookInfo> = self.whole.iter().flat_map(|whole| whole.registry.list()).collect();
        let rows: Vec<_> = hooks.iter().flat_map(places_of).collect();
        let has_row = |waiting: &&UntrustedHook| {
            let place = (PathBuf::from(&waiting.approval.file), waiting.approval.place.clone());
            !waiting.approval.event.is_empty() && !waiting.approval.fingerprint.is_empty() && rows.contains(&place)
        };
        untrusted.iter().filter(|waiting| !has_row(waiting)).collect()
    }
}

fn places_of(hook: &HookInfo) -> impl Iterator<Item = (PathBuf, String)> {
    hook.origin.iter().flat_map(|origin| origin.places()).map(|origin| (origin.file.clone(), origin.place.clone()))
}

/// The signs that were shown.
#[derive(Debug, Default)]
struct Marks(std::collections::BTreeSet<Mark>);

impl Marks {
    fn show(&self, screen: Screen<'_>) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let texts: Vec<String> = self
            .0
            .iter()
            .map(|mark| {
                let (style, sign) = mark.sign();
                format!("{} {}", styled(style, sign), styled(DIM, mark.meaning()))
            })
            .collect();
        Ok(writeln!(screen, "{}\n", texts.join("   "))?)
    }
}

/// An event, and whether its hooks decide.
pub(crate) fn heading(screen: Screen<'_>, event: &str, gate: bool) -> Result<()> {
    let what = if gate { "a block stops it" } else { "it cannot be blocked, only observed" };
    Ok(writeln!(screen, "{}  {}", styled(BOLD, event), styled(DIM, what))?)
}

/// What is unusual about a hook.
fn flags(hook: &HookInfo) -> String {
    // That it is mandatory is what its sign says.
    let observes = hook.enforcement == Enforcement::Observe;
    let set = [("not enforced", observes), ("background", hook.detached), ("once", hook.once), ("off", !hook.enabled)];
    let mut flags: Vec<String> = set.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| (*flag).to_owned()).collect();
    if hook.priority != 0 {
        flags.push(format!("priority {}", hook.priority));
    }
    if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(", ")) }
}

/// What a hook is for, in words.
pub(crate) fn for_what(hook: &HookInfo) -> Cell {
    let matcher = matcher_text(hook);
    match &hook.matcher.any_of {
        Some(_) if matcher.is_empty() => Cell::new(DIM, "its policy's rule"),
        None if matcher.is_empty() => Cell::new(DIM, "everything"),
        _ => Cell::from(matcher),
    }
}

/// What a hook runs, unless its name says so.
pub(crate) fn runs(hook: &HookInfo) -> Cell {
    let runs = hook.origin.as_deref().map(|origin| origin.runs.trim()).unwrap_or_default();
    Cell::new(DIM, if runs == hook.name { "" } else { runs })
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

fn table(hooks: &[HookInfo], seen: &Seen, below: &Path, marks: &mut Marks) -> Table {
    let mut table = Table::bare(&[Room::Whole, Room::Wrap, Room::CutEnd, Room::CutStart]);
    for hook in hooks {
        table.row([named(hook, seen, marks), for_what(hook), runs(hook), Cell::new(DIM, place_text(hook, below))]);
    }
    table
}

/// A hook's sign, name and flags.
fn named(hook: &HookInfo, seen: &Seen, marks: &mut Marks) -> Cell {
    let gate = hookweave_host::event::BUILT_IN.iter().find(|event| event.name == hook.event);
    let mark = Mark::of(hook, gate.is_none_or(|event| event.gate), seen.waits(hook));
    marks.0.insert(mark);
    let (style, sign) = mark.sign();
    let name = if mark == Mark::Off { DIM } else { BOLD };
    Cell::new(style, sign).and(anstyle::Style::new(), " ").and(name, &hook.name).and(DIM, flags(hook))
}

/// A hook with everything that is known of it.
fn in_full(
    screen: Screen<'_>,
    hook: &HookInfo,
    seen: &Seen,
    below: &Path,
    which: &Which,
    marks: &mut Marks,
) -> Result<()> {
    let mut name = Table::bare(&[Room::Whole]);
    name.row([named(hook, seen, marks)]);
    name.write(screen, 2)?;
    let origin = hook.origin.as_deref();
    let time = hook.timeout_ms.map_or_else(|| "as long as it takes".to_owned(), |ms| micros(ms * 1000.0));
    let fails = if hook.fail_behavior == FailBehavior::Block { "a failure blocks" } else { "a failure passes" };
    let trust = if seen.waits(hook) { "not approved" } else { trust(hook, which) };
    let from = match origin {
        Some(origin) => format!("{} ({}, {}, {trust})", place_text(hook, below), hook.scope.as_str(), origin.dialect),
        None => format!("{} ({})", place_text(hook, below), hook.scope.as_str()),
    };
    let mut table = Table::bare(&[Room::Whole, Room::Wrap]);
    for (what, cell) in [
        ("for", for_what(hook)),
        ("runs", Cell::from(origin.map_or("nothing: it asks a person", |origin| origin.runs.trim()))),
        ("limits", Cell::from(format!("{time}, {fails}"))),
        ("from", Cell::from(from)),
    ] {
        table.row([Cell::new(DIM, what), cell]);
    }
    table.write(screen, 6)
}

/// Hooks that do not run because they are not approved.
pub(crate) fn untrusted(screen: Screen<'_>, untrusted: &[&UntrustedHook], below: &Path) -> Result<()> {
    if untrusted.is_empty() {
        return Ok(());
    }
    writeln!(screen, "{}", styled(WARN, "Not approved, so they do not run"))?;
    let mut table = Table::bare(&[Room::Whole, Room::CutEnd, Room::CutStart]);
    for hook in untrusted {
        let what = if hook.approval.event.is_empty() { "a switch" } else { &hook.approval.event };
        let file = relative(Path::new(&hook.approval.file), below);
        let line = hook.line.map(|line| format!(":{line}")).unwrap_or_default();
        table.row([Cell::from(what), Cell::from(hook.approval.runs.trim()), Cell::new(DIM, format!("{file}{line}"))]);
    }
    table.write(screen, 2)?;
    let mut reasons: Vec<&str> = untrusted.iter().map(|hook| hook.why.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for why in reasons {
        writeln!(screen, "  {}", styled(DIM, why))?;
    }
    Ok(writeln!(screen, "  Review them, then run {}\n", styled(BOLD, "hookweave trust approve"))?)
}

/// Rejected entries and likely mistakes.
pub(crate) fn problems(screen: Screen<'_>, report: &LoadReport, below: &Path) -> Result<()> {
    for problem in &report.problems {
        let severity = if problem.fatal { Severity::Error } else { Severity::Warning };
        snippet::problem(screen, problem, severity, None, below)?;
    }
    Ok(())
}

/// Reports beside the output that entries are left out: a guard may be among them.
pub(crate) fn left_out(report: &LoadReport) -> Result<()> {
    let number = report.problems.iter().filter(|problem| problem.fatal).count();
    if number > 0 {
        let entries = count(number, "entry");
        let what = format!("warning: mistakes in hooks files, {entries} left out; `hookweave list` shows why");
        writeln!(anstream::stderr().lock(), "{}", styled(WARN, &what))?;
    }
    Ok(())
}

fn summary(screen: Screen<'_>, listed: usize, report: &LoadReport) -> Result<()> {
    if report.found.is_empty() && report.lost.is_empty() {
        writeln!(screen, "No hooks files here. `hookweave init` writes one.")?;
        return Ok(());
    }
    let mut parts = vec![count(listed, "hook"), format!("{} read", count(report.found.len(), "file"))];
    let closed = report.lost.iter().filter_map(|lost| lost.closed.as_ref());
    let closed: std::collections::BTreeSet<&str> = closed.map(|ready| ready.declared.spec.event.as_str()).collect();
    if !closed.is_empty() {
        parts.push(format!("{} blocked until you decide", count(closed.len(), "event")));
    }
    if !report.untrusted.is_empty() {
        parts.push(format!("{} not approved", report.untrusted.len()));
    }
    Ok(writeln!(screen, "{}", parts.join(", "))?)
}
