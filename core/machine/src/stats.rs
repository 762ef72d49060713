//! What each hook did so far, in numbers: always on, in constant memory, for a few nanoseconds per run.
//!
//! A driver calls [`Outcome::count`] once when a dispatch is over. Counters are read, and judged for
//! warnings, only on request.

mod warnings;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde::Serialize;

use crate::action::Action;
use crate::entry::{Entry, HookInfo};
use crate::event::EventSpec;
use crate::failure::FailureKind;
use crate::fold::{Record, Status};
use crate::hook::Enforcement;
use crate::hook_id::HookId;
use crate::index::Snapshot;
use crate::outcome::Outcome;
use crate::registry::Registry;

pub use crate::tally::{ERROR, HookCounter};
pub use warnings::{ALWAYS_FAILS_AFTER, HookWarning, NEVER_MATCHED_AFTER, SLOW_AFTER, SLOW_MS, WarningKind};

use crate::tally::{Read, Run, RunKind};
use warnings::{HookFacts, misspelt, observes, unknown_tool, warning};

/// How many unknown tools are told of: a hostile agent could name new ones without end.
const TOOLS_TOLD: usize = 64;

/// How long a hook's runs took, in microseconds; percentiles are within [`ERROR`] of the true ones, `max` is exact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub struct Durations {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

/// What one hook did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HookStats {
    /// The hook's name.
    pub hook: String,
    /// Its id.
    pub id: String,
    /// Its event.
    pub event: String,
    /// How often it was started, rechecks and detached runs too.
    pub runs: u64,
    /// The runs by what they decided, or what the failure rule made of their failure.
    pub decisions: BTreeMap<&'static str, u64>,
    /// The runs that failed, by the kind of failure.
    pub failures: BTreeMap<&'static str, u64>,
    /// The runs that changed the event.
    pub modifications: u64,
    /// The runs in which it would have blocked the event, had it not observed.
    pub would_block: u64,
    /// How often it was selected and passed over.
    pub skipped: u64,
    /// The runs that ended later than they may and could not be interrupted.
    pub overran: u64,
    /// How long its runs took; `None` when none was waited for.
    pub duration_us: Option<Durations>,
    /// When a run last ended or, of a detached one, began; milliseconds since the epoch.
    pub last_run: Option<u64>,
    /// Whether no dispatch has selected it.
    pub never_matched: bool,
}

/// What the hooks of one client did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// The registered hooks, in the order in which they run.
    pub hooks: Vec<HookStats>,
    /// How often each event was dispatched, also without hooks; events that never were are missing.
    pub events: BTreeMap<String, u64>,
    /// What a person should look at.
    pub warnings: Vec<HookWarning>,
}

/// The present, on the driver's clock and on the wall's.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    /// Nanoseconds on the clock whose times [`Outcome::count`] gets.
    pub ticks: u64,
    /// Milliseconds since the epoch.
    pub epoch_ms: u64,
}

impl<T, V> Outcome<T, V> {
    /// Counts a dispatch that ended at a time on the driver's clock, in nanoseconds.
    ///
    /// True when the host should read [`Registry::new_warnings`].
    #[inline]
    pub fn count(&self, ended: u64) -> bool {
        self.count_as::<false>(ended)
    }

    /// The same for a driver that counts one dispatch at a time, such as one that holds an interpreter's lock.
    #[inline]
    pub fn count_alone(&self, ended: u64) -> bool {
        self.count_as::<true>(ended)
    }

    #[inline]
    fn count_as<const ALONE: bool>(&self, ended: u64) -> bool {
        match &self.progress.details {
            None => {
                for (call, took) in self.progress.plan.calls().iter().zip(&self.progress.quiet) {
                    call.entry().tally().ran::<ALONE>(*took, ended);
                }
            }
            Some(_) => self.count_details(ended),
        }
        self.progress.event.tally().add::<ALONE>(1)
    }

    fn count_details(&self, ended: u64) {
        let gate = self.progress.event.gate();
        for record in self.records() {
            record.call.entry().tally().add(&run_of(record, gate), ended);
        }
    }
}

