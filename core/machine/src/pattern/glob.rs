//! Globs, compiled at the first text that they are held against.

use std::sync::OnceLock;

use globset::GlobMatcher;

/// The longest regular expression of a glob that nobody doubts to compile, in bytes: it repeats nothing a number of times, so
/// that its size goes by its length.
const SURE: usize = 4 * 1024;

/// One glob.
#[derive(Debug, Clone)]
pub struct Glob {
    written: globset::Glob,
    compiled: OnceLock<GlobMatcher>,
}

impl Glob {
    pub(super) fn new(written: globset::Glob) -> Self {
        let glob = Self { written, compiled: OnceLock::new() };
        if glob.written.regex().len() > SURE {
            glob.compiled();
        }
        glob
    }

    fn compiled(&self) -> &GlobMatcher {
        self.compiled.get_or_init(|| self.written.compile_matcher())
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.compiled().is_match(text)
    }

    /// The glob, for sets of many.
    pub(crate) const fn written(&self) -> &globset::Glob {
        &self.written
    }
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;

    use super::*;

    #[test]
    fn a_glob_is_compiled_when_it_is_used_unless_it_is_very_long() {
        let short = Glob::new(GlobBuilder::new("*.env").build().unwrap());
        assert!(short.compiled.get().is_none());
        assert!(short.is_match("prod.env") && !short.is_match("x"));
        assert!(short.compiled.get().is_some());
        let long = Glob::new(GlobBuilder::new(&"ab*".repeat(SURE)).build().unwrap());
        assert!(long.compiled.get().is_some());
    }
}
