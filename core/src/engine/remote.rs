//! Hooks in other processes, over Unix sockets and gRPC: the machines of `core/remote` on the caller's tokio runtime.

mod address;
mod agent;
#[cfg(unix)]
mod connection;
#[cfg(all(unix, feature = "grpc"))]
mod grpc;
#[cfg(unix)]
mod offered;
mod options;
#[cfg(unix)]
mod serving;
mod state;
#[cfg(all(unix, feature = "grpc"))]
mod tls;
#[cfg(unix)]
#[cfg_attr(
    not(feature = "grpc"),
    expect(
        unused_variables,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        reason = "without gRPC there is one way, which needs less"
    )
)]
mod transport;
#[cfg(unix)]
mod unix;
mod worker;
#[cfg(unix)]
mod working;

#[cfg(unix)]
use std::time::{Duration, Instant};

#[cfg(unix)]
use super::clock::now;
#[cfg(unix)]
use hookweave_host::remote::Level;

pub use agent::ServingWorkers;
#[cfg(feature = "grpc")]
pub use options::Tls;
pub use options::{ConnectOptions, ServeOptions};
pub use state::RemoteState;
pub use worker::WorkerConnection;

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

/// Sleeps for milliseconds, or for ever.
#[cfg(unix)]
async fn sleep(ms: Option<u64>) {
    match ms {
        Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
        None => std::future::pending().await,
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
