//! How a worker stands with its agent, as a program sees it.

use std::time::Duration;

/// How a worker stands with its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemoteState {
    /// It connects, or registers its hooks.
    Connecting,
    /// All its hooks are in force, or refused.
    Ready,
    /// It was refused or lost, and connects again after this time.
    Waiting(Duration),
    /// It does not connect again, for this reason.
    Closed(String),
}
