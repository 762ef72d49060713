//! The host of Rust programs: values are [`serde_json::Value`].

use std::borrow::Cow;

use crate::payload::{BadKey, Excess, Host, Kind, MAX_NESTING, Made, Room, Spelling};

use super::{member, members};

/// The host of Rust programs and wire formats: values are [`serde_json::Value`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Json;

impl Host for Json {
    type Value = serde_json::Value;
    type View<'v> = &'v serde_json::Value;

    fn view<'v>(&'v self, value: &'v serde_json::Value) -> &'v serde_json::Value {
        value
    }

    fn keep(&self, view: &Self::View<'_>) -> serde_json::Value {
        (*view).clone()
    }

    fn copy(&self, view: &Self::View<'_>) -> Result<serde_json::Value, Excess> {
        fits(view, MAX_NESTING, &mut Room::default()).map(|()| (*view).clone())
    }

    fn kind<'a>(&'a self, view: &'a Self::View<'_>) -> Kind<'a> {
        match *view {
            serde_json::Value::Null => Kind::Null,
            serde_json::Value::Bool(flag) => Kind::Bool(*flag),
            serde_json::Value::Number(number) => number_kind(number),
            serde_json::Value::String(text) => Kind::Text(Cow::Borrowed(text)),
            serde_json::Value::Array(items) => Kind::List(items.len()),
            serde_json::Value::Object(_) => Kind::Object,
        }
    }

    fn long_text<'v>(&'v self, view: &Self::View<'v>) -> Option<Cow<'v, str>> {
        view.as_str().map(Cow::Borrowed)
    }

    fn get<'v>(&'v self, object: &Self::View<'v>, key: &str) -> Option<Self::View<'v>> {
        member(object, key)
    }

    fn pick<'v, const N: usize>(
        &'v self,
        object: &Self::View<'v>,
        names: &'static [&'static str; N],
    ) -> [Option<Self::View<'v>>; N] {
        members(object, names)
    }

    fn text<'v, R>(&'v self, view: &Self::View<'v>, take: impl FnOnce(&str) -> R) -> Option<R> {
        view.as_str().map(take)
    }

    fn item<'v>(&'v self, list: &Self::View<'v>, index: usize) -> Option<Self::View<'v>> {
        list.get(index)
    }

    fn keys(&self, object: &Self::View<'_>) -> Result<Vec<String>, BadKey> {
        Ok(object.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default())
    }

    fn same(&self, a: &Self::View<'_>, b: &Self::View<'_>) -> bool {
        a == b
    }

    fn with(&self, object: &Self::View<'_>, changes: Vec<(String, Option<serde_json::Value>)>) -> serde_json::Value {
        let mut fields = object.as_object().cloned().unwrap_or_default();
        for (key, value) in changes {
            match value {
                Some(value) => _ = fields.insert(key, value),
                None => _ = fields.shift_remove(&key),
            }
        }
        serde_json::Value::Object(fields)
    }

    fn made(&self, made: Made<'_>) -> serde_json::Value {
        made.to_json()
    }

    fn spelling(&self) -> Spelling {
        Spelling::Wire
    }
}

fn number_kind(number: &serde_json::Number) -> Kind<'static> {
    match (number.as_i64(), number.as_u64()) {
        // There is no integer -0, whose text some builds of `serde_json` keep.
        (Some(0), _) if number.as_f64().is_some_and(f64::is_sign_negative) => Kind::Float(-0.0),
        (Some(small), _) => Kind::Int(small),
        (None, Some(large)) => Kind::BigInt(large.to_string()),
        (None, None) => {
            super::large_integer(number).map_or_else(|| Kind::Float(number.as_f64().unwrap_or(f64::NAN)), Kind::BigInt)
        }
    }
}

/// Whether a value is one that the engine copies.
fn fits(value: &serde_json::Value, levels: usize, room: &mut Room) -> Result<(), Excess> {
    match value {
        serde_json::Value::Array(items) => {
            let inner = room.enter(levels, items.len())?;
            items.iter().try_for_each(|item| fits(item, inner, room))
        }
        serde_json::Value::Object(fields) => {
            let inner = room.enter(levels, fields.len())?;
            fields.values().try_for_each(|field| fits(field, inner, room))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_cross_between_spellings_and_back() {
        for name in ["session_id", "tool_use_id", "args", "custom_instructions"] {
            let local = Spelling::TypeScript.local(name);
            assert_eq!(Spelling::TypeScript.canonical(&local), name);
        }
        assert_eq!(Spelling::TypeScript.local("fail_behavior"), "failBehavior");
        assert_eq!(Spelling::Python.local("fail_behavior"), "fail_behavior");
    }

    #[test]
    fn nesting_is_bounded_at_exactly_the_limit() {
        let nest = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(Json.copy(&&nest(MAX_NESTING)).is_ok());
        assert_eq!(Json.copy(&&nest(MAX_NESTING + 1)), Err(Excess::Depth));
    }

    #[test]
    fn what_is_copied_is_bounded_in_its_size() {
        let row = json!((0..999).collect::<Vec<u32>>());
        let rows = |count: usize| serde_json::Value::Array(vec![row.clone(); count]);
        assert!(Json.copy(&&rows(1000)).is_ok(), "1,000 rows and 999,000 values in them");
        assert_eq!(Json.copy(&&rows(1001)), Err(Excess::Size));
        assert!(crate::json::to_json(&Json, &&rows(1000)).is_ok());
        assert!(crate::json::to_json(&Json, &&rows(1001)).unwrap_err().what.contains("1000000 values"));
    }

    #[test]
    fn changes_set_and_remove_fields() {
        let changed = Json.with(&&json!({"a": 1, "b": 2}), vec![("a".into(), Some(json!(3))), ("b".into(), None)]);
        assert_eq!(changed, json!({"a": 3}));
    }
}
