//! What lines of every language have in common.

/// The longest command line that is read, in bytes.
pub(crate) const MAX_LENGTH: usize = 64 * 1024;

/// Letters of a word that every shell takes as they are.
pub(crate) fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+:@%,^".contains(c))
}
