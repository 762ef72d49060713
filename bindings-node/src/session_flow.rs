//! The flows of a session: each reply gives the next effect, as JSON text.
//!
//! Flows have numbers and no objects of their own, so that no native object is created and collected for each tool call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hookweave_host::session::{Effect, Flow, Reply};

use crate::json::text_of;

/// The running flows of a session, by their numbers.
#[derive(Default)]
pub(crate) struct Flows(Mutex<Vec<Option<Flow>>>);

impl Flows {
    /// Adds a flow and gives its number.
    pub(crate) fn add(&self, flow: Flow) -> u32 {
        let mut flows = self.lock();
        let free = flows.iter().position(Option::is_none).unwrap_or(flows.len());
        if free == flows.len() {
            flows.push(None);
        }
        if let Some(entry) = flows.get_mut(free) {
            *entry = Some(flow);
        }
        u32::try_from(free).unwrap_or(u32::MAX)
    }

    /// Drops a flow.
    pub(crate) fn remove(&self, number: u32) {
        if let Some(entry) = self.lock().get_mut(number as usize) {
            *entry = None;
        }
    }

    /// Passes a reply to a flow; gives the next effect.
    pub(crate) fn step(&self, number: u32, reply: Reply) -> String {
        let mut flows = self.lock();
        let mut entry = flows.get_mut(number as usize);
        let Some(flow) = entry.as_deref_mut().and_then(Option::as_mut) else { return NO_RESULT.to_owned() };
        let effect = flow.step(reply);
        if let (Effect::Finish { .. }, Some(entry)) = (&effect, entry) {
            *entry = None;
        }
        text_of(&effect).unwrap_or_else(|| NO_RESULT.to_owned())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Flow>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a flow without a result.
const NO_RESULT: &str = r#"{"do":"finish","result":null}"#;
