//! A hook's webhook: the event goes out, and an answer comes back.

use std::time::Duration;

use serde_json::Value;

use super::{FileHook, Surroundings};
use hookweave_dialects::{self, Invocation};
use hookweave_exec::cancel::Cancel;
use hookweave_exec::outside::OutsideHook as _;
use hookweave_exec::webhook::{WebhookError, WebhookSpec};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};

/// How long a request may take when nothing else bounds it.
const MAX_REQUEST: Duration = Duration::from_secs(600);

impl FileHook {
    /// Sends the event and waits for the answer, on this thread.
    pub(super) fn send(
        &self,
        spec: &WebhookSpec,
        invocation: &Invocation,
        Surroundings { environment, left }: &Surroundings,
        cancel: &Cancel,
    ) -> Result<HandlerResult<Value>, HookFailure<Value>> {
        let dialect = self.declared.dialect;
        let body = self.encode(invocation).body.to_string();
        let variable = |name: &str| {
            let own = || left.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            environment.text(name).or_else(own)
        };
        let limit = self.limit().unwrap_or(MAX_REQUEST);
        let trace = environment.trace();
        let headers = trace.iter().flat_map(|trace| {
            std::iter::once(("traceparent", trace.parent())).chain(trace.state().map(|state| ("tracestate", state)))
        });
        let headers: Vec<_> = headers.collect();
        let answer = self.runtime.web.send_with(spec, &headers, body.as_bytes(), &variable, limit, cancel);
        let answer = answer.map_err(|error| broken_request(&error, limit))?;
        Ok(hookweave_dialects::answer_of_server(dialect, invocation, &answer))
    }
}

fn broken_request(error: &WebhookError, limit: Duration) -> HookFailure<Value> {
    match error {
        WebhookError::TimedOut { .. } => HookFailure::timeout(limit),
        WebhookError::Cancelled { .. } => HookFailure::new(FailureKind::Cancelled, error.to_string()),
        _ => HookFailure::new(FailureKind::Unreachable, error.to_string()),
    }
}
