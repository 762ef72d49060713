//! Canonical JSON text: a host's value written down, or where it has none, and read back.

use std::fmt::Write as _;

use serde::de::{DeserializeSeed as _, Error as _};
use serde_json::{Number, Value};

pub use host::Json;

use crate::payload::{Excess, Host, Kind, MAX_NESTING, Room};

mod host;
mod twice;

pub(crate) use twice::Keeps;

/// A value has no JSON form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", if path.is_empty() { "the value" } else { path })]
pub struct NotJson {
    /// Where, for example `args.when[2]`.
    pub path: String,
    /// What it is, for example `a value of type datetime has no JSON form`.
    pub what: String,
}

/// Writes a value as JSON text without spaces.
///
/// Integers keep all their digits; tuples become arrays. NaN, infinities, lone surrogates, keys that are not strings,
/// `undefined` in a list and types that JSON lacks (dates, bytes, decimals, sets) are refused; an `undefined` field is
/// left out.
pub fn to_json<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> Result<String, NotJson> {
    let mut writer = Writer { out: String::new(), path: Vec::new(), room: Room::default(), for_people: false };
    writer.value(host, view)?;
    Ok(writer.out)
}

/// Writes a value for people: as JSON text, with `<what it is>` where something has no JSON form.
///
/// An odd value beside another one cannot hide it.
pub fn to_shown<'v, H: Host>(host: &'v H, view: &H::View<'v>) -> String {
    let mut writer = Writer { out: String::new(), path: Vec::new(), room: Room::default(), for_people: true };
    // For people nothing is refused but to go on without an end.
    if writer.value(host, view).is_err() {
        _ = write!(writer.out, "<{}>", Excess::Size);
    }
    writer.out
}

/// Objects of so many fields are looked through: that is quicker than to hash a name.
const FEW: usize = 8;

/// The field of an object; `None` when it is not there, or the value is no object.
pub fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    let fields = value.as_object()?;
    if fields.len() > FEW {
        return fields.get(name);
    }
    fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// The fields of an object that have these names, found in one pass where it is small.
pub fn members<'v, const N: usize>(value: &'v Value, names: &[&str; N]) -> [Option<&'v Value>; N] {
    let Some(fields) = value.as_object() else { return [None; N] };
    if fields.len() > FEW {
        return names.map(|name| fields.get(name));
    }
    let mut found = [None; N];
    for (known, value) in fields {
        for (name, place) in names.iter().zip(&mut found) {
            if known == name {
                *place = Some(value);
                break;
            }
        }
    }
    found
}

/// Reads JSON text without changing what it says; numbers beyond all bounds are refused.
///
/// Integers beyond 64 bits are exact where `serde_json` is built with `arbitrary_precision`, as it is for Python and
/// Node. It then marks such numbers by an object's first key, so that an object with this key could pass for one: it is
/// refused, for a payload must not look to a guard like something else.
pub fn from_json(text: &str) -> Result<Value, serde_json::Error> {
    if is_disguised(text) {
        return Err(serde_json::Error::custom(format!("an object cannot begin with the key `{MARK}…`")));
    }
    let value = serde_json::from_str(text)?;
    if is_within_bounds(&value) { Ok(value) } else { Err(serde_json::Error::custom("number out of range")) }
}

/// Reads JSON text as [`from_json`] does; of a key that an object has twice, `keeps` says whether the earlier value stays.
///
/// JSON says nothing of such a key, and most readers take the last value.
pub fn from_json_keeping(text: &str, keeps: Keeps<'_>) -> Result<Value, serde_json::Error> {
    if is_disguised(text) {
        return Err(serde_json::Error::custom(format!("an object cannot begin with the key `{MARK}…`")));
    }
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = twice::Twice(keeps).deserialize(&mut reader)?;
    reader.end()?;
    if is_within_bounds(&value) { Ok(value) } else { Err(serde_json::Error::custom("number out of range")) }
}

/// What the keys begin with by which `serde_json` distinguishes numbers from objects.
const MARK: &str = "$serde_json::private::";

/// Whether an object begins with a key that `serde_json` keeps for itself.
fn is_disguised(text: &str) -> bool {
    // Inside a text the quotation mark would be escaped, and no serializer escapes letters or the dollar sign.
    text.match_indices(MARK).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.strip_suffix('"'));
        before.is_some_and(|before| before.trim_end().ends_with('{'))
    })
}

