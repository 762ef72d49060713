//! The tools and the model that an engine knows by name.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::parts::{Model, Tool};
use hookweave_host::error::{Code, Error, did_you_mean};

/// What a program has registered for its sessions.
#[derive(Default)]
pub(crate) struct Hosted {
    tools: RwLock<BTreeMap<String, Arc<dyn Tool>>>,
    model: RwLock<Option<Arc<dyn Model>>>,
}

impl fmt::Debug for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hosted").field("tools", &self.tool_names()).finish_non_exhaustive()
    }
}

impl Hosted {
    pub(crate) fn add_tool(&self, name: &str, tool: Arc<dyn Tool>) {
        self.tools.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), tool);
    }

    pub(crate) fn set_model(&self, model: Arc<dyn Model>) {
        *self.model.write().unwrap_or_else(PoisonError::into_inner) = Some(model);
    }

    pub(super) fn tool(&self, name: &str) -> Option<Arc<dyn Tool>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(super) fn tool_names(&self) -> Vec<String> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    pub(super) fn model(&self) -> Option<Arc<dyn Model>> {
        self.model.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn unknown_tool(&self, name: &str) -> Error {
        let known = self.tool_names();
        let hint = did_you_mean(name, known.iter().map(String::as_str));
        Error::new(Code::UnknownTool, format!("no tool `{name}` is registered{hint}; call register_tool first"))
    }
}
