//! Reads a model's response, for all languages.
//!
//! A response comes from a model's client, and hooks may have changed it. A part of the wrong kind is an error that names the
//! place and the fix: no tool runs with arguments that hooks cannot judge.

use serde_json::{Map, Value};

use hookweave_machine::error::{Code, Error};
use hookweave_machine::json::{from_json, to_json};
use hookweave_machine::payload::{Host, Kind};

/// The parts of a model's response.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedResponse<V> {
    /// Its text; empty when it has none.
    pub text: String,
    /// The tools that it calls, in order.
    pub calls: Vec<ParsedCall<V>>,
    /// Token usage: an object in which `total_tokens` has the core's spelling, or null.
    pub usage: Value,
}

/// A tool call of a response.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedCall<V> {
    /// The tool's name.
    pub tool: String,
    /// The call's id, when the model gave one.
    pub id: Option<String>,
    /// The arguments.
    pub args: Arguments<V>,
}

/// The arguments of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments<V> {
    /// An object of the host's, as the response has it.
    Given(V),
    /// The object that the response has as JSON text; empty for a call without arguments.
    Parsed(Map<String, Value>),
}

/// Reads a response, an object with `text`, `tool_calls` and `usage`, each of which may be missing or null.
///
/// # Errors
/// `invalid_payload` where a part is of another kind, or stands under the name that a provider or another language gives it; the
/// message names the part and what belongs there.
pub fn read_response<'v, H: Host>(host: &'v H, response: &H::View<'v>) -> Result<ParsedResponse<H::View<'v>>, Error> {
    match host.kind(response) {
        Kind::Object => {}
        kind => return Err(odd("the model's response", &kind, "an object with `text` and the tool calls")),
    }
    let text = match part(host, response, "text") {
        None => String::new(),
        Some(text) => text_of(host, &text, "`text` of the model's response", "a string")?,
    };
    let calls = calls(host, response)?;
    if text.is_empty() && calls.is_empty() {
        refuse_other_name(host, response, ("", "text"), PROVIDERS_TEXT)?;
    }
    Ok(ParsedResponse { text, calls, usage: usage(host, response)? })
}

/// Names that providers and other languages give to parts of a response.
const PROVIDERS_TEXT: &[&str] = &["content", "message", "choices", "output"];
const OTHERS_CALLS: &[&str] = &["tool_calls", "toolCalls", "function_call", "functionCall"];
const PROVIDERS_ARGS: &[&str] = &["arguments", "input", "parameters"];

/// Refuses an object that has under another name what is missing under its own: it would be lost without a word.
fn refuse_other_name<'v, H: Host>(
    host: &'v H,
    object: &H::View<'v>,
    (place, name): (&str, &str),
    others: &[&str],
) -> Result<(), Error> {
    let own = host.spelling().local(name);
    let is_given = |other: &&&str| {
        let Some(value) = (**other != own).then(|| host.get(object, other)).flatten() else { return false };
        match host.kind(&value) {
            Kind::Text(text) => !text.is_empty(),
            Kind::List(length) => length > 0,
            kind => !kind.is_nothing(),
        }
    };
    let Some(other) = others.iter().find(is_given) else { return Ok(()) };
    let why = format!("`{place}{other}` of the model's response is not read; it belongs in `{place}{own}`");
    Err(Error::new(Code::InvalidPayload, why))
}

/// A part that is neither missing nor null.
fn part<'v, H: Host>(host: &'v H, object: &H::View<'v>, name: &str) -> Option<H::View<'v>> {
    host.field(object, name).filter(|part| !host.kind(part).is_nothing())
}

fn odd(place: &str, kind: &Kind<'_>, wanted: &str) -> Error {
    let is = if *kind == Kind::BadText { "a string with lone surrogates".into() } else { kind.words() };
    Error::new(Code::InvalidPayload, format!("{place} is {is}; it must be {wanted}"))
}

fn text_of<'v, H: Host>(host: &'v H, view: &H::View<'v>, place: &str, wanted: &str) -> Result<String, Error> {
    match host.kind(view) {
        Kind::Text(text) => Ok(text.into_owned()),
        kind => Err(odd(place, &kind, wanted)),
    }
}