fn is_within_bounds(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some() || large_integer(number).is_some(),
        Value::Array(items) => items.iter().all(is_within_bounds),
        Value::Object(fields) => fields.values().all(is_within_bounds),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

/// The decimal digits of an integer beyond 64 bits.
#[must_use]
pub fn large_integer(number: &Number) -> Option<String> {
    if number.is_i64() || number.is_u64() || number.is_f64() {
        return None;
    }
    let text = number.to_string();
    let digits = text.strip_prefix('-').unwrap_or(&text);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

/// One step from a container to what it holds.
enum PathStep {
    Field(String),
    Item(usize),
}

struct Writer {
    out: String,
    path: Vec<PathStep>,
    room: Room,
    /// What has no JSON form is described instead of refused.
    for_people: bool,
}

impl Writer {
    fn value<'v, H: Host>(&mut self, host: &'v H, view: &H::View<'v>) -> Result<(), NotJson> {
        match host.kind(view) {
            Kind::Null => self.out.push_str("null"),
            Kind::Bool(flag) => self.out.push_str(if flag { "true" } else { "false" }),
            Kind::Int(number) => _ = write!(self.out, "{number}"),
            Kind::BigInt(digits) => self.out.push_str(&digits),
            Kind::Float(number) if number.is_finite() => self.out.push_str(&serde_json::json!(number).to_string()),
            Kind::Float(number) => return self.refuse(format!("{number} has no JSON form")),
            Kind::Text(text) => self.text(&text),
            Kind::BadText => return self.refuse("text with lone surrogates has no JSON form"),
            Kind::List(length) => self.list(host, view, length)?,
            Kind::Object => self.object(host, view)?,
            kind @ (Kind::Absent | Kind::Other(_)) => {
                return self.refuse(format!("{} has no JSON form", kind.words()));
            }
        }
        Ok(())
    }

    fn list<'v, H: Host>(&mut self, host: &'v H, view: &H::View<'v>, length: usize) -> Result<(), NotJson> {
        if !self.enter(length)? {
            return Ok(());
        }
        self.out.push('[');
        for index in 0..length {
            if index > 0 {
                self.out.push(',');
            }
            self.path.push(PathStep::Item(index));
            match host.item(view, index) {
                Some(item) => self.value(host, &item)?,
                None => self.refuse("undefined has no JSON form")?,
            }
            self.path.pop();
        }
        self.out.push(']');
        Ok(())
    }

    fn object<'v, H: Host>(&mut self, host: &'v H, view: &H::View<'v>) -> Result<(), NotJson> {
        let keys = match host.keys(view) {
            Ok(keys) => keys,
            Err(bad) => return self.refuse(bad.to_string()),
        };
        if !self.enter(keys.len())? {
            return Ok(());
        }
        self.out.push('{');
        let mut first = true;
        for key in keys {
            let Some(field) = host.get(view, &key) else { continue };
            if host.kind(&field) == Kind::Absent {
                continue;
            }
            if !first {
                self.out.push(',');
            }
            first = false;
            self.text(&key);
            self.out.push(':');
            self.path.push(PathStep::Field(key));
            self.value(host, &field)?;
            self.path.pop();
        }
        self.out.push('}');
        Ok(())
    }

    /// Whether a container of so many values is written, and not only described.
    fn enter(&mut self, values: usize) -> Result<bool, NotJson> {
        match self.room.enter(MAX_NESTING - self.path.len(), values) {
            Ok(_) => Ok(true),
            Err(deep @ Excess::Depth) => self.refuse(deep.to_string()).map(|()| false),
            Err(large @ Excess::Size) => Err(self.not_json(large.to_string())),
        }
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(&Value::from(text).to_string());
    }

    fn refuse(&mut self, what: impl Into<String>) -> Result<(), NotJson> {
        if self.for_people {
            let what = what.into();
            _ = write!(self.out, "<{}>", what.strip_suffix(" has no JSON form").unwrap_or(&what));
            return Ok(());
        }
        Err(self.not_json(what.into()))
    }

    fn not_json(&self, what: String) -> NotJson {
        let mut path = String::new();
        for place in &self.path {
            match place {
                PathStep::Field(name) if path.is_empty() => path.push_str(name),
                PathStep::Field(name) => _ = write!(path, ".{name}"),
                PathStep::Item(index) => _ = write!(path, "[{index}]"),
            }
        }
        NotJson { path, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn writes_what_serde_json_reads_back() {
        let value =
            json!({"a": [1, -2.5, "x\"\n\u{1F600}", null, true], "b": {}, "big": 18_446_744_073_709_551_615_u64});
        let text = to_json(&Json, &&value).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn too_deep_a_value_is_refused_with_its_path() {
        let value = (0..=MAX_NESTING).fold(json!(1), |inner, _| json!([inner]));
        let refused = to_json(&Json, &&value).unwrap_err();
        assert!(refused.path.starts_with("[0][0]"), "{refused}");
        assert!(refused.to_string().contains("deeper than 128"));
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        assert_eq!(from_json(r#"{"a":[1,-2.5,"x"]}"#).unwrap(), json!({"a": [1, -2.5, "x"]}));
        assert!(from_json(r#"{"a":[1e999]}"#).unwrap_err().to_string().starts_with("number out of range"));
        assert_eq!(large_integer(&18_446_744_073_709_551_615_u64.into()), None);
    }

    #[test]
    fn no_object_passes_for_a_number() {
        for disguised in [
            r#"{"args":{"$serde_json::private::Number":"5"}}"#,
            "{\"args\": {\n  \"$serde_json::private::RawValue\": \"5\"}}",
        ] {
            assert!(from_json(disguised).unwrap_err().to_string().contains("cannot begin with"), "{disguised}");
        }
        let harmless =
            r#"{"code":"see {\"$serde_json::private::Number\"","b":{"a":1,"$serde_json::private::Number":2}}"#;
        assert_eq!(from_json(harmless).unwrap(), serde_json::from_str::<Value>(harmless).unwrap());
    }
}
