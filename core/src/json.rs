//! Writes a host's value as canonical JSON text, or says where it has none.

use std::fmt::Write as _;

use crate::payload::{Host, Kind, MAX_NESTING};

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
    let mut writer = Writer { out: String::new(), path: Vec::new() };
    writer.value(host, view)?;
    Ok(writer.out)
}

/// One step from a container to what it holds.
enum Place {
    Field(String),
    Item(usize),
}

struct Writer {
    out: String,
    path: Vec<Place>,
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
        self.check_depth()?;
        self.out.push('[');
        for index in 0..length {
            if index > 0 {
                self.out.push(',');
            }
            self.path.push(Place::Item(index));
            match host.item(view, index) {
                Some(item) => self.value(host, &item)?,
                None => return self.refuse("undefined has no JSON form"),
            }
            self.path.pop();
        }
        self.out.push(']');
        Ok(())
    }

    fn object<'v, H: Host>(&mut self, host: &'v H, view: &H::View<'v>) -> Result<(), NotJson> {
        self.check_depth()?;
        let keys = match host.keys(view) {
            Ok(keys) => keys,
            Err(bad) => return self.refuse(bad.to_string()),
        };
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
            self.path.push(Place::Field(key));
            self.value(host, &field)?;
            self.path.pop();
        }
        self.out.push('}');
        Ok(())
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(&serde_json::Value::from(text).to_string());
    }

    fn check_depth(&self) -> Result<(), NotJson> {
        if self.path.len() < MAX_NESTING {
            return Ok(());
        }
        self.refuse(format!("nested deeper than {MAX_NESTING} levels"))
    }

    fn refuse<T>(&self, what: impl Into<String>) -> Result<T, NotJson> {
        let mut path = String::new();
        for place in &self.path {
            match place {
                Place::Field(name) if path.is_empty() => path.push_str(name),
                Place::Field(name) => _ = write!(path, ".{name}"),
                Place::Item(index) => _ = write!(path, "[{index}]"),
            }
        }
        Err(NotJson { path, what: what.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::Json;
    use serde_json::json;

    #[test]
    fn writes_what_serde_json_reads_back() {
        let value =
            json!({"a": [1, -2.5, "x\"\n\u{1F600}", null, true], "b": {}, "big": 18_446_744_073_709_551_615_u64});
        let text = to_json(&Json, &&value).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn too_deep_a_value_is_refused_with_its_path() {
        let value = (0..=MAX_NESTING).fold(json!(1), |inner, _| json!([inner]));
        let refused = to_json(&Json, &&value).unwrap_err();
        assert!(refused.path.starts_with("[0][0]"), "{refused}");
        assert!(refused.to_string().contains("deeper than 128"));
    }
}
