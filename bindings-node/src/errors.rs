//! Errors as JavaScript sees them: a message and a stable code.

use hookweave_host::error::Error;

/// An error whose status is a stable code of the engine.
pub(crate) type CodedError = napi::Error<String>;

/// An error of the core.
pub(crate) fn coded(error: &Error) -> CodedError {
    CodedError::new(error.code().as_str().to_owned(), error.message())
}

/// An error of Node-API; it has the status of Node-API and no code of the engine.
pub(crate) fn from_napi(error: napi::Error) -> CodedError {
    CodedError::new(error.status.as_ref().to_owned(), error.reason.clone())
}
