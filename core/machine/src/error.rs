//! What goes wrong when a program uses the engine, each error with a stable code.
//!
//! A hook that fails is not an error of this kind: it is a [`HookFailure`](crate::failure::HookFailure) in the trace.

use std::fmt;
use std::sync::Arc;

/// A refused call: the registration, definition or dispatch did not happen.
#[derive(Debug, Clone)]
pub struct Error {
    code: Code,
    message: String,
    source: Option<Arc<Source>>,
}

/// What is behind an error.
type Source = dyn std::error::Error + Send + Sync;

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code && self.message == other.message
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source: &Source = self.source.as_deref()?;
        Some(source)
    }
}

/// The stable name of an error, the same in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The event name is neither known, nor defined, nor custom by its colon.
    UnknownEvent,
    /// A custom event was defined with a bad name, twice, or over a known one.
    InvalidEventDefinition,
    /// A tool was defined with a bad name, twice, or as itself.
    InvalidToolDefinition,
    /// A matcher has an unknown field, a wrong type or a pattern that does not compile.
    InvalidMatcher,
    /// A matcher has a field that the hook's event can never satisfy.
    MatcherNotApplicable,
    /// A hook's settings are wrong or contradict each other.
    InvalidHook,
    /// An engine setting is unknown or wrong.
    InvalidOption,
    /// The profile is not one that the engine has.
    UnknownProfile,
    /// The dialect is not one that the engine has.
    UnknownDialect,
    /// A configuration file cannot be read, or holds an entry that makes no sense.
    InvalidConfig,
    /// A hook from a project's files has not been approved, or has changed since.
    UntrustedHook,
    /// What an agent sent to its hook is not an event of that agent.
    InvalidWireEvent,
    /// One more hook would exceed a limit.
    TooManyHooks,
    /// No hook has this id.
    UnknownHook,
    /// A dispatch was nested deeper than [`MAX_DEPTH`](crate::dispatch::MAX_DEPTH).
    NestedTooDeep,
    /// A value nests deeper than [`MAX_NESTING`](crate::payload::MAX_NESTING).
    PayloadTooDeep,
    /// A value holds more values than [`MAX_VALUES`](crate::payload::MAX_VALUES).
    PayloadTooLarge,
    /// A value has no JSON form.
    PayloadNotJson,
    /// The payload of a dispatch is not an object.
    InvalidPayload,
    /// A synchronous dispatch met a hook that has to be awaited.
    AwaitableInSyncDispatch,
    /// The client was closed.
    ClientClosed,
    /// The session has ended.
    SessionClosed,
    /// A hook refused to let a subagent begin.
    SubagentBlocked,
    /// No tool is registered under the name.
    UnknownTool,
    /// No model is registered.
    NoModel,
    /// Nothing waits for approval under the id, or the option is none of the question's.
    UnknownApproval,
    /// A tool call waits for a person's answer, and was not made.
    ApprovalPending,
    /// An audit log cannot be opened, written, read or verified.
    AuditFailed,
    /// The object is bound to its process and cannot be pickled.
    NotPicklable,
    /// The interpreter cannot host the engine.
    UnsupportedInterpreter,
    /// The native half of the package cannot be loaded.
    AddonNotLoaded,
}

