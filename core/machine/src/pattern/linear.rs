//! Regular expressions in linear time, compiled at the first text that they might match.
//!
//! Compiling is dear: of the time in which `hookweave hook` answers one event, it was the half. Most events hold nothing of
//! what most patterns look for, so that a pattern is only read when it is made, which finds every mistake in it.

use std::sync::OnceLock;

use regex::{Error, Regex};
use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind, Repetition};

/// How large an expression may become, in states, for which it is certain that it compiles: at the size of a state below
/// what `regex` allows.
const SURE: usize = REGEX_LIMIT / STATE;

/// The most memory that `regex` takes for an expression, in bytes.
const REGEX_LIMIT: usize = 10 << 20;

/// More than a state or a transition takes there, in bytes.
const STATE: usize = 64;

/// How many bytes may be looked at for the beginnings of matches before compiling is the better choice.
const SEARCH: usize = 16 << 10;

/// One expression.
#[derive(Debug)]
pub(super) struct Linear {
    text: Box<str>,
    /// Every match begins with one of these; empty when unknown.
    beginnings: Vec<String>,
    compiled: OnceLock<Option<Regex>>,
}

/// An expression that is read and not yet compiled.
#[derive(Debug)]
pub(super) struct Parsed<'t> {
    text: &'t str,
    /// Nothing when it is no expression of this kind.
    expression: Option<Hir>,
    states: usize,
}

impl<'t> Parsed<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let expression = regex_syntax::parse(text).ok();
        let states = expression.as_ref().map_or(0, states);
        Self { text, expression, states }
    }

    /// At most so much memory it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.states.saturating_mul(STATE).min(REGEX_LIMIT)
    }

    /// Refuses what does not compile.
    pub(super) fn compile(self) -> Result<Linear, Error> {
        let (beginnings, compiled) = match self.expression.filter(|_| self.states <= SURE) {
            Some(expression) => (beginnings(&expression), OnceLock::new()),
            None => (Vec::new(), OnceLock::from(Some(Regex::new(self.text)?))),
        };
        Ok(Linear { text: self.text.into(), beginnings, compiled })
    }
}

impl Linear {
    #[cfg(test)]
    fn new(text: &str) -> Result<Self, Error> {
        Parsed::new(text).compile()
    }

    /// The expression as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it matches somewhere in a text; `None` when unknown.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        if self.compiled.get().is_none() && self.cannot_match(text) {
            return Some(false);
        }
        // What was found sure to compile does; if not, the hook that asks is run.
        let compiled = self.compiled.get_or_init(|| Regex::new(&self.text).ok());
        compiled.as_ref().map(|compiled| compiled.is_match(text))
    }

    /// Whether a quick search proves that no match begins in a text.
    fn cannot_match(&self, text: &str) -> bool {
        let is_quick = !self.beginnings.is_empty() && self.beginnings.len().saturating_mul(text.len()) <= SEARCH;
        is_quick && !self.beginnings.iter().any(|beginning| text.contains(beginning.as_str()))
    }
}

/// What every match begins with, when that is a short list.
fn beginnings(parsed: &Hir) -> Vec<String> {
    let found = Extractor::new().extract(parsed);
    let Some(literals) = found.literals() else { return Vec::new() };
    let texts = literals.iter().map(|literal| std::str::from_utf8(literal.as_bytes()).ok());
    let texts: Option<Vec<String>> =
        texts.map(|text| text.filter(|text| !text.is_empty()).map(str::to_owned)).collect();
    texts.unwrap_or_default()
}

/// At most so many states and transitions between them an expression compiles to.
fn states(parsed: &Hir) -> usize {
    let sum =
        |parts: &[Hir]| parts.iter().fold(2_usize, |sum, part| sum.saturating_add(states(part)).saturating_add(2));
    match parsed.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len(),
        HirKind::Class(Class::Unicode(class)) => sequences(class),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() + 2,
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let times = (*min).max(max.unwrap_or(0)).max(1) as usize;
            states(sub).saturating_add(4).saturating_mul(times).saturating_add(4)
        }
    }
}

