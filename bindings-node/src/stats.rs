//! What each hook did so far, in numbers.
//!
//! The driver keeps what quiet hooks did in arrays of its own and tells it many runs at a time, so that a quiet dispatch
//! crosses nothing.

use hookweave::host;
use napi::bindgen_prelude::Float64Array;
use napi_derive::napi;
use serde::Serialize;

use crate::error::Refusal;
use crate::hooks::NativeHooks;
use crate::run::nanos;

/// What the core makes of counts that it was told.
#[napi(object, object_from_js = false)]
pub struct Counted {
    /// After how many more dispatches of each event it is to be told again.
    pub until: Vec<f64>,
    /// Whether it is time to look for warnings.
    pub look: bool,
}

#[napi]
impl NativeHooks {
    /// Counts dispatches that had nothing to say: of each how many hooks it had, when it began, and for each hook its number and
    /// when it ended, in nanoseconds of a clock that says `present` now. And how often each of some events was dispatched.
    #[napi]
    pub fn count(&self, present: f64, runs: Float64Array, events: Vec<String>, dispatches: Vec<f64>) -> Counted {
        let now = host::present().ticks;
        let counters = self.counters().borrow();
        let mut runs = runs.iter().copied();
        while let (Some(hooks), Some(mut began)) = (runs.next(), runs.next()) {
            for _ in 0..nanos(hooks) {
                let (Some(number), Some(ended)) = (runs.next(), runs.next()) else { break };
                if let Some(counter) = u32::try_from(nanos(number)).ok().and_then(|number| counters.get(&number)) {
                    counter.ran(nanos(ended - began), now.saturating_sub(nanos(present - ended)));
                }
                began = ended;
            }
        }
        let mut counted = Counted { until: Vec::with_capacity(events.len()), look: false };
        for (event, dispatches) in events.iter().zip(dispatches) {
            let Ok(spec) = self.registry().resolve(event) else { continue };
            counted.look |= spec.count(nanos(dispatches));
            #[expect(clippy::cast_precision_loss, reason = "a number of dispatches")]
            counted.until.push(spec.until_look() as f64);
        }
        counted
    }

    /// What each hook did so far, in the canonical form as JSON text; counts begin anew when asked.
    #[napi]
    pub fn stats(&self, reset: bool) -> Result<String, Refusal> {
        text(&self.registry().stats(host::present(), reset))
    }

    /// Hooks that a person should look at and that were not given here before, as JSON text.
    #[napi]
    pub fn new_warnings(&self) -> Result<String, Refusal> {
        text(&self.registry().new_warnings())
    }
}

/// JSON text: read as such, large counts are numbers like all others.
fn text(value: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(value).map_err(|error| Refusal::new("invalid_payload".to_owned(), error.to_string()))
}
