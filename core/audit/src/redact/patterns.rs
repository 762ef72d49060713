//! Regular expressions of secrets, and blacking out what they find.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Regex, RegexSet};

use super::{REDACTED, blocks, commands, forms, vendors};
use hookweave_machine::error::{Code, Error};

/// Regular expressions of secrets.
#[derive(Debug)]
pub(super) struct Patterns {
    /// Which of them are there at all: nearly always none, and found out in one pass.
    any: RegexSet,
    /// Each by itself; those of many are compiled when a text has a secret, since that takes longer than all else does.
    each: OnceLock<Each>,
}

/// Patterns to look for one after another.
#[derive(Debug)]
struct Each {
    /// The name above a block of lines, if such blocks count.
    header: Option<Regex>,
    patterns: Vec<Regex>,
}

impl Patterns {
    /// Those of a program's own; refuses one that does not compile.
    pub(super) fn of(sources: &[String]) -> Result<Self, Error> {
        let refused = |what: &str| Error::new(Code::InvalidOption, format!("audit.redact.patterns: {what}"));
        let compiled =
            |source: &String| Regex::new(source).map_err(|why| refused(&format!("`{source}` does not compile: {why}")));
        let patterns = sources.iter().map(compiled).collect::<Result<Vec<_>, _>>()?;
        let any = RegexSet::new(sources).map_err(|why| refused(&why.to_string()))?;
        Ok(Self { any, each: OnceLock::from(Each { header: None, patterns }) })
    }

    /// The usual ones: compiled once per process, at first use.
    pub(super) fn usual() -> &'static Self {
        static USUAL: OnceLock<Patterns> = OnceLock::new();
        // No thread waits for another one that compiles them: in a forked child that thread would not exist. That they compile
        // is tested.
        let sources = || usual().chain([Cow::Borrowed(blocks::HEADER)]);
        made(&USUAL, || Self { any: RegexSet::new(sources()).unwrap_or_default(), each: OnceLock::new() })
    }

    /// A text without the secrets in it.
    pub(super) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.any.is_match(text) {
            return Cow::Borrowed(text);
        }
        let mut clean = text.to_owned();
        let each = made(&self.each, || Each {
            header: Regex::new(blocks::HEADER).ok(),
            patterns: usual().filter_map(|source| Regex::new(&source).ok()).collect(),
        });
        if let Some(cleaner) = each.header.as_ref().and_then(|header| blocks::without_blocks(header, &clean)) {
            clean = cleaner;
        }
        // What one pattern takes out may uncover what another one looks for, so each looks at what is left.
        for pattern in &each.patterns {
            let replaced = pattern.replace_all(&clean, |found: &Captures<'_>| {
                let whole = found.get_match();
                let secret = found.name("secret").unwrap_or(whole);
                let before = clean.get(whole.start()..secret.start()).unwrap_or_default();
                let after = clean.get(secret.end()..whole.end()).unwrap_or_default();
                // What another pattern has blacked out may end before its bracket here.
                let gone = clean.get(secret.start()..).unwrap_or_default().starts_with(REDACTED);
                let put = if gone && secret.len() <= REDACTED.len() { secret.as_str() } else { REDACTED };
                format!("{before}{put}{after}")
            });
            if let Cow::Owned(replaced) = replaced {
                clean = replaced;
            }
        }
        Cow::Owned(clean)
    }
}

fn usual() -> impl Iterator<Item = Cow<'static, str>> {
    let begins = |beginnings: &[&str], rest: &str| {
        let beginnings: Vec<String> = beginnings.iter().map(|beginning| regex::escape(beginning)).collect();
        Cow::Owned(format!(r"(?-u:\b)(?:{}){rest}", beginnings.join("|")))
    };
    let vendors = [
        begins(vendors::BEGINNINGS, "[A-Za-z0-9_-]{18,}"),
        begins(vendors::LONG_BEGINNINGS, "[A-Za-z0-9_.+/=-]{20,}"),
    ];
    let written = [forms::SECRETS, vendors::SECRETS, commands::SECRETS].into_iter().flatten();
    vendors.into_iter().chain(written.map(|source| Cow::Borrowed(*source)))
}

/// What a cell holds, made outside of it where it holds nothing.
fn made<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    if let Some(made) = cell.get() {
        return made;
    }
    let made = make();
    cell.get_or_init(|| made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_patterns_compile() {
        assert!(RegexSet::new(usual()).unwrap().len() > 20 && Regex::new(blocks::HEADER).is_ok());
        usual().for_each(|source| assert!(Regex::new(&source).is_ok(), "{source}"));
    }

    #[test]
    fn a_pattern_that_does_not_compile_is_named() {
        let refused = Patterns::of(&["fine".to_owned(), "(".to_owned()]).unwrap_err();
        assert!(refused.message().contains("`(` does not compile"), "{refused}");
    }
}
