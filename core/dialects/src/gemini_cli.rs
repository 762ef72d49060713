//! Google's Gemini CLI: event and tool names of its own, and a word for every exit code.

mod mcp;
mod model;
mod output;
mod stdin;
mod wire;

use std::time::Duration;

use serde_json::Value;

use super::matching::{self, Target};
use super::{Dialect, Encoded, Exited, Invocation, OutcomeView, Place, RunKind, WireAnswer, WireEvent};
use hookweave_machine::dispatch::Said;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;

/// The dialect's name.
const NAME: &str = "gemini-cli";

/// The dialect of Gemini CLI.
#[derive(Debug)]
pub struct GeminiCli;

/// Its one instance.
pub static GEMINI_CLI: GeminiCli = GeminiCli;

/// An event of Gemini CLI.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// Its name at home.
    name: &'static str,
    /// The engine's name.
    event: &'static str,
    /// What its string matcher is held against.
    target: Target,
    /// Whether `decision` and `continue` are read.
    decides: bool,
}

const fn known(name: &'static str, event: &'static str, target: Target, decides: bool) -> Known {
    Known { name, event, target, decides }
}

const EVENTS: &[Known] = &[
    known("SessionStart", "SessionStart", Target::Subtype, false),
    known("SessionEnd", "SessionEnd", Target::Subtype, false),
    known("BeforeAgent", "UserPromptSubmit", Target::Nothing, true),
    known("AfterAgent", "Stop", Target::Nothing, true),
    known("BeforeModel", "GenerateStart", Target::Nothing, true),
    known("AfterModel", "GenerateEnd", Target::Nothing, true),
    // It chooses among the tools of a request to the model, and those are a field of the request.
    known(SELECTION, "GenerateStart", Target::Nothing, false),
    known("BeforeTool", "PreToolUse", Target::Tool, true),
    known("AfterTool", "PostToolUse", Target::Tool, true),
    known("PreCompress", "PreCompact", Target::Subtype, false),
    known("Notification", "Notification", Target::Nothing, false),
];

/// The one event that shares its canonical event with another.
const SELECTION: &str = "BeforeToolSelection";

fn named(name: &str) -> Option<&'static Known> {
    EVENTS.iter().find(|known| known.name == name)
}

/// The event of an invocation: as its file names it, or the home event of the canonical one.
fn of(invocation: &Invocation) -> Option<&'static Known> {
    named(&invocation.declared_event)
        .filter(|known| known.event == invocation.event.name())
        .or_else(|| EVENTS.iter().find(|known| known.event == invocation.event.name()))
}

impl Dialect for GeminiCli {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Place, String>> {
        let known = named(declared_event)?;
        let matcher = match (known.target, matcher.unwrap_or_default().trim()) {
            (_, "" | "*") | (Target::Nothing, _) => Ok(MatcherSpec::default()),
            // What is no regular expression is a name there, not an error.
            (Target::Tool, text) => matching::pattern(Target::Tool, &mcp::pattern(text), NAME)
                .or_else(|_| matching::pattern(Target::Tool, &matching::literal(text), NAME)),
            (target, text) => matching::pattern(target, &matching::literal(text), NAME),
        };
        Some(matcher.map(|matcher| Place { event: known.event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.iter().map(|known| known.name).collect()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        // The file says milliseconds: 60,000 of them.
        Some(Duration::from_secs(60))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        Encoded { body: stdin::body(invocation), env: stdin::env(invocation), env_file: None }
    }

    fn is_idle(&self, invocation: &Invocation, field: &str, _value: &Value) -> bool {
        // A choice of tools is narrowed, never refused.
        matches!(field, "decision" | "continue") && of(invocation).is_some_and(|known| known.name == SELECTION)
    }

    fn decode(&self, invocation: &Invocation, exited: &Exited) -> Said<Value> {
        output::decode(invocation, exited)
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        wire::event(wire)
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        wire::answer(outcome)
    }
}
