//! Asking the person at the terminal that the program was started from.

use tokio::sync::oneshot;

use super::parts::{Approval, ApprovalRequest, Approver, BoxFuture};
use crate::response::HookError;
use hookweave_host::exec::cancel::Cancel;
use hookweave_host::exec::terminal::{self, TerminalQuestion};

/// Asks at the controlling terminal and shows how much time is left; without a terminal it denies.
///
/// Each question has a thread while it is asked, so that no other task waits for a person.
#[derive(Debug, Clone, Copy, Default)]
pub struct TerminalApprover;

/// Clears the question from the screen when the session stops waiting for it.
struct Asked(Cancel);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Approver for TerminalApprover {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> BoxFuture<'a, Result<Approval, HookError>> {
        let question = TerminalQuestion::from(request);
        let (left, asked) = (request.timeout, Asked(Cancel::new()));
        let cancel = asked.0.clone();
        let (sender, receiver) = oneshot::channel();
        let ask = move || drop(sender.send(terminal::ask(question, left, &cancel)));
        let thread = std::thread::Builder::new().name("hookweave-approval".to_owned()).spawn(ask);
        Box::pin(async move {
            let _asked = asked;
            thread?;
            match receiver.await {
                Ok(Ok(Some(option))) => Ok(option.into()),
                Ok(Ok(None)) | Err(_) => Err("the question was dropped".into()),
                Ok(Err(why)) => Err(why.into()),
            }
        })
    }
}
