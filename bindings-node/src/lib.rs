//! The native part of the npm package `hookweave`.
//!
//! It translates: JavaScript values into what the core reads ([`host`]), registrations ([`hooks`]), plans ([`plan`]) and
//! running dispatches ([`run`]). The loop over hooks, their timeouts and their promises are in TypeScript, because a
//! call from Rust into JavaScript costs more than most hooks do. No rule lives here.

mod catalogue;
mod error;
mod hooks;
mod host;
mod plan;
mod run;
