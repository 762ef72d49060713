//! What statistics say is wrong with a hook.

use serde::Serialize;

use super::HookStats;
use crate::entry::HookInfo;
use crate::error::did_you_mean;
use crate::event::MisspelledField;
use crate::hook_id::HookId;
use crate::matcher::MatcherSpec;
use crate::payload::Spelling;
use crate::tally::ERROR;
use crate::tool::usual;

/// After so many dispatches of its event, a hook that never matched is reported.
pub const NEVER_MATCHED_AFTER: u64 = 100;

/// After so many runs, a hook that failed in all of them is reported.
pub const ALWAYS_FAILS_AFTER: u64 = 5;

/// After so many runs, a hook that slows every call is reported.
pub const SLOW_AFTER: u64 = 20;

/// A hook whose 95th percentile is longer slows every call, in milliseconds.
pub const SLOW_MS: f64 = 500.0;

/// How many tools a reason names.
const TOOLS_NAMED: usize = 8;

/// What is wrong with a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WarningKind {
    /// Its condition on the tool can match no tool that the host has.
    NeverMatched,
    /// It was not asked about a tool that the engine does not know.
    UnknownTool,
    /// It failed every time.
    AlwaysFails,
    /// It takes so long that every call waits for it.
    Slow,
    /// Payloads of its event lack a field and have one whose name is nearly the same.
    MisspelledField,
    /// What it decides is not acted on.
    Observes,
}

/// Something that a person should look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HookWarning {
    /// The hook's name.
    pub hook: String,
    /// Its id.
    pub id: String,
    /// Its event.
    pub event: String,
    /// What is wrong.
    pub kind: WarningKind,
    /// What was seen.
    pub reason: String,
    /// What helps.
    pub fix: String,
}

impl std::fmt::Display for HookWarning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "hook {} on {} {}; {}", self.hook, self.event, self.reason, self.fix)
    }
}

/// What is known of a hook beside its counts.
pub(super) struct HookFacts<'a> {
    pub(super) matcher: &'a MatcherSpec,
    pub(super) waited_for: bool,
    /// The dispatches of its event since it is counted.
    pub(super) dispatches: u64,
    /// Tools that its event was dispatched for.
    pub(super) tools: &'a [String],
    /// It asks for a tool that the host cannot have. A guard for a call that was not made is as it should be.
    pub(super) is_suspect: bool,
}

impl<'a> HookFacts<'a> {
    /// Those of a hook that nobody waits for and that has run.
    pub(super) const fn of(matcher: &'a MatcherSpec) -> Self {
        Self { matcher, waited_for: false, dispatches: 0, tools: &[], is_suspect: false }
    }
}

/// What is wrong with a hook, if anything is.
pub(super) fn warning(stats: &HookStats, facts: &HookFacts<'_>) -> Option<HookWarning> {
    let failures: u64 = stats.failures.values().sum();
    let slow = stats.duration_us.as_ref().filter(|took| took.p95 > SLOW_MS * 1000.0 * (1.0 + ERROR));
    let (kind, reason, fix) = if stats.never_matched {
        if facts.dispatches < NEVER_MATCHED_AFTER || !facts.is_suspect {
            return None;
        }
        (WarningKind::NeverMatched, never_matched(facts), fix_matcher(facts))
    } else if stats.runs >= ALWAYS_FAILS_AFTER && failures >= stats.runs {
        let kinds: Vec<_> = stats.failures.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let reason = format!("failed in all of its {} runs ({})", stats.runs, kinds.join(", "));
        let fix = "its messages are in the log and in the traces; fix or remove the hook".to_owned();
        (WarningKind::AlwaysFails, reason, fix)
    } else if let Some(took) = slow.filter(|_| facts.waited_for && stats.runs >= SLOW_AFTER) {
        let reason = format!("slows every call: of {} runs 5 in 100 took over {:.0} ms", stats.runs, took.p95 / 1000.0);
        let fix = "make it cheaper, narrow its matcher, or make it detached if its answer is not needed".to_owned();
        (WarningKind::Slow, reason, fix)
    } else {
        return None;
    };
    let (hook, id, event) = (stats.hook.clone(), stats.id.clone(), stats.event.clone());
    Some(HookWarning { hook, id, event, kind, reason, fix })
}

/// A tool came that may do what a hook is for, and the hook was not asked.
pub(super) fn unknown_tool(hook: &str, id: HookId, event: &str, tool: &str, spelling: Spelling) -> HookWarning {
    let same_as = usual::likely(tool).unwrap_or("…");
    // It may come from anywhere, and goes to a log.
    let tool = tool.escape_debug().to_string();
    HookWarning {
        hook: hook.to_owned(),
        id: id.to_string(),
        event: event.to_owned(),
        kind: WarningKind::UnknownTool,
        reason: format!("was not asked about tool `{tool}`, which is no known tool and which no hook names"),
        fix: format!(
            "if it does what a known tool does, say so: {}; else name it in a hook",
            spelling.define_tool(&tool, "same_as", same_as)
        ),
    }
}

