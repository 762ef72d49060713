//! What each hook did so far, in numbers.
//!
//! The driver keeps what quiet hooks did in arrays of its own and tells it many runs at a time, so that a quiet dispatch
//! crosses nothing.

use hookweave::host::present;
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
    /// Counts runs that had nothing to say, three numbers each: the hook's, nanoseconds that it took, and nanoseconds since it
    /// ended; and how often each of some events was dispatched.
    #[napi]
    pub fn count(&self, runs: Float64Array, events: Vec<String>, dispatches: Vec<f64>) -> Counted {
        let now = present().ticks;
        let counters = self.counters().borrow();
        let (mut number, mut counter) = (f64::NAN, None);
        for run in runs.chunks_exact(3) {
            let [hook, took, since] = run else { continue };
            #[expect(clippy::float_cmp, reason = "it is the same number, or another hook's")]
            if *hook != number {
                number = *hook;
                counter = u32::try_from(nanos(number)).ok().and_then(|number| counters.get(&number));
            }
            if let Some(counter) = counter {
                counter.ran(nanos(*took), now.saturating_sub(nanos(*since)));
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
        text(&self.registry().stats(present(), reset))
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
