//! What a session needs of a dispatch's outcome.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use hookweave_machine::action::Action;
use hookweave_machine::answer::{Injection, Message, Question};
use hookweave_machine::hook::Scope;
use hookweave_machine::json::{from_json, to_json};
use hookweave_machine::met::Met;
use hookweave_machine::observer::EventDigest;
use hookweave_machine::once::UsedOnce;
use hookweave_machine::outcome::{FromHook, Outcome};
use hookweave_machine::payload::Host;
use hookweave_machine::registry::HookId;

/// A hook that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asker {
    /// Its name, which another hook may have too.
    pub name: String,
    /// Its id, under which answers to it are remembered.
    pub id: HookId,
    /// What it is made of, by which it is known again in a later session; `None` when it cannot be.
    pub identity: Option<String>,
    /// The reason of its answer.
    pub reason: Option<String>,
    /// Why it looks at the call.
    pub met: Met,
}

/// The result of one dispatch's hooks, without the host's own values.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are the outcome's methods of the same names")]
pub struct Verdict {
    pub decision: Action,
    pub blocked: bool,
    pub reason: Option<String>,
    /// The hook that decided.
    pub hook: Option<String>,
    pub modified: Vec<String>,
    pub injections: Vec<(String, Injection)>,
    pub messages: Vec<(Option<String>, Message)>,
    pub asks: Vec<(Asker, Question)>,
    pub feedback: Vec<String>,
    pub delay_ms: u64,
    pub suppress_output: bool,
    /// The variables that hooks left for later commands, each with the scope of its hook.
    pub env: Vec<(Scope, Map<String, Value>)>,
    /// The hook whose word may stand for a person's, and whether it grants.
    pub settled: Option<(String, bool, Option<String>)>,
    /// What the event was about, where tool runs are recorded.
    pub about: Option<Arc<EventDigest>>,
    /// The runs of `once` hooks that the event has used up.
    pub used_once: Vec<UsedOnce>,
}

impl Verdict {
    /// Of an event whose payload the engine has refused.
    pub(super) fn refused_by_host(why: String) -> Self {
        Self {
            decision: Action::Block,
            blocked: true,
            settled: Some(("host".to_owned(), false, Some(why.clone()))),
            reason: Some(why),
            hook: Some("host".to_owned()),
            ..Self::default()
        }
    }

    /// Counts an explicit `continue` of the program's own hook as a grant, where no hook granted or restricted anything.
    ///
    /// A hook from a file says what its own dialect means.
    pub(super) fn apply_consent<T, V>(&mut self, outcome: &Outcome<T, V>) {
        if self.settled.is_some() || !matches!(self.decision, Action::Continue | Action::Allow) {
            return;
        }
        let dispatch_result = outcome.records().iter().find(|record| {
            let entry = record.call.entry();
            record.consents && trusted(entry.scope()) && entry.origin().is_none() && record.speaks_of(outcome.changes())
        });
        self.settled =
            dispatch_result.map(|record| (record.call.entry().name().to_string(), true, record.reason.clone()));
    }

    /// The verdict of an outcome.
    pub fn of<T, H: Host>(outcome: &Outcome<T, H::Value>, host: &H) -> Self {
        let owned = |given: FromHook<'_, Injection>| (given.hook.unwrap_or_default().to_owned(), given.part.clone());
        let votes = outcome.records().iter().filter(|record| trusted(record.call.entry().scope()));
        let settling = |action: fn(Action) -> bool| {
            let changes = outcome.changes();
            votes.clone().find(|record| action(record.action) && !record.is_void(changes))
        };
        let refusing = settling(Action::refuses);
        // What cannot be recorded, or what hooks do not agree about, is not granted.
        let refused = outcome.refusal().map(|(by, why)| (by.to_owned(), false, Some(why.to_owned())));
        let settled = refusing.or_else(|| settling(|action| action == Action::Allow)).map(|record| {
            let name = record.call.entry().name().to_string();
            (name, !record.action.refuses(), record.reason.clone())
        });
        Self {
            decision: outcome.decision(),
            blocked: outcome.blocked(),
            reason: outcome.reason().map(str::to_owned),
            hook: outcome.decider().map(|(_, name)| name.to_owned()),
            modified: outcome.modified().into_iter().map(str::to_owned).collect(),
            injections: outcome.injections().into_iter().map(owned).collect(),
            messages: outcome.messages().into_iter().map(|m| (m.hook.map(str::to_owned), m.part.clone())).collect(),
            asks: outcome.asking().map(|(name, id, ask)| (asker(outcome, host, name, id), ask.clone())).collect(),
            feedback: outcome.feedback().into_iter().map(str::to_owned).collect(),
            delay_ms: outcome.delay_ms(),
            suppress_output: outcome.suppress_output(),
            env: env(outcome, host),
            settled: refused.or(settled),
            about: None,
            used_once: outcome.used_once(),
        }
    }
}

/// The hook that asks.
fn asker<T, H: Host>(outcome: &Outcome<T, H::Value>, host: &H, name: &str, id: HookId) -> Asker {
    let mut records = outcome.records().iter().filter(|record| record.call.entry().id() == id);
    let identity = records.clone().next().and_then(|record| record.call.entry().identity());
    let reason = records.rfind(|record| record.action == Action::Ask).and_then(|record| record.reason.clone());
    Asker { name: name.to_owned(), id, identity, reason, met: outcome.met(host, id) }
}

/// The verdict of a dispatch; all dispatches without an answer share one.
#[derive(Debug, Default)]
pub(super) struct SharedVerdict(Option<Box<Verdict>>);

impl SharedVerdict {
    pub(super) const fn of(verdict: Box<Verdict>) -> Self {
        Self(Some(verdict))
    }
}

impl Deref for SharedVerdict {
    type Target = Verdict;

    fn deref(&self) -> &Verdict {
        static NOTHING: LazyLock<Verdict> = LazyLock::new(Verdict::default);
        self.0.as_deref().unwrap_or_else(|| &NOTHING)
    }
}

/// Whether hooks of a scope may answer for a person: those that come with a project may not.
const fn trusted(scope: Scope) -> bool {
    matches!(scope, Scope::Managed | Scope::User | Scope::Callback)
}

/// The variables that hooks left.
pub(super) fn env<T, H: Host>(outcome: &Outcome<T, H::Value>, host: &H) -> Vec<(Scope, Map<String, Value>)> {
    let read = |left: &H::Value| match to_json(host, &host.view(left)).map(|text| from_json(&text)) {
        Ok(Ok(Value::Object(left))) => Some(left),
        _ => None,
    };
    outcome.left().filter_map(|(scope, left)| Some((scope, read(left)?))).collect()
}
