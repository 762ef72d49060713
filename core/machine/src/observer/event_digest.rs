//! What an event was about, copied so that it can be looked at later and elsewhere.

use serde_json::Value;
use smallvec::SmallVec;

use super::Inputs;
use crate::event::{COMMON_FIELDS, EventSpec};
use crate::index::Snapshot;
use crate::json::{from_json, to_json};
use crate::match_input::{PATH_ARGUMENTS, each_matched_text};
use crate::payload::{Host, Spelling};
use crate::tool::Tools;

/// How much of a field is copied, in bytes.
const COVERED: usize = 4096;

/// No word is longer that could be a secret, in bytes.
const LONGEST_WORD: usize = 512;

/// The largest payload that is kept, as JSON text in bytes.
const LARGEST_PAYLOAD: usize = 4 * 1024 * 1024;

/// Which text is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The session's id.
    Session,
    /// The agent's name.
    Agent,
    /// The tool's name.
    Tool,
    /// The id of the tool call.
    ToolUseId,
    /// Something that matchers look at.
    Matched,
}

/// What an event was about: its texts in one piece of memory, and the payload where it is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct EventDigest {
    text: String,
    parts: SmallVec<[(Part, u32); 6]>,
    cut: bool,
    payload: Option<String>,
}

impl EventDigest {
    /// How much memory it holds, in bytes.
    pub fn weight(&self) -> usize {
        self.text.capacity() + self.payload.as_ref().map_or(0, String::len)
    }

    /// The same without the payload, which is on record already.
    #[must_use]
    pub fn without_payload(&self) -> Self {
        Self { payload: None, ..self.clone() }
    }

    pub(crate) fn push(&mut self, part: Part, text: &str) {
        let kept = beginning(text);
        self.cut |= part == Part::Matched && kept.len() < text.len();
        self.text.push_str(kept);
        self.parts.push((part, u32::try_from(self.text.len()).unwrap_or(u32::MAX)));
    }

    pub fn texts(&self) -> impl Iterator<Item = (Part, &str)> {
        let mut begins = 0;
        self.parts.iter().map(move |(part, end)| {
            let end = *end as usize;
            let text = self.text.get(begins..end).unwrap_or_default();
            begins = end;
            (*part, text)
        })
    }

    pub fn first(&self, wanted: Part) -> Option<String> {
        self.texts().find(|(part, _)| *part == wanted).map(|(_, text)| text.to_owned())
    }

    /// Whether a field was longer than what was copied of it.
    pub const fn is_cut(&self) -> bool {
        self.cut
    }

    /// The payload as JSON text, where it is kept.
    pub fn payload(&self) -> Option<&str> {
        self.payload.as_deref()
    }

    /// The places of what [`Self::of`] copies, for a host that reads its own values faster: the tag of each, its name, and
    /// whether it is in `args`. `None` where they depend on the tool.
    #[must_use]
    pub fn places<T>(event: &EventSpec, snapshot: &Snapshot<T>) -> Option<Vec<(char, &'static str, bool)>> {
        if !snapshot.tools().is_empty() {
            return None;
        }
        let head = [('s', "session_id"), ('a', "agent_id"), ('u', "tool_use_id"), ('t', "tool")];
        let mut places: Vec<_> = head.map(|(tag, name)| (tag, name, false)).into();
        places.push(('l', "command", true));
        places.extend(PATH_ARGUMENTS.iter().map(|name| ('p', *name, true)));
        places.extend(event.path().map(|name| ('p', name, false)));
        places.extend(event.subtype().map(|name| ('l', name, false)));
        Some(places)
    }

    /// What an event is about, copied from the host.
    pub fn of<H: Host>(host: &H, event: &EventSpec, payload: &H::Value, tools: &Tools, inputs: Inputs) -> Self {
        let mut about = Self { text: String::with_capacity(192), ..Self::default() };
        each_text(host, event, payload, tools, |part, text| about.push(part, text));
        if inputs != Inputs::Digest {
            about.payload = Some(written(host, event, payload));
        }
        about
    }
}

/// The fields of a payload that every record needs.
static HEAD: [&str; 5] = ["session_id", "agent_id", "tool_use_id", "tool", "args"];

/// The texts that a host has copied, each behind the tag of its place and with a NUL after it.
pub fn tagged(texts: &str) -> impl Iterator<Item = (Part, &str)> {
    texts.split_terminator('\0').map(|text| {
        let mut letters = text.chars();
        let part = match letters.next() {
            Some('s') => Part::Session,
            Some('a') => Part::Agent,
            Some('u') => Part::ToolUseId,
            Some('t') => Part::Tool,
            _ => Part::Matched,
        };
        (part, letters.as_str())
    })
}

/// Gives the texts of an event that a record needs, in the order in which they are digested.
pub fn each_text<H: Host>(
    host: &H,
    event: &EventSpec,
    payload: &H::Value,
    tools: &Tools,
    mut take: impl FnMut(Part, &str),
) {
    let view = host.view(payload);
    let [session, agent, tool_use_id, tool, args] = host.pick_fields(&view, &HEAD);
    for (part, value) in [(Part::Session, session), (Part::Agent, agent), (Part::ToolUseId, tool_use_id)] {
        if let Some(value) = value {
            host.text(&value, |text| take(part, text));
        }
    }
    let named = tool.and_then(|tool| {
        host.text(&tool, |name| {
            take(Part::Tool, name);
            tools.defined(name)
        })
    });
    each_matched_text(host, event, &view, args.as_ref(), named.flatten(), |text| take(Part::Matched, text));
}

/// The payload as JSON text, or why there is none.
fn written<H: Host>(host: &H, event: &EventSpec, payload: &H::Value) -> String {
    let text = payload_json(host, event, payload, LARGEST_PAYLOAD);
    text.unwrap_or_else(|why| Value::String(format!("left out: {why}")).to_string())
}

/// A payload as JSON text with the engine's own names, or why there is none.
pub fn payload_json<H: Host>(
    host: &H,
    event: &EventSpec,
    payload: &H::Value,
    largest: usize,
) -> Result<String, String> {
    match to_json(host, &host.view(payload)) {
        Ok(text) if text.len() <= largest => Ok(canonical(host.spelling(), event, text)),
        Ok(text) => Err(format!("{} bytes are more than {largest}", text.len())),
        Err(why) => Err(why.to_string()),
    }
}

/// The first [`COVERED`] bytes of a text, to the end of a word: half of a secret would not be known for one.
pub fn beginning(text: &str) -> &str {
    if text.len() <= COVERED {
        return text;
    }
    let end = (0..=COVERED).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let head = text.get(..end).unwrap_or_default();
    match head.rfind(|letter: char| letter.is_whitespace()) {
        Some(space) if end - space <= LONGEST_WORD => head.get(..space).unwrap_or_default(),
        _ => head.get(..end.saturating_sub(LONGEST_WORD)).unwrap_or(head),
    }
}

/// A payload's text with the engine's own names of its fields, where the host spells them otherwise.
fn canonical(spelling: Spelling, event: &EventSpec, text: String) -> String {
    if spelling != Spelling::TypeScript {
        return text;
    }
    let Ok(Value::Object(fields)) = from_json(&text) else { return text };
    let own = |name: String| {
        let own = spelling.canonical(&name).into_owned();
        let is_known =
            (event.built_in().is_some() && event.may_have(&own)) || COMMON_FIELDS.iter().any(|field| field.name == own);
        if is_known { own } else { name }
    };
    Value::Object(fields.into_iter().map(|(name, value)| (own(name), value)).collect()).to_string()
}
