//! What runs when a hook runs.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::engine::Event;
use crate::response::{HookError, HookResponse, IntoResponse};

/// A running hook.
pub type HookFuture<'a> = Pin<Box<dyn Future<Output = Result<HookResponse, HookError>> + Send + 'a>>;

/// A hook's code: a type of your own, or a closure given to `run` or `run_async`.
///
/// A handler that returns an error, panics or takes longer than its timeout has failed; its `fail_behavior` decides
/// what that means.
pub trait Handler: Send + Sync + 'static {
    /// Looks at an event and answers.
    fn handle<'a>(&'a self, event: &'a Event) -> HookFuture<'a>;
}

/// A handler as the engine keeps it.
pub(crate) enum Code {
    /// Answers at once; runs inline, without a future.
    Sync(SyncCode),
    Async(Arc<dyn Handler>),
    /// A hook that runs outside of this program, or a question to its own model or tools.
    Outside(crate::engine::OutsideCode),
}

/// A closure that answers at once.
pub(crate) type SyncCode = Box<dyn Fn(&Event) -> Result<HookResponse, HookError> + Send + Sync>;

impl std::fmt::Debug for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Sync",
            Self::Async(_) => "Async",
            Self::Outside(_) => "Outside",
        })
    }
}

impl Code {
    /// Whether the hook's late answer should reach the model at once.
    pub(crate) fn wakes(&self) -> bool {
        match self {
            Self::Sync(_) | Self::Async(_) => false,
            Self::Outside(hook) => hook.wakes(),
        }
    }

    pub(crate) fn of_closure<R: IntoResponse>(run: impl Fn(&Event) -> R + Send + Sync + 'static) -> Self {
        Self::Sync(Box::new(move |event| run(event).into_response()))
    }

    pub(crate) fn of_async<F, R>(run: impl Fn(Event) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: IntoResponse,
    {
        Self::Async(Arc::new(AsyncClosure(run)))
    }
}

/// A closure that returns a future.
struct AsyncClosure<C>(C);

impl<C, F, R> Handler for AsyncClosure<C>
where
    C: Fn(Event) -> F + Send + Sync + 'static,
    F: Future<Output = R> + Send + 'static,
    R: IntoResponse,
{
    fn handle<'a>(&'a self, event: &'a Event) -> HookFuture<'a> {
        let running = (self.0)(event.clone());
        Box::pin(async move { running.await.into_response() })
    }
}
