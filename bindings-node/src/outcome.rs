//! What JavaScript reads of an outcome: its canonical form, a description for people, and a snapshot for tests.

use hookweave_host::outcome::Stand;
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use crate::dispatch::NativeDispatch;
use crate::errors::{CodedError, from_napi};
use crate::values::Values;

/// A text that differs from run to run, and the name that replaces it.
#[napi(object, object_to_js = false)]
pub struct Placeholder {
    /// The text.
    pub text: String,
    /// Its replacement.
    pub name: String,
    /// The name below it differs too, as in a folder for temporary files.
    pub with_child: bool,
}

#[napi]
impl NativeDispatch {
    /// Everything of the outcome but the event and `ext`, in the canonical form.
    #[napi(ts_return_type = "unknown", catch_unwind)]
    pub fn summary<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, CodedError> {
        self.read(|outcome| env.to_js_value(&outcome.summary()))?.map_err(from_napi)
    }

    /// Why the other hooks of the event were not selected.
    #[napi(ts_return_type = "unknown[]", catch_unwind)]
    pub fn unmatched<'env>(&self, env: &'env Env, values: Object<'_>) -> Result<Unknown<'env>, CodedError> {
        let values = Values::new(env, values).map_err(from_napi)?;
        self.read(|outcome| env.to_js_value(&outcome.unmatched(&values)))?.map_err(from_napi)
    }

    /// The dialects of `ext` and the indices of their values.
    #[napi(ts_return_type = "[string, number][]", catch_unwind)]
    pub fn ext<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, CodedError> {
        let pairs =
            self.read(|outcome| outcome.ext().map(|(dialect, slot)| (dialect.to_owned(), slot.0)).collect::<Vec<_>>())?;
        env.to_js_value(&pairs).map_err(from_napi)
    }

    /// The fields that hooks changed, and the indices of their original values.
    #[napi(ts_return_type = "[string, number][]", catch_unwind)]
    pub fn originals<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, CodedError> {
        let pairs = self
            .read(|outcome| outcome.originals().map(|(field, slot)| (field.to_owned(), slot.0)).collect::<Vec<_>>())?;
        env.to_js_value(&pairs).map_err(from_napi)
    }

    /// The failures to log: their indices in the trace, and how often the hook has failed so far.
    #[napi(ts_return_type = "[number, number][]", catch_unwind)]
    pub fn failures_to_log<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, CodedError> {
        let failures =
            self.read(|outcome| outcome.failures_to_log().map(|it| (it.index, it.times)).collect::<Vec<_>>())?;
        env.to_js_value(&failures).map_err(from_napi)
    }

    /// The indices of failures in the trace, and of the values that were thrown.
    #[napi(ts_return_type = "[number, number][]", catch_unwind)]
    pub fn causes<'env>(&self, env: &'env Env) -> Result<Unknown<'env>, CodedError> {
        let pairs = self.read(|outcome| {
            let failures = outcome.failures().map(|(index, _)| index);
            failures.filter_map(|index| Some((index, outcome.cause(index)?.0))).collect::<Vec<_>>()
        })?;
        env.to_js_value(&pairs).map_err(from_napi)
    }
    /// Describes who decided what and why, and the result of every hook of the event.
    #[napi(catch_unwind)]
    pub fn describe(&self, env: Env, values: Object<'_>) -> Result<String, CodedError> {
        let values = Values::new(&env, values).map_err(from_napi)?;
        self.read(|outcome| outcome.describe(&values))
    }

    /// A snapshot of the outcome, as JSON text.
    #[napi(catch_unwind)]
    pub fn snapshot(&self, env: Env, values: Object<'_>, placeholders: Vec<Placeholder>) -> Result<String, CodedError> {
        let values = Values::new(&env, values).map_err(from_napi)?;
        let stands: Vec<_> = placeholders
            .into_iter()
            .map(|Placeholder { text, name, with_child }| Stand { text, name, with_child })
            .collect();
        self.read(|outcome| outcome.snapshot(&values, &stands).to_string())
    }
}
