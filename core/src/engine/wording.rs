//! Messages of the core in the words of Rust.

use hookweave_host::error::Error;

/// What the core says for every language, and what it is in Rust.
const WORDS: &[(&str, &str)] =
    &[("set it to null for", "set it to `None` for"), ("this client was closed", "this engine was closed")];

/// The same error, in the words of Rust.
pub(super) fn in_rust(error: Error) -> Error {
    match WORDS.iter().find(|(common, _)| error.message().contains(common)) {
        Some((common, ours)) => Error::new(error.code(), error.message().replace(common, ours)),
        None => error,
    }
}
