//! `tools/call` of the Model Context Protocol with hooks around it, between any client, over standard streams, and any server, over
//! these or HTTP.
//!
//! Lines are passed on as they came; only calls of tools are looked into. So a message that this program knows nothing of
//! reaches the other side as it was, in any version of the protocol.

mod address;
mod calls;
mod events;
mod judge;
mod lines;
mod message;
mod name;
mod proxy;
mod remote;
mod result;
mod to_server;

pub(crate) use address::Address;
pub(crate) use judge::{Judge, say};
pub(crate) use lines::MAX_LINE;
pub(crate) use name::{of_command, plain};
pub(crate) use proxy::{Asks, End, Proxy};
pub(crate) use remote::{Remote, outbox};
