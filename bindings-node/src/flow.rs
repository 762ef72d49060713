//! What a session does, in steps: each reply gives the next effect, as JSON text.

use hookweave::host::from_json;
use hookweave::session::{Called, Flow, Reply, Requested};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::{Map, Value, json};

use crate::error::{Refusal, broken};
use crate::host::Values;
use crate::native::large_integers;
use crate::run::NativeRun;

/// A tool call of the model's.
#[napi(object, object_to_js = false)]
pub struct NativeToolCall {
    /// The tool's name.
    pub tool: String,
    /// The call's id, when the model gave one.
    pub id: Option<String>,
    /// The number of its arguments.
    pub args: u32,
    /// Whether the client has such a tool.
    pub known: bool,
}

/// Something that a session does. The values that it is about stay in JavaScript, and it knows their numbers.
#[napi]
pub struct NativeFlow {
    flow: Flow,
}

impl From<Flow> for NativeFlow {
    fn from(flow: Flow) -> Self {
        Self { flow }
    }
}

impl NativeFlow {
    fn step(&mut self, reply: Reply) -> String {
        let effect = self.flow.step(reply);
        let text = serde_json::to_string(&effect).unwrap_or_else(|_| r#"{"do":"finish","result":null}"#.to_owned());
        if !may_hold_large_integers(&text) {
            return text;
        }
        let mut effect = serde_json::to_value(&effect).unwrap_or_default();
        let large = large_integers(&effect);
        if let (false, Value::Object(fields)) = (large.is_empty(), &mut effect) {
            fields.insert("large".to_owned(), json!(large));
        }
        effect.to_string()
    }
}

/// Whether a text has as many digits in a row as an integer that a number of JavaScript's does not hold.
fn may_hold_large_integers(text: &str) -> bool {
    const DIGITS: usize = 16;
    text.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits.len() >= DIGITS)
}

#[napi]
impl NativeFlow {
    /// Begins.
    #[napi]
    pub fn begin(&mut self) -> String {
        self.step(Reply::Begin)
    }

    /// It is done.
    #[napi]
    pub fn done(&mut self) -> String {
        self.step(Reply::Done)
    }

    /// It could not be done.
    #[napi]
    pub fn failed(&mut self, why: String) -> String {
        self.step(Reply::Failed { why })
    }

    /// No hook had anything to say.
    #[napi]
    pub fn nothing_said(&mut self) -> String {
        self.step(Reply::Dispatched { verdict: None, value: None, json: Map::new() })
    }

    /// What hooks said, the number of the wanted value and the other wanted fields as the JSON text of an object.
    #[napi]
    pub fn dispatched(
        &mut self,
        env: Env,
        run: &NativeRun,
        values: Object<'_>,
        value: Option<u32>,
        fields: String,
    ) -> Result<String, Refusal> {
        let verdict = run.verdict(&Values::new(&env, values).map_err(broken)?)?;
        let Ok(Value::Object(json)) = from_json(&fields) else {
            return Err(Refusal::new("payload_not_json".to_owned(), "what hooks changed has no JSON form"));
        };
        Ok(self.step(Reply::Dispatched { verdict: Some(Box::new(verdict)), value, json }))
    }

    /// A copy of a value, and its JSON text when it has one.
    #[napi]
    pub fn frozen(&mut self, value: u32, text: Option<String>) -> String {
        self.step(Reply::Frozen { value, text })
    }

    /// What a person chose.
    #[napi]
    pub fn chosen(&mut self, option: String) -> String {
        self.step(Reply::Chosen { option })
    }

    /// Nobody answered in time.
    #[napi]
    pub fn timed_out(&mut self) -> String {
        self.step(Reply::TimedOut)
    }

    /// A tool has run.
    #[napi]
    pub fn ran(&mut self, result: u32, error: Option<String>, duration: f64) -> String {
        self.step(Reply::Ran(Called { result, error, duration }))
    }

    /// The model has answered; what it cost is JSON text.
    #[napi]
    pub fn responded(&mut self, response: u32, text: String, calls: Vec<NativeToolCall>, usage: String) -> String {
        let calls =
            calls.into_iter().map(|NativeToolCall { tool, id, args, known }| Requested { tool, id, args, known });
        let usage = from_json(&usage).unwrap_or_default();
        self.step(Reply::Responded { response, text, calls: calls.collect(), usage })
    }

    /// A text.
    #[napi]
    pub fn text(&mut self, text: String) -> String {
        self.step(Reply::Text { text })
    }
}
