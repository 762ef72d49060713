//! Signs for what a hook can do.

use hookweave_host::hook::Enforcement;
use hookweave_host::registry::HookInfo;

use crate::screen::{BAD, DIM, GOOD, WARN};

/// What a hook can do, as a sign before its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mark {
    /// It decides, and always runs.
    Mandatory,
    /// It decides.
    Decides,
    /// What it decides is not acted on.
    Observes,
    /// It is not approved, and does not run.
    Waits,
    /// It is switched off.
    Off,
}

impl Mark {
    /// The sign of a hook on an event; `waits`: it is not approved.
    pub(crate) fn of(hook: &HookInfo, gate: bool, waits: bool) -> Self {
        match hook {
            _ if waits => Self::Waits,
            HookInfo { enabled: false, .. } => Self::Off,
            HookInfo { enforcement: Enforcement::Observe, .. } => Self::Observes,
            HookInfo { mandatory: true, .. } if gate => Self::Mandatory,
            HookInfo { detached: false, .. } if gate => Self::Decides,
            _ => Self::Observes,
        }
    }

    /// The sign, in its style.
    pub(crate) const fn sign(self) -> (anstyle::Style, &'static str) {
        match self {
            Self::Mandatory => (BAD, "◆"),
            Self::Decides => (GOOD, "●"),
            Self::Observes => (DIM, "○"),
            Self::Waits => (WARN, "?"),
            Self::Off => (DIM, "-"),
        }
    }

    /// What it means.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Mandatory => "decides, and always runs",
            Self::Decides => "decides",
            Self::Observes => "observes",
            Self::Waits => "waits for your approval",
            Self::Off => "off",
        }
    }
}
