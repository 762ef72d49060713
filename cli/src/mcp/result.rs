//! Results of tools as hooks see them, and as clients get them where hooks changed something.

use serde_json::{Map, Value, json};

/// A server's answer to a call.
#[derive(Debug)]
pub(super) enum Answer {
    /// A result, and what hooks see of it.
    Result { whole: Map<String, Value>, output: Value, is_error: bool },
    /// The server asks the client for something, and the call is made again with that.
    Asks,
    /// An error of the protocol.
    Error(String),
    /// A result that hooks cannot look at.
    Unseen(String),
}

impl Answer {
    /// Reads the fields of an answer.
    pub(super) fn of(fields: &Map<String, Value>) -> Self {
        if let Some(error) = fields.get("error") {
            let text = error.get("message").and_then(Value::as_str);
            return Self::Error(text.map_or_else(|| error.to_string(), str::to_owned));
        }
        let Some(Value::Object(whole)) = fields.get("result") else {
            return Self::Unseen("the server's result is no object".to_owned());
        };
        match whole.get("resultType").map(|kind| kind.as_str().unwrap_or_default()) {
            None | Some("complete") => {}
            Some("input_required") if !whole.contains_key("content") => return Self::Asks,
            Some(kind) => {
                return Self::Unseen(format!("hooks cannot look at a result of the type `{}`", kind.escape_debug()));
            }
        }
        Self::Result {
            whole: whole.clone(),
            output: seen(whole),
            is_error: whole.get("isError") == Some(&Value::Bool(true)),
        }
    }
}

/// What hooks see: the text where there is one text and no more, else all that the client gets.
fn seen(result: &Map<String, Value>) -> Value {
    let structured = result.get("structuredContent").filter(|structured| !structured.is_null());
    let Some(Value::Array(content)) = result.get("content") else { return Value::Object(result.clone()) };
    if let [Value::Object(part)] = content.as_slice()
        && part.get("type").and_then(Value::as_str) == Some("text")
        && let Some(text) = part.get("text").filter(|text| text.is_string())
        && structured.is_none_or(|structured| *structured == json!({"result": text}))
    {
        return text.clone();
    }
    json!({"content": content, "structuredContent": structured})
}

/// What a hook's error and a person's reason have in common: a text.
pub(super) fn text_of(output: &Value) -> String {
    output.as_str().map_or_else(|| output.to_string(), str::to_owned)
}

/// A result of an output that hooks changed. Anything else of the old result may hold what they took out of it.
pub(super) fn changed(old: Option<&Map<String, Value>>, output: &Value, is_error: bool) -> Map<String, Value> {
    let mut new = Map::new();
    let parts = output.as_object().filter(|output| output.get("content").is_some_and(Value::is_array));
    if let Some(parts) = parts {
        let given = ["content", "structuredContent"].into_iter();
        let given = given.filter_map(|name| Some((name, parts.get(name).filter(|part| !part.is_null())?)));
        new.extend(given.map(|(name, part)| (name.to_owned(), part.clone())));
    } else {
        let text = text_of(output);
        new.insert("content".to_owned(), json!([{"type": "text", "text": text}]));
        if old.is_some_and(|old| old.contains_key("structuredContent")) {
            new.insert("structuredContent".to_owned(), json!({"result": text}));
        }
    }
    new.insert("isError".to_owned(), is_error.into());
    if let Some(kind) = old.and_then(|old| old.get("resultType")) {
        new.insert("resultType".to_owned(), kind.clone());
    }
    new
}

/// A call that was not made, or whose result is kept back.
pub(super) fn refusal(why: &str) -> Map<String, Value> {
    changed(None, &Value::from(why), true)
}

/// Puts what hooks tell the model behind a result.
pub(super) fn add_notes(result: &mut Map<String, Value>, notes: &[String]) {
    if notes.is_empty() {
        return;
    }
    let note = json!({"type": "text", "text": notes.join("\n\n")});
    match result.get_mut("content") {
        Some(Value::Array(content)) => content.push(note),
        _ => _ = result.insert("content".to_owned(), json!([note])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(result: &Value) -> Value {
        match Answer::of(json!({ "result": result }).as_object().unwrap()) {
            Answer::Result { output, .. } => output,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hooks_see_a_text_or_all_that_the_client_gets() {
        let text = json!([{"type": "text", "text": "a"}]);
        assert_eq!(output(&json!({"content": text})), json!("a"));
        assert_eq!(output(&json!({"content": text, "structuredContent": {"result": "a"}})), json!("a"));
        for other in [
            json!({"content": text, "structuredContent": {"result": "b"}}),
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "structuredContent": null}),
            json!({"content": [{"type": "image", "data": "", "mimeType": "x"}], "structuredContent": null}),
        ] {
            assert_eq!(output(&other), other);
        }
        assert_eq!(output(&json!({"toolResult": 1})), json!({"toolResult": 1}));
    }

    #[test]
    fn a_changed_result_keeps_nothing_of_the_old_one() {
        let old = json!({"content": [], "structuredContent": {"secret": 1}, "_meta": {"secret": 1}});
        let old = old.as_object();
        let text = json!([{"type": "text", "text": "new"}]);
        let new = json!({"content": text, "structuredContent": {"result": "new"}, "isError": false});
        assert_eq!(Value::Object(changed(old, &json!("new"), false)), new);
        let parts = json!({"content": text, "structuredContent": null});
        assert_eq!(Value::Object(changed(old, &parts, true)), json!({"content": text, "isError": true}));
    }

    #[test]
    fn what_comes_later_is_not_seen() {
        let of = |result: Value| Answer::of(json!({ "result": result }).as_object().unwrap());
        assert!(matches!(of(json!({"resultType": "input_required", "inputRequests": {}})), Answer::Asks));
        for late in [json!({"resultType": "task"}), json!({"resultType": "input_required", "content": []}), json!([])] {
            assert!(matches!(of(late.clone()), Answer::Unseen(_)), "{late}");
        }
    }
}
