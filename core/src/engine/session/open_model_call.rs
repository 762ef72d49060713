//! A call of the model in two halves: what it is given, and what is made of its answer.

use std::fmt;
use std::time::Instant;

use super::driver::{Driver, Half};
use super::parts::{ModelRequest, ModelResponse};
use super::results::ModelOutcome;
use crate::engine::clock::now;
use crate::response::HookError;
use hookweave_host::error::{Code, Error};
use hookweave_host::session::{Flow, Reply};

/// A call of the model that the caller makes, for frameworks that call it themselves.
///
/// [`Session::begin_model`](super::Session::begin_model) makes it, once hooks and, if need be, a person have let it pass. It
/// is a loop because a hook may have a failed call repeated.
///
/// ```
/// use hookweave::{Engine, ModelResponse};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
/// let session = Engine::new().session().open()?;
/// let mut call = session.begin_model("What is 2 + 3?", None, Vec::new()).await?;
/// while let Some(request) = call.request() {
///     let response = ModelResponse::new(format!("You asked: {}", request.prompt));
///     call.answered(response).await?;
/// }
/// assert_eq!(call.outcome()?.text, "You asked: What is 2 + 3?");
/// # Ok::<(), Box<dyn std::error::Error>>(()) })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OpenModelCall<'s> {
    driver: Option<Driver<'s>>,
    flow: Flow,
    asking: Option<(ModelRequest, Instant)>,
    outcome: Option<ModelOutcome>,
}

impl<'s> OpenModelCall<'s> {
    pub(super) async fn begin(driver: Driver<'s>, flow: Flow) -> Result<Self, Error> {
        let mut call = Self { driver: Some(driver), flow, asking: None, outcome: None };
        call.go(Reply::Begin).await?;
        Ok(call)
    }

    /// What to give to the model, as hooks left it; `None` when it is not to be called, or not any more.
    #[must_use]
    pub fn request(&self) -> Option<&ModelRequest> {
        self.asking.as_ref().map(|(request, _)| request)
    }

    /// The model has answered this; hooks look at it, and may change it.
    pub async fn answered(&mut self, response: ModelResponse) -> Result<(), Error> {
        self.came(Ok(response)).await
    }

    /// The call has failed; hooks may have it repeated.
    pub async fn failed(&mut self, why: impl Into<HookError>) -> Result<(), Error> {
        self.came(Err(why.into())).await
    }

    /// What came of the call; an error where the model is still to be called.
    pub fn outcome(mut self) -> Result<ModelOutcome, Error> {
        self.outcome.take().ok_or_else(|| {
            let why = "the call of the model has no outcome yet; call `answered` or `failed` first";
            Error::new(Code::InvalidPayload, why)
        })
    }

    async fn came(&mut self, response: Result<ModelResponse, HookError>) -> Result<(), Error> {
        let (Some(driver), Some((_, began))) = (&mut self.driver, self.asking.take()) else {
            return Err(Error::new(Code::InvalidPayload, "the model is not to be called; look at `request` first"));
        };
        let reply = driver.answered(response, now().saturating_duration_since(began));
        self.go(reply).await
    }

    async fn go(&mut self, reply: Reply) -> Result<(), Error> {
        let Some(driver) = &mut self.driver else { return Ok(()) };
        match driver.until_model(&mut self.flow, reply).await? {
            Half::Open(request) => self.asking = Some((request, now())),
            Half::Over(finished) => {
                if let Some(driver) = self.driver.take() {
                    self.outcome = Some(driver.model_outcome(finished)?);
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for OpenModelCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenModelCall")
            .field("asking", &self.asking)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
