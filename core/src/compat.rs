//! The interfaces of other hook systems: hooks that were written for one of them run with another import and nothing else.
//!
//! A module has the names of one system. Behind each registry stands an [`Engine`](crate::Engine) with that system's profile:
//! it matches, orders and folds, and can be dispatched to, opened as a session, or given hooks of other kinds.

pub mod cocode;
pub mod shadow;
