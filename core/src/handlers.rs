//! Hooks that the engine itself runs: commands and webhooks, as blocking jobs on threads of its own.

pub mod cancel;
pub(crate) mod clock;
pub mod command;
pub mod pool;
pub mod webhook;
