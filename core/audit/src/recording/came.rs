//! What is compared when a recording is replayed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use hookweave_machine::action::Action;
use hookweave_machine::dispatch::Status;
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;
use hookweave_machine::registry::Entry;

/// What came of a dispatch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Came {
    /// The decision.
    pub decision: String,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Final values of the fields that hooks changed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub modified: Map<String, Value>,
    /// What was added for the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
    /// The hooks that ran, each with what it came to.
    pub hooks: Vec<(String, String)>,
    /// The hooks among them that the program registered itself: a replay has only those of files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_code: Vec<String>,
    /// Those of them that answered: without them the outcome would have been another one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered_in_code: Vec<String>,
}

impl Came {
    /// Of an outcome.
    pub fn of<H: Host, T>(host: &H, outcome: &Outcome<T, H::Value>) -> Self {
        let value = |field: &str| Some((field.to_owned(), outcome.final_field(host, field)?));
        let (mut in_code, mut answered_in_code) = (Vec::new(), Vec::new());
        let mut note = |entry: &Entry<T>, answered: bool| {
            if entry.origin().is_none() {
                add(&mut in_code, entry.name());
                if answered {
                    add(&mut answered_in_code, entry.name());
                }
            }
        };
        let mut hooks = Vec::new();
        for (entry, _) in outcome.quiet_runs().filter(|_| outcome.is_quiet()) {
            note(entry, false);
            hooks.push((entry.name().to_string(), Action::Continue.as_str().to_owned()));
        }
        let injections = outcome.injections();
        let gave = |name: &str| injections.iter().any(|given| given.hook == Some(name));
        for record in outcome.records().iter().filter(|record| record.status != Status::Skipped) {
            let entry = record.call.entry();
            let is_silent = record.action == Action::Continue && record.failure.is_none() && record.modified.is_empty();
            note(entry, !is_silent || gave(entry.name()));
            let came = match &record.failure {
                Some(failure) => format!("failed ({})", failure.kind.as_str()),
                None => record.action.as_str().to_owned(),
            };
            hooks.push((entry.name().to_string(), came));
        }
        Self {
            decision: outcome.decision().as_str().to_owned(),
            reason: outcome.reason().map(str::to_owned),
            modified: outcome.modified().into_iter().filter_map(value).collect(),
            context: injections.iter().map(|given| given.part.content.clone()).collect(),
            hooks,
            in_code,
            answered_in_code,
        }
    }

    /// The same without the hooks of the program itself that only looked on.
    #[must_use]
    pub fn of_files(mut self) -> Self {
        let in_code = std::mem::take(&mut self.in_code);
        self.hooks.retain(|(name, _)| !in_code.contains(name));
        self
    }
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}
