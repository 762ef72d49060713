//! What the workers of an agent may register and answer: a list on the agent's side.

use serde_json::Value;

use crate::wire::{HookConfig, RegisterHookRequest};
use hookweave_machine::dispatch::{FailureKind, HookFailure};
use hookweave_machine::hook::{HookSpec, Scope};

/// What workers may do. A block always counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grants {
    /// The events that they may have hooks on, by their names; `None` is every event.
    pub events: Option<Vec<String>>,
    /// The lowest priority that their hooks may have: lower ones run earlier.
    pub earliest_priority: i32,
    /// Whether their `allow` counts, and their `skip`; else both are `continue`.
    pub allow: bool,
    /// Whether they may change events.
    pub modify: bool,
    /// Whether they may have a person asked.
    pub ask: bool,
    /// Whether their hooks may be mandatory.
    pub mandatory: bool,
    /// Whether their hooks may be managed.
    pub managed: bool,
}

impl Default for Grants {
    fn default() -> Self {
        Self {
            events: None,
            earliest_priority: i32::MIN,
            allow: false,
            modify: true,
            ask: true,
            mandatory: false,
            managed: false,
        }
    }
}

impl Grants {
    /// Refuses an offer that goes beyond what the worker may.
    pub(crate) fn check(&self, worker: &str, offer: &RegisterHookRequest, config: &HookConfig) -> Result<(), String> {
        let event = &offer.event_type;
        if self.events.as_ref().is_some_and(|events| !events.contains(event)) {
            return Err(format!("the worker `{worker}` may have no hook on `{event}`; grant the event in the agent"));
        }
        if config.priority < self.earliest_priority {
            let (priority, earliest) = (config.priority, self.earliest_priority);
            return Err(format!(
                "priority {priority} is earlier than the {earliest} that the worker `{worker}` may have; raise it, or grant it in the agent"
            ));
        }
        match config.scope.as_deref() {
            None => Ok(()),
            Some(scope) if scope == Scope::Callback.as_str() => Ok(()),
            Some(scope) if scope == Scope::Managed.as_str() && self.managed => Ok(()),
            Some(scope) if scope == Scope::Managed.as_str() => Err(format!(
                "the worker `{worker}` may have no managed hook; take the scope away, or grant `managed` in the agent"
            )),
            Some(_) => Err("the scope of a worker's hook is `callback` or `managed`; take it away".to_owned()),
        }
    }

    /// Takes away what the worker may not have, and says so.
    pub(crate) fn bound(&self, worker: &str, spec: HookSpec) -> (HookSpec, Vec<String>) {
        if !spec.is_mandatory() || self.mandatory || spec.scope == Scope::Managed {
            return (spec, Vec::new());
        }
        let warning = format!(
            "the worker `{worker}` may have no mandatory hook, so this one is not: a `skip` of an earlier hook skips it, and it is not run again for later changes; grant `mandatory` in the agent"
        );
        (spec.mandatory(false), vec![warning])
    }

    /// An answer as far as the worker may give it, and what was taken away.
    pub(crate) fn filter(&self, mut answer: Value) -> Result<(Value, Option<&'static str>), HookFailure<Value>> {
        let refuse = |what: &str, grant: &str| HookFailure {
            meant_to_restrict: true,
            ..HookFailure::new(
                FailureKind::InvalidAnswer,
                format!("this worker may not {what}; grant `{grant}` in the agent"),
            )
        };
        let Some(fields) = answer.as_object_mut() else { return Ok((answer, None)) };
        let given = |fields: &serde_json::Map<_, _>, name: &str| fields.get(name).is_some_and(|part| !part.is_null());
        if !self.modify && given(fields, "modified") {
            return Err(refuse("change events", "modify"));
        }
        let action = fields.get("action").and_then(Value::as_str).unwrap_or_default();
        if !self.ask && (action == "ask" || given(fields, "ask")) {
            return Err(refuse("have a person asked", "ask"));
        }
        if self.allow {
            return Ok((answer, None));
        }
        let mut taken = match action {
            "allow" => Some("its `allow` counts as `continue`, because the worker has no grant `allow`"),
            "skip" => Some("its `skip` counts as `continue`, because the worker has no grant `allow`"),
            _ => None,
        };
        if taken.is_some() {
            fields.insert("action".to_owned(), "continue".into());
        }
        if let Some(Value::Object(ask)) = fields.get_mut("ask") {
            // Nobody's answer must not become a yes by way of the question.
            if ask.get("default").is_some_and(|default| default != "deny") {
                ask.insert("default".to_owned(), "deny".into());
                taken = Some("a timeout of its question denies, because the worker has no grant `allow`");
            }
        }
        Ok((answer, taken))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn without_a_grant_consent_is_taken_away_and_nothing_else() {
        let none = Grants::default();
        for (answer, left) in [
            (json!({"action": "allow", "reason": "x"}), json!({"action": "continue", "reason": "x"})),
            (json!({"action": "skip"}), json!({"action": "continue"})),
            (
                json!({"action": "ask", "ask": {"prompt": "?", "default": "allow"}}),
                json!({"action": "ask", "ask": {"prompt": "?", "default": "deny"}}),
            ),
        ] {
            let (filtered, taken) = none.filter(answer.clone()).unwrap();
            assert!(filtered == left && taken.is_some(), "{answer}");
            let all = Grants { allow: true, ..Grants::default() };
            assert_eq!(all.filter(answer.clone()).unwrap(), (answer, None));
        }
        for kept in [json!({"action": "block"}), json!({"modified": {"args": {}}}), json!({"ask": "?"}), json!([1])] {
            assert_eq!(none.filter(kept.clone()).unwrap(), (kept, None));
        }
    }

    #[test]
    fn what_changes_or_asks_without_a_grant_restricts() {
        let none = Grants { modify: false, ask: false, ..Grants::default() };
        for answer in [json!({"modified": {}}), json!({"action": "ask"}), json!({"ask": "?"})] {
            assert!(none.filter(answer.clone()).unwrap_err().meant_to_restrict, "{answer}");
        }
        assert!(none.filter(json!({"action": "block", "modified": null})).is_ok());
    }
}
