//! The native part of the npm package `hookweave`.
//!
//! It translates between JavaScript and the core, and holds no rules. [`client`] has a client's hooks, [`registration`] what
//! is kept of each; [`plan`] and [`dispatch`] run an event, [`outcome`] reads its result; [`files`], [`outside_hooks`] and
//! [`wire`] are hooks from files and events of other agents; [`session`], [`session_flow`], [`session_replies`] and
//! [`model_response`] are sessions; [`remote_agent`], [`remote_worker`] and [`remote_fleet`] are the ends of the protocol for remote hooks. The loop over hooks, their timeouts and their promises are in TypeScript, because a
//! call from Rust into JavaScript costs more than most hooks do.
//!
//! Every exported function catches panics and throws a JavaScript error instead, because a panic must not end the host's
//! process. There is no unsafe code here.

#![expect(clippy::needless_pass_by_value, reason = "the code that napi generates passes owned values")]

pub mod audit;
pub mod catalogue;
pub mod client;
pub mod dispatch;
mod errors;
pub mod files;
pub mod json;
pub mod model_response;
pub mod outcome;
pub mod outside_hooks;
pub mod plan;
pub mod registration;
pub mod remote;
pub mod remote_agent;
pub mod remote_fleet;
pub mod remote_worker;
pub mod session;
mod session_flow;
pub mod session_replies;
pub mod stats;
pub mod telemetry;
pub mod terminal;
mod values;
pub mod wire;

/// The version of the addon; that of the package's code must be the same.
#[must_use]
#[napi_derive::napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
