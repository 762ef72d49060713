//! Both ends of the protocol: against vectors, against each other over a channel that loses messages, and against their file.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests end with a message and look into what they made"
)]

mod lossy;
mod proto;
mod vectors;