/// A hook's record in the terms of its counters.
fn run_of<T, V>(record: &Record<T, V>, gate: bool) -> Run {
    Run {
        kind: match record.status {
            Status::Skipped => RunKind::Skipped,
            Status::Detached => RunKind::Detached,
            Status::Ran | Status::Failed | Status::Rechecked => RunKind::Ran { took: record.took },
        },
        action: record.decided(),
        failure: record.failure.as_ref().map(|failure| failure.kind),
        has_modified: !record.modified.is_empty(),
        has_overrun: record.overran,
        would_block: gate && record.observed.as_ref().is_some_and(|observed| observed.action.refuses()),
    }
}

/// A failure that is written to the program's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedFailure {
    /// Its place in the trace.
    pub index: usize,
    /// How often the hook has failed by now.
    pub times: u64,
}

impl<T, V> Outcome<T, V> {
    /// The failures that are written to the program's log: each that blocks, and of those of a hook after which the action continues
    /// the first, the tenth, the hundredth and so on.
    pub fn failures_to_log(&self) -> impl Iterator<Item = ReportedFailure> {
        let failures =
            self.records().iter().enumerate().filter_map(|(at, record)| Some((at, record.failure.as_ref()?)));
        failures.filter_map(|(index, failure)| Some(ReportedFailure { index, times: failure.times_logged? }))
    }
}

impl EventSpec {
    /// Counts dispatches without a hook; true when it is time for [`Registry::new_warnings`].
    #[inline]
    pub fn count(&self, dispatches: u64) -> bool {
        self.tally().add::<false>(dispatches)
    }

    /// Counts one, as [`Outcome::count_alone`] does.
    #[inline]
    pub fn count_alone(&self) -> bool {
        self.tally().add::<true>(1)
    }

    /// Whether it is time for [`Registry::new_warnings`] before the next count says so; true once.
    #[must_use]
    pub fn is_look_due(&self) -> bool {
        self.tally().is_look_due()
    }

    /// After how many more dispatches it is time for [`Registry::new_warnings`].
    #[must_use]
    pub fn until_check(&self) -> u64 {
        self.tally().until_check()
    }
}

impl<T> Registry<T> {
    /// What hooks did so far; begins anew when asked.
    pub fn stats(&self, now: Now, reset: bool) -> Stats {
        let mut stats = Stats { hooks: Vec::new(), events: BTreeMap::new(), warnings: Vec::new() };
        self.each_tally(now, reset, |hook, warning| {
            stats.hooks.push(hook);
            stats.warnings.extend(warning);
        });
        stats.warnings.extend(self.misspelled_fields(|_| true));
        stats.warnings.extend(self.unknown_tools(|_| true).into_values());
        let observing = self.observing().map(|info| {
            let counted = stats.hooks.iter().find(|hook| hook.id == info.id);
            observes(&info, counted.map(|hook| (hook.would_block, hook.runs)))
        });
        let observing: Vec<_> = observing.collect();
        stats.warnings.extend(observing);
        for event in self.catalogue().events() {
            let dispatches = event.tally().read(reset);
            if dispatches > 0 {
                stats.events.insert(event.name().to_owned(), dispatches);
            }
        }
        stats
    }

    /// The warnings that were not given here before: one for each hook at most, and one for all hooks that can never match.
    ///
    /// It is asked at the end of a dispatch, so hooks that never ran cost it next to nothing.
    pub fn new_warnings(&self) -> Vec<HookWarning> {
        let mut new = Vec::new();
        let snapshot = self.snapshot();
        let now = Now { ticks: 0, epoch_ms: 0 };
        for event in self.catalogue().events() {
            let Some(index) = snapshot.event(event.name()) else { continue };
            let seen = OnceCell::new();
            for entry in index.hooks().filter(|listed| listed.enabled).map(|listed| &listed.entry) {
                let tally = entry.tally();
                if tally.has_run() {
                    let stats = entry_stats(entry, &tally.read(false), now);
                    let facts = HookFacts { waited_for: !entry.detached(), ..HookFacts::of(entry.matcher().spec()) };
                    new.extend(warning(&stats, &facts).filter(|_| tally.warns_first()));
                } else if !self.told().unmatched {
                    let dispatches = tally.since(event.tally().total(), false);
                    let tools = seen.get_or_init(|| index.tools_seen());
                    if dispatches < NEVER_MATCHED_AFTER || !is_suspect(&snapshot, entry, tools) {
                        continue;
                    }
                    let facts =
                        HookFacts { dispatches, tools, is_suspect: true, ..HookFacts::of(entry.matcher().spec()) };
                    new.extend(warning(&entry_stats(entry, &tally.read(false), now), &facts));
                    // One stands for all: `stats` names each.
                    self.told().unmatched = true;
                }
            }
        }
        let told = self.told().tools.clone();
        let untold = self.unknown_tools(|tool| told.len() < TOOLS_TOLD && !told.contains(tool));
        for (tool, warning) in untold {
            self.told().tools.insert(tool);
            new.push(warning);
        }
        new.extend(self.misspelled_fields(EventSpec::reports_misspelled_field_first));
        if self.take_unseen_observer() {
            // One stands for all: `stats` names each.
            new.extend(self.observing().next().map(|info| observes(&info, None)));
        }
        new
    }

