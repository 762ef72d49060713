//! Events that an agent raises about itself, and what hooks make of their texts.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Session;
use super::flow::Flow;

/// What came of a notice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NoticeResult {
    /// The field that hooks may fill, as they left it; `None` when they did not.
    pub value: Option<Value>,
    /// What hooks object to.
    pub feedback: Vec<String>,
}

impl Session {
    /// Something the user should know; ends with a [`NoticeResult`].
    #[must_use]
    pub fn notify(self: &Arc<Self>, message: &str, title: Option<&str>, kind: Option<&str>) -> Flow {
        self.notice("Notification", json!({"message": message, "title": title, "kind": kind}), &[])
    }

    /// A line about the agent's state, which hooks may write; ends with a [`NoticeResult`].
    #[must_use]
    pub fn status_line(self: &Arc<Self>, fields: Map<String, Value>) -> Flow {
        self.notice("StatusLine", Value::Object(fields), &["text"])
    }

    /// Files that fit what the user has begun to type, which hooks may choose; ends with a [`NoticeResult`].
    #[must_use]
    pub fn file_suggestions(self: &Arc<Self>, query: &str, suggestions: &[Value]) -> Flow {
        self.notice("FileSuggestion", json!({"query": query, "suggestions": suggestions}), &["suggestions"])
    }

    fn notice(self: &Arc<Self>, event: &'static str, fields: Value, wants: &'static [&'static str]) -> Flow {
        Flow::new(self, move |cx| async move {
            let dispatch_result = cx.dispatch(event, fields, Vec::new(), wants).await;
            let value = wants.first().and_then(|field| dispatch_result.json.get(*field).cloned());
            NoticeResult { value, feedback: dispatch_result.verdict.feedback.clone() }
        })
    }
}
