//! Fields that payloads lack and have under nearly the same name.
//!
//! Payloads are open: agents send more than the catalogue knows, so that an unknown field is no mistake. Beside a field
//! that is missing it probably is one, and a guard that looks for the missing one sees nothing. Looking costs nothing
//! where it matters: it is done for the first payloads of an event or a tool, and for those without a tool.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use super::{COMMON_FIELDS, CatalogueEntry, EventSpec};
use crate::error::{Code, Error, nearest, surely_meant};
use crate::payload::{Host, Spelling};

/// How many payloads of an event are looked at.
const MOST_CHECKS: u32 = 64;

/// What the engine fills in by itself, so that it may be missing.
const FILLED_IN: &str = "tool_use_id";

/// What other systems call fields: no slip, and a hook that looks at the field sees nothing all the same.
const OTHER_WORDS: &[(&str, &[&str])] = &[
    ("args", &["arguments", "input", "parameters", "params", "tool_args", "tool_input"]),
    ("result", &["output", "response", "tool_output", "tool_response", "tool_result"]),
];

/// A field that payloads lack, and what they have instead, both as the host spells them.
#[derive(Debug)]
pub(crate) struct MisspelledField {
    pub(crate) missing: String,
    pub(crate) given: String,
    /// It can be nothing else.
    is_certain: bool,
}

impl MisspelledField {
    fn refusal(&self, event: &str) -> String {
        let Self { missing, given, .. } = self;
        format!("{event} has no field `{given}` (did you mean `{missing}`?); hooks look at `{missing}`")
    }
}

/// The first misspelled field in the payloads of an event.
#[derive(Debug, Default)]
pub(crate) struct MisspelledFields {
    first: OnceLock<MisspelledField>,
    checks: AtomicU32,
    reported: AtomicBool,
}

impl MisspelledFields {
    pub(crate) fn first(&self) -> Option<&MisspelledField> {
        self.first.get()
    }

    /// True the first time.
    pub(crate) fn is_first_report(&self) -> bool {
        !self.reported.swap(true, Relaxed)
    }
}

impl EventSpec {
    /// True the first time: its misspelled field is reported once.
    pub(crate) fn reports_misspelled_field_first(&self) -> bool {
        self.misspelled_fields().is_first_report()
    }

    /// Looks at a payload that may be unlike those before; refuses that of a gate that does not say what it is about.
    #[cold]
    pub(crate) fn check_fields<'v, H: Host>(&self, host: &'v H, payload: &H::View<'v>) -> Result<(), Error> {
        let Some(known) = self.built_in() else { return Ok(()) };
        if self.is_own_gate() {
            complete(known, self.gates_tools(), host, payload).map_err(|why| Error::new(Code::InvalidPayload, why))?;
        } else if let Some(shown) = self.shown_to_model()
            && let Some(field) = find(known, Some(shown), host, payload).filter(|field| field.is_certain)
        {
            // A hook that takes secrets out of a result would pass over it.
            return Err(Error::new(Code::InvalidPayload, field.refusal(known.name)));
        }
        self.note_field_names(known, host, payload);
        Ok(())
    }

    fn note_field_names<'v, H: Host>(&self, known: &CatalogueEntry, host: &'v H, payload: &H::View<'v>) {
        let misspelled_fields = self.misspelled_fields();
        if misspelled_fields.first().is_none() && misspelled_fields.checks.load(Relaxed) < MOST_CHECKS {
            misspelled_fields.checks.fetch_add(1, Relaxed);
            if let Some(misspelled_field) = find(known, None, host, payload) {
                _ = misspelled_fields.first.set(misspelled_field);
                self.tally().look_soon();
            }
        }
    }
}

/// Says what the payload of a gate lacks: its tool, or a field that it has under another name by a slip.
fn complete<'v, H: Host>(
    known: &CatalogueEntry,
    needs_tool: bool,
    host: &'v H,
    payload: &H::View<'v>,
) -> Result<(), String> {
    let misspelled = other_case(known, host, payload).or_else(|| find(known, None, host, payload));
    if let Some(field) = misspelled.as_ref().filter(|field| field.is_certain) {
        return Err(field.refusal(known.name));
    }
    let tool = host.field(payload, "tool").and_then(|tool| host.text(&tool, |tool| !tool.trim().is_empty()));
    if !needs_tool || tool == Some(true) {
        return Ok(());
    }
    let instead = misspelled.filter(|field| field.missing == "tool");
    let instead = instead.map_or_else(String::new, |field| format!("; it is not called `{}`", field.given));
    Err(format!("{} needs `tool`, the name of the tool that is to be called, as text{instead}", known.name))
}

/// A field in the case of another language: `session_id` where the host writes `sessionId`.
fn other_case<'v, H: Host>(known: &CatalogueEntry, host: &'v H, payload: &H::View<'v>) -> Option<MisspelledField> {
    let is_known = |name: &str| known.fields.iter().chain(COMMON_FIELDS).any(|field| field.name == name);
    host.keys(payload).ok()?.into_iter().find_map(|given| {
        let name = Spelling::TypeScript.canonical(&given).into_owned();
        let missing = host.spelling().local(&name).into_owned();
        let is_other = is_known(&name) && missing != given && host.get(payload, &missing).is_none();
        let is_certain = surely_meant(&given, [&*missing]).is_some();
        is_other.then_some(MisspelledField { missing, given, is_certain })
    })
}

/// The first field that is missing and stands under another name; `only` one of them is looked for.
fn find<'v, H: Host>(
    known: &CatalogueEntry,
    only: Option<&str>,
    host: &'v H,
    payload: &H::View<'v>,
) -> Option<MisspelledField> {
    let is_missing = |name| host.field(payload, name).is_none_or(|view| host.kind(&view).is_nothing());
    let wanted = known.fields.iter().filter(|field| !field.optional && field.name != FILLED_IN);
    let wanted = wanted.filter(|field| only.is_none_or(|only| only == field.name));
    let mut missing = wanted.map(|field| field.name).filter(|name| is_missing(name)).peekable();
    missing.peek()?;
    let spelling = host.spelling();
    let keys = host.keys(payload).ok()?;
    let is_known = |name: &str| known.fields.iter().chain(COMMON_FIELDS).any(|field| field.name == name);
    let unknown: Vec<_> = keys.iter().map(|key| spelling.canonical(key)).filter(|name| !is_known(name)).collect();
    missing.find_map(|name| {
        let given = || unknown.iter().map(|given| &**given);
        let words = OTHER_WORDS.iter().find(|(field, _)| *field == name).map_or(&[][..], |(_, words)| *words);
        let other = given().find(|given| words.contains(given));
        let given = other.or_else(|| nearest(name, given()))?;
        let is_certain = other.is_some() || surely_meant(given, [name]).is_some();
        // It may come from anywhere, and goes to a log.
        let given = spelling.local(given).escape_debug().to_string();
        Some(MisspelledField { missing: spelling.local(name).into_owned(), given, is_certain })
    })
}
