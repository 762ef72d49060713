//! What both ends of the protocol for remote hooks share: streams of messages, numbers, limits, and the levels of the log.

use hookweave_host::remote::frames::Frames;
use hookweave_host::remote::{Level, Limits};
use napi::bindgen_prelude::{BigInt, Buffer, Uint8Array};
use napi_derive::napi;

use crate::errors::CodedError;

/// How much a line of the log matters.
#[napi(string_enum = "lowercase")]
pub enum RemoteLevel {
    /// It is as it should be.
    Info,
    /// Something was not taken.
    Warning,
    /// Something does not work.
    Error,
}

impl From<Level> for RemoteLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Info => Self::Info,
            Level::Warning => Self::Warning,
            Level::Error => Self::Error,
        }
    }
}

/// Splits what comes over a stream into messages.
#[napi]
pub struct NativeFrames {
    frames: Frames,
}

/// What a part of a stream has completed.
#[napi(object, object_from_js = false)]
pub struct NativeFramed {
    /// The messages, without their lengths.
    #[napi(ts_type = "Array<Uint8Array>")]
    pub messages: Vec<Buffer>,
    /// Why the stream cannot be read any further.
    pub refusal: Option<String>,
}

#[napi]
impl NativeFrames {
    /// It refuses messages of more bytes; absent is the usual limit.
    #[must_use]
    #[napi(constructor, catch_unwind)]
    pub fn new(max_message: Option<u32>) -> Self {
        let limit = limits(None, max_message, None).max_message;
        Self { frames: Frames::new(limit as usize) }
    }

    /// Takes what came.
    #[napi(catch_unwind)]
    pub fn push(&mut self, bytes: Uint8Array) -> NativeFramed {
        self.frames.push(&bytes);
        let mut messages = Vec::new();
        loop {
            match self.frames.next_message() {
                Ok(Some(message)) => messages.push(message.into()),
                Ok(None) => return NativeFramed { messages, refusal: None },
                Err(too_large) => return NativeFramed { messages, refusal: Some(too_large.to_string()) },
            }
        }
    }
}

/// The bounds of a connection; what is absent has its default.
pub(crate) fn limits(in_flight: Option<u32>, max_message: Option<u32>, keepalive: Option<u32>) -> Limits {
    let usual = Limits::default();
    Limits {
        in_flight: in_flight.unwrap_or(usual.in_flight),
        max_message: max_message.unwrap_or(usual.max_message),
        keepalive_ms: keepalive.map_or(usual.keepalive_ms, u64::from),
    }
}

/// A number or a time of the machines as JavaScript has it. They count up, and stay far below what a number holds.
pub(crate) fn to_js(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number or a time of JavaScript's; there are no negative ones.
pub(crate) fn from_js(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A number that the other side has chosen, any of 64 bits.
pub(crate) fn foreign(number: &BigInt) -> u64 {
    number.get_u64().1
}

/// A text that the TypeScript layer has made is not what it has to be.
pub(crate) fn unreadable(error: serde_json::Error) -> CodedError {
    CodedError::new("payload_not_json".to_owned(), error.to_string())
}
