//! The engine's own side of a codec: canonical answers that hold for their event, and what an outcome says.

use serde_json::{Map, Value, json};

use super::{CommandOutput, Invocation, OutcomeView, WireAnswer, draft, output};
use hookweave_machine::action::Action;
pub(crate) use hookweave_machine::answer::intent::{self, Intent};
use hookweave_machine::answer::{self, Reading};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};
use hookweave_machine::event::{BUILT_IN, CatalogueEntry};
use hookweave_machine::json::Json;

/// Takes an answer when it holds for its event; else it is an invalid one.
pub(super) fn checked(invocation: &Invocation, answer: Map<String, Value>) -> HandlerResult<Value> {
    let answer = Value::Object(answer);
    match read(invocation, &answer) {
        Reading::Nothing => HandlerResult::Nothing,
        Reading::Answer(_) => HandlerResult::Answer(answer),
        Reading::Invalid(invalid) => invalid_answer(invalid.message, invalid.meant_to_restrict),
    }
}

/// How the engine reads a value as the answer to an event.
pub(super) fn read(invocation: &Invocation, answer: &Value) -> Reading<Value> {
    answer::read(&Json, &invocation.event, &answer)
}

/// Whether a value, valid or not, is against what the agent is about to do.
pub(super) fn restricts(invocation: &Invocation, given: &Value) -> bool {
    match read(invocation, given) {
        Reading::Nothing => false,
        Reading::Answer(answer) => {
            answer.action.refuses()
                || answer.action == Action::Ask
                || answer.ask.is_some()
                || !answer.modified.is_empty()
        }
        Reading::Invalid(invalid) => invalid.meant_to_restrict,
    }
}

/// Whether a text that is no answer was meant as one against the action: a word of refusal, or an answer behind others.
pub(super) fn text_restricts(invocation: &Invocation, text: &str) -> bool {
    match output::parse_twice(text) {
        output::Json::Object(fields) => restricts(invocation, &Value::Object(fields)),
        output::Json::Other(Value::Array(items)) => items.iter().any(|item| restricts(invocation, item)),
        output::Json::Other(value) => restricts(invocation, &value),
        output::Json::Unreadable(_) => true,
        output::Json::Not => match output::object_behind_text(text) {
            Some(fields) => restricts(invocation, &Value::Object(fields)),
            None => intent::of_text(text) > Intent::Nothing || restricts(invocation, &Value::String(text.to_owned())),
        },
    }
}

/// Reads what a command printed: a JSON object, or nothing; `what` says what the system calls it.
pub(super) fn object_or_nothing(
    invocation: &Invocation,
    exited: &CommandOutput,
    what: &str,
    answer: impl FnOnce(&Invocation, Map<String, Value>) -> HandlerResult<Value>,
) -> HandlerResult<Value> {
    let text = output::text(&exited.stdout);
    match output::parse(&text) {
        _ if text.is_empty() => HandlerResult::Nothing,
        output::Json::Object(fields) => answer(invocation, fields),
        _ => {
            let message = format!("{what} is a JSON object or nothing, not `{}`", output::first_line(&text));
            invalid_answer(message, text_restricts(invocation, &text))
        }
    }
}

/// A failure to answer.
pub(super) fn invalid_answer(message: String, meant_to_restrict: bool) -> HandlerResult<Value> {
    let kind = FailureKind::InvalidAnswer;
    if meant_to_restrict { draft::refused(kind, message) } else { draft::failed(kind, message) }
}

/// A value of a decision that none of the event's words is; one that says no keeps a gate shut.
pub(super) fn unknown_word(name: &str, value: &Value) -> HandlerResult<Value> {
    let says_no = match value {
        Value::Bool(flag) => !flag,
        Value::String(word) => intent::is_restricting(word),
        _ => false,
    };
    invalid_answer(format!("`{name}` cannot be `{}`", output::shown(&value.to_string())), says_no)
}

/// A process that ended in a way that says that it failed.
pub(super) fn exited(exited: &CommandOutput) -> HandlerResult<Value> {
    let (stdout, stderr) = (output::text(&exited.stdout), output::text(&exited.stderr));
    draft::failed(FailureKind::Exited, output::ending(exited.code, exited.signal, &stdout, &stderr))
}

/// A refusal for what a process left on standard error, or for how it ended when it left nothing.
pub(super) fn block(exited: &CommandOutput) -> HandlerResult<Value> {
    let stderr = output::text(&exited.stderr);
    let reason = output::without_ansi(&stderr);
    let reason = match output::trim(&reason) {
        "" => output::ending(exited.code, exited.signal, "", ""),
        reason => reason.to_owned(),
    };
    HandlerResult::Answer(json!({"action": "block", "reason": reason}))
}

/// An answer that says nothing but leaves a remark in the trace.
pub(super) fn noted(dialect: &str, note: &str) -> HandlerResult<Value> {
    HandlerResult::Answer(json!({"ext": {dialect: {"notes": [note]}}}))
}

/// The variables that have a value.
pub(super) fn variables<const N: usize>(given: [(&str, Option<&str>); N]) -> Vec<(String, String)> {
    given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect()
}

