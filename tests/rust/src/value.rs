//! Values that JSON lacks, as the vectors write them.

use serde_json::{Map, Value};

/// The value that stands behind the escapes; `None` for `undefined`, which this host does not have.
///
/// # Panics
///
/// On an escape that `serde_json` has no value for: such a case has to excuse this host.
#[must_use]
pub fn expand(written: &Value) -> Option<Value> {
    Some(match written {
        Value::Object(fields) => match escape(fields) {
            Some(("$undefined", _)) => return None,
            Some((name, inner)) => escaped(name, inner),
            None => Value::Object(
                fields.iter().filter_map(|(name, value)| expand(value).map(|value| (name.clone(), value))).collect(),
            ),
        },
        Value::Array(items) => Value::Array(items.iter().filter_map(expand).collect()),
        other => other.clone(),
    })
}

/// The name and content of an escape, if the object is one.
#[must_use]
pub fn escape(fields: &Map<String, Value>) -> Option<(&str, &Value)> {
    let (name, inner) = fields.iter().next()?;
    (fields.len() == 1 && name.starts_with('$')).then_some((name.as_str(), inner))
}

fn escaped(name: &str, inner: &Value) -> Value {
    match name {
        "$int" => serde_json::from_str(inner.as_str().unwrap()).unwrap(),
        "$float" => Value::from(inner.as_str().unwrap().parse::<f64>().unwrap()),
        "$repeat" => {
            Value::from(inner[0].as_str().unwrap().repeat(usize::try_from(inner[1].as_u64().unwrap()).unwrap()))
        }
        "$joined" => {
            let parts = inner.as_array().unwrap().iter();
            Value::from(parts.map(|part| expand(part).unwrap().as_str().unwrap().to_owned()).collect::<String>())
        }
        "$tuple" => expand(inner).unwrap(),
        "$nested" => {
            (1..inner.as_u64().unwrap()).fold(Value::Array(Vec::new()), |inside, _| Value::Array(vec![inside]))
        }
        other => panic!("{other} has no value here; the case must excuse this host"),
    }
}