    /// The hooks that observe and are switched on, in order.
    fn observing(&self) -> impl Iterator<Item = HookInfo> + use<T> {
        self.list().into_iter().filter(|info| info.enabled && info.enforcement == Enforcement::Observe)
    }

    /// Tools that came and that neither the engine nor a hook knows, each with the first hook that may have missed it.
    fn unknown_tools(&self, wanted: impl Fn(&str) -> bool) -> BTreeMap<String, HookWarning> {
        let (snapshot, mut warnings) = (self.snapshot(), BTreeMap::new());
        for spec in self.catalogue().events() {
            let Some(index) = snapshot.event(spec.name()) else { continue };
            let Some(hook) = index.first_on_tool().map(|listed| &listed.entry) else { continue };
            for tool in index.tools_seen() {
                if wanted(&tool) && index.overlooks(&tool, &snapshot) {
                    let new = || unknown_tool(hook.name(), hook.id(), spec.name(), &tool, self.options().spelling);
                    warnings.entry(tool.clone()).or_insert_with(new);
                }
            }
        }
        warnings
    }

    /// Misspelled fields of events, each reported with the first hook that receives them.
    fn misspelled_fields(&self, wanted: impl Fn(&EventSpec) -> bool) -> Vec<HookWarning> {
        let (snapshot, mut times_logged) = (self.snapshot(), Vec::new());
        for spec in self.catalogue().events() {
            let Some(misspelled_field) = spec.misspelled_fields().first() else { continue };
            let mut hooks = snapshot.event(spec.name()).into_iter().flat_map(crate::index::EventIndex::hooks);
            let Some(hook) = hooks.find(|listed| listed.enabled).map(|listed| &listed.entry) else { continue };
            if wanted(spec) {
                times_logged.push(misspelt(hook.name(), hook.id(), spec.name(), misspelled_field));
            }
        }
        times_logged.sort_by(|one, other| one.event.cmp(&other.event));
        times_logged
    }

    fn each_tally(&self, now: Now, reset: bool, mut each: impl FnMut(HookStats, Option<HookWarning>)) {
        let snapshot = self.snapshot();
        for info in self.list() {
            let Some(entry) = HookId::parse(&info.id).and_then(|id| self.entry(id)) else { continue };
            let tally = entry.tally();
            let dispatches = tally.since(entry.event().tally().total(), reset);
            let stats = entry_stats(&entry, &tally.read(reset), now);
            let tools = || snapshot.event(&info.event).map_or_else(Vec::new, crate::index::EventIndex::tools_seen);
            let warning = info.enabled.then(|| {
                let tools = if stats.never_matched { tools() } else { Vec::new() };
                let facts = HookFacts {
                    matcher: &info.matcher,
                    waited_for: !info.detached,
                    dispatches,
                    tools: &tools,
                    is_suspect: stats.never_matched && is_suspect(&snapshot, &entry, &tools),
                };
                warning(&stats, &facts)
            });
            each(stats, warning.flatten());
        }
    }
}

/// Whether a hook asks for a tool that the host cannot have.
fn is_suspect<T>(snapshot: &Snapshot<T>, entry: &Entry<T>, seen: &[String]) -> bool {
    entry.matcher().unknown_tools(snapshot.tools(), seen).is_some()
}