/// The catalogue's entry of a name or alias.
pub(super) fn built_in(name: &str) -> Option<&'static CatalogueEntry> {
    BUILT_IN.iter().find(|event| event.name == name || event.aliases.contains(&name))
}

/// What an agent understands beside a refusal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expressible {
    /// The agent's name, for people.
    pub(super) name: &'static str,
    /// That a person has to decide.
    pub(super) ask: bool,
    /// That a tool is to be tried again.
    pub(super) retry: bool,
    /// Which fields are changed.
    pub(super) modified: &'static [&'static str],
}

/// The fields that hooks changed, with their final values.
pub(super) fn modified<'a>(outcome: &'a OutcomeView<'_>) -> Vec<(&'a str, &'a Value)> {
    let value = |name: &str| outcome.payload.get(name).unwrap_or(&Value::Null);
    outcome.modified.iter().map(|name| (name.as_str(), value(name))).collect()
}

/// Why the agent must refuse, if it must; what it does not understand on a gate becomes a refusal, with a note.
pub(super) fn refusal(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, expressible: Expressible) -> Option<String> {
    let name = expressible.name;
    let is_gate = built_in(outcome.event.event).is_some_and(|event| event.gate);
    let refusal = match outcome.decision {
        Action::Block => return Some(outcome.reason_text()),
        Action::Stop => {
            answer.degrade(format!("stop: {name} cannot end the turn for a hook; it is a block"));
            return Some(outcome.reason_text());
        }
        Action::Ask if !expressible.ask => {
            answer.degrade(format!("ask: {name} cannot ask a person for a hook; it is a block"));
            return Some(format!("a person has to approve this and cannot be asked here: {}", question(outcome)));
        }
        Action::Retry if !expressible.retry && is_gate => {
            answer.degrade(format!("retry: {name} cannot wait for a hook; it is a block"));
            Some(format!("try again later: {}", outcome.reason_text()))
        }
        Action::Retry if !expressible.retry => {
            answer.degrade(format!("retry: {name} does not try again for a hook"));
            None
        }
        _ => None,
    };
    let names = outcome.modified.iter().map(String::as_str);
    let lost: Vec<_> = names.filter(|field| !expressible.modified.contains(field)).collect();
    if lost.is_empty() || refusal.is_some() {
        return refusal;
    }
    let lost = lost.join(", ");
    if !is_gate {
        answer.degrade(format!("modified: {name} cannot take over a changed {lost}"));
        return None;
    }
    answer.degrade(format!("modified: {name} cannot take over a changed {lost}; it is a block"));
    Some(format!("a hook changed {lost}, which cannot be taken over here"))
}

/// Says which texts have no place in an agent's answer.
pub(super) fn leave_out(outcome: &OutcomeView<'_>, answer: &mut WireAnswer, expressible: Expressible) {
    let given = [("injections", !outcome.injections.is_empty()), ("messages", !outcome.messages.is_empty())];
    for (name, _) in given.into_iter().filter(|(_, is_given)| *is_given) {
        answer.degrade(format!("{name}: {} has no place for them; they are left out", expressible.name));
    }
}

/// The questions of all hooks, or the reason.
pub(super) fn question(outcome: &OutcomeView<'_>) -> String {
    let prompts: Vec<&str> = outcome.asks.iter().filter_map(|ask| ask.prompt.as_deref()).collect();
    if prompts.is_empty() { outcome.reason_text() } else { prompts.join("\n\n") }
}

/// All questions as one: the shortest wait, and no choice that some hook does not offer.
pub(super) fn one_ask(outcome: &OutcomeView<'_>, answer: &mut WireAnswer) -> Map<String, Value> {
    if let [ask] = outcome.asks.as_slice() {
        let Ok(Value::Object(mut ask)) = serde_json::to_value(ask) else { return Map::new() };
        ask.retain(|_, value| !value.is_null());
        return ask;
    }
    let mut ask = Map::from_iter([("prompt".to_owned(), json!(question(outcome)))]);
    let Some((first, others)) = outcome.asks.split_first() else { return ask };
    answer.degrade("asks: the questions of several hooks became one");
    let mut shared = first.options.clone();
    shared.retain(|option| others.iter().all(|other| other.options.contains(option)));
    ask.insert(
        "options".to_owned(),
        if shared.is_empty() { json!([answer::ALLOW_ONCE, "Deny"]) } else { json!(shared) },
    );
    ask.insert("timeout_ms".to_owned(), json!(outcome.asks.iter().map(|ask| ask.timeout_ms).min()));
    let all_allow = outcome.asks.iter().all(|ask| ask.default == "allow");
    ask.insert("default".to_owned(), json!(if all_allow { "allow" } else { "deny" }));
    ask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_word_that_says_no_keeps_a_gate_shut() {
        for (value, says_no) in [
            (json!(" Denied "), true),
            (json!("STOP"), true),
            (json!("No"), true),
            (json!(false), true),
            (json!("denying"), false),
            (json!(true), false),
            (json!(0), false),
        ] {
            let HandlerResult::Failed(failure) = unknown_word("permission", &value) else {
                panic!("{value} is no word")
            };
            assert_eq!(failure.meant_to_restrict, says_no, "{value}");
        }
    }
}
