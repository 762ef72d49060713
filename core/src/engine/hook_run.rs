//! One run of one hook, from its start to its end or its timeout, with its span and its lines in the log.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tracing::field::Empty;
use tracing::{Instrument as _, Span};

use super::Event;
use super::clock::{nanos, now};
use super::deadline::Timed;
use super::nesting::inside;
use crate::engine::handler::{Code, SyncCode};
use crate::response::{HookError, HookResponse};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Report};
use hookweave_host::registry::Entry;

/// What came of a hook, and when it ended.
pub(super) type Ended = (Report<Arc<Value>>, Instant);

/// Runs a closure that answers at once. It cannot be interrupted: past its timeout its answer counts all the same.
fn run_sync(entry: &Entry<Code>, run: &SyncCode, event: &Event, depth: u32, began: Instant) -> Ended {
    let span = hook_span(entry);
    let _within = span.enter();
    log_start(entry);
    let handler_result = inside(depth, || run(event)).map_or_else(HandlerResult::Failed, read);
    let ended = now();
    let took = nanos(began, ended);
    let overran = overran(entry, took);
    record_end(&span, entry, &handler_result, took);
    (Report { result: handler_result, took, overran }, ended)
}

/// Whether a hook that cannot be interrupted took longer than it may.
pub(super) fn overran(entry: &Entry<Code>, took: u64) -> bool {
    entry.timeout().is_some_and(|limit| u128::from(took) > limit.as_nanos())
}

/// Runs one handler to its end or its timeout.
pub(super) async fn run_entry(entry: &Entry<Code>, event: &Event, depth: u32, began: Instant) -> Ended {
    match entry.handler() {
        Code::Sync(run) => run_sync(entry, run, event, depth, began),
        Code::Outside(hook) => {
            let span = hook_span(entry);
            span.in_scope(|| log_start(entry));
            let handler_result = hook.run(entry.event(), event, depth).instrument(span.clone()).await;
            let ended = now();
            let took = nanos(began, ended);
            record_end(&span, entry, &handler_result, took);
            (Report::new(handler_result, took), ended)
        }
        Code::Async(handler) => {
            let span = hook_span(entry);
            span.in_scope(|| log_start(entry));
            let handler_result = match span.in_scope(|| inside(depth, || handler.handle(event))) {
                Err(failure) => HandlerResult::Failed(failure),
                Ok(future) => {
                    let timed = Timed::new(future, entry.timeout(), depth).instrument(span.clone());
                    timed.await.map_or_else(HandlerResult::Failed, read)
                }
            };
            let ended = now();
            let took = nanos(began, ended);
            record_end(&span, entry, &handler_result, took);
            (Report::new(handler_result, took), ended)
        }
    }
}

fn log_start(entry: &Entry<Code>) {
    tracing::info!(event = entry.event().name(), hook = %entry.name(), matcher = ?entry.matcher().spec(), "hook starts");
}

/// A hook's own span, without cost while no subscriber listens.
fn hook_span(entry: &Entry<Code>) -> Span {
    tracing::debug_span!("hookweave.hook", hook = %entry.name(), event = entry.event().name(), outcome = Empty)
}

/// Says in its span what a hook came to, and in the log that it ended.
fn record_end<V>(span: &Span, entry: &Entry<Code>, handler_result: &HandlerResult<V>, took: u64) {
    let outcome = match handler_result {
        HandlerResult::Nothing => "nothing",
        HandlerResult::Answer(_) => "answer",
        HandlerResult::Detached => "detached",
        HandlerResult::Failed(failure) => failure.kind.as_str(),
    };
    span.record("outcome", outcome);
    span.in_scope(|| log_end(entry, took));
}

fn log_end(entry: &Entry<Code>, took: u64) {
    tracing::info!(event = entry.event().name(), hook = %entry.name(), micros = took / 1000, "hook ended");
}

pub(super) fn read(answered: Result<HookResponse, HookError>) -> HandlerResult<Arc<Value>> {
    match answered {
        Ok(response) if response.is_empty() => HandlerResult::Nothing,
        Ok(response) => HandlerResult::Answer(Arc::new(response.into_json())),
        Err(error) => HandlerResult::Failed(HookFailure::new(FailureKind::Raised, error.to_string())),
    }
}
