//! Policies that people install: packs of rules, used by their names in a file or by a program.
//!
//! A pack is data (`core/files/policies/*.toml`). Each of its rules becomes an ordinary hook that decides without a process.

mod pack;
mod used;

pub use pack::{Answer, Level, Pack, Rule, packs};
pub use used::{Chosen, Setting, Wrong, chosen};
