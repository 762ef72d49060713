//! What lines of every language have in common.

use std::borrow::Cow;

/// The longest command line that is read, in bytes.
pub(crate) const MAX_LENGTH: usize = 64 * 1024;

/// A text as one word of a shell, in quotes where its letters need them.
#[must_use]
pub fn quoted(text: &str) -> Cow<'_, str> {
    if is_plain_word(text) { Cow::Borrowed(text) } else { Cow::Owned(format!("'{}'", text.replace('\'', r"'\''"))) }
}

/// Letters of a word that every shell takes as they are.
pub(crate) fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+:@%,^".contains(c))
}
