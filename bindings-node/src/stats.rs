//! The statistics of hooks.
//!
//! The TypeScript layer counts the runs of no-op hooks itself and transfers many at a time, so that a dispatch of no-op hooks
//! makes no native call.

use hookweave_host as host;
use napi::bindgen_prelude::Float64ArraySlice;
use napi_derive::napi;
use serde::Serialize;

use crate::client::NativeClient;
use crate::dispatch::nanos;
use crate::errors::CodedError;

/// The result of a transfer of counts.
#[napi(object, object_from_js = false)]
pub struct CountTransfer {
    /// After how many more dispatches of each event the next transfer is due.
    pub until: Vec<f64>,
    /// Whether it is time to look for warnings.
    pub warnings_due: bool,
}

#[napi]
impl NativeClient {
    /// Counts dispatches of no-op hooks, in blocks of those that ran the same hooks, and how often each of some events was
    /// dispatched. `present` is the current time on the clock of these times.
    ///
    /// A block is how many hooks and how many dispatches it has, the hooks' numbers, and of each dispatch when it began and
    /// when each hook ended, in nanoseconds.
    #[napi(catch_unwind)]
    pub fn count(
        &self,
        present: f64,
        runs: Float64ArraySlice<'_>,
        events: Vec<String>,
        dispatches: Vec<f64>,
    ) -> CountTransfer {
        let counters = self.counters().borrow();
        let now = host::clock::present().ticks;
        let ticks = |moment: f64| now.saturating_sub(nanos(present - moment));
        let mut rest: &[f64] = &runs;
        while let Some(block) = Block::take(&mut rest) {
            for (place, number) in block.numbers.iter().enumerate() {
                let counter = u32::try_from(nanos(*number)).ok().and_then(|number| counters.get(&number));
                let (Some(counter), Some(ended)) = (counter, block.last_end(place)) else { continue };
                counter.ran(block.durations(place), ticks(ended));
            }
        }
        let mut transfer = CountTransfer { until: Vec::with_capacity(events.len()), warnings_due: false };
        for (event, dispatches) in events.iter().zip(dispatches) {
            let Ok(spec) = self.registry().resolve(event) else { continue };
            transfer.warnings_due |= spec.count(nanos(dispatches));
            #[expect(clippy::cast_precision_loss, reason = "a number of dispatches")]
            transfer.until.push(spec.until_check() as f64);
        }
        transfer
    }

    /// What each hook did so far, in the canonical form as JSON text; counts begin anew when asked.
    #[napi(catch_unwind)]
    pub fn stats(&self, reset: bool) -> Result<String, CodedError> {
        text(&self.registry().stats(host::clock::present(), reset))
    }

    /// Whether a hook observes and nothing has been logged of it.
    #[napi(catch_unwind)]
    pub fn has_unseen_observer(&self) -> bool {
        self.registry().has_unseen_observer()
    }

    /// Hooks that a person should look at and that were not given here before, as JSON text.
    #[napi(catch_unwind)]
    pub fn new_warnings(&self) -> Result<String, CodedError> {
        text(&self.registry().new_warnings())
    }
}

/// Dispatches that ran the same hooks.
struct Block<'r> {
    numbers: &'r [f64],
    /// Of each dispatch when it began and when each hook ended.
    times: &'r [f64],
}

impl<'r> Block<'r> {
    /// The next block, and what is behind it.
    fn take(rest: &mut &'r [f64]) -> Option<Self> {
        let ([hooks, dispatches], behind) = rest.split_first_chunk()?;
        let hooks = usize::try_from(nanos(*hooks)).ok()?;
        let dispatches = usize::try_from(nanos(*dispatches)).ok()?;
        let (numbers, behind) = behind.split_at_checked(hooks)?;
        let (times, behind) = behind.split_at_checked(dispatches.checked_mul(hooks + 1)?)?;
        *rest = behind;
        Some(Self { numbers, times })
    }

    /// How long the hook at a place took in each dispatch.
    fn durations(&self, place: usize) -> impl ExactSizeIterator<Item = u64> {
        let took = move |times: &[f64]| match times.get(place..) {
            Some([began, ended, ..]) => nanos(ended - began),
            _ => 0,
        };
        self.times.chunks_exact(self.numbers.len() + 1).map(took)
    }

    /// When the hook at a place ended in the last dispatch.
    fn last_end(&self, place: usize) -> Option<f64> {
        self.times.rchunks_exact(self.numbers.len() + 1).next()?.get(place + 1).copied()
    }
}

/// JSON text: read as such, large counts are numbers like all others.
fn text(value: &impl Serialize) -> Result<String, CodedError> {
    serde_json::to_string(value).map_err(|error| CodedError::new("invalid_payload".to_owned(), error.to_string()))
}
