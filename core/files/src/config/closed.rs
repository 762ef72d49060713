//! Approvals that no hook has any more: what changed or is gone since a person approved it closes the gate that it guarded.

use std::path::PathBuf;
use std::sync::Arc;

use super::configuration::{LostApproval, Ready};
use super::reading::cut;
use super::trust::{Change, Covers, Texts, TrustedHook};
use super::{Declared, Problem, Run};
use serde_json::json;

use hookweave_dialects::{Dialect, NEVER_CLOSED, named};
use hookweave_machine::decision::Decision;
use hookweave_machine::hook::{HookSpec, Origin, Scope, Timeout};
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::timestamp::iso;

/// An approval that is to be found again, and who loads the file that it is for.
#[derive(Debug)]
pub(super) struct Expected {
    pub(super) approval: TrustedHook,
    pub(super) scope: Scope,
}

/// A hook that waits for an approval.
pub(super) struct Waiting<'c> {
    pub(super) ready: &'c Ready,
    pub(super) approval: TrustedHook,
}

/// How the file of an approval stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileNow {
    Absent,
    /// As a whole or in one of its entries.
    Broken,
    Whole,
}

/// An approval that no hook has, with the hook that stands in its place.
pub(super) struct Missing<'c> {
    pub(super) expected: &'c Expected,
    /// Which of those that wait.
    pub(super) by: Option<usize>,
    file_now: FileNow,
    change: Option<Change>,
    /// How many lines changed, where it can be told.
    lines: Option<String>,
}

/// The expected approvals that none of the present fingerprints is for.
pub(super) fn missing<'c>(
    expected: &'c [Expected],
    texts: Option<&Texts>,
    is_present: &dyn Fn(&str) -> bool,
    waiting: &[Waiting<'_>],
    state: &dyn Fn(&str) -> FileNow,
) -> Vec<Missing<'c>> {
    let lost = expected.iter().filter(|expected| !is_present(&expected.approval.fingerprint));
    lost.map(|expected| {
        let by = successor(&expected.approval, waiting);
        let now = by.and_then(|by| waiting.get(by)).map(|by| &by.approval);
        let change = now.map(|now| Covers::of(&expected.approval.covers).change(&Covers::of(&now.covers)));
        let lines = now.and_then(|now| texts?.changed_lines(&expected.approval, now));
        Missing { expected, by, file_now: state(&expected.approval.file), change, lines }
    })
    .collect()
}

