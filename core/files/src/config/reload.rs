//! A changed configuration beside the one in force: which hooks came and went, and which protect less than before.

use std::sync::Arc;

use serde::Serialize;

use super::Problem;
use super::configuration::{Configuration, Ready, UntrustedHook};
use super::discover::change_source;
use super::entry::in_full;
use hookweave_dialects::named;
use hookweave_machine::hook::{Enforcement, FailBehavior, HookSpec, Origin, Timeout};

/// How a new configuration differs from the old one.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Hooks that are new, also those that wait for an approval.
    pub added: Vec<Change>,
    /// Hooks that are gone.
    pub removed: Vec<Change>,
    /// Hooks that are other than before.
    pub changed: Vec<Change>,
}

/// What became of one hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The hook's name.
    pub name: String,
    /// Where it stands, or stood.
    pub origin: Option<Arc<Origin>>,
    /// The name of its scope as an event says that configuration changed.
    pub source: &'static str,
    /// What is other than before.
    pub what: Vec<String>,
    /// Why it may protect less than before; empty when it does not.
    pub weaker: Vec<String>,
}

impl Changes {
    /// Whether anything changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    /// The changes that take protection away; the old hooks are asked about them first.
    pub fn weakening(&self) -> impl Iterator<Item = &Change> {
        self.removed.iter().chain(&self.changed).filter(|change| !change.weaker.is_empty())
    }
}

/// What a reload came to.
#[derive(Debug, Clone)]
pub enum Reload {
    /// The new configuration makes sense.
    New {
        /// It.
        configuration: Box<Configuration>,
        /// How it differs from the old one.
        changes: Changes,
    },
    /// A file could not be read, so the old hooks stay in force.
    Kept {
        /// What is wrong, and with which file.
        problems: Vec<Problem>,
        /// The same in one text.
        message: String,
    },
}

/// Judges a configuration that was loaded anew; what happens to the hooks is its caller's business.
///
/// A file that cannot be read at all keeps everything as it is: half-written files are common during an edit.
#[must_use]
pub fn judge(old: &Configuration, new: Result<Configuration, hookweave_machine::error::Error>) -> Reload {
    let configuration = match new {
        Ok(configuration) => configuration,
        Err(error) => return Reload::Kept { problems: Vec::new(), message: kept(error.message()) },
    };
    let broken: Vec<_> = configuration.found.iter().filter(|found| found.broken).map(|found| &found.file).collect();
    if !broken.is_empty() {
        let mine = |problem: &&Problem| problem.fatal && broken.contains(&&problem.file);
        let problems: Vec<Problem> = configuration.problems.iter().filter(mine).cloned().collect();
        let text = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        return Reload::Kept { message: kept(&text), problems };
    }
    let changes = diff(old, &configuration);
    Reload::New { configuration: Box::new(configuration), changes }
}

fn kept(why: &str) -> String {
    format!("the hooks stay as they were, since the new configuration cannot be read: {why}")
}

/// Compares two configurations hook by hook.
#[must_use]
pub fn diff(old: &Configuration, new: &Configuration) -> Changes {
    let mut changes = Changes::default();
    let mut left: Vec<&Ready> = new.hooks.iter().collect();
    let mut gone = Vec::new();
    // Those that are the same first, so that of two hooks at one place the right one is reported as changed.
    for before in &old.hooks {
        match left.iter().position(|after| same_hook(before, after)) {
            Some(index) => {
                let after = left.remove(index);
                changes.changed.extend(compare(before, after));
            }
            None => gone.push(before),
        }
    }
    for before in gone {
        match left.iter().position(|after| same_place(before, after)) {
            Some(index) => {
                let after = left.remove(index);
                changes.changed.extend(compare(before, after));
            }
            None => changes.removed.push(removed(before, new)),
        }
    }
    changes.added = left.into_iter().map(|ready| change(ready, vec!["is new".to_owned()], Vec::new())).collect();
    compare_closed(old, new, &mut changes);
    compare_policy_files(old, new, &mut changes);
    compare_waiting(old, new, &mut changes);
    changes
}