/// At most so many bytes the UTF-8 sequences of a class have.
fn sequences(class: &ClassUnicode) -> usize {
    let of_range = |range: &regex_syntax::hir::ClassUnicodeRange| {
        let (first, last) = (range.start(), range.end());
        let one_last_byte = u32::from(first) >> 6 == u32::from(last) >> 6;
        match (first.len_utf8(), last.len_utf8()) {
            (_, 1) => 2,
            (_, length) if one_last_byte => length + 1,
            // Within one length of n bytes there are at most 2n - 1 sequences; surrogates part those of three bytes.
            (2, 2) => 9,
            (3, 3) => 40,
            (4, 4) => 35,
            _ => 90,
        }
    };
    class.iter().fold(2, |sum, range| sum + of_range(range))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_does_not_compile_is_refused_at_once() {
        for wrong in ["(", r"\p{Nonsense}", "a{2,1}", "(?P<n>a)(?P<n>b)", "(?=a)", r"(a)\1", &"(".repeat(300)] {
            let (ours, theirs) = (Linear::new(wrong).unwrap_err(), Regex::new(wrong).unwrap_err());
            assert_eq!(ours, theirs, "{wrong}");
        }
        for large in [r"\w{2000}", r"(?:(?:\pL{50}){50}){50}", "(?:a{1000}){1000}", r"(?:x{0,1000}){0,1000}"] {
            assert!(matches!(Linear::new(large), Err(Error::CompiledTooBig(_))), "{large}");
        }
    }

    /// Whatever is left to be compiled later must compile, also close to what `regex` allows.
    #[test]
    fn nothing_is_put_off_that_would_be_too_large() {
        let shapes = [r"\w", "[^a]", "(?:a|bc|)", "(?:a?)", "(a)"];
        for shape in shapes {
            let compiles = |times: u32| Regex::new(&format!("(?:{shape}){{{times}}}")).is_ok();
            // The largest number of times that still compiles, of those that can be written.
            let mut most = 1_u32;
            while most < 1 << 20 && compiles(most * 2) {
                most *= 2;
            }
            let text = format!("(?:{shape}){{{}}}", most * 2);
            assert_eq!(Linear::new(&text).is_ok(), compiles(most * 2), "{text}");
        }
    }

    #[test]
    fn a_text_without_the_beginning_of_a_match_compiles_nothing() {
        let pattern = Linear::new(r"\brm\s+(-\S+\s+)*|\b(npm|yarn)\s+publish\b").unwrap();
        assert_eq!(pattern.is_match("ls -la"), Some(false));
        assert!(pattern.compiled.get().is_none());
        assert_eq!(pattern.is_match("rmdir x"), Some(false));
        assert!(pattern.compiled.get().is_some());
        assert_eq!((pattern.is_match("sudo rm x"), pattern.is_match("ls")), (Some(true), Some(false)));
    }

    #[test]
    fn a_long_text_is_left_to_the_compiled_pattern() {
        let pattern = Linear::new("needle").unwrap();
        assert_eq!(pattern.is_match(&"hay".repeat(SEARCH)), Some(false));
        assert!(pattern.compiled.get().is_some());
    }

    proptest! {
        /// A glance never says anything else than the compiled pattern.
        #[test]
        fn a_glance_tells_the_truth(pattern in r"(\(\?i\))?[\^]?(\\b)?([ab]|é|\[a-cé\]|\(a\|bb\)|\(é\|\)|a\?|b\*|\\w|\\s|\.|\\b|\$){1,6}", text in "[abcéAB \n]{0,8}") {
            let compiled = Regex::new(&pattern).unwrap();
            let ours = Linear::new(&pattern).unwrap();
            prop_assert_eq!(ours.is_match(&text), Some(compiled.is_match(&text)));
        }
    }
}
