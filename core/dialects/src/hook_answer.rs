//! Reads the output of a hook from a file, also where its dialect cannot.
//!
//! A codec says what its system makes of an output, and a system lets the action go on when it can make nothing of it. A
//! guard whose refusal has a comma too many, a second document behind it, or a word of another system would be switched
//! off by that, so one rule stands behind all codecs: an output that means to restrict, and that was read neither as a
//! refusal nor as a question, refuses on a gate.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::hosted;
use super::output::{self, Json};
use super::{CommandOutput, Dialect, Invocation, OutcomeView, RunKind, WebResponse, WireEvent, draft};
pub(crate) use hookweave_machine::answer::intent::{self, Intent};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

/// What a process meant by its exit code and output.
#[must_use]
pub fn answer_of_command(
    dialect: &dyn Dialect,
    invocation: &Invocation,
    exited: &CommandOutput,
) -> HandlerResult<Value> {
    let decoded = dialect.decode(invocation, exited);
    checked(dialect, invocation, decoded, &output::text(&exited.stdout))
}

/// What a web server meant.
#[must_use]
pub fn answer_of_server(dialect: &dyn Dialect, invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
    let decoded = dialect.decode_web(invocation, answer);
    checked(dialect, invocation, decoded, &output::text(&answer.body))
}

/// What the host's model, agent or MCP tool meant.
#[must_use]
pub fn answer_of_host(
    dialect: &dyn Dialect,
    invocation: &Invocation,
    kind: RunKind,
    answer: &Value,
) -> HandlerResult<Value> {
    let decoded = dialect.decode_hosted(invocation, kind, answer);
    if kind != RunKind::McpTool && hosted::verdict(answer).is_ok() {
        // The dialect understood it and has decided.
        return decoded;
    }
    let text = match (kind, answer) {
        (RunKind::McpTool, answer) => hosted::tool_text(answer).unwrap_or_default(),
        (_, Value::String(text)) => text.clone(),
        (_, other) => other.to_string(),
    };
    checked(dialect, invocation, decoded, output::trim(&text))
}

/// The result as read, or a refusal where the hook meant to restrict more.
fn checked(
    dialect: &dyn Dialect,
    invocation: &Invocation,
    decoded: HandlerResult<Value>,
    text: &str,
) -> HandlerResult<Value> {
    if !invocation.event.gate() || text.is_empty() || !dialect.may_refuse(invocation) {
        return decoded;
    }
    if meant(dialect, invocation, text, is_taken(&decoded)) <= understood(&decoded) {
        return decoded;
    }
    let event = invocation.event.name();
    let what = match &decoded {
        HandlerResult::Failed(failure) => failure.message.clone(),
        _ => format!("{} reads no refusal in this on {event}: {}", dialect.name(), output::first_line(text)),
    };
    let form = right_form(dialect, invocation).map(|form| format!("; the right form is {form}")).unwrap_or_default();
    let message = format!("{what}; it means to restrict, so it refuses{form}");
    draft::refused(FailureKind::InvalidAnswer, message)
}

/// The result as the engine reads it.
fn understood(decoded: &HandlerResult<Value>) -> Intent {
    match decoded {
        HandlerResult::Detached => Intent::Refuses,
        // How it ended says that the hook failed, and the failure rule what that means.
        HandlerResult::Failed(failure) if failure.kind != FailureKind::InvalidAnswer => Intent::Refuses,
        HandlerResult::Failed(failure) if failure.meant_to_restrict => Intent::Refuses,
        HandlerResult::Nothing | HandlerResult::Failed(_) => Intent::Nothing,
        HandlerResult::Answer(answer) => {
            let action = answer.get("action").and_then(Value::as_str).unwrap_or_default();
            if matches!(action, "block" | "stop" | "ask" | "retry") || answer.get("ask").is_some() {
                Intent::Refuses
            } else if answer.get("modified").is_some() {
                Intent::Rewrites
            } else {
                Intent::Nothing
            }
        }
    }
}

