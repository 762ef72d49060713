//! Every dialect against its table in tests/tables, and laws that hold for all of them.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    missing_docs,
    unreachable_pub,
    reason = "tests end with a message, measure time and start programs"
)]

mod compatibility;
mod laws;
mod page;
mod reading;
mod subject;
mod table;
mod tables;
