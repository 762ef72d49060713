//! An event that a hook changes in place.

use std::ops::{Index, IndexMut};

use serde_json::{Map, Value};

use super::Event;
use crate::engine::handler::{Handler, HookFuture};
use crate::response::{HookError, HookResponse, IntoResponse};

/// An event that a hook may change in place; what it changed is the `modified` of its answer.
///
/// A field is copied when the hook first takes hold of it to change it. Only fields that are other than they were count as
/// changed, so that writing the same value again says nothing.
#[derive(Debug, Clone)]
pub struct HookContext {
    event: Event,
    touched: Map<String, Value>,
}

impl HookContext {
    pub(crate) fn new(event: &Event) -> Self {
        Self { event: event.clone(), touched: Map::new() }
    }

    /// The event as it came to this hook.
    #[must_use]
    pub const fn event(&self) -> &Event {
        &self.event
    }

    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.event.name()
    }

    /// The tool's name; empty when the event has none.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.event.tool()
    }

    /// A payload field as the hook has left it; null when it is not there.
    #[must_use]
    pub fn field(&self, name: &str) -> &Value {
        self.touched.get(name).unwrap_or_else(|| self.event.field(name))
    }

    /// A payload field to change; null when it is not there.
    pub fn field_mut(&mut self, name: &str) -> &mut Value {
        let event = &self.event;
        self.touched.entry(name).or_insert_with(|| event.field(name).clone())
    }

    /// The tool's arguments as the hook has left them; null when the event has none.
    #[must_use]
    pub fn args(&self) -> &Value {
        self.field("args")
    }

    /// The tool's arguments to change.
    pub fn args_mut(&mut self) -> &mut Value {
        self.field_mut("args")
    }

    /// Replaces a payload field.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.touched.insert(name.to_owned(), value.into());
    }

    /// The hook's answer together with what it changed.
    pub(crate) fn answer(self, response: HookResponse) -> HookResponse {
        let Self { event, mut touched } = self;
        touched.retain(|name, value| event.field(name) != value);
        response.with_changes(touched)
    }
}

impl Index<&str> for HookContext {
    type Output = Value;

    fn index(&self, field: &str) -> &Value {
        self.field(field)
    }
}

impl IndexMut<&str> for HookContext {
    fn index_mut(&mut self, field: &str) -> &mut Value {
        self.field_mut(field)
    }
}

/// Runs a closure that may change the event; one that fails has changed nothing.
pub(super) fn answer<R: IntoResponse>(
    event: &Event,
    run: impl FnOnce(&mut HookContext) -> R,
) -> Result<HookResponse, HookError> {
    let mut context = HookContext::new(event);
    let response = run(&mut context).into_response()?;
    Ok(context.answer(response))
}

/// A closure that may change the event and gives a future.
pub(super) struct Changing<C>(pub(super) C);

impl<C> Handler for Changing<C>
where
    C: for<'c> Fn(&'c mut HookContext) -> HookFuture<'c> + Send + Sync + 'static,
{
    fn handle<'a>(&'a self, event: &'a Event) -> HookFuture<'a> {
        Box::pin(async move {
            let mut context = HookContext::new(event);
            let response = (self.0)(&mut context).await?;
            Ok(context.answer(response))
        })
    }
}