/// Whether text became something that the model is given. A message to the user is no reason to pass over a refusal in it.
fn is_taken(decoded: &HandlerResult<Value>) -> bool {
    matches!(decoded, HandlerResult::Answer(answer) if answer.get("inject").is_some())
}

/// What a text meant, as far as it is JSON or was to be: an object and those behind it, and what comes after.
fn meant(dialect: &dyn Dialect, invocation: &Invocation, text: &str, is_taken: bool) -> Intent {
    if let Json::Object(fields) = output::parse_twice(text) {
        let counts = |(field, value): &(String, Value)| !dialect.is_idle(invocation, field, value);
        return of_value(&Value::Object(fields.into_iter().filter(counts).collect()));
    }
    let plain = output::without_ansi(text);
    let bare = bare(&plain);
    let is_prose = !begins_like_json(bare);
    if is_prose {
        let own_line = plain.find("\n{").and_then(|at| plain.get(at..));
        let of_own_line = own_line.map_or(Intent::Nothing, |from| of_documents(from, is_prose, is_taken));
        return of_own_line.max(within_prose(&plain, is_taken));
    }
    of_documents(bare, is_prose, is_taken)
}

/// What the JSON at the beginning of a text meant, and what comes after.
fn of_documents(text: &str, is_prose: bool, is_taken: bool) -> Intent {
    let (documents, rest) = documents(text);
    // What the model is given as text may hold an object as an example; an answer is all that stands at its end.
    if is_prose && is_taken && !(documents.len() == 1 && rest.is_empty()) {
        return Intent::Nothing;
    }
    let behind = rest.find('{').or(if documents.is_empty() { Some(0) } else { None }).and_then(|at| rest.get(at..));
    let documents = documents.iter().map(of_value).max().unwrap_or(Intent::Nothing);
    documents.max(behind.map_or(Intent::Nothing, intent::of_text))
}

/// How many parts of objects are passed over in text that the model is given; each may take a look at all that follows.
const MOST_BROKEN: usize = 16;

/// What the objects among the words of a text meant. What cannot be read ends them: from there on it is looked at as text.
/// Linear in the text.
fn within_prose(text: &str, is_taken: bool) -> Intent {
    let (mut meant, mut count, mut broken) = (Intent::Nothing, 0_usize, 0_usize);
    let (mut rest, mut behind) = (text, text);
    while let Some(from) = rest.find('{').and_then(|at| rest.get(at..)) {
        if !begins_with_key(from) {
            rest = from.get(1..).unwrap_or_default();
            continue;
        }
        let mut stream = serde_json::Deserializer::from_str(from).into_iter::<IgnoredAny>();
        let end = stream.next().and_then(Result::ok).map(|_| stream.byte_offset());
        let Some((object, after)) = end.and_then(|end| from.split_at_checked(end)) else {
            broken += 1;
            if is_taken && broken <= MOST_BROKEN {
                // Text that the model is given may show a part of an object.
                rest = from.get(1..).unwrap_or_default();
                continue;
            }
            return meant.max(intent::of_text(from));
        };
        meant = meant.max(match output::parse(object) {
            Json::Object(fields) => of_value(&Value::Object(fields)),
            _ => intent::of_text(object),
        });
        count += 1;
        (rest, behind) = (after, after);
    }
    let is_example = is_taken && !(count == 1 && output::trim(behind).is_empty());
    if is_example { Intent::Nothing } else { meant }
}

/// Whether a text that begins with a brace goes on with a key in quotes and a colon, as an object does.
fn begins_with_key(text: &str) -> bool {
    let quotes = ['"', '\'', '\\'];
    let inside = text.strip_prefix('{').unwrap_or(text).trim_start();
    let Some((_, behind)) =
        inside.strip_prefix(quotes).and_then(|key| key.trim_start_matches(quotes).split_once(['"', '\'']))
    else {
        return false;
    };
    behind.trim_start().starts_with(':')
}

fn of_value(value: &Value) -> Intent {
    match value {
        Value::Object(_) | Value::Array(_) => intent::of_value(&hookweave_machine::json::Json, &value),
        // A word alone is no answer; a dialect that takes words has read it.
        _ => Intent::Nothing,
    }
}

