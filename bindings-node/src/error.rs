//! Errors as JavaScript sees them: a message and a stable code.

use hookweave::host::Error;

/// An error whose status is the engine's code.
pub(crate) type Refusal = napi::Error<String>;

/// A refusal of the core.
pub(crate) fn refuse(error: &Error) -> Refusal {
    Refusal::new(error.code().as_str().to_owned(), error.message())
}

/// A failure of the JavaScript engine underneath, which has no code of ours.
pub(crate) fn broken(error: napi::Error) -> Refusal {
    Refusal::new(error.status.as_ref().to_owned(), error.reason.clone())
}