fn calls<'v, H: Host>(host: &'v H, response: &H::View<'v>) -> Result<Vec<ParsedCall<H::View<'v>>>, Error> {
    let list = part(host, response, "tool_calls");
    if list.as_ref().is_none_or(|list| host.kind(list) == Kind::List(0)) {
        refuse_other_name(host, response, ("", "tool_calls"), OTHERS_CALLS)?;
    }
    let Some(list) = list else { return Ok(Vec::new()) };
    let name = host.spelling().local("tool_calls");
    let length = match host.kind(&list) {
        Kind::List(length) => length,
        kind => {
            let wanted = "a list of objects with `name` and `args`";
            return Err(odd(&format!("`{name}` of the model's response"), &kind, wanted));
        }
    };
    let read = |index| {
        let place = format!("{name}[{index}]");
        match host.item(&list, index) {
            Some(call) => read_call(host, &call, &place),
            None => Err(odd(&format!("`{place}` of the model's response"), &Kind::Absent, CALL)),
        }
    };
    (0..length).map(read).collect()
}

/// What a tool call is.
const CALL: &str = "an object with `name` and `args`";

fn read_call<'v, H: Host>(host: &'v H, call: &H::View<'v>, place: &str) -> Result<ParsedCall<H::View<'v>>, Error> {
    match host.kind(call) {
        Kind::Object => {}
        kind => return Err(odd(&format!("`{place}` of the model's response"), &kind, CALL)),
    }
    let of = |part: &str| format!("`{place}.{part}` of the model's response");
    let Some(tool) = part(host, call, "name") else {
        return Err(Error::new(Code::InvalidPayload, format!("{} is missing; it must be the tool's name", of("name"))));
    };
    let tool = text_of(host, &tool, &of("name"), "the tool's name")?;
    let id = part(host, call, "id").map(|id| text_of(host, &id, &of("id"), "a string")).transpose()?;
    let args = match part(host, call, "args") {
        None => {
            refuse_other_name(host, call, (&format!("{place}."), "args"), PROVIDERS_ARGS)?;
            Arguments::Parsed(Map::new())
        }
        Some(args) => arguments(host, args, &format!("{}, a call of {tool},", of("args")))?,
    };
    Ok(ParsedCall { tool, id, args })
}

/// Arguments are an object, or its JSON text as providers in the style of `OpenAI` send it. Many of them send empty text for a
/// tool without parameters.
fn arguments<'v, H: Host>(host: &'v H, args: H::View<'v>, place: &str) -> Result<Arguments<H::View<'v>>, Error> {
    const WANTED: &str = "an object, or the JSON text of one";
    let text = match host.kind(&args) {
        Kind::Object => None,
        Kind::Text(text) => Some(text.into_owned()),
        kind => return Err(odd(place, &kind, WANTED)),
    };
    let Some(text) = text else { return Ok(Arguments::Given(args)) };
    if text.is_empty() {
        return Ok(Arguments::Parsed(Map::new()));
    }
    let refused = |is: &str| Error::new(Code::InvalidPayload, format!("{place} is {is}; it must be {WANTED}"));
    match from_json(&text) {
        Ok(Value::Object(args)) => Ok(Arguments::Parsed(args)),
        Ok(other) => Err(refused(&format!("the JSON text of {}", hookweave_machine::json::Json.kind(&&other).words()))),
        Err(why) => Err(refused(&format!("a string that is no JSON ({why})"))),
    }
}

fn usage<'v, H: Host>(host: &'v H, response: &H::View<'v>) -> Result<Value, Error> {
    const PLACE: &str = "`usage` of the model's response";
    let Some(usage) = part(host, response, "usage") else { return Ok(Value::Null) };
    match host.kind(&usage) {
        Kind::Object => {}
        kind => return Err(odd(PLACE, &kind, "an object")),
    }
    let no_json = |why: &dyn std::fmt::Display| {
        Error::new(Code::InvalidPayload, format!("{PLACE} has no JSON form: {why}; it must be an object of numbers"))
    };
    let text = to_json(host, &usage).map_err(|why| no_json(&why))?;
    let mut read = from_json(&text).map_err(|why| no_json(&why))?;
    let local = host.spelling().local(TOTAL);
    if let Value::Object(fields) = &mut read
        && !fields.contains_key(TOTAL)
        && let Some(total) = fields.get(&*local).cloned()
    {
        fields.insert(TOTAL.to_owned(), total);
    }
    Ok(read)
}

/// What is read of the usage.
const TOTAL: &str = "total_tokens";

#[cfg(test)]
mod tests {
    use super::*;
    use hookweave_machine::json::Json;
    use serde_json::json;