/// The text without what people and tools put before JSON: marks, comments, the fence of a code block.
fn bare(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|letter: char| {
            letter.is_whitespace() || letter.is_control() || letter == '\u{feff}' || letter == '\u{fffd}'
        });
        rest = if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else if rest.starts_with("//") || rest.starts_with("```") {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else {
            return rest;
        };
    }
}

fn begins_like_json(text: &str) -> bool {
    text.starts_with('{')
        || text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', '[', '"', '\'']))
        || text.strip_prefix(['"', '\'']).is_some_and(|rest| rest.trim_start().starts_with('{'))
}

/// The JSON documents at the beginning of a text, and what stands behind them.
fn documents(text: &str) -> (Vec<Value>, &str) {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let mut documents = Vec::new();
    while let Some(Ok(document)) = stream.next() {
        documents.push(document);
    }
    let end = if documents.is_empty() { 0 } else { stream.byte_offset() };
    (documents, output::trim(text.get(end..).unwrap_or_default()))
}

/// A refusal as hooks of the dialect give it, where they can.
fn right_form(dialect: &dyn Dialect, invocation: &Invocation) -> Option<String> {
    let known = invocation.event.built_in()?;
    let event = WireEvent { event: known.name, payload: invocation.payload.clone() };
    let wire_answer = dialect.outcome_to_wire(&OutcomeView::refusal(&event, "…"));
    match wire_answer.stdout.as_str() {
        _ if !wire_answer.degraded.is_empty() => None,
        "" if wire_answer.exit_code == 0 => None,
        "" => Some(format!("exit code {} with the reason on standard error", wire_answer.exit_code)),
        stdout => Some(format!("`{stdout}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_found_among_words() {
        for no in [
            r#"checking... {"decision":"block","reason":"no"}"#,
            r#"checking... {"decision":"deny"} done"#,
            r#"a {"ok":true} b {"decision":"deny"} c"#,
            "checking... { \"action\" :\n \"block\" }",
            "checking... {'action': 'block'}",
            r#"checking... {\"action\": \"block\"}"#,
            r#"checking... {"action":"block",}"#,
            r#"checking... {"action":"blo"#,
            r#"${A} {x} {"y"} {} {"decision":"allow","decision":"block","decision":"allow"}"#,
            r#"{x} {"a": 1,} {"decision":"block"}"#,
        ] {
            assert_eq!(within_prose(no, false), Intent::Refuses, "{no}");
        }
        assert_eq!(within_prose(r#"see {"hookSpecificOutput":{"updatedInput":{}}}"#, false), Intent::Rewrites);
    }

    #[test]
    fn text_that_mentions_braces_is_text() {
        for text in [
            "checked ${HOME} and {a,b}; decision: block",
            r#"a set {"block"} of words, action: stop"#,
            r#"input: {"tool_input": {"action": "stop", "block": true}} was fine"#,
            r#"checked {"decision":"allow"} {"ok":true}"#,
            "fn main() { block: true }",
            "{",
        ] {
            assert_eq!(within_prose(text, false), Intent::Nothing, "{text}");
        }
    }

    #[test]
    fn text_that_the_model_is_given_may_show_an_answer_but_not_end_with_one() {
        assert_eq!(within_prose(r#"print {"decision":"block"} to refuse"#, true), Intent::Nothing);
        assert_eq!(within_prose(r#"saw {"a": and {"decision":"block"}"#, true), Intent::Refuses);
        assert_eq!(within_prose(r#"either {"decision":"allow"} or {"decision":"block"}"#, true), Intent::Nothing);
    }

    #[test]
    fn hostile_text_costs_linear_time() {
        for part in ["{\"", "{\"a\":", "{'", "{", "{\"a\":1}", "{'a':", "{\\\"a\\\":"] {
            for is_taken in [false, true] {
                within_prose(&("x".to_owned() + &part.repeat(50_000)), is_taken);
            }
        }
    }
}
