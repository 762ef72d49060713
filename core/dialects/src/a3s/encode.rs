//! What an A3S hook reads.

use serde_json::{Map, Value, json};

use super::events::{EVENTS, camel};
use crate::Invocation;

pub(super) fn body(invocation: &Invocation) -> Value {
    let name = invocation.event.name();
    let theirs = EVENTS.iter().find(|(_, event)| *event == name).map_or(name, |(theirs, _)| *theirs);
    let mut body = Map::from_iter([("eventType".to_owned(), json!(theirs))]);
    let known = invocation.event.built_in();
    for (field, value) in invocation.payload.iter().filter(|(field, _)| *field != "event_type") {
        let (field, value) = known.map_or_else(|| (field.clone(), value.clone()), |known| camel(known, field, value));
        body.entry(field).or_insert(value);
    }
    Value::Object(body)
}
