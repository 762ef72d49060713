//! Tokens: compared in a time that says nothing of where they differ.

use std::hint::black_box;

/// Whether a worker's token is the agent's; an agent without one takes any.
pub(crate) fn is_right(expected: Option<&str>, given: Option<&str>) -> bool {
    let Some(expected) = expected else { return true };
    let (expected, given) = (expected.as_bytes(), given.unwrap_or_default().as_bytes());
    // Every byte that was given is looked at, so that the time depends on what the other side knows already.
    let own = expected.iter().copied().cycle();
    let differences = given.iter().zip(own).fold(0, |found, (a, b)| black_box(found | (a ^ b)));
    !expected.is_empty() && differences == 0 && expected.len() == given.len()
}

#[cfg(test)]
mod tests {
    use super::is_right;

    #[test]
    fn only_the_same_token_is_right() {
        assert!(is_right(None, None) && is_right(None, Some("any")) && is_right(Some("secret"), Some("secret")));
        for wrong in [None, Some(""), Some("secre"), Some("secreT"), Some("secretsecret"), Some("xecret")] {
            assert!(!is_right(Some("secret"), wrong), "{wrong:?}");
        }
        assert!(!is_right(Some(""), Some("")), "an empty token protects nothing");
    }
}