/// Notes the hooks that wait for an approval since now. One that counted before is among those that are gone.
fn compare_waiting(old: &Configuration, new: &Configuration, changes: &mut Changes) {
    let is_told = |waiting: &UntrustedHook| {
        let (approval, is_known) = (&waiting.approval, |other: &UntrustedHook| other.approval == waiting.approval);
        let is_gone = |change: &Change| {
            let is_there = |origin: &Arc<Origin>| {
                origin.file.display().to_string() == approval.file && origin.place == approval.place
            };
            change.origin.as_ref().is_some_and(is_there)
        };
        !approval.replaces.is_empty() || old.untrusted.iter().any(is_known) || changes.removed.iter().any(is_gone)
    };
    let waiting: Vec<Change> = new.untrusted.iter().filter(|waiting| !is_told(waiting)).map(waits).collect();
    changes.added.extend(waiting);
}

fn waits(waiting: &UntrustedHook) -> Change {
    let approval = &waiting.approval;
    let origin = named(&approval.dialect).ok().map(|dialect| {
        Arc::new(Origin {
            file: approval.file.clone().into(),
            place: approval.place.clone(),
            line: waiting.line,
            scope: waiting.scope,
            dialect: dialect.name(),
            runs: approval.runs.clone(),
            fingerprint: None,
            also: Vec::new(),
        })
    });
    let name = if approval.event.is_empty() { approval.place.clone() } else { approval.runs.clone() };
    let what = vec![format!("does not count yet: {}", waiting.why)];
    Change { name, origin, source: change_source(waiting.scope), what, weaker: Vec::new() }
}

/// Notes which gates are closed now, and which are open again.
fn compare_closed(old: &Configuration, new: &Configuration, changes: &mut Changes) {
    let closed = |configuration: &Configuration| -> Vec<(Ready, String)> {
        let closed = configuration.lost.iter().filter_map(|lost| Some((lost.closed.clone()?, lost.why.clone())));
        closed.collect()
    };
    let (before, after) = (closed(old), closed(new));
    let is_in = |list: &[(Ready, String)], why: &str| list.iter().any(|(_, other)| other == why);
    for (ready, why) in after.iter().filter(|(_, why)| !is_in(&before, why)) {
        changes.added.push(change(ready, vec![format!("blocks: {why}")], Vec::new()));
    }
    for (ready, why) in before.iter().filter(|(_, why)| !is_in(&after, why)) {
        changes.removed.push(change(ready, vec![format!("does not block any more: {why}")], Vec::new()));
    }
}

/// Notes whether changes of the policy's files are still asked about.
fn compare_policy_files(old: &Configuration, new: &Configuration, changes: &mut Changes) {
    match (&old.policy_files, &new.policy_files) {
        (None, Some(after)) => changes.added.push(change(after, vec!["is new".to_owned()], Vec::new())),
        (Some(before), None) => {
            let why = "is switched off by `guard_policy_files`".to_owned();
            changes.removed.push(change(before, vec![why.clone()], vec![why]));
        }
        (None, None) | (Some(_), Some(_)) => {}
    }
}

/// The same command for the same event of the same file.
fn same_hook(before: &Ready, after: &Ready) -> bool {
    let (before, after) = (&before.declared, &after.declared);
    let file = |origin: &Option<Arc<Origin>>| origin.as_ref().map(|origin| origin.file.clone());
    before.declared_event == after.declared_event
        && before.run == after.run
        && before.spec.scope == after.spec.scope
        && file(&before.spec.origin) == file(&after.spec.origin)
}

/// Another command at the same place, or under the same name.
fn same_place(before: &Ready, after: &Ready) -> bool {
    let (before, after) = (&before.declared.spec, &after.declared.spec);
    match (&before.origin, &after.origin) {
        (Some(a), Some(b)) => {
            a.file == b.file
                && before.event == after.event
                && before.scope == after.scope
                && (a.place == b.place || before.name == after.name)
        }
        _ => false,
    }
}

fn change(ready: &Ready, what: Vec<String>, weaker: Vec<String>) -> Change {
    let spec = &ready.declared.spec;
    Change {
        name: ready.declared.label().to_owned(),
        origin: spec.origin.clone(),
        source: change_source(spec.scope),
        what,
        weaker,
    }
}

fn removed(before: &Ready, new: &Configuration) -> Change {
    let origin = before.declared.spec.origin.as_ref();
    let untrusted = new.untrusted.iter().find(|untrusted| {
        origin.is_some_and(|origin| {
            let approval = &untrusted.approval;
            approval.file == origin.file.display().to_string()
                && (approval.place == origin.place || approval.runs == in_full(&before.declared.run))
        })
    });
    let why = untrusted
        .map_or_else(|| "is gone".to_owned(), |untrusted| format!("does not count any more: {}", untrusted.why));
    change(before, vec![why.clone()], vec![why])
}

