//! What every event carries, where its host leaves it out.

use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::directory::Directory;
use crate::error::{Code, Error};
use crate::event::EventSpec;
use crate::payload::{Host, Kind};

/// What the engine fills in where a host leaves it out, once per dispatch and only when asked.
#[derive(Debug)]
pub struct Envelope {
    began_ms: u64,
    session_id: OnceLock<String>,
    tool_use_id: OnceLock<String>,
    directory: OnceLock<Directory>,
    cwd: OnceLock<Option<String>>,
}

impl Envelope {
    /// For a dispatch that begins at a time, in milliseconds since the epoch.
    #[must_use]
    pub const fn new(began_ms: u64) -> Self {
        Self {
            began_ms,
            session_id: OnceLock::new(),
            tool_use_id: OnceLock::new(),
            directory: OnceLock::new(),
            cwd: OnceLock::new(),
        }
    }

    /// Says where the events of the client happen that dispatches; the first one stays.
    pub fn place(&self, directory: &Directory) {
        _ = self.directory.set(directory.clone());
    }

    /// When the dispatch began, in milliseconds since the epoch.
    #[must_use]
    pub const fn timestamp(&self) -> u64 {
        self.began_ms
    }

    /// The generated session id.
    pub fn session_id(&self) -> &str {
        self.session_id.get_or_init(crate::ids::new_id)
    }

    /// The generated tool call id.
    pub fn tool_use_id(&self) -> &str {
        self.tool_use_id.get_or_init(crate::ids::new_id)
    }

    /// The working directory; `None` where there is none any more.
    pub fn cwd(&self) -> Option<&str> {
        let now = || self.directory.get_or_init(Directory::default).now().map(std::borrow::Cow::into_owned);
        self.cwd.get_or_init(now).as_deref()
    }

    /// A payload with all of it, in the order in which fields are shown. What is null is left out by its host.
    #[must_use]
    pub fn fill(&self, event: &EventSpec, given: &Map<String, Value>) -> Map<String, Value> {
        self.fill_as(event.name(), has_tool_use_id(event), given)
    }

    pub(crate) fn fill_as(&self, event: &str, has_tool_use_id: bool, given: &Map<String, Value>) -> Map<String, Value> {
        let lacks = |name: &str| given.get(name).is_none_or(Value::is_null);
        let mut whole = Map::new();
        whole.insert("event_type".to_owned(), event.into());
        if lacks("session_id") {
            whole.insert("session_id".to_owned(), self.session_id().into());
        }
        if lacks("timestamp") {
            whole.insert("timestamp".to_owned(), self.timestamp().into());
        }
        if has_tool_use_id && lacks("tool_use_id") {
            whole.insert("tool_use_id".to_owned(), self.tool_use_id().into());
        }
        if let Some(cwd) = self.cwd().filter(|_| lacks("cwd")) {
            whole.insert("cwd".to_owned(), cwd.into());
        }
        if lacks("metadata") {
            whole.insert("metadata".to_owned(), json!({}));
        }
        for (name, value) in given {
            if !whole.contains_key(name) {
                whole.insert(name.clone(), value.clone());
            }
        }
        whole
    }
}

/// Whether events of this kind have the id of a tool call.
#[must_use]
pub fn has_tool_use_id(event: &EventSpec) -> bool {
    event.built_in().is_some() && event.may_have("tool_use_id")
}

/// Refuses a payload whose working directory is no text: guards would look at another place, or at none.
pub fn check_payload<'v, H: Host>(host: &'v H, payload: &H::View<'v>) -> Result<(), Error> {
    let Some(cwd) = host.field(payload, "cwd") else { return Ok(()) };
    match host.kind(&cwd) {
        Kind::Absent | Kind::Null | Kind::Text(_) | Kind::BadText => Ok(()),
        kind => {
            let message = format!("`cwd` of an event must be the path of a directory as text, is {}", kind.words());
            Err(Error::new(Code::InvalidPayload, message))
        }
    }
}
