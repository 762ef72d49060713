//! Registered hooks: what the registry keeps of a handler, and what the TypeScript layer keeps of a hook.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookweave_host::matcher;
use napi_derive::napi;

use crate::errors::{CodedError, coded};

/// A pattern that fits this name or id and no other; throws `invalid_matcher` where there is none.
#[napi(catch_unwind)]
pub fn exact_pattern(name: String) -> Result<String, CodedError> {
    matcher::exact_pattern(&name).map_err(|error| coded(&error))
}

/// What the registry keeps of a handler: the number by which the TypeScript layer finds the function.
///
/// When the last plan that could still call it is dropped, the number goes to the list of dropped handlers, and the
/// TypeScript layer drops the function.
#[derive(Debug)]
pub(crate) struct HandlerRef {
    pub(crate) number: u32,
    /// The core runs the hook and enforces its timeout.
    core_timeout: bool,
    dropped: DroppedHandlers,
}

/// The numbers of handlers that nothing can call any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct DroppedHandlers(Arc<Mutex<Vec<u32>>>);

impl DroppedHandlers {
    /// The numbers since the last call.
    pub(crate) fn take(&self) -> Vec<u32> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HandlerRef {
    pub(crate) const fn new(number: u32, core_timeout: bool, dropped: DroppedHandlers) -> Self {
        Self { number, core_timeout, dropped }
    }

    /// The timeout that the TypeScript layer enforces; none where the core does.
    pub(crate) fn limit(&self, timeout: Option<Duration>) -> Option<Duration> {
        if self.core_timeout { None } else { timeout }
    }
}

impl Drop for HandlerRef {
    fn drop(&mut self) {
        self.dropped.0.lock().unwrap_or_else(PoisonError::into_inner).push(self.number);
    }
}

/// A registered hook, as the TypeScript layer calls it.
#[napi(object, object_from_js = false)]
pub struct RegisteredHook {
    /// The id.
    pub id: String,
    /// Its name in traces.
    pub name: String,
    /// The number by which plans refer to the hook.
    pub number: u32,
    /// Timeout in milliseconds; absent means no limit.
    pub timeout: Option<f64>,
    /// The hook is started and not awaited.
    pub detached: bool,
    /// The hook runs at most once and must be claimed before it runs.
    pub once: bool,
}

/// A registered guard.
#[napi(object, object_from_js = false)]
pub struct RegisteredGuard {
    /// The hook.
    pub hook: RegisteredHook,
    /// What it answers each time, as JSON text.
    pub answer: String,
}
