//! The fast path: hooks that finish at their first poll and give no answer, as nearly all do.
//!
//! They run one behind the other in one turn of the caller's task: no timer is armed, no span is made, and the machine receives all of
//! them at once. What needs more than that is left to the driver.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use serde_json::Value;

use super::Event;
use super::clock::{nanos, now};
use super::hook_run::{Ended, overran, read};
use super::nesting::Depth;
use super::panics::guarded;
use crate::engine::handler::{Code, HookFuture};
use hookweave_host::dispatch::{HandlerResult, Report, Times};
use hookweave_host::index::Call;

/// The hook at which it does not go on like this.
pub(super) enum Halt<'h> {
    /// Its future is not done yet.
    Pending(&'h Call<Code>, HookFuture<'h>),
    /// It is none that is done at once.
    Other(&'h Call<Code>),
    /// It has answered, or failed.
    Ended(Ended),
}

/// Runs hooks as long as each is done at once and says nothing. Each ends when the next one begins, at the time of the clock.
pub(super) fn run_fast_path<'h>(
    calls: &'h [Call<Code>],
    event: &'h Event,
    depth: u32,
    clock: &mut Instant,
    times: &mut Times,
    context: &mut Context<'_>,
) -> Option<Halt<'h>> {
    let _depth = Depth::enter(depth);
    for call in calls {
        let entry = call.entry();
        let (handler_result, is_late) = match entry.handler() {
            Code::Sync(run) if !entry.detached() => (guarded(|| run(event)).map(read), true),
            Code::Async(handler) if !entry.detached() => {
                let started = guarded(|| {
                    let mut future = handler.handle(event);
                    match future.as_mut().poll(context) {
                        Poll::Ready(answered) => Ok(answered),
                        Poll::Pending => Err(future),
                    }
                });
                match started {
                    Ok(Ok(answered)) => (Ok(read(answered)), false),
                    Ok(Err(future)) => return Some(Halt::Pending(call, future)),
                    Err(failure) => (Err(failure), false),
                }
            }
            _ => return Some(Halt::Other(call)),
        };
        let ended = now();
        let took = nanos(*clock, ended);
        let overran = is_late && overran(entry, took);
        match handler_result {
            Ok(HandlerResult::Nothing) if !overran => times.push(took),
            handler_result => {
                let handler_result: HandlerResult<Arc<Value>> = handler_result.unwrap_or_else(HandlerResult::Failed);
                return Some(Halt::Ended((Report { result: handler_result, took, overran }, ended)));
            }
        }
        *clock = ended;
    }
    None
}
