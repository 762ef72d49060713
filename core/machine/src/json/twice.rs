//! Objects that have a key twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::MARK;

/// Whether the earlier value of a key stays, rather than the later one.
pub(crate) type Keeps<'k> = &'k dyn Fn(&str, &Value, &Value) -> bool;

/// Reads a value, and asks which of two values of a key counts.
#[derive(Clone, Copy)]
pub(super) struct Twice<'k>(pub(super) Keeps<'k>);

impl<'de> DeserializeSeed<'de> for Twice<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Twice<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            if key.starts_with(MARK) && fields.is_empty() {
                // Where digits are kept, a number comes as an object with this key; the text itself holds none.
                let number: Number = entries.next_value::<String>()?.parse().map_err(A::Error::custom)?;
                return Ok(Value::Number(number));
            }
            let value = entries.next_value_seed(self)?;
            if fields.get(&key).is_some_and(|earlier| (self.0)(&key, earlier, &value)) {
                continue;
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{from_json, from_json_keeping};

    #[test]
    fn it_is_chosen_between_the_values_of_a_key() {
        let text = r#"{"a": 1, "b": {"a": 3, "a": 2}, "a": 2}"#;
        assert_eq!(from_json_keeping(text, &|_, _, _| false).unwrap(), from_json(text).unwrap());
        let larger = from_json_keeping(text, &|_, earlier, later| earlier.as_i64() > later.as_i64()).unwrap();
        assert_eq!(larger.to_string(), r#"{"a":2,"b":{"a":3}}"#);
    }

    #[test]
    fn everything_else_is_read_as_ever() {
        for text in [
            "null",
            "[1, -2, 3.5, 1e3, 18446744073709551615, true, \"a\\u0041\"]",
            "{\"a\": {\"b\": [{}, []]}, \"c\": \"\"}",
            "123456789012345678901234567890",
            "",
            "{",
            "{} x",
            "[1e999]",
            "{\"$serde_json::private::Number\": \"1\"}",
        ] {
            let keeping = from_json_keeping(text, &|_, _, _| true).map_err(|why| why.to_string());
            assert_eq!(keeping, from_json(text).map_err(|why| why.to_string()), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
        let keeping = from_json_keeping(&deep, &|_, _, _| true).map_err(|why| why.to_string());
        assert_eq!(keeping, from_json(&deep).map_err(|why| why.to_string()));
    }
}
