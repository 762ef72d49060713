//! Outcomes as text for a person, and as data that stays the same from run to run.

use hookweave::outcome::Stand;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

use crate::error::{Refusal, broken};
use crate::host::Values;
use crate::run::NativeRun;

/// A text that differs from run to run, and what stands for it.
#[napi(object, object_to_js = false)]
pub struct StandIn {
    /// What is replaced.
    pub text: String,
    /// What stands there instead.
    pub name: String,
    /// The name below it differs too, as in a folder for temporary files.
    pub with_child: bool,
}

#[napi]
impl NativeRun {
    /// Who decided what and why, and what became of every hook of the event.
    #[napi(catch_unwind)]
    pub fn describe(&self, env: Env, values: Object<'_>) -> Result<String, Refusal> {
        let values = Values::new(&env, values).map_err(broken)?;
        self.read(|outcome| outcome.describe(&values))
    }

    /// What hooks made of the event, as JSON text.
    #[napi(catch_unwind)]
    pub fn snapshot(&self, env: Env, values: Object<'_>, stands: Vec<StandIn>) -> Result<String, Refusal> {
        let values = Values::new(&env, values).map_err(broken)?;
        let stand = |StandIn { text, name, with_child }| Stand { text, name, with_child };
        let stands: Vec<_> = stands.into_iter().map(stand).collect();
        self.read(|outcome| outcome.snapshot(&values, &stands).to_string())
    }
}
