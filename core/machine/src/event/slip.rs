//! Fields that payloads lack and have under nearly the same name.
//!
//! Payloads are open: agents send more than the catalogue knows, so that an unknown field is no mistake. Beside a field
//! that is missing it probably is one, and a guard that looks for the missing one sees nothing. Looking costs nothing
//! where it matters: it is done for the first payloads of an event or a tool, and for those without a tool.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use super::{BuiltIn, COMMON_FIELDS, EventSpec};
use crate::error::nearest;
use crate::payload::Host;

/// How many payloads of an event are looked at.
const MOST_LOOKS: u32 = 64;

/// What the engine fills in by itself, so that it may be missing.
const FILLED_IN: &str = "tool_use_id";

/// A field that payloads lack, and what they have instead, both as the host spells them.
#[derive(Debug)]
pub(crate) struct Slip {
    pub(crate) missing: String,
    pub(crate) given: String,
}

/// The first slip in the payloads of an event.
#[derive(Debug, Default)]
pub(crate) struct Slips {
    first: OnceLock<Slip>,
    looks: AtomicU32,
    told: AtomicBool,
}

impl Slips {
    pub(crate) fn first(&self) -> Option<&Slip> {
        self.first.get()
    }

    /// True the first time.
    pub(crate) fn told_first(&self) -> bool {
        !self.told.swap(true, Relaxed)
    }
}

impl EventSpec {
    /// Whether nobody was told of its slip before.
    pub(crate) fn tells_slip_first(&self) -> bool {
        self.slips().told_first()
    }

    /// Looks at a payload that may be unlike those before.
    #[cold]
    pub(crate) fn look_for_slips<'v, H: Host>(&self, host: &'v H, payload: &H::View<'v>) {
        let Some(known) = self.built_in() else { return };
        let slips = self.slips();
        if slips.first().is_none() && slips.looks.load(Relaxed) < MOST_LOOKS {
            slips.looks.fetch_add(1, Relaxed);
            if let Some(slip) = find(known, host, payload) {
                _ = slips.first.set(slip);
            }
        }
    }
}

fn find<'v, H: Host>(known: &BuiltIn, host: &'v H, payload: &H::View<'v>) -> Option<Slip> {
    let is_missing = |name| host.field(payload, name).is_none_or(|view| host.kind(&view).is_nothing());
    let wanted = known.fields.iter().filter(|field| !field.optional && field.name != FILLED_IN);
    let mut missing = wanted.map(|field| field.name).filter(|name| is_missing(name)).peekable();
    missing.peek()?;
    let spelling = host.spelling();
    let keys = host.keys(payload).ok()?;
    let is_known = |name: &str| known.fields.iter().chain(COMMON_FIELDS).any(|field| field.name == name);
    let unknown: Vec<_> = keys.iter().map(|key| spelling.canonical(key)).filter(|name| !is_known(name)).collect();
    missing.find_map(|name| {
        let given = nearest(name, unknown.iter().map(|given| &**given))?;
        // It may come from anywhere, and goes to a log.
        let given = spelling.local(given).escape_debug().to_string();
        Some(Slip { missing: spelling.local(name).into_owned(), given })
    })
}