/// The hook that stands where an approved one stood: the same entry, else the same command, else the same place.
fn successor(approval: &TrustedHook, waiting: &[Waiting<'_>]) -> Option<usize> {
    let entry = Covers::of(&approval.covers).entry;
    let rank = |other: &TrustedHook| {
        if !entry.is_empty() && Covers::of(&other.covers).entry == entry {
            3
        } else if other.runs == approval.runs {
            2
        } else {
            u8::from(other.place == approval.place)
        }
    };
    let same_file = |other: &TrustedHook| {
        other.project == approval.project && other.file == approval.file && other.dialect == approval.dialect
    };
    let ranked = waiting.iter().enumerate().filter(|(_, other)| same_file(&other.approval));
    ranked
        .map(|(at, other)| (rank(&other.approval), at))
        .filter(|(rank, _)| *rank > 0)
        .max_by_key(|(rank, _)| *rank)
        .map(|(_, at)| at)
}

impl Missing<'_> {
    /// What a person is told of the hook that stands in its place.
    pub(super) fn why(&self) -> String {
        format!("{}; review it and approve it again", self.what())
    }

    /// As a problem of the file that it was approved in, where nothing stands in its place.
    pub(super) fn problem(&self) -> Option<Problem> {
        let approval = &self.expected.approval;
        let message = format!("the {} hook {}", approval.event, self.gone());
        let problem = || Problem::of_file(PathBuf::from(&approval.file), message, false);
        self.by.is_none().then(|| Problem { place: approval.place.clone(), ..problem() })
    }

    /// What changed, and since when.
    fn what(&self) -> String {
        let what = match &self.change {
            Some(Change::Script(script)) => format!("its script {script} changed"),
            Some(Change::Entry) => "it changed".to_owned(),
            Some(Change::Unknown) | None => "it, or a script that it names, changed".to_owned(),
        };
        let lines = self.lines.as_ref().map(|lines| format!(" ({lines})")).unwrap_or_default();
        format!("{what} since it was approved{}{lines}", self.on())
    }

    /// ` on 2026-11-28`, where the day is known.
    fn on(&self) -> String {
        match i64::try_from(self.expected.approval.approved_at) {
            Ok(ms) if ms > 0 => format!(" on {}", iso(ms).get(..10).unwrap_or_default()),
            _ => String::new(),
        }
    }

    /// The whole sentence: which approval, what became of it, and the fix.
    fn sentence(&self) -> String {
        let TrustedHook { file, runs, event, .. } = &self.expected.approval;
        let what = if event.is_empty() { "the setting".to_owned() } else { format!("the {event} hook") };
        match self.by {
            Some(_) => {
                let why = self.what();
                format!(
                    "{file}: {what} `{}` does not count: {why}; review it with `hookweave trust approve --diff`, or run \
                     `hookweave trust revoke {file}` if it is to go",
                    cut(runs)
                )
            }
            None => format!("{file}: {what} `{}` {}", cut(runs), self.gone()),
        }
    }

    fn gone(&self) -> String {
        let file = &self.expected.approval.file;
        let (now, fix) = match self.file_now {
            FileNow::Absent => ("is gone", format!("put it back, or run `hookweave trust revoke {file}`")),
            FileNow::Broken => (
                "cannot be read now",
                format!("fix the file (`hookweave lint`), or run `hookweave trust revoke {file}`"),
            ),
            FileNow::Whole => ("is gone", "put it back, or run `hookweave trust approve`".to_owned()),
        };
        format!("was approved{} and {now}; {fix} if it is to go", self.on())
    }

    /// What is reported of it, with the hook that closes the gate where a block stops the event.
    pub(super) fn lost(&self, waiting: &[Waiting<'_>], is_gate: impl Fn(&str) -> bool) -> LostApproval {
        let why = self.sentence();
        let by = self.by.and_then(|by| waiting.get(by)).map(|waiting| waiting.ready);
        let closed = match (&self.change, by) {
            _ if Covers::of(&self.expected.approval.covers).observes => None,
            (Some(Change::Script(_)), Some(ready)) => Some(ready.declared.clone()),
            _ => self.whole_event(&why),
        };
        let closes = |event: &str| is_gate(event) && !NEVER_CLOSED.contains(&event);
        let closed = closed.filter(|declared| closes(&declared.spec.event)).map(|declared| {
            let fingerprint = self.expected.approval.fingerprint.clone();
            Ready { declared: closing(declared, &why), fingerprint, guard: Arc::default(), unsure: None }
        });
        let is_gone = by.is_none();
        let is_taken_out = is_gone && self.file_now == FileNow::Whole;
        LostApproval { approval: self.expected.approval.clone(), is_gone, is_taken_out, why, closed }
    }

    /// A hook for all that the approved one may have guarded: which of it, its present entry may say wrongly.
    fn whole_event(&self, why: &str) -> Option<Declared> {
        let approval = &self.expected.approval;
        let dialect = named(&approval.dialect).ok()?;
        let (event, matcher) = placed(dialect, &approval.event)?;
        let mut spec = HookSpec::new(event);
        spec.matcher = matcher;
        spec.scope = self.expected.scope;
        spec.name = Some(approval.runs.clone());
        spec.timeout = Timeout::Never;
        spec.origin = Some(Arc::new(Origin {
            file: PathBuf::from(&approval.file),
            place: approval.place.clone(),
            line: None,
            scope: self.expected.scope,
            dialect: dialect.name(),
            runs: approval.runs.clone(),
            fingerprint: None,
            also: Vec::new(),
        }));
        Some(Declared {
            spec,
            dialect,
            declared_event: approval.event.clone(),
            run: refusal(why),
            wakes: false,
            // By its command a person may have switched it off.
            entry: json!({"hook": {"command": approval.runs}}),
            replaces: false,
            plugin: None,
            project: Some(PathBuf::from(&approval.project)),
        })
    }
}

/// The engine's event that a file's means, and for which of its kind.
fn placed(dialect: &dyn Dialect, declared: &str) -> Option<(String, MatcherSpec)> {
    match dialect.place(declared, None) {
        Some(placement) => placement.ok().map(|placement| (placement.event.to_owned(), placement.matcher)),
        None => declared.contains(':').then(|| (declared.to_owned(), MatcherSpec::default())),
    }
}

/// What stands in the place of what was approved.
fn refusal(why: &str) -> Run {
    Run::Decision(Decision::Block(why.to_owned()))
}

/// The same as a hook that refuses and that nothing passes by.
fn closing(mut declared: Declared, why: &str) -> Declared {
    declared.run = refusal(why);
    let spec = &mut declared.spec;
    spec.name = spec.name.take().map(|name| format!("closed: {name}"));
    (spec.mandatory, spec.detached, spec.once, spec.group) = (Some(true), false, false, None);
    // Its reason is about the file, whatever the call is.
    spec.decides = false;
    declared.wakes = false;
    declared.replaces = false;
    declared
}
