//! The audit log, as programs use it and as attackers and accidents treat it.
#![allow(unsafe_code, reason = "forks and limits of the process are what is tested")]

mod disk;
mod dispatches;
mod failing;
mod processes;
mod quiet;
mod redaction;
mod required;
mod rotation;
mod size;
mod support;
mod taken;
mod tampering;
mod telling;
