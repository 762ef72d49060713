//! Hooks in other processes, over Unix sockets: the machines of `core/remote` on the caller's tokio runtime.

mod address;
mod agent;
#[cfg(unix)]
mod connection;
#[cfg(unix)]
mod offered;
#[cfg(unix)]
mod serving;
mod state;
mod worker;
#[cfg(unix)]
mod working;

#[cfg(unix)]
use std::time::Instant;

#[cfg(unix)]
use super::clock::now;
#[cfg(unix)]
use hookweave_host::remote::Level;

pub use agent::ServingWorkers;
pub use state::RemoteState;
pub use worker::{ConnectOptions, WorkerConnection};

/// The clock of one end: milliseconds since it began.
#[cfg(unix)]
#[derive(Debug, Clone, Copy)]
struct Clock(Instant);

#[cfg(unix)]
impl Clock {
    fn start() -> Self {
        Self(now())
    }

    fn ms(self) -> u64 {
        u64::try_from(now().saturating_duration_since(self.0).as_millis()).unwrap_or(u64::MAX)
    }
}

#[cfg(unix)]
fn log(level: Level, text: &str) {
    match level {
        Level::Info => tracing::info!("{text}"),
        Level::Warning => tracing::warn!("{text}"),
        Level::Error => tracing::error!("{text}"),
    }
}
