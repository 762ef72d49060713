//! The steps of a quiet tool call as one number each: their shape is always the same, and no text is made of them or read.
//!
//! What such a step is about stands on the other side already: the tool and the id of its call, what every event of the
//! session carries, and the surroundings of the last call. Whatever differs from that is told in full.

use std::sync::{Mutex, PoisonError};

use hookweave::session::{Effect, Field, Finished, Surroundings, ToolRun, ValueId};
use serde_json::json;

use crate::flow::text_of;

/// Raise `PreToolUse` about arguments, and give them back if hooks changed them.
const BEFORE: u64 = 1;
/// Run the tool with arguments, and no environment.
const RUN: u64 = 2;
/// Raise `PostToolUse` about arguments and a result, and give the result back if hooks changed it.
const AFTER: u64 = 3;
/// It ran with arguments and had a result, and nobody said anything.
const OVER: u64 = 4;

/// The bits of a step's kind, and of each place in it: all three are a whole number that JavaScript holds exactly.
const KIND_BITS: u32 = 3;
const PLACE_BITS: u32 = 24;

/// What the other side has of a session's last surroundings.
#[derive(Debug, Default)]
pub(crate) struct Told(Mutex<Option<Surroundings>>);

/// A step in brief.
pub(crate) enum Brief {
    /// As a number.
    Number(f64),
    /// As text: new surroundings, and the number of the step behind them.
    Text(String),
}

impl Told {
    /// A step of a tool call in brief, when it has nothing of its own.
    pub(crate) fn brief(&self, effect: &Effect) -> Option<Brief> {
        match effect {
            Effect::Dispatch { event: "PreToolUse", fields, values, wants: ["args"] } => {
                match (&*fields.own, &**values) {
                    ([(_, Field::Surroundings(around)), tool, id], [("args", args)]) if are_the_call(tool, id) => {
                        self.behind(around, number(BEFORE, *args, 0)?)
                    }
                    _ => None,
                }
            }
            Effect::RunTool { args, env, .. } if env.is_empty() => number(RUN, *args, 0).map(Brief::Number),
            Effect::Dispatch { event: "PostToolUse", fields, values, wants: ["result"] } => {
                match (&*fields.own, &**values) {
                    ([tool, id], [("args", args), ("result", result)]) if are_the_call(tool, id) => {
                        number(AFTER, *args, *result).map(Brief::Number)
                    }
                    _ => None,
                }
            }
            Effect::Finish { result: Finished::Tool(run) } => {
                let result = run.result.filter(|_| is_quiet(run))?;
                number(OVER, run.args, result).map(Brief::Number)
            }
            _ => None,
        }
    }

    fn behind(&self, around: &Surroundings, number: f64) -> Option<Brief> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if told.as_ref() == Some(around) {
            return Some(Brief::Number(number));
        }
        let text = text_of(&json!({"do": "brief", "context": around, "step": number}))?;
        *told = Some(around.clone());
        Some(Brief::Text(text))
    }
}

fn number(kind: u64, first: ValueId, second: ValueId) -> Option<f64> {
    let places = [u64::from(first), u64::from(second)];
    if places.iter().any(|place| place >> PLACE_BITS > 0) {
        return None;
    }
    let packed = kind | places[0] << KIND_BITS | places[1] << (KIND_BITS + PLACE_BITS);
    #[expect(clippy::cast_precision_loss, reason = "51 bits")]
    Some(packed as f64)
}

type Named = (std::borrow::Cow<'static, str>, Field);

fn are_the_call((tool, name): &Named, (id, value): &Named) -> bool {
    tool == "tool" && id == "tool_use_id" && matches!((name, value), (Field::Text(_), Field::Text(_)))
}

/// Whether nothing has to be told of a call but its arguments and result.
fn is_quiet(run: &ToolRun) -> bool {
    let ToolRun { ran, ok, decision, reason, by, error, attempts, feedback, injected, suppress_output, stops, .. } =
        run;
    let is_plain = *ran && *ok && *decision == "continue" && *attempts == 1;
    let is_silent = feedback.is_empty() && injected.is_empty() && !suppress_output && !stops;
    is_plain && is_silent && reason.is_none() && by.is_none() && error.is_none()
}
