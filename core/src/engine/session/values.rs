//! The values of one flow: the machine knows them by number only.

use std::sync::Arc;

use serde_json::Value;

use hookweave_host::session::ValueId;

#[derive(Debug, Default)]
pub(super) struct Values {
    kept: Vec<Arc<Value>>,
}

impl Values {
    pub(super) fn keep(&mut self, value: Arc<Value>) -> ValueId {
        self.kept.push(value);
        ValueId::try_from(self.kept.len() - 1).unwrap_or(ValueId::MAX)
    }

    pub(super) fn get(&self, id: ValueId) -> Value {
        let found = usize::try_from(id).ok().and_then(|id| self.kept.get(id));
        found.map_or(Value::Null, |value| Value::clone(value))
    }
}
