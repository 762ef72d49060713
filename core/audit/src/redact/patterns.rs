//! Regular expressions of secrets, and blacking out what they find.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::bytes::{RegexSet as ByteSet, RegexSetBuilder as ByteSetBuilder};
use regex::{Captures, Regex, RegexSet};

use super::{REDACTED, blocks, commands, forms, keys, vendors};
use hookweave_machine::error::{Code, Error};

/// Regular expressions of secrets.
#[derive(Debug)]
pub(super) struct Patterns {
    /// Which of them are there at all: nearly always none, and found out in one pass.
    any: OnceLock<RegexSet>,
    /// The same for texts of ASCII alone, of which it says the same: it compiles in half of the time.
    ascii: Option<ByteSet>,
    /// Each by itself; those of many are compiled when a text has a secret, since that takes longer than all else does.
    each: OnceLock<Each>,
}

/// Patterns to look for one after another.
#[derive(Debug)]
struct Each {
    /// The name above a block of lines, if such blocks count.
    header: Option<Regex>,
    patterns: Vec<Regex>,
    /// So many of the patterns, the first ones, are looked for only if the text has them as it came.
    alone: usize,
    /// Whether a group `name` tells counts and files from secrets; in a program's own patterns it means nothing.
    named: bool,
}

impl Patterns {
    /// Those of a program's own; refuses one that does not compile.
    pub(super) fn of(sources: &[String]) -> Result<Self, Error> {
        let refused = |what: &str| Error::new(Code::InvalidOption, format!("audit.redact.patterns: {what}"));
        let compiled =
            |source: &String| Regex::new(source).map_err(|why| refused(&format!("`{source}` does not compile: {why}")));
        let patterns = sources.iter().map(compiled).collect::<Result<Vec<_>, _>>()?;
        let any = RegexSet::new(sources).map_err(|why| refused(&why.to_string()))?;
        let each = Each { header: None, patterns, alone: 0, named: false };
        Ok(Self { any: OnceLock::from(any), ascii: None, each: OnceLock::from(each) })
    }

    /// The usual ones: compiled once per process, at first use.
    pub(super) fn usual() -> &'static Self {
        static USUAL: OnceLock<Patterns> = OnceLock::new();
        // No thread waits for another one that compiles them: in a forked child that thread would not exist. That they compile
        // is tested.
        made(&USUAL, || {
            let ascii = ByteSetBuilder::new(usual_and_header()).unicode(false).build().ok();
            Self { any: OnceLock::new(), ascii, each: OnceLock::new() }
        })
    }

    /// The places of the patterns that a text has; `None` when it has none.
    fn found(&self, text: &str) -> Option<Vec<usize>> {
        if let Some(ascii) = self.ascii.as_ref().filter(|_| text.is_ascii()) {
            let text = text.as_bytes();
            return ascii.is_match(text).then(|| ascii.matches(text).into_iter().collect());
        }
        let any = made(&self.any, || RegexSet::new(usual_and_header()).unwrap_or_default());
        any.is_match(text).then(|| any.matches(text).into_iter().collect())
    }

    /// A text without the secrets in it.
    pub(super) fn clean<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Some(found) = self.found(text) else { return Cow::Borrowed(text) };
        let mut clean = text.to_owned();
        let each = made(&self.each, || Each {
            header: Regex::new(blocks::HEADER).ok(),
            patterns: usual().filter_map(|source| Regex::new(&source).ok()).collect(),
            alone: vendors().count(),
            named: true,
        });
        if let Some(cleaner) = each.header.as_ref().and_then(|header| blocks::without_blocks(header, &clean)) {
            clean = cleaner;
        }
        // What one pattern takes out may uncover what another one looks for, so each looks at what is left.
        let wanted = each.patterns.iter().enumerate().filter(|(at, _)| *at >= each.alone || found.contains(at));
        for (_, pattern) in wanted {
            let replaced = pattern.replace_all(&clean, |found: &Captures<'_>| {
                let whole = found.get_match();
                let secret = found.name("secret").unwrap_or(whole);
                let before = clean.get(whole.start()..secret.start()).unwrap_or_default();
                let after = clean.get(secret.end()..whole.end()).unwrap_or_default();
                // What another pattern has blacked out may end before its bracket here.
                let gone = clean.get(secret.start()..).unwrap_or_default().starts_with(REDACTED);
                let gone = gone && secret.len() <= REDACTED.len();
                let name = found.name("name").filter(|_| each.named);
                let none = name.is_some_and(|name| keys::is_count_or_file(name.as_str(), secret.as_str()));
                let put = if gone || none { secret.as_str() } else { REDACTED };
                format!("{before}{put}{after}")
            });
            if let Cow::Owned(replaced) = replaced {
                clean = replaced;
            }
        }
        Cow::Owned(clean)
    }
}

/// Those of vendors' tokens, so distinct that what another pattern takes out uncovers none.
fn vendors() -> impl Iterator<Item = Cow<'static, str>> {
    let begins = |beginnings: &[&str], rest: &str| {
        let beginnings: Vec<String> = beginnings.iter().map(|beginning| regex::escape(beginning)).collect();
        Cow::Owned(format!(r"(?-u:\b)(?:{}){rest}", beginnings.join("|")))
    };
    let listed =
        [begins(vendors::BEGINNINGS, "[A-Za-z0-9_-]{18,}"), begins(vendors::LONG_BEGINNINGS, "[A-Za-z0-9_.+/=-]{20,}")];
    listed.into_iter().chain(vendors::SECRETS.iter().map(|source| Cow::Borrowed(*source)))
}

/// All that usually count, in the order in which they are looked for.
fn usual() -> impl Iterator<Item = Cow<'static, str>> {
    vendors().chain([forms::SECRETS, commands::SECRETS].into_iter().flatten().map(|source| Cow::Borrowed(*source)))
}

fn usual_and_header() -> impl Iterator<Item = Cow<'static, str>> {
    usual().chain([Cow::Borrowed(blocks::HEADER)])
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
        assert!(RegexSet::new(usual_and_header()).unwrap().len() > 20 && Regex::new(blocks::HEADER).is_ok());
        assert!(ByteSetBuilder::new(usual_and_header()).unicode(false).build().is_ok());
        usual().for_each(|source| assert!(Regex::new(&source).is_ok(), "{source}"));
    }

    #[test]
    fn a_text_that_is_not_ascii_has_the_same_secrets() {
        let usual = Patterns::usual();
        for text in ["a ghp_abcdefghijklmnopqrstuvwxyz", "token: x1", "secret: |\n  x", "nothing", "sha"] {
            for around in [format!("{text} é"), format!("ß\n{text}")] {
                assert_eq!(usual.found(&around), usual.found(text), "{around}");
            }
        }
        assert_eq!(usual.clean("éghp_abcdefghijklmnopqrstuvwxyz"), format!("é{REDACTED}"));
    }

    #[test]
    fn a_pattern_that_does_not_compile_is_named() {
        let refused = Patterns::of(&["fine".to_owned(), "(".to_owned()]).unwrap_err();
        assert!(refused.message().contains("`(` does not compile"), "{refused}");
    }
}
