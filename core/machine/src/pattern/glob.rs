//! Globs: bounded, and compiled at the first text that they are held against.

use std::path::Path;
use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};

use super::{MAX_PATTERN, pattern_cache};

/// The most `{` in a glob. Reading a glob and forgetting it recurse into its braces, so that more would exhaust the stack.
const MAX_BRACES: usize = 256;

/// The most `{` in a glob that compiles for sure: fewer than the depth that the regular expressions allow.
const SURE_BRACES: usize = 16;

/// The longest regular expression of a glob that compiles for sure, in bytes: it repeats nothing a number of times, so
/// that its size goes by its length.
const SURE: usize = 4 * 1024;

/// More than a byte of the regular expression of a glob takes when it is compiled, in bytes.
const COMPILED: usize = 64;

/// The largest compiled regular expression of a glob, in bytes. Less than `globset` takes, which panics on a larger one.
const MAX_COMPILED: usize = 8 * 1024 * 1024;

/// One glob.
#[derive(Debug, Clone)]
pub struct Glob {
    written: globset::Glob,
    compiled: OnceLock<GlobMatcher>,
}

impl Glob {
    /// Reads a glob; `set` chooses how it is read.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it: its syntax, its size, or its braces.
    pub fn new(
        text: &str,
        set: impl for<'b, 't> FnOnce(&'b mut GlobBuilder<'t>) -> &'b mut GlobBuilder<'t>,
    ) -> Result<Self, String> {
        if text.len() > MAX_PATTERN {
            return Err(format!(
                "the glob has {} bytes; at most {MAX_PATTERN} are allowed: use several globs",
                text.len()
            ));
        }
        let braces = text.bytes().filter(|byte| *byte == b'{').count();
        if braces > MAX_BRACES {
            return Err(format!("the glob has {braces} `{{`; at most {MAX_BRACES} are allowed: use several globs"));
        }
        let written = set(&mut GlobBuilder::new(text)).build();
        let written = written.map_err(|why| format!("`{text}` is no glob: {}", why.kind()))?;
        pattern_cache::charge(written.regex().len().saturating_mul(COMPILED).min(MAX_COMPILED))?;
        let is_sure = braces <= SURE_BRACES && written.regex().len() <= SURE;
        let glob = Self { written, compiled: OnceLock::new() };
        if !is_sure {
            glob.compiles()?;
            glob.compiled();
        }
        Ok(glob)
    }

    /// Compiles the regular expression as `globset` does, which panics where this is an error.
    fn compiles(&self) -> Result<(), String> {
        let text = self.written.regex();
        match regex::bytes::RegexBuilder::new(text).dot_matches_new_line(true).size_limit(MAX_COMPILED).build() {
            Ok(_) => Ok(()),
            Err(regex::Error::CompiledTooBig(limit)) => {
                Err(format!("the glob compiles to more than {limit} bytes; use several globs"))
            }
            Err(_) => Err("the glob nests its braces too deep; use several globs".to_owned()),
        }
    }

    fn compiled(&self) -> &GlobMatcher {
        self.compiled.get_or_init(|| self.written.compile_matcher())
    }

    /// Whether a text or a path matches.
    pub fn is_match(&self, text: impl AsRef<Path>) -> bool {
        self.compiled().is_match(text)
    }

    /// The glob, for sets of many.
    pub(crate) const fn written(&self) -> &globset::Glob {
        &self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn glob(text: &str) -> Result<Glob, String> {
        Glob::new(text, |glob| glob.literal_separator(true).backslash_escape(true).empty_alternates(true))
    }

    #[test]
    fn a_glob_is_compiled_when_it_is_used_unless_it_is_very_long() {
        let short = glob("*.env").unwrap();
        assert!(short.compiled.get().is_none());
        assert!(short.is_match("prod.env") && !short.is_match("x"));
        assert!(short.compiled.get().is_some());
        let long = glob(&"ab*".repeat(SURE)).unwrap();
        assert!(long.compiled.get().is_some());
    }

    #[test]
    fn what_does_not_compile_is_an_error_that_names_the_limit() {
        let nested = |depth: usize| "{".repeat(depth) + "a" + &"}".repeat(depth);
        for depth in [1, SURE_BRACES] {
            assert!(glob(&nested(depth)).unwrap().is_match("a"), "{depth}");
        }
        for depth in SURE_BRACES + 1..=MAX_BRACES {
            if let Ok(glob) = glob(&nested(depth)) {
                assert!(glob.is_match("a"), "{depth}");
            }
        }
        assert!(glob(&nested(MAX_BRACES)).unwrap_err().contains("too deep"));
        for depth in [MAX_BRACES + 1, 600, 1023, 8000] {
            assert!(glob(&nested(depth)).unwrap_err().contains("at most 256"), "{depth}");
        }
        assert!(glob(&"a".repeat(MAX_PATTERN + 1)).unwrap_err().contains("at most 16384"));
        assert!(glob(&"{a,b}".repeat(MAX_BRACES)).unwrap().is_match("ab".repeat(MAX_BRACES / 2)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
        #[test]
        fn no_glob_panics(long in r"[{}\[\]*?,\\]{0,3000}", short in r"[{}\[\]*?,\\!/a-]{0,12}", depth in 0_usize..300) {
            let nested = "{".repeat(depth) + &short + &"}".repeat(depth);
            for text in [long, short, nested] {
                if let Ok(glob) = glob(&text) {
                    let _ = glob.is_match(&text);
                }
            }
        }
    }
}