impl Code {
    /// Every code, for documentation and tests.
    pub const ALL: &'static [Self] = &[
        Self::UnknownEvent,
        Self::InvalidEventDefinition,
        Self::InvalidToolDefinition,
        Self::InvalidMatcher,
        Self::MatcherNotApplicable,
        Self::InvalidHook,
        Self::InvalidOption,
        Self::UnknownProfile,
        Self::UnknownDialect,
        Self::InvalidConfig,
        Self::UntrustedHook,
        Self::InvalidWireEvent,
        Self::TooManyHooks,
        Self::UnknownHook,
        Self::NestedTooDeep,
        Self::PayloadTooDeep,
        Self::PayloadTooLarge,
        Self::PayloadNotJson,
        Self::InvalidPayload,
        Self::AwaitableInSyncDispatch,
        Self::ClientClosed,
        Self::SessionClosed,
        Self::SubagentBlocked,
        Self::UnknownTool,
        Self::NoModel,
        Self::UnknownApproval,
        Self::ApprovalPending,
        Self::AuditFailed,
        Self::NotPicklable,
        Self::UnsupportedInterpreter,
        Self::AddonNotLoaded,
    ];

    /// The code as users see it, for example `unknown_event`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownEvent => "unknown_event",
            Self::InvalidEventDefinition => "invalid_event_definition",
            Self::InvalidToolDefinition => "invalid_tool_definition",
            Self::InvalidMatcher => "invalid_matcher",
            Self::MatcherNotApplicable => "matcher_not_applicable",
            Self::InvalidHook => "invalid_hook",
            Self::InvalidOption => "invalid_option",
            Self::UnknownProfile => "unknown_profile",
            Self::UnknownDialect => "unknown_dialect",
            Self::InvalidConfig => "invalid_config",
            Self::UntrustedHook => "untrusted_hook",
            Self::InvalidWireEvent => "invalid_wire_event",
            Self::TooManyHooks => "too_many_hooks",
            Self::UnknownHook => "unknown_hook",
            Self::NestedTooDeep => "nested_too_deep",
            Self::PayloadTooDeep => "payload_too_deep",
            Self::PayloadTooLarge => "payload_too_large",
            Self::PayloadNotJson => "payload_not_json",
            Self::InvalidPayload => "invalid_payload",
            Self::AwaitableInSyncDispatch => "awaitable_in_sync_dispatch",
            Self::ClientClosed => "client_closed",
            Self::SessionClosed => "session_closed",
            Self::SubagentBlocked => "subagent_blocked",
            Self::UnknownTool => "unknown_tool",
            Self::NoModel => "no_model",
            Self::UnknownApproval => "unknown_approval",
            Self::ApprovalPending => "approval_pending",
            Self::AuditFailed => "audit_failed",
            Self::NotPicklable => "not_picklable",
            Self::UnsupportedInterpreter => "unsupported_interpreter",
            Self::AddonNotLoaded => "addon_not_loaded",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Error {
    /// An error of this code whose message names the thing, the place and the fix.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), source: None }
    }

    /// The same with what is behind it.
    #[must_use]
    pub fn because(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.code
    }

    /// The message, for a person.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// The longest name that is compared with known ones, in bytes: names come from files of others, and comparing takes time by
/// the square of their length.
const LONGEST_MISSPELT: usize = 256;

/// ` (did you mean `Bash`?)` when a known name is near, else nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

/// The known name nearest to a misspelt one, if one is near enough to be meant.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_MISSPELT {
        return None;
    }
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// The one known name that a misspelt one can only be: a slip of a letter, or two in a long name, and no other is as near.
pub fn surely_meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST_MISSPELT {
        return None;
    }
    let most = if name.chars().count() >= 8 { 2 } else { 1 };
    let lower = name.to_lowercase();
    let slips = |candidate: &str| strsim::osa_distance(&lower, &candidate.to_lowercase());
    let mut near: Vec<(usize, &str)> = known.into_iter().map(|candidate| (slips(candidate), candidate)).collect();
    near.retain(|(slips, _)| *slips <= most);
    near.sort_unstable();
    match near.as_slice() {
        [(_, only)] => Some(only),
        [(first, nearest), (second, _), ..] if first < second => Some(nearest),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_slip_is_surely_meant() {
        let known = ["timeout", "name", "once", "PreToolUse", "PostToolUse"];
        for (name, meant) in [
            ("timeuot", Some("timeout")),
            ("Timeout", Some("timeout")),
            ("nam", Some("name")),
            ("PretoolUze", Some("PreToolUse")),
            ("time", None),
            ("ncne", None),
        ] {
            assert_eq!(surely_meant(name, known), meant, "{name}");
        }
    }

    #[test]
    fn a_near_name_is_suggested_and_a_far_one_is_not() {
        let known = ["PreToolUse", "PostToolUse", "SessionStart"];
        assert_eq!(did_you_mean("PreToolUs", known), " (did you mean `PreToolUse`?)");
        assert_eq!(did_you_mean("pretooluse", known), " (did you mean `PreToolUse`?)");
        assert_eq!(did_you_mean("qqqq", known), "");
        let long = format!("PreToolUs{}", "e".repeat(300));
        assert_eq!(did_you_mean(&long, [&*long]), "");
    }

    #[test]
    fn codes_are_distinct() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }
}
