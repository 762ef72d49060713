//! The payload of an event as the machine makes it: no JSON on the way from a tool call to the host's own values.

use std::borrow::Cow;
use std::sync::Arc;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The fields of an event, but for those that are the host's own values.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// What every event of the session carries: the very same map each time.
    pub common: Arc<Map<String, Value>>,
    /// What this event has beside it or instead of it, in order.
    pub own: Vec<(Cow<'static, str>, Field)>,
}

/// What stands in a field.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Field {
    /// A text that other events carry too.
    Text(Arc<str>),
    /// Where a tool is about to run.
    Surroundings(Box<Surroundings>),
    /// Anything else.
    Json(Value),
}

/// Where a tool is about to run: the field `context` of `PreToolUse`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Surroundings {
    /// The session's working directory.
    pub working_directory: Option<Arc<str>>,
    /// The tools that ran last, the latest at the end.
    pub recent_tools: Vec<Arc<str>>,
    /// What the model's last call cost.
    pub token_usage: Value,
}

/// The own fields of an event; those that are null are left out.
#[derive(Debug, Default)]
pub(super) struct Own(pub(super) Vec<(Cow<'static, str>, Field)>);

impl From<Value> for Own {
    fn from(fields: Value) -> Self {
        let Value::Object(fields) = fields else { return Self::default() };
        let given = fields.into_iter().filter(|(_, value)| !value.is_null());
        Self(given.map(|(name, value)| (Cow::Owned(name), Field::Json(value))).collect())
    }
}

impl Own {
    pub(super) fn text(mut self, name: &'static str, text: &Arc<str>) -> Self {
        self.0.push((Cow::Borrowed(name), Field::Text(Arc::clone(text))));
        self
    }
}

impl Field {
    /// As JSON.
    #[must_use]
    pub fn into_json(self) -> Value {
        match self {
            Self::Text(text) => Value::from(&*text),
            Self::Json(value) => value,
            Self::Surroundings(around) => serde_json::to_value(around).unwrap_or_default(),
        }
    }
}

impl Fields {
    /// All fields as JSON.
    #[must_use]
    pub fn into_map(self) -> Map<String, Value> {
        let mut fields = Arc::unwrap_or_clone(self.common);
        fields.extend(self.own.into_iter().map(|(name, field)| (name.into_owned(), field.into_json())));
        fields
    }

    /// The text in an own field.
    #[must_use]
    pub fn own_text(&self, name: &str) -> Option<&str> {
        match self.own(name)? {
            Field::Text(text) => Some(text),
            Field::Json(value) => value.as_str(),
            Field::Surroundings(_) => None,
        }
    }

    fn own(&self, name: &str) -> Option<&Field> {
        self.own.iter().find(|(own, _)| own == name).map(|(_, field)| field)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &*self.common {
            match self.own(name) {
                Some(own) => map.serialize_entry(name, own)?,
                None => map.serialize_entry(name, value)?,
            }
        }
        for (name, field) in self.own.iter().filter(|(name, _)| !self.common.contains_key(&**name)) {
            map.serialize_entry(name, field)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn own_fields_take_the_place_of_common_ones() {
        let Value::Object(common) = json!({"session_id": "s", "agent_id": "old"}) else { unreachable!() };
        let around = Surroundings { recent_tools: vec!["Bash".into()], ..Surroundings::default() };
        let mut own = Own::from(json!({"agent_id": "new", "left_out": null})).text("tool", &"Bash".into());
        own.0.push(("context".into(), Field::Surroundings(Box::new(around))));
        let fields = Fields { common: Arc::new(common), own: own.0 };
        let text = concat!(
            r#"{"session_id":"s","agent_id":"new","tool":"Bash","#,
            r#""context":{"working_directory":null,"recent_tools":["Bash"],"token_usage":null}}"#
        );
        assert_eq!(serde_json::to_string(&fields).unwrap(), text);
        assert_eq!(Value::Object(fields.into_map()).to_string(), text);
    }
}
