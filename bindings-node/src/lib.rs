//! The native part of the npm package `hookweave`.
//!
//! It translates: JavaScript values into what the core reads ([`host`]), registrations ([`hooks`]), plans ([`plan`]) and
//! running dispatches ([`run`]), hooks from files ([`files`], [`native`]) and what sessions do
//! ([`session`], [`flow`], [`terminal`]). The loop over hooks, their timeouts and their promises are in TypeScript, because a
//! call from Rust into JavaScript costs more than most hooks do. No rule lives here.

//! Every function that JavaScript can call catches panics, which must not end a host; JavaScript is thrown an error instead.
//! There is no unsafe code of its own here.

#![expect(clippy::needless_pass_by_value, reason = "the glue that napi writes hands owned values over")]

pub mod audit;
mod brief;
pub mod catalogue;
mod error;
pub mod files;
pub mod flow;
pub mod hooks;
mod host;
pub mod native;
pub mod plan;
pub mod run;
pub mod session;
pub mod stats;
pub mod telemetry;
pub mod telling;
pub mod terminal;
