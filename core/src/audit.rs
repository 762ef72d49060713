//! The audit log of an engine: its settings, where records go, how they are read and verified.
//!
//! [`EngineBuilder::audit`](crate::EngineBuilder::audit) and [`Engine::configure_audit`](crate::Engine::configure_audit) take an
//! [`AuditOptions`]; [`verify`] finds any later edit, deletion, insertion or, given an [`Anchor`], truncation.

#[doc(inline)]
pub use hookweave_host::audit::{
    Anchor, Audit, AuditLevel, AuditOptions, AuditProblem, AuditProblemKind, AuditRecord, AuditReport, AuditTorn,
    Follow, Fsync, Input, Inputs, Kind, Line, Lines, LogSink, MAX_PROBLEMS, Outbox, OutboxSink, Redaction, Rotation,
    Sink, read, size, tail, verify, verify_watched,
};