/// A hook's event is raised with a misspelt field.
pub(super) fn misspelt(hook: &str, id: HookId, event: &str, misspelled_field: &MisspelledField) -> HookWarning {
    let MisspelledField { missing, given, .. } = misspelled_field;
    HookWarning {
        hook: hook.to_owned(),
        id: id.to_string(),
        event: event.to_owned(),
        kind: WarningKind::MisspelledField,
        reason: format!("gets events that lack `{missing}` and have the unknown field `{given}`"),
        fix: format!("raise {event} with `{missing}`; no matcher looks at `{given}`"),
    }
}

/// A hook decides, and nothing comes of it; its refusals and its runs, where they were counted.
pub(super) fn observes(hook: &HookInfo, counted: Option<(u64, u64)>) -> HookWarning {
    let so_far = counted.map_or_else(String::new, |(would_block, runs)| {
        format!("; in {runs} runs so far it would have blocked {would_block} times")
    });
    HookWarning {
        hook: hook.name.clone(),
        id: hook.id.clone(),
        event: hook.event.clone(),
        kind: WarningKind::Observes,
        reason: format!("observes: what it decides is recorded and not acted on{so_far}"),
        fix: "set its enforcement, or that of the client, to `enforce`".to_owned(),
    }
}

fn never_matched(facts: &HookFacts<'_>) -> String {
    let matcher = serde_json::to_string(facts.matcher).unwrap_or_default();
    format!("ran in none of {} dispatches; its matcher is {matcher}", facts.dispatches)
}

fn fix_matcher(facts: &HookFacts<'_>) -> String {
    let names = facts.tools.iter().map(String::as_str);
    let of_rule = || facts.matcher.rule.as_ref().and_then(|rules| rules.iter().next());
    let wanted = facts.matcher.tool.as_deref().or_else(of_rule).unwrap_or_default();
    let wanted = wanted.split('(').next().unwrap_or_default();
    let near = match did_you_mean(wanted, names.clone()) {
        near if near.is_empty() => did_you_mean(wanted, usual::ours()),
        near => near,
    };
    let named: Vec<_> = names.take(TOOLS_NAMED).collect();
    let came = if named.is_empty() {
        format!("no tool is called so{near}; ask explain")
    } else {
        let more = if facts.tools.len() > named.len() { ", …" } else { "" };
        format!("its event had the tools {}{more}{near}; ask explain", named.join(", "))
    };
    format!("{came} why it is not selected, or whether an earlier hook ends these dispatches")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Durations;

    #[test]
    fn a_hook_that_slows_every_call_is_told_of() {
        let warned = |runs, p95, waited_for| {
            let stats = HookStats {
                hook: "slow".into(),
                id: "hook-1".into(),
                event: "PreToolUse".into(),
                runs,
                decisions: [("continue", runs)].into(),
                failures: [].into(),
                modifications: 0,
                skipped: 0,
                overran: 0,
                would_block: 0,
                duration_us: Some(Durations { p50: 1.0, p95, p99: p95, max: p95 }),
                last_run: None,
                never_matched: false,
            };
            let matcher = &MatcherSpec::default();
            let facts = HookFacts { matcher, waited_for, dispatches: runs, tools: &[], is_suspect: false };
            warning(&stats, &facts).map(|warning| (warning.kind, warning.reason))
        };
        let reason = "slows every call: of 20 runs 5 in 100 took over 600 ms".to_owned();
        assert_eq!(warned(20, 600_000.0, true), Some((WarningKind::Slow, reason)));
        assert_eq!(warned(19, 600_000.0, true), None, "too early");
        assert_eq!(warned(20, 520_000.0, true), None, "it may be under the limit");
        assert_eq!(warned(20, 600_000.0, false), None, "nobody waits for it");
    }

    #[test]
    fn of_many_tools_the_first_are_named() {
        let tools: Vec<String> = (1..=9).map(|tool| format!("tool-{tool}")).collect();
        let matcher = MatcherSpec::default();
        let facts = |tools| HookFacts { matcher: &matcher, waited_for: true, dispatches: 100, tools, is_suspect: true };
        let fix = |tools| fix_matcher(&facts(tools));
        assert!(fix(&tools).contains("tool-8, …; ask explain"), "{}", fix(&tools));
        assert!(fix(&tools[..8]).contains("tool-8; ask explain"), "{}", fix(&tools[..8]));
    }
}
