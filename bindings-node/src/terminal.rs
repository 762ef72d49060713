//! Questions at a terminal.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use hookweave_host::exec::cancel::Cancel;
use hookweave_host::exec::terminal::{Reading, TerminalQuestion, ask};
use hookweave_host::payload::Host as _;
use napi::bindgen_prelude::{FnArgs, Function, Unknown};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status};
use napi_derive::napi;

use crate::errors::{CodedError, coded, from_napi};
use crate::values::Values;

/// The option, and why there is none.
type Answer = FnArgs<(Option<String>, Option<String>)>;

/// Where the answer goes.
type Deliver = ThreadsafeFunction<Answer, (), Answer, Status, false>;

fn question(env: Env, request: &Unknown<'_>) -> Result<TerminalQuestion, CodedError> {
    let values = Values::none(&env).map_err(from_napi)?;
    let slot = values.keep(request);
    TerminalQuestion::read_request(&values, &values.view(&slot)).map_err(|error| coded(&error))
}

/// The meaning of a line: one of three.
#[napi(object, object_from_js = false)]
pub struct NativeTerminalReply {
    /// The option that was chosen.
    pub chosen: Option<String>,
    /// What to write before the next line is read.
    pub again: Option<String>,
    /// Why there will be no answer.
    pub over: Option<String>,
}

/// A question as a person reads it, and what typed lines answer.
#[napi]
pub struct NativeTerminalQuestion(TerminalQuestion);

#[napi]
impl NativeTerminalQuestion {
    /// The question of a request, for a terminal of so many columns and rows.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env, request: Unknown<'_>, columns: u32, rows: u32) -> Result<Self, CodedError> {
        Ok(Self(question(env, &request)?.for_width(columns as usize).for_height(rows as usize)))
    }

    /// The whole question.
    #[napi(getter, catch_unwind)]
    pub fn text(&self) -> String {
        self.0.text()
    }

    /// What stands before the cursor.
    #[napi(catch_unwind)]
    pub fn invitation(&self, left_ms: f64) -> String {
        let left = Duration::try_from_secs_f64(left_ms / 1000.0).unwrap_or_default();
        self.0.invitation(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
    }

    /// What a line means; no line is the end of the input.
    #[napi(catch_unwind)]
    pub fn read(&mut self, line: Option<String>) -> NativeTerminalReply {
        let nothing = NativeTerminalReply { chosen: None, again: None, over: None };
        match self.0.read(line.as_deref()) {
            Reading::Chosen(option) => NativeTerminalReply { chosen: Some(option), ..nothing },
            Reading::Again(text) => NativeTerminalReply { again: Some(text), ..nothing },
            Reading::Over(why) => NativeTerminalReply { over: Some(why.to_owned()), ..nothing },
        }
    }
}

/// One question on the screen.
#[napi]
pub struct NativeTerminalPrompt(Cancel);

#[napi]
impl NativeTerminalPrompt {
    /// Puts it there, on a thread of its own; the answer comes to the function, which keeps the process alive until then.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        env: Env,
        request: Unknown<'_>,
        timeout_ms: f64,
        #[napi(ts_arg_type = "(option: string | null | undefined, why: string | null | undefined) => void")]
        deliver: Function<'_, Answer, ()>,
    ) -> Result<Self, CodedError> {
        let question = question(env, &request)?;
        let left = Duration::try_from_secs_f64(timeout_ms / 1000.0).unwrap_or(Duration::MAX);
        let deliver: Deliver =
            deliver.build_threadsafe_function().callee_handled::<false>().build().map_err(from_napi)?;
        let cancel = Cancel::new();
        let own = cancel.clone();
        let thread = std::thread::Builder::new().name("hookweave-approval".to_owned()).spawn(move || {
            let answer = match catch_unwind(AssertUnwindSafe(|| ask(question, left, &own))) {
                Ok(Ok(option)) => (option, None),
                Ok(Err(why)) => (None, Some(why.to_string())),
                // The code that waits must be notified.
                Err(_) => (None, Some("asking at the terminal panicked; please report this".to_owned())),
            };
            // In an environment that is gone no code waits.
            deliver.call(FnArgs::from(answer), ThreadsafeFunctionCallMode::NonBlocking);
        });
        thread.map_err(|why| {
            from_napi(napi::Error::from_reason(format!("the system gives no thread to ask at the terminal: {why}")))
        })?;
        Ok(Self(cancel))
    }

    /// Takes the question off the screen.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}
