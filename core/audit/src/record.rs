//! One line of the log.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::level::AuditLevel;

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// A process began to write; `details` has the log's version and level, the process, and why.
    #[default]
    AuditOpened,
    /// A process has written its last record, in good order.
    AuditClosed,
    /// The process before was interrupted while it wrote a line; `details` has the line's length and hash.
    AuditRecovered,
    /// Records are missing; `details.lost` says how many, `details.why` what kept them from being written.
    AuditGap,
    /// The level was changed.
    AuditLevel,
    /// The file was removed by another program, and a new one was begun.
    AuditReplaced,
    /// An old segment was removed, as rotation is configured; `details` has its name and its last record.
    SegmentRemoved,
    /// A hook was registered.
    HookRegistered,
    /// A hook was removed.
    HookRemoved,
    /// A hook was switched on.
    HookEnabled,
    /// A hook was switched off.
    HookDisabled,
    /// A hook began to run.
    HookStarted,
    /// A hook has run; `outcome` is its action.
    HookFinished,
    /// A hook failed; `details` has the kind, the message, and what the failure rule made of it.
    HookFailed,
    /// A hook was passed over.
    HookSkipped,
    /// What the agent was about to do must not happen; `hook` decided, `reason` says why.
    Blocked,
    /// A hook that observes would have blocked what the agent was about to do: `hook`, `reason` as in `blocked`. Each such
    /// hook of a dispatch has one.
    WouldBlock,
    /// A hook changed the fields in `details.fields`.
    Modified,
    /// A hook gave context to the model: `details.content`, as whose words, and for how long.
    Injected,
    /// A hook sent a message to the user.
    Message,
    /// A hook wants its output kept out of the transcript.
    Suppressed,
    /// A hook wants a person asked.
    Asked,
    /// A person, or who stands for one, is asked.
    ApprovalAsked,
    /// It was decided; `details.by` says by whom.
    ApprovalDecided,
    /// A session is about to run a tool; only where the log is required, so that none runs without a record.
    ToolStarted,
    /// A session was asked to run a tool; `outcome` says what became of it.
    ToolRun,
    /// Hooks were loaded from files.
    ConfigLoaded,
    /// Hooks of a project's files were approved.
    TrustGiven,
    /// Approvals were taken back.
    TrustTaken,
    /// A worker of remote hooks, or one of its hooks, was refused: `reason`, and `details` has the worker and a code.
    WorkerRefused,
}

impl Kind {
    /// The lowest level at which it is recorded.
    #[must_use]
    pub const fn level(self) -> AuditLevel {
        match self {
            Self::AuditOpened
            | Self::AuditClosed
            | Self::AuditRecovered
            | Self::AuditGap
            | Self::AuditLevel
            | Self::AuditReplaced
            | Self::SegmentRemoved
            | Self::HookFailed => AuditLevel::Error,
            Self::HookStarted | Self::HookSkipped => AuditLevel::Verbose,
            _ => AuditLevel::Info,
        }
    }

    /// The kind's name.
    #[must_use]
    pub fn as_str(self) -> String {
        serde_json::to_value(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// What is recorded of an event's payload.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Input {
    /// Keyed, over tool, tool call and what matchers look at: 32 hexadecimal digits.
    pub digest: String,
    /// The digest covers only the first 4 KiB of a field.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The payload, where the log is set to keep it; in the first record of a dispatch only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

/// One line of the log; the order of its members is the canonical one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditRecord {
    /// Its number, from 1, without holes.
    pub seq: u64,
    /// When it happened, `2026-11-22T08:15:00.000Z`.
    pub time: String,
    /// What it is about.
    pub kind: Kind,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The subagent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The dispatch: records of one have one number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispatch: Option<u64>,
    /// The hook's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook: Option<String>,
    /// The hook's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_id: Option<String>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// What came of it: an action, a decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<f64>,
    /// What it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// What only this kind of record has.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
    /// The hash of the record before; zeros in the first one.
    #[serde(default)]
    pub prev: String,
    /// SHA-256 of the line without this member.
    #[serde(default)]
    pub hash: String,
}

impl AuditRecord {
    /// A record of a kind, without a place in a chain.
    #[must_use]
    pub fn new(kind: Kind) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Sets a member of `details`; null is not kept.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if !value.is_null() {
            self.details.insert(name.to_owned(), value);
        }
        self
    }

    /// When it happened, in milliseconds since the epoch; `None` when `time` is no point in time.
    #[must_use]
    pub fn time_ms(&self) -> Option<u64> {
        hookweave_machine::timestamp::read(&Value::from(self.time.as_str())).and_then(|ms| u64::try_from(ms).ok())
    }

    /// Reads a line as it stands in the log.
    pub fn read(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line)
    }
}

/// A record as it is written down: the members of [`AuditRecord`] but its hash, in the same order, and nothing of its own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Written<'r> {
    pub(super) seq: u64,
    pub(super) time: &'r str,
    pub(super) kind: Kind,
    pub(super) session: Option<&'r str>,
    pub(super) agent: Option<&'r str>,
    pub(super) event: Option<&'r str>,
    pub(super) dispatch: Option<u64>,
    pub(super) hook: Option<&'r str>,
    pub(super) hook_id: Option<&'r str>,
    pub(super) tool: Option<&'r str>,
    pub(super) tool_use_id: Option<&'r str>,
    pub(super) outcome: Option<&'r str>,
    pub(super) reason: Option<&'r str>,
    pub(super) duration_us: Option<f64>,
    pub(super) input: Option<&'r Input>,
    pub(super) details: Option<&'r Map<String, Value>>,
    pub(super) prev: &'r str,
}

impl AuditRecord {
    /// Its members, as they are written down.
    pub(super) fn written(&self) -> Written<'_> {
        Written {
            seq: self.seq,
            time: &self.time,
            kind: self.kind,
            session: self.session.as_deref(),
            agent: self.agent.as_deref(),
            event: self.event.as_deref(),
            dispatch: self.dispatch,
            hook: self.hook.as_deref(),
            hook_id: self.hook_id.as_deref(),
            tool: self.tool.as_deref(),
            tool_use_id: self.tool_use_id.as_deref(),
            outcome: self.outcome.as_deref(),
            reason: self.reason.as_deref(),
            duration_us: self.duration_us,
            input: self.input.as_ref(),
            details: Some(&self.details).filter(|details| !details.is_empty()),
            prev: &self.prev,
        }
    }
}
