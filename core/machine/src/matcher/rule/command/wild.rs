//! Texts in which `*` is any text, and what patterns of a shell may become.

use crate::matcher::directories::hides;
use crate::pattern::Glob;
use hookweave_command::Word;

/// A text in which `*` is any text; `{a,b}` as a whole is either of two.
#[derive(Debug, Clone)]
pub(super) struct Wild(Vec<Parts>);

/// What stands between the stars of one text.
#[derive(Debug, Clone)]
pub(super) struct Parts(Vec<String>);

impl Wild {
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
    /// `\*` is a star.
    pub(super) fn new(text: &str) -> Self {
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

    pub(super) fn is_match(&self, text: &str) -> bool {
        let [first, middle @ .., last] = &*self.0 else { return self.0.first().is_some_and(|only| only == text) };
        behind(first, middle, text).is_some_and(|rest| rest.ends_with(last.as_str()))
    }

    /// Whether a text matches, or its beginning before white space does.
    pub(super) fn begins(&self, text: &str) -> bool {
        let ends_word = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
        let [first, middle @ .., last] = &*self.0 else {
            return self.0.first().and_then(|only| text.strip_prefix(only.as_str())).is_some_and(ends_word);
        };
        let Some(rest) = behind(first, middle, text) else { return false };
        let mut spaces = rest.match_indices(char::is_whitespace);
        rest.ends_with(last.as_str())
            || spaces.any(|(at, _)| rest.get(..at).is_some_and(|start| start.ends_with(last.as_str())))
    }

    /// What stands before the first star.
    pub(super) fn beginning(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    /// The text, if it has no star.
    pub(super) fn plain(&self) -> Option<&str> {
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

/// What follows the parts that a text begins with, with any texts between them.
fn behind<'t>(first: &str, middle: &[String], text: &'t str) -> Option<&'t str> {
    let mut rest = text.strip_prefix(first)?;
    for part in middle {
        rest = rest.split_once(part.as_str())?.1;
    }
    Some(rest)
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

#[cfg(test)]
mod tests {
    use super::Parts;

    #[test]
    fn a_pattern_ends_with_its_text_or_before_white_space() {
        for (pattern, text, is_match, begins) in [
            ("git", "git", true, true),
            ("git", "git\tx", false, true),
            ("git", "gitk", false, false),
            ("a*b", "ab", true, true),
            ("a*b", "a b c", false, true),
            ("a*b", "abc b", true, true),
            ("a*bb", "abbb c", false, true),
            ("a*b*c", "acb", false, false),
            ("a*", "ax y", true, true),
            ("a\\*", "ab", false, false),
        ] {
            let parts = Parts::new(pattern);
            assert_eq!((parts.is_match(text), parts.begins(text)), (is_match, begins), "{pattern} {text}");
        }
    }
}
