//! What an event was about, copied so that it can be looked at later and elsewhere.

use serde_json::Value;
use smallvec::SmallVec;

use super::Inputs;
use crate::event::EventSpec;
use crate::json::to_json;
use crate::look::Look;
use crate::payload::Host;
use crate::tool::Tools;

/// How much of a field is copied, in bytes.
const COVERED: usize = 4096;

/// No word is longer that could be a secret, in bytes.
const LONGEST_WORD: usize = 512;

/// The largest payload that is kept, as JSON text in bytes.
const LARGEST_PAYLOAD: usize = 4 * 1024 * 1024;

/// Which text is which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Session,
    Agent,
    Tool,
    ToolUseId,
    /// Something that matchers look at.
    Looked,
}

/// What an event was about: its texts in one piece of memory, and the payload where it is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct About {
    text: String,
    parts: SmallVec<[(Part, u32); 6]>,
    cut: bool,
    payload: Option<String>,
}

impl About {
    /// How much memory it holds, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.text.capacity() + self.payload.as_ref().map_or(0, String::len)
    }

    fn push(&mut self, part: Part, text: &str) {
        let kept = beginning(text);
        self.cut |= part == Part::Looked && kept.len() < text.len();
        self.text.push_str(kept);
        self.parts.push((part, u32::try_from(self.text.len()).unwrap_or(u32::MAX)));
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (Part, &str)> {
        let mut begins = 0;
        self.parts.iter().map(move |(part, end)| {
            let end = *end as usize;
            let text = self.text.get(begins..end).unwrap_or_default();
            begins = end;
            (*part, text)
        })
    }

    pub(crate) fn first(&self, wanted: Part) -> Option<String> {
        self.texts().find(|(part, _)| *part == wanted).map(|(_, text)| text.to_owned())
    }

    /// Whether a field was longer than what was copied of it.
    pub(crate) const fn is_cut(&self) -> bool {
        self.cut
    }

    /// The payload as JSON text, where it is kept.
    pub(crate) fn payload(&self) -> Option<&str> {
        self.payload.as_deref()
    }

    /// What an event is about, copied from the host.
    pub(crate) fn of<H: Host>(host: &H, event: &EventSpec, payload: &H::Value, tools: &Tools, inputs: Inputs) -> Self {
        let view = host.view(payload);
        let mut about = Self { text: String::with_capacity(192), ..Self::default() };
        for (part, field) in [(Part::Session, "session_id"), (Part::Agent, "agent_id"), (Part::ToolUseId, "tool_use_id")] {
            if let Some(value) = host.field(&view, field) {
                host.text(&value, |text| about.push(part, text));
            }
        }
        let look = Look::new(host, event, view, tools);
        if let Some(tool) = look.tool() {
            about.push(Part::Tool, tool);
        }
        for text in &look.commands().items {
            about.push(Part::Looked, text);
        }
        let mut paths = Vec::new();
        look.path_texts(&mut paths);
        for text in &paths {
            about.push(Part::Looked, text);
        }
        if let Some(subtype) = event.subtype() {
            for text in &look.text(subtype).items {
                about.push(Part::Looked, text);
            }
        }
        if inputs != Inputs::Digest {
            about.payload = Some(written(host, payload));
        }
        about
    }
}

/// The payload as JSON text, or why there is none.
fn written<H: Host>(host: &H, payload: &H::Value) -> String {
    let told = |why: String| Value::String(why).to_string();
    match to_json(host, &host.view(payload)) {
        Ok(text) if text.len() <= LARGEST_PAYLOAD => text,
        Ok(text) => told(format!("left out: {} bytes are more than {LARGEST_PAYLOAD}", text.len())),
        Err(why) => told(format!("left out: {why}")),
    }
}

/// The first [`COVERED`] bytes of a text, to the end of a word: half of a secret would not be known for one.
fn beginning(text: &str) -> &str {
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
