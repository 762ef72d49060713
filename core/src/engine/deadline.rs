//! The deadline of a hook that waits: a timer is armed only when it suspends.

use std::future::Future;
use std::marker::PhantomData;
use std::panic::catch_unwind;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::nesting::inside;
use hookweave_host::dispatch::{FailureKind, HookFailure};

/// A future of a hook's; a timer is armed only when it suspends.
pub(super) struct Timed<F, V> {
    future: F,
    limit: Option<Duration>,
    timer: Option<Pin<Box<tokio::time::Sleep>>>,
    depth: u32,
    /// It was just polled, and is not done.
    polled: bool,
    failure: PhantomData<fn() -> V>,
}

impl<F, V> Timed<F, V> {
    /// Bounds a future that runs as part of a dispatch of some depth.
    pub(super) const fn new(future: F, limit: Option<Duration>, depth: u32) -> Self {
        Self { future, limit, timer: None, depth, polled: false, failure: PhantomData }
    }

    /// The same of a future that was polled once and is not done.
    pub(super) fn pending(future: F, limit: Option<Duration>, depth: u32) -> Self {
        Self { polled: true, ..Self::new(future, limit, depth) }
    }
}

impl<F: Future + Unpin, V> Future for Timed<F, V> {
    type Output = Result<F::Output, HookFailure<V>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if !std::mem::take(&mut this.polled) {
            match inside(this.depth, || Pin::new(&mut this.future).poll(context)) {
                Err(failure) => return Poll::Ready(Err(failure)),
                Ok(Poll::Ready(output)) => return Poll::Ready(Ok(output)),
                Ok(Poll::Pending) => {}
            }
        }
        let Some(limit) = this.limit else { return Poll::Pending };
        let timer = match &mut this.timer {
            Some(timer) => timer,
            None => match arm(limit) {
                Ok(timer) => this.timer.insert(timer),
                Err(failure) => return Poll::Ready(Err(failure)),
            },
        };
        timer.as_mut().poll(context).map(|()| Err(HookFailure::timeout(limit)))
    }
}

/// Starts a timer, or says that there is no clock to time by.
fn arm<V>(limit: Duration) -> Result<Pin<Box<tokio::time::Sleep>>, HookFailure<V>> {
    let no_clock = || {
        let why = "the hook has a timeout, which needs a tokio runtime with time enabled; dispatch inside one, or set no timeout";
        HookFailure::new(FailureKind::NotStarted, why)
    };
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(no_clock());
    }
    catch_unwind(|| Box::pin(tokio::time::sleep(limit))).map_err(|_| no_clock())
}
