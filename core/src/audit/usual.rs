//! Short texts that come again and again: names of sessions, tools, events and hooks.

use std::borrow::Cow;
use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::redact::Redactor;

/// How many texts are remembered; a hostile program could name new ones without end.
const REMEMBERED: usize = 512;

/// No longer text is remembered, in bytes.
const LONGEST: usize = 64;

/// Texts in which there is no secret: they need not be searched again.
#[derive(Debug, Default)]
pub(super) struct Usual {
    clean: RefCell<FxHashSet<Box<str>>>,
}

impl Usual {
    /// A text without the secrets in it.
    pub(super) fn text<'t>(&self, redactor: &Redactor, text: &'t str) -> Cow<'t, str> {
        if text.len() > LONGEST {
            return redactor.text(text);
        }
        let mut clean = self.clean.borrow_mut();
        if clean.contains(text) {
            return Cow::Borrowed(text);
        }
        let redacted = redactor.text(text);
        if matches!(redacted, Cow::Borrowed(_)) {
            if clean.len() >= REMEMBERED {
                clean.clear();
            }
            clean.insert(text.into());
        }
        redacted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Redaction;

    #[test]
    fn what_is_clean_is_remembered_and_a_secret_never_passes() {
        let redactor = Redactor::new(&Redaction::default()).unwrap();
        let usual = Usual::default();
        for _ in 0..3 {
            assert_eq!(usual.text(&redactor, "guard"), "guard");
            assert_eq!(usual.text(&redactor, "token=hunter2hunter2"), "token=[redacted]");
        }
        assert_eq!(usual.clean.borrow().len(), 1);
        for number in 0..2 * REMEMBERED {
            assert_eq!(usual.text(&redactor, &format!("s-{number}")), format!("s-{number}"));
        }
        assert!(usual.clean.borrow().len() <= REMEMBERED);
    }
}
