//! What the machine does with hooks and matchers, as a driver sees it.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests end with a message, measure time and start programs"
)]

mod laws;
mod profiles;
mod rules;
mod rules_shells;
