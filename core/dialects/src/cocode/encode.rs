//! What a Cocode hook reads, and its environment.

use serde_json::{Map, Value, json};

use super::NAME;
use super::events::{EVENTS, FIELDS};
use crate::{Encoded, Invocation, canonical};

pub(super) fn encode(invocation: &Invocation, pass_context: bool) -> Encoded {
    let event = EVENTS.iter().find(|(_, event)| *event == invocation.event.name()).map_or("", |(name, _)| *name);
    let env = canonical::variables([
        ("HOOK_EVENT", Some(event)),
        ("HOOK_TOOL_NAME", invocation.text("tool")),
        ("HOOK_SESSION_ID", invocation.text("session_id")),
    ]);
    if !pass_context {
        return Encoded { body: Value::Null, env, env_file: None };
    }
    let mut body = Map::from_iter([("event".to_owned(), json!(event))]);
    for (theirs, ours) in FIELDS {
        let value = match (*ours, invocation.field(ours)) {
            ("error", Some(Value::String(text))) => json!(text),
            ("error", Some(other)) => other.get("message").cloned().unwrap_or_else(|| json!(other.to_string())),
            (_, value) => value.cloned().unwrap_or_default(),
        };
        body.insert((*theirs).to_owned(), value);
    }
    // Never the environment of the agent: only what the host has set aside for its hooks.
    let context_env = invocation.own(NAME, "env").filter(|env| env.is_object()).cloned();
    body.insert("env".to_owned(), context_env.unwrap_or_else(|| json!({})));
    Encoded { body: Value::Object(body), env, env_file: None }
}
