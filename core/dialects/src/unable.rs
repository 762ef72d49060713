//! What a hook leaves for its agent when the engine could not decide.

use serde_json::{Map, Value};

use super::{Dialect, OutcomeView, WireAnswer, named};
use hookweave_machine::error::Error;
use hookweave_machine::event::BUILT_IN;

/// Gates that cannot fail closed: a block there means that the agent has to go on.
pub const NEVER_CLOSED: &[&str] = &["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"];

/// Names under which agents say which event it is.
const EVENT_FIELDS: &[&str] = &["hook_event_name", "hookEventName", "event_type", "event"];

/// What a hook of a dialect leaves when there is no decision, because the event cannot be read, the policy is broken or
/// the hooks were not done in time: a gate stays shut and says why.
///
/// `text` is what the agent sent, readable or not. An event that is no gate, or where a block would mean that the agent
/// has to go on, passes with the reason on standard error and exit code 1. What may be any event is taken for a gate.
pub fn unable_to_wire(dialect: &str, text: &str, why: &str) -> Result<WireAnswer, Error> {
    let dialect = named(dialect)?;
    let wire = super::output::from_agent(text).unwrap_or_default();
    let Ok(event) = dialect.event_from_wire(&wire) else {
        let guards = event_of(dialect, &wire).is_none_or(guards);
        return Ok(plainly(if guards { 2 } else { 1 }, why));
    };
    if !guards(event.event) {
        return Ok(plainly(1, why));
    }
    Ok(dialect.outcome_to_wire(&OutcomeView::refusal(&event, why)))
}

/// Whether an event is a gate that can fail closed.
fn guards(event: &str) -> bool {
    !NEVER_CLOSED.contains(&event) && BUILT_IN.iter().any(|known| known.name == event && known.gate)
}

/// The engine's name of an event that cannot be read otherwise.
fn event_of(dialect: &dyn Dialect, wire: &Value) -> Option<&'static str> {
    let wire: &Map<String, Value> = wire.as_object()?;
    let name = EVENT_FIELDS.iter().find_map(|field| wire.get(*field)?.as_str())?;
    dialect.place(name, None)?.ok().map(|place| place.event)
}

fn plainly(exit_code: i32, why: &str) -> WireAnswer {
    WireAnswer { exit_code, stdout: String::new(), stderr: why.to_owned(), degraded: Vec::new() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn unable(dialect: &str, wire: &Value) -> WireAnswer {
        unable_to_wire(dialect, &wire.to_string(), "the policy is broken").unwrap()
    }

    #[test]
    fn a_gate_stays_shut_in_the_agents_own_words() {
        let call = json!({
            "session_id": "s", "transcript_path": "", "cwd": "/p", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
        });
        let answer = unable("claude-code", &call);
        let printed: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(printed["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(printed["hookSpecificOutput"]["permissionDecisionReason"], "the policy is broken");
        let prompt = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "BeforeAgent", "prompt": "hello"});
        let printed: Value = serde_json::from_str(&unable("gemini-cli", &prompt).stdout).unwrap();
        assert_eq!(printed["decision"], "deny");
    }

    #[test]
    fn an_event_that_happens_anyway_passes_and_so_does_the_end_of_a_turn() {
        let stop = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "Stop", "stop_hook_active": false});
        assert_eq!(unable("claude-code", &stop), plainly(1, "the policy is broken"));
        let end = json!({"session_id": "s", "cwd": "/p", "hook_event_name": "SessionEnd", "reason": "other"});
        assert_eq!(unable("claude-code", &end).exit_code, 1);
    }

    #[test]
    fn what_cannot_be_read_is_taken_for_a_gate_unless_its_name_says_otherwise() {
        for dialect in crate::ALL.iter() {
            for text in ["", "{", "[]", "null", "{\"hook_event_name\": \"Newer\"}"] {
                let answer = unable_to_wire(dialect.name(), text, "no").unwrap();
                assert_eq!((answer.exit_code, answer.stderr.as_str()), (2, "no"), "{} {text}", dialect.name());
            }
        }
        // Without a prompt and a subagent these are no events of the agents', but what they would be is known.
        for (name, exit_code) in [("BeforeTool", 2), ("BeforeAgent", 2), ("SessionStart", 1), ("AfterAgent", 1)] {
            assert_eq!(unable("gemini-cli", &json!({"hook_event_name": name})).exit_code, exit_code, "{name}");
        }
        assert_eq!(unable("codex", &json!({"hook_event_name": "SubagentStop"})).exit_code, 1);
    }
}