    fn read(response: &Value) -> Result<ParsedResponse<Value>, String> {
        let reading = read_response(&Json, &response).map_err(|error| error.to_string())?;
        let own = |args| match args {
            Arguments::Given(args) => Arguments::Given(Value::clone(args)),
            Arguments::Parsed(args) => Arguments::Parsed(args),
        };
        let calls =
            reading.calls.into_iter().map(|call| ParsedCall { tool: call.tool, id: call.id, args: own(call.args) });
        Ok(ParsedResponse { text: reading.text, calls: calls.collect(), usage: reading.usage })
    }

    fn args(written: &Value) -> Result<Arguments<Value>, String> {
        let response = json!({"tool_calls": [{"name": "Bash", "args": written}]});
        read(&response).map(|mut reading| reading.calls.remove(0).args)
    }

    #[test]
    fn every_part_may_be_missing_or_null() {
        for response in [json!({}), json!({"text": null, "tool_calls": null, "usage": null})] {
            let reading = read(&response).unwrap();
            assert_eq!((reading.text.as_str(), reading.calls.len(), reading.usage), ("", 0, Value::Null));
        }
    }

    #[test]
    fn arguments_are_an_object_or_its_json_text() {
        let Value::Object(parsed) = json!({"command": "ls", "n": 1}) else { unreachable!() };
        assert_eq!(args(&Value::Null), Ok(Arguments::Parsed(Map::new())));
        assert_eq!(args(&json!({"n": 1})), Ok(Arguments::Given(json!({"n": 1}))));
        assert_eq!(args(&json!(r#" {"command": "ls", "n": 1} "#)), Ok(Arguments::Parsed(parsed)));
        assert_eq!(args(&json!("{}")), Ok(Arguments::Parsed(Map::new())));
        assert_eq!(args(&json!("")), Ok(Arguments::Parsed(Map::new())));
    }

    #[test]
    fn further_fields_are_the_hosts_own() {
        let call = json!({"name": "A", "args": {"n": 1}, "input": {"n": 1}});
        for response in [
            json!({"text": "a", "content": "a"}),
            json!({"text": "", "content": [1], "tool_calls": [call]}),
            json!({"text": "", "content": "", "toolCalls": [], "function_call": null}),
            json!({"tool_calls": [{"name": "A", "arguments": ""}]}),
        ] {
            assert!(read(&response).is_ok(), "{response}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_place_and_the_fix() {
        let odd = [
            (json!([]), "the model's response is a list; it must be an object"),
            (json!({"text": 7}), "`text` of the model's response is an integer; it must be a string"),
            (json!({"tool_calls": {}}), "`tool_calls` of the model's response is an object; it must be a list"),
            (json!({"tool_calls": ["x"]}), "`tool_calls[0]` of the model's response is a string"),
            (json!({"tool_calls": [{}]}), "`tool_calls[0].name` of the model's response is missing"),
            (json!({"tool_calls": [{"name": 1}]}), "`tool_calls[0].name` of the model's response is an integer"),
            (
                json!({"tool_calls": [{"name": "A", "id": 1}]}),
                "`tool_calls[0].id` of the model's response is an integer",
            ),
            (
                json!({"tool_calls": [{"name": "A", "arguments": "{\"n\": 1}"}]}),
                "`tool_calls[0].arguments` of the model's response is not read; it belongs in `tool_calls[0].args`",
            ),
            (json!({"tool_calls": [{"name": "A", "args": null, "input": {}}]}), "`tool_calls[0].input` of"),
            (
                json!({"text": "a", "toolCalls": [{"name": "A"}], "tool_calls": []}),
                "`toolCalls` of the model's response is not read; it belongs in `tool_calls`",
            ),
            (json!({"text": "", "content": "hello"}), "`content` of the model's response is not read"),
            (json!({"usage": 7}), "`usage` of the model's response is an integer; it must be an object"),
        ];
        for (response, wanted) in odd {
            let why = read(&response).unwrap_err();
            assert!(why.starts_with(wanted), "{why}");
        }
        for written in
            [json!("ls"), json!("[]"), json!("null"), json!(" "), json!("{\"a\": 1"), json!([]), json!(7), json!(true)]
        {
            let why = args(&written).unwrap_err();
            assert!(why.contains("`tool_calls[0].args`") && why.contains("Bash"), "{why}");
            assert!(why.ends_with("it must be an object, or the JSON text of one"), "{why}");
        }
    }
}