fn entry_stats<T>(entry: &Entry<T>, read: &Read, now: Now) -> HookStats {
    hook_stats(entry.name(), &entry.id().to_string(), entry.event().name(), read, now)
}

#[expect(clippy::cast_precision_loss, reason = "microseconds for a reader")]
fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1000.0
}

fn hook_stats(hook: &str, id: &str, event: &str, read: &Read, now: Now) -> HookStats {
    let waited_for = read.took.total();
    let runs = waited_for + read.detached;
    let decided: u64 = read.actions.iter().sum();
    let words = Action::WORDS.iter().map(|(word, _)| *word).zip(read.actions);
    let mut decisions: BTreeMap<_, _> = words.filter(|(_, count)| *count > 0).collect();
    if runs > decided {
        decisions.insert(Action::Continue.as_str(), runs - decided);
    }
    let kinds = FailureKind::ALL.iter().map(|kind| kind.as_str()).zip(read.failures);
    let took = |percent| micros(read.took.percentile(percent));
    let durations = || Durations { p50: took(50), p95: took(95), p99: took(99), max: micros(read.took.longest) };
    HookStats {
        hook: hook.to_owned(),
        id: id.to_owned(),
        event: event.to_owned(),
        runs,
        decisions,
        failures: kinds.filter(|(_, count)| *count > 0).collect(),
        modifications: read.modified,
        would_block: read.would_block,
        skipped: read.skipped,
        overran: read.overran,
        duration_us: (waited_for > 0).then(durations),
        last_run: (runs > 0).then(|| now.epoch_ms.saturating_sub(now.ticks.saturating_sub(read.last) / 1_000_000)),
        never_matched: runs + read.skipped == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::HookSpec;
    use crate::matcher::MatcherSpec;
    use crate::options::Options;
    use crate::tally::Tally;

    #[test]
    fn durations_are_told_by_their_percentiles_and_the_last_run_by_the_clock_on_the_wall() {
        let tally = Tally::default();
        tally.ran_often((0..100_u32).map(|run| u64::from(run + 1) * 1_000_000), 40_000_000);
        let now = Now { ticks: 90_000_000, epoch_ms: 1_000_000 };
        let stats = hook_stats("h", "hook-1", "Stop", &tally.read(false), now);
        let took = stats.duration_us.unwrap();
        for (times_logged, exact) in [(took.p50, 50_000.0), (took.p95, 95_000.0), (took.p99, 99_000.0)] {
            assert!(
                (times_logged - exact).abs() <= exact * ERROR && times_logged < exact * 1.04,
                "{times_logged} for {exact}"
            );
        }
        assert!((took.max - 100_000.0).abs() < f64::EPSILON);
        assert_eq!(stats.last_run, Some(1_000_000 - 50));
        assert_eq!((stats.runs, stats.decisions), (100, [("continue", 100)].into()));
    }

    #[test]
    fn each_hook_is_warned_of_once() {
        let registry: Registry<()> = Registry::new(Options::default());
        for (name, tool) in [("idle", "Bsh"), ("other", "Bassh"), ("waits", "Edit")] {
            let matcher = MatcherSpec::default().tool(tool);
            registry
                .register(HookSpec { name: Some(name.into()), matcher, ..HookSpec::new("PreToolUse") }, ())
                .unwrap();
        }
        let catalogue = registry.catalogue();
        catalogue.events().find(|event| event.name() == "PreToolUse").unwrap().count(NEVER_MATCHED_AFTER);
        let warnings = registry.new_warnings();
        let [warning] = &warnings[..] else { panic!("one line for all: {warnings:?}") };
        assert_eq!(warning.hook, "idle");
        assert!(warning.fix.contains("did you mean `Bash`?"), "{}", warning.fix);
        assert_eq!(registry.new_warnings(), []);
        let now = Now { ticks: 0, epoch_ms: 0 };
        let again: Vec<_> = registry.stats(now, false).warnings.into_iter().map(|warning| warning.hook).collect();
        assert_eq!(again, ["idle", "other"], "whoever asks is told of each, again");
    }
}