fn compare(before: &Ready, after: &Ready) -> Option<Change> {
    let (old, new) = (&before.declared, &after.declared);
    let (mut what, mut weaker) = (Vec::new(), Vec::new());
    if old.run != new.run {
        weaker.push("runs something else".to_owned());
    }
    if old.dialect.name() != new.dialect.name() {
        weaker.push(format!("is read as {} instead of {}", new.dialect.name(), old.dialect.name()));
    }
    if before.guard.contents().ne(after.guard.contents()) {
        weaker.push("its script changed".to_owned());
    }
    compare_specs(&old.spec, &new.spec, &mut what, &mut weaker);
    if old.wakes != new.wakes {
        what.push(if new.wakes { "wakes the model" } else { "does not wake the model any more" }.to_owned());
    }
    if what.is_empty() && weaker.is_empty() {
        return None;
    }
    what.extend(weaker.iter().cloned());
    Some(change(after, what, weaker))
}

fn compare_specs(old: &HookSpec, new: &HookSpec, what: &mut Vec<String>, weaker: &mut Vec<String>) {
    if old.event != new.event {
        weaker.push(format!("is for {} instead of {}", new.event, old.event));
    }
    if old.matcher != new.matcher {
        // Whether one matcher is narrower than another cannot be decided in general; to match everything is never less.
        let mut everything = hookweave_machine::matcher::MatcherSpec::default();
        everything.naming = new.matcher.naming;
        let widened = new.matcher == everything;
        let text = "is for other events: its matcher changed".to_owned();
        if widened { what.push(text) } else { weaker.push(text) }
    }
    if old.enabled != new.enabled {
        if new.enabled { what.push("is switched on".to_owned()) } else { weaker.push("is switched off".to_owned()) }
    }
    if old.timeout != new.timeout {
        let text = format!("may run for {} instead of {}", shown(new.timeout), shown(old.timeout));
        if shorter(new.timeout, old.timeout) { weaker.push(text) } else { what.push(text) }
    }
    if old.fail_behavior != new.fail_behavior {
        let text = "its failure means something else".to_owned();
        if new.fail_behavior == Some(FailBehavior::Block) { what.push(text) } else { weaker.push(text) }
    }
    if old.enforcement != new.enforcement {
        let observes = new.enforcement == Some(Enforcement::Observe);
        // What is left to the client may be less than what the file asked for.
        let weakens = observes || old.enforcement == Some(Enforcement::Enforce);
        let text = if observes { "observes: what it decides is not acted on" } else { "does not observe any more" };
        let text = if weakens && !observes { "leaves it to the client whether it is enforced" } else { text };
        if weakens { weaker.push(text.to_owned()) } else { what.push(text.to_owned()) }
    }
    if old.mandatory != new.mandatory && old.is_mandatory() == new.is_mandatory() {
        what.push("says for itself whether it is mandatory".to_owned());
    }
    let flags = [
        (old.is_mandatory(), new.is_mandatory(), "is mandatory", "is not mandatory any more", false),
        (old.detached, new.detached, "is not awaited any more", "is awaited", true),
        (old.once, new.once, "runs only once", "runs every time", true),
    ];
    for (was, is, set, unset, setting_weakens) in flags {
        if was != is {
            let text = if is { set } else { unset }.to_owned();
            if is == setting_weakens { weaker.push(text) } else { what.push(text) }
        }
    }
    if old.priority != new.priority {
        what.push(format!("has priority {} instead of {}", new.priority, old.priority));
    }
    if old.name != new.name {
        what.push("has another name".to_owned());
    }
}

fn shorter(new: Timeout, old: Timeout) -> bool {
    match (new, old) {
        (Timeout::After(new), Timeout::After(old)) => new < old,
        (Timeout::After(_), Timeout::Never) => true,
        _ => false,
    }
}

fn shown(timeout: Timeout) -> String {
    match timeout {
        Timeout::Default => "the default time".to_owned(),
        Timeout::Never => "as long as it takes".to_owned(),
        Timeout::After(limit) => format!("{limit:?}"),
    }
}
