//! What a session does, in steps: each reply gives the next effect, as JSON text, or in brief.
//!
//! Flows have numbers and no objects of their own: an object of native code, and having it collected, costs more than all
//! that a quiet tool call does.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hookweave::host::from_json;
use hookweave::session::{Called, Effect, Flow, Reply, Requested, Speaker};
use napi::Env;
use napi::bindgen_prelude::{Either, Object};
use napi_derive::napi;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::brief::{Brief, Told};
use crate::error::{Refusal, broken};
use crate::host::Values;
use crate::native::large_integers;
use crate::run::NativeRun;
use crate::session::NativeSession;

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

/// The flows of a session that are under way, by their numbers.
#[derive(Default)]
pub(crate) struct Flows {
    flows: Mutex<Vec<Option<UnderWay>>>,
    told: Told,
}

struct UnderWay {
    flow: Flow,
    /// The other side knows what it is about, so that its steps may be told in brief.
    is_known: bool,
}

impl Flows {
    /// Takes a flow in and gives its number.
    pub(crate) fn add(&self, flow: Flow) -> u32 {
        self.put(UnderWay { flow, is_known: false })
    }

    /// The same with a flow that is one tool call, of which the other side has the tool's name and the call's id.
    pub(crate) fn add_call(&self, flow: Flow) -> u32 {
        self.put(UnderWay { flow, is_known: true })
    }

    fn put(&self, flow: UnderWay) -> u32 {
        let mut flows = self.lock();
        let free = flows.iter().position(Option::is_none).unwrap_or(flows.len());
        if free == flows.len() {
            flows.push(None);
        }
        if let Some(place) = flows.get_mut(free) {
            *place = Some(flow);
        }
        u32::try_from(free).unwrap_or(u32::MAX)
    }

    /// Nothing more is wanted of a flow.
    fn remove(&self, number: u32) {
        if let Some(place) = self.lock().get_mut(number as usize) {
            *place = None;
        }
    }

