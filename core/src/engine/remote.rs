//! Hooks in other processes, over Unix sockets, gRPC and NATS: the machines of `core/remote` on the caller's tokio runtime.

mod address;
mod agent;
#[cfg(unix)]
mod connection;
#[cfg(all(unix, feature = "grpc"))]
mod grpc;
#[cfg(all(unix, feature = "nats"))]
mod nats;
#[cfg(unix)]
mod offered;
mod options;
#[cfg(unix)]
mod serving;
mod state;
#[cfg(all(unix, any(feature = "grpc", feature = "nats")))]
mod tls;
#[cfg(unix)]
#[cfg_attr(
    not(any(feature = "grpc", feature = "nats")),
    expect(
        unused_variables,
        clippy::unnecessary_wraps,
        clippy::unused_async,
        reason = "without gRPC and NATS there is one way, which needs less"
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
use hookweave_host::clock::new_id;
#[cfg(unix)]
use hookweave_host::remote::Level;

pub use agent::ServingWorkers;
#[cfg(any(feature = "grpc", feature = "nats"))]
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

/// A number that no other worker draws at the same time.
#[cfg(unix)]
fn random() -> u64 {
    let digits: String = new_id().chars().filter(char::is_ascii_hexdigit).take(12).collect();
    u64::from_str_radix(&digits, 16).unwrap_or_default()
}
