//! Short texts that come again and again: names of sessions, tools, events and hooks.

use std::array;
use std::borrow::Cow;
use std::cell::RefCell;

use rustc_hash::FxHashSet;

use super::redact::Redactor;

/// How many texts are remembered; a hostile program could name new ones without end.
const REMEMBERED: usize = 512;

/// No longer text is remembered, in bytes.
const LONGEST: usize = 64;

/// How many of the last ones are found without a hash.
const LAST: usize = 32;

/// Texts in which there is no secret: they need not be searched again.
#[derive(Debug)]
pub(super) struct Usual {
    clean: RefCell<FxHashSet<Box<str>>>,
    /// Those that came last, each at the place that its length and letters give it.
    last: [RefCell<Box<str>>; LAST],
}

impl Default for Usual {
    fn default() -> Self {
        Self { clean: RefCell::default(), last: array::from_fn(|_| RefCell::default()) }
    }
}

impl Usual {
    /// A text without the secrets in it.
    pub(super) fn text<'t>(&self, redactor: &Redactor, text: &'t str) -> Cow<'t, str> {
        if text.len() > LONGEST {
            return redactor.text(text);
        }
        let last = self.last.get(place(text));
        if last.is_some_and(|last| **last.borrow() == *text) {
            return Cow::Borrowed(text);
        }
        let mut clean = self.clean.borrow_mut();
        if !clean.contains(text) {
            let redacted = redactor.text(text);
            if matches!(redacted, Cow::Owned(_)) {
                return redacted;
            }
            if clean.len() >= REMEMBERED {
                clean.clear();
            }
            clean.insert(text.into());
        }
        if let Some(last) = last {
            last.replace(text.into());
        }
        Cow::Borrowed(text)
    }
}

/// Where a text stands among the last ones; texts of which one does not come right after the other may share a place.
fn place(text: &str) -> usize {
    let ends = (text.as_bytes().first(), text.as_bytes().last());
    let (Some(first), Some(last)) = ends else { return 0 };
    (text.len() + usize::from(*first) * 5 + usize::from(*last)) % LAST
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Redaction;

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
