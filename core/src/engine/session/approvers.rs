//! Approvers that are built in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::parts::{Approval, ApprovalRequest, Approver, BoxFuture};
use crate::response::HookError;
use hookweave_host::error::{Code, Error};

/// Denies everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct DenyAll;

impl Approver for DenyAll {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>> {
        Box::pin(std::future::ready(Ok("Deny".into())))
    }

    fn decides_all(&self) -> Option<bool> {
        Some(false)
    }
}

/// Allows everything: for tests, and for sandboxes that bound the harm by other means.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Approver for AllowAll {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>> {
        let option = request.granting.first().map(Approval::new);
        Box::pin(std::future::ready(option.ok_or_else(|| "no option of the question allows".into())))
    }

    fn decides_all(&self) -> Option<bool> {
        Some(true)
    }
}

#[derive(Debug)]
struct WaitingApproval {
    request: ApprovalRequest,
    answer: oneshot::Sender<Approval>,
}

/// Questions that wait to be decided from elsewhere: a web page, a chat, another process. Clones are the same queue.
#[derive(Debug, Clone, Default)]
pub struct PendingApprovals {
    waiting: Arc<Mutex<BTreeMap<u64, WaitingApproval>>>,
}

impl PendingApprovals {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, WaitingApproval>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What waits, the oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        self.lock().values().map(|waiting| waiting.request.clone()).collect()
    }

    /// Decides a question by one of its options, perhaps with a reason or edited arguments; any other option is refused.
    pub fn decide(&self, id: &str, answer: impl Into<Approval>) -> Result<(), Error> {
        let answer = answer.into();
        let mut waiting = self.lock();
        let place = waiting.iter().find(|(_, asked)| asked.request.id == id).map(|(place, _)| *place);
        let Some(asked) = place.and_then(|place| waiting.get(&place)) else {
            return Err(Error::new(
                Code::UnknownApproval,
                format!(
                    "nothing waits for approval under `{id}`: it was decided, its time is over, or the id is another's; see pending()"
                ),
            ));
        };
        let options = &asked.request.options;
        if !options.contains(&answer.option) {
            let known = options.join(", ");
            return Err(Error::new(
                Code::UnknownApproval,
                format!("`{}` is no option; known are {known}", answer.option),
            ));
        }
        if let Some(asked) = place.and_then(|place| waiting.remove(&place)) {
            // The session may have stopped waiting in this very moment.
            let _ = asked.answer.send(answer);
        }
        Ok(())
    }
}

/// Removes a question from the queue when the session stops waiting for it.
struct QueuePosition {
    queue: PendingApprovals,
    place: u64,
}

impl Drop for QueuePosition {
    fn drop(&mut self) {
        self.queue.lock().remove(&self.place);
    }
}

impl Approver for PendingApprovals {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>> {
        let (answer, answered) = oneshot::channel();
        let place = {
            let mut waiting = self.lock();
            let place = waiting.last_key_value().map_or(0, |(last, _)| last + 1);
            waiting.insert(place, WaitingApproval { request: request.clone(), answer });
            QueuePosition { queue: self.clone(), place }
        };
        Box::pin(async move {
            let _place = place;
            answered.await.map_err(|_| "the question was dropped".into())
        })
    }
}