    fn step(&self, number: u32, reply: Reply) -> Either<f64, String> {
        let mut flows = self.lock();
        let mut place = flows.get_mut(number as usize);
        let Some(UnderWay { flow, is_known }) = place.as_deref_mut().and_then(Option::as_mut) else {
            return Either::B(NOTHING.to_owned());
        };
        let (effect, is_known) = (flow.step(reply), *is_known);
        if let (Effect::Finish { .. }, Some(place)) = (&effect, place) {
            *place = None;
        }
        match is_known.then(|| self.told.brief(&effect)).flatten() {
            Some(Brief::Number(number)) => Either::A(number),
            Some(Brief::Text(text)) => Either::B(text),
            None => Either::B(text_of(&effect).unwrap_or_else(|| NOTHING.to_owned())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<UnderWay>>> {
        self.flows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a flow that came to nothing.
const NOTHING: &str = r#"{"do":"finish","result":null}"#;

/// JSON text, with the places of integers that a number of JavaScript's does not hold.
pub(crate) fn text_of(effect: &impl Serialize) -> Option<String> {
    let text = serde_json::to_string(effect).ok()?;
    if !may_hold_large_integers(&text) {
        return Some(text);
    }
    let mut effect = serde_json::to_value(effect).ok()?;
    let large = large_integers(&effect);
    if let (false, Value::Object(fields)) = (large.is_empty(), &mut effect) {
        fields.insert("large".to_owned(), json!(large));
    }
    Some(effect.to_string())
}

/// Whether a text has as many digits in a row as an integer that a number of JavaScript's does not hold.
fn may_hold_large_integers(text: &str) -> bool {
    const DIGITS: usize = 16;
    text.as_bytes().split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() >= DIGITS)
}

/// Who says a message of the context.
#[napi(object)]
pub struct NativeSpeaker {
    /// `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// It stays whatever happens.
    pub pinned: bool,
}

#[napi]
impl NativeSession {
    /// Begins.
    #[napi(catch_unwind)]
    pub fn begin(&self, flow: u32) -> Either<f64, String> {
        self.flows.step(flow, Reply::Begin)
    }

    /// It is done.
    #[napi(catch_unwind)]
    pub fn done(&self, flow: u32) -> Either<f64, String> {
        self.flows.step(flow, Reply::Done)
    }

    /// It could not be done.
    #[napi(catch_unwind)]
    pub fn failed(&self, flow: u32, why: String) -> Either<f64, String> {
        self.flows.step(flow, Reply::Failed { why })
    }

    /// No hook had anything to say.
    #[napi(catch_unwind)]
    pub fn nothing_said(&self, flow: u32) -> Either<f64, String> {
        self.flows.step(flow, Reply::Dispatched { verdict: None, value: None, json: Map::new() })
    }

    /// What hooks said, the number of the wanted value and the other wanted fields as the JSON text of an object.
    #[napi(catch_unwind)]
    pub fn dispatched(
        &self,
        flow: u32,
        env: Env,
        run: &NativeRun,
        values: Object<'_>,
        value: Option<u32>,
        fields: String,
    ) -> Result<Either<f64, String>, Refusal> {
        let verdict = run.verdict(self.machine(), &Values::new(&env, values).map_err(broken)?)?;
        let Ok(Value::Object(json)) = from_json(&fields) else {
            return Err(Refusal::new("payload_not_json".to_owned(), "what hooks changed has no JSON form"));
        };
        Ok(self.flows.step(flow, Reply::Dispatched { verdict: Some(Box::new(verdict)), value, json }))
    }

    /// A copy of a value, its JSON text when it has one, and else what people are shown of it.
    #[napi(catch_unwind)]
    pub fn frozen(&self, flow: u32, value: u32, text: Option<String>, shown: Option<String>) -> Either<f64, String> {
        let shown = text.clone().or(shown);
        self.flows.step(flow, Reply::Frozen { value, text, shown })
    }

    /// What a person chose.
    #[napi(catch_unwind)]
    pub fn chosen(&self, flow: u32, option: String) -> Either<f64, String> {
        self.flows.step(flow, Reply::Chosen { option })
    }

    /// Nobody answered in time.
    #[napi(catch_unwind)]
    pub fn timed_out(&self, flow: u32) -> Either<f64, String> {
        self.flows.step(flow, Reply::TimedOut)
    }

    /// A tool has run.
    #[napi(catch_unwind)]
    pub fn ran(&self, flow: u32, result: u32, error: Option<String>, duration: f64) -> Either<f64, String> {
        self.flows.step(flow, Reply::Ran(Called { result, error, duration }))
    }

    /// The model has answered; what it cost is JSON text.
    #[napi(catch_unwind)]
    pub fn responded(
        &self,
        flow: u32,
        response: u32,
        text: String,
        calls: Vec<NativeToolCall>,
        usage: String,
    ) -> Either<f64, String> {
        let calls =
            calls.into_iter().map(|NativeToolCall { tool, id, args, known }| Requested { tool, id, args, known });
        let usage = from_json(&usage).unwrap_or_default();
        self.flows.step(flow, Reply::Responded { response, text, calls: calls.collect(), usage })
    }

    /// The conversation as it is: the number of the list that hooks see, and who says each message.
    #[napi(catch_unwind)]
    pub fn context(&self, flow: u32, messages: u32, speakers: Vec<NativeSpeaker>) -> Either<f64, String> {
        let speakers = speakers.into_iter().map(|NativeSpeaker { role, pinned }| Speaker { role, pinned }).collect();
        self.flows.step(flow, Reply::Context { messages, speakers })
    }

    /// A text.
    #[napi(catch_unwind)]
    pub fn text(&self, flow: u32, text: String) -> Either<f64, String> {
        self.flows.step(flow, Reply::Text { text })
    }

    /// The flow is given up; one that has ended is no more.
    #[napi(catch_unwind)]
    pub fn release(&self, flow: u32) {
        self.flows.remove(flow);
    }
}
