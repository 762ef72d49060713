//! A line as one message of JSON-RPC, read so that no reader of it can take it for another one.

use std::cell::Cell;

use hookweave_host::json::from_json_keeping;
use serde_json::{Map, Value};

/// The fields that set a message apart from others, and by which a call is judged.
const FIELDS: &[&str] = &["jsonrpc", "id", "method", "params", "result", "error"];
const PARAMS: &[&str] = &["name", "arguments", "task", "_meta"];

/// The request that is judged.
pub(super) const CALL: &str = "tools/call";

/// A message.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) kind: Kind,
    pub(super) fields: Map<String, Value>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Request {
        id: String,
        method: String,
    },
    Notification {
        method: String,
    },
    /// The id is missing where a side could not read what it answers.
    Response {
        id: Option<String>,
    },
}

impl Message {
    /// Reads a line. The error says what it is instead of a message.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Some readers end a line here, and what is behind it could be a message of its own.
        if line.contains(&b'\r') {
            return Err("has a carriage return within a line".to_owned());
        }
        let text = std::str::from_utf8(line).map_err(|why| format!("is no UTF-8: {why}"))?;
        let is_twice = Cell::new(false);
        let read = from_json_keeping(text, &|_, _, _| {
            is_twice.set(true);
            false
        });
        let value = read.map_err(|why| format!("is no JSON: {why}"))?;
        if is_twice.get() {
            return Err("has a key twice, which readers understand in two ways".to_owned());
        }
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Array(_) => return Err("is a batch; send one message a line".to_owned()),
            _ => return Err("is no object".to_owned()),
        };
        refuse_alike(&fields, FIELDS)?;
        let kind = Kind::of(&fields)?;
        if let (Some(Value::Object(params)), Some(CALL)) = (fields.get("params"), kind.method()) {
            refuse_alike(params, PARAMS)?;
        }
        Ok(Self { kind, fields })
    }

    /// A field of the parameters.
    pub(super) fn param(&self, name: &str) -> Option<&Value> {
        self.fields.get("params")?.get(name)
    }
}

impl Kind {
    fn of(fields: &Map<String, Value>) -> Result<Self, String> {
        let id = fields.get("id").map(id_text).transpose();
        let has_answer = fields.contains_key("result") || fields.contains_key("error");
        match (fields.get("method"), id) {
            (Some(_), _) if has_answer => Err("is a request and an answer at once".to_owned()),
            (Some(Value::String(method)), Ok(Some(Some(id)))) => Ok(Self::Request { id, method: method.clone() }),
            (Some(Value::String(method)), Ok(None)) if method != CALL => {
                Ok(Self::Notification { method: method.clone() })
            }
            (Some(Value::String(_)), Ok(_)) => Err("is a request without an id".to_owned()),
            (Some(_), Ok(_)) => Err("has a `method` that is no text".to_owned()),
            (None, Ok(Some(Some(id)))) if has_answer => Ok(Self::Response { id: Some(id) }),
            (None, Ok(_)) if fields.contains_key("error") && !fields.contains_key("result") => {
                Ok(Self::Response { id: None })
            }
            (None, Ok(_)) => Err("is neither a request nor an answer".to_owned()),
            (_, Err(why)) => Err(why),
        }
    }

    fn method(&self) -> Option<&str> {
        match self {
            Self::Request { method, .. } | Self::Notification { method } => Some(method),
            Self::Response { .. } => None,
        }
    }
}

/// An id as a key: `"1"` and `1` are two.
pub(super) fn id_text(id: &Value) -> Result<Option<String>, String> {
    match id {
        Value::Null => Ok(None),
        Value::String(_) => Ok(Some(id.to_string())),
        Value::Number(number) if number.is_i64() || number.is_u64() => Ok(Some(id.to_string())),
        _ => Err("has an id that is neither a text nor an integer".to_owned()),
    }
}

/// Some readers take a key in other letters for the same: one that is not written as the protocol does could be judged as
/// one thing and understood as another.
fn refuse_alike(fields: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    // To the upper case and back: some letters have only one of the two.
    let folded = |key: &str| key.to_uppercase().to_lowercase();
    match fields.keys().find(|key| !known.contains(&key.as_str()) && known.contains(&folded(key).as_str())) {
        Some(key) => Err(format!("has a key `{}`, which readers understand in two ways", key.escape_debug())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Message};

    fn kind(line: &str) -> Result<Kind, String> {
        Message::read(line.as_bytes()).map(|message| message.kind)
    }

    #[test]
    fn messages_are_told_apart() {
        let request = |id: &str| Ok(Kind::Request { id: id.to_owned(), method: "x".to_owned() });
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#), request("1"));
        assert_eq!(kind("{\"id\":\"1\",\"method\":\"x\",\"new\":[]}\r\n"), request("\"1\""));
        assert_eq!(kind(r#"{"method":"x"}"#), Ok(Kind::Notification { method: "x".to_owned() }));
        assert_eq!(kind(r#"{"id":1,"result":{}}"#), Ok(Kind::Response { id: Some("1".to_owned()) }));
        assert_eq!(kind(r#"{"id":null,"error":{}}"#), Ok(Kind::Response { id: None }));
    }

    #[test]
    fn what_could_be_understood_in_two_ways_is_no_message() {
        for (line, why) in [
            (r#"{"id":1,"method":"ping","method":"tools/call"}"#, "twice"),
            (r#"{"id":1,"method":"tools/call","params":{"arguments":{"a":{"b":1,"b":2}}}}"#, "twice"),
            (r#"{"id":1,"method":"ping","Method":"tools/call"}"#, "`Method`"),
            (r#"{"id":1,"method":"ping","param\u017f":{}}"#, "`paramſ`"),
            (r#"{"id":1,"method":"tools/call","params":{"name":"a","Name":"b"}}"#, "`Name`"),
            (r#"[{"id":1,"method":"ping"}]"#, "batch"),
            ("{\"id\":1,\r\"method\":\"ping\"}", "carriage return"),
            (r#"{"id":1,"method":"ping""#, "no JSON"),
            (r#"{"id":1.0,"method":"ping"}"#, "neither a text nor an integer"),
            (r#"{"id":null,"method":"ping"}"#, "without an id"),
            (r#"{"method":"tools/call"}"#, "without an id"),
            (r#"{"id":1,"method":"ping","result":{}}"#, "at once"),
            (r#"{"id":null,"result":{}}"#, "neither a request nor an answer"),
            (r#"{"id":1,"method":["tools/call"]}"#, "no text"),
            ("1", "no object"),
        ] {
            let said = kind(line).unwrap_err();
            assert!(said.contains(why), "{line}: {said}");
        }
        assert!(Message::read(b"{\"id\":1,\"method\":\"\xff\"}").unwrap_err().contains("UTF-8"));
    }
}
