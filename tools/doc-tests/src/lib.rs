//! Runs the Rust blocks of the project's documents: `cargo test -p hookweave-doc-tests`.

/// The first page.
#[doc = include_str!("../../../README.md")]
pub mod readme {}

/// The guide to sessions.
#[doc = include_str!("../../../docs/sessions.md")]
pub mod sessions {}

/// The reference for Rust users.
#[doc = include_str!("../../../docs/rust.md")]
pub mod rust {}

/// How hooks that exist come here.
#[doc = include_str!("../../../docs/migration.md")]
pub mod migration {}

/// How to keep and prove an audit log.
#[doc = include_str!("../../../docs/audit.md")]
pub mod audit {}

/// How to see what hooks do.
#[doc = include_str!("../../../docs/observability.md")]
pub mod observability {}

/// How hooks run in another process.
#[doc = include_str!("../../../docs/remote.md")]
pub mod remote {}

/// Every Rust name of the reference.
#[doc = include_str!(concat!(env!("OUT_DIR"), "/reference.md"))]
pub mod reference {}
