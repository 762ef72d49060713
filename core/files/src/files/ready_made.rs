//! Ready-made hooks that a program uses.

use std::sync::Arc;

use serde_json::Value;

use super::Wrap;
use crate::config::Declared;
use crate::config::ready_made::ReadyMade;
use crate::file_hook::{FileHook, Runtime};
use hookweave_dialects::named;
use hookweave_machine::error::Error;
use hookweave_machine::registry::Registry;

/// Registers the hooks of a name for a program; gives their ids.
pub fn register_ready_made<T>(
    registry: &Registry<T>,
    runtime: &Arc<Runtime>,
    hooks: Vec<ReadyMade>,
    wrap: Wrap<'_, T>,
) -> Result<Vec<String>, Error> {
    let dialect = named("hookweave")?;
    let mut ids = Vec::with_capacity(hooks.len());
    for ReadyMade { spec, run } in hooks {
        let event = registry.resolve(&spec.event)?;
        let declared = Declared {
            spec: spec.clone(),
            dialect,
            declared_event: spec.event.clone(),
            run,
            wakes: false,
            entry: Value::Null,
            replaces: false,
            plugin: None,
            project: None,
        };
        let hook = Arc::new(FileHook::new(declared, None, Arc::clone(runtime)));
        match registry.register(spec, wrap(hook, event)) {
            Ok(id) => ids.push(id),
            Err(error) => {
                // Half of a guard is none.
                for id in ids {
                    registry.unregister(id);
                }
                return Err(error);
            }
        }
    }
    Ok(ids.iter().map(ToString::to_string).collect())
}
