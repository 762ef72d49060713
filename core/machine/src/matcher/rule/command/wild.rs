//! Texts in which `*` is any text, and what patterns of a shell may become.

use crate::matcher::directories::hides;
use crate::pattern::Glob;
use hookweave_command::Word;

/// A text in which `*` is any text; `{a,b}` as a whole is either of two.
#[derive(Debug, Clone)]
pub(super) struct Wild(Vec<Parts>);

/// What stands between the stars.
#[derive(Debug, Clone)]
struct Parts(Vec<String>);

impl Wild {
    /// `\*` is a star.
    pub(super) fn new(text: &str) -> Self {
        let several = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).filter(|rest| rest.contains(','));
        Self(several.map_or_else(|| vec![Parts::new(text)], |texts| texts.split(',').map(Parts::new).collect()))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0.iter().any(|parts| parts.is_match(text))
    }

    /// Whether a word matches whatever is filled in; a pattern of the shell that may become the text does.
    pub(super) fn is_surely(&self, word: &Word) -> bool {
        self.0.iter().any(|parts| match (word.fixed(), parts.plain()) {
            (Some(fixed), _) => parts.is_match(fixed),
            (None, Some(plain)) => !word.is_filled_in() && may_become(&word.plain, plain),
            (None, None) => parts.is_match(&word.plain),
        })
    }

    /// Whether a word that is filled in when the line runs may match.
    pub(super) fn may_be(&self, word: &Word) -> bool {
        self.0.iter().any(|parts| parts.may_be(word))
    }
}

impl Parts {
    fn new(text: &str) -> Self {
        let mut parts = vec![String::new()];
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let is_star = letter == '\\' && letters.next_if_eq(&'*').is_some();
            match parts.last_mut() {
                _ if letter == '*' => parts.push(String::new()),
                Some(part) => part.push(if is_star { '*' } else { letter }),
                None => {}
            }
        }
        Self(parts)
    }

    fn is_match(&self, text: &str) -> bool {
        let [first, middle @ .., last] = &*self.0 else { return self.0.first().is_some_and(|only| only == text) };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        for part in middle {
            let Some((_, behind)) = rest.split_once(part.as_str()) else { return false };
            rest = behind;
        }
        rest.ends_with(last.as_str())
    }

    /// The text, if it has no star.
    fn plain(&self) -> Option<&str> {
        if let [only] = &*self.0 { Some(only) } else { None }
    }

    fn may_be(&self, word: &Word) -> bool {
        if let Some(fixed) = word.fixed() {
            return self.is_match(fixed);
        }
        if let Some(plain) = self.plain().filter(|_| !word.is_filled_in()) {
            return may_become(&word.plain, plain);
        }
        let known = word.known_start();
        self.0.first().is_some_and(|first| first.starts_with(known) || known.starts_with(first.as_str()))
    }
}

/// Whether a pattern of a shell may become a text.
pub(super) fn may_become(pattern: &str, text: &str) -> bool {
    let is_range = pattern.contains('{') && pattern.contains("..");
    // What cannot be read as a pattern here may be one to a shell.
    let start = || pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    match Glob::new(pattern, |glob| glob.literal_separator(true).backslash_escape(true).empty_alternates(true)) {
        Ok(glob) if !is_range => glob.is_match(text) && !hides(pattern, text),
        _ => text.starts_with(start()),
    }
}
