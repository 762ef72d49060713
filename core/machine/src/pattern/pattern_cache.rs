//! Regular expressions that are read once while hooks are loaded.
//!
//! Reading a file checks the patterns that stand in it, and registering its hooks needs them again.

use std::cell::RefCell;
use std::sync::Arc;

use regex::Error;
use rustc_hash::FxHashMap;

use super::linear::Linear;

thread_local! {
    static CACHE: RefCell<Option<FxHashMap<String, Arc<Linear>>>> = const { RefCell::new(None) };
}

/// While it is held, this thread reads each regular expression only once.
#[derive(Debug)]
pub struct PatternCache(());

impl PatternCache {
    /// Keeps what this thread compiles until the value is dropped.
    pub fn hold() -> Self {
        CACHE.set(Some(FxHashMap::default()));
        Self(())
    }
}

impl Drop for PatternCache {
    fn drop(&mut self) {
        CACHE.set(None);
    }
}

/// Reads a regular expression, or takes the one that is known.
pub(super) fn read(text: &str) -> Result<Arc<Linear>, Error> {
    let known = CACHE.with_borrow(|known| known.as_ref().and_then(|known| known.get(text).cloned()));
    if let Some(known) = known {
        return Ok(known);
    }
    let read = Arc::new(Linear::new(text)?);
    CACHE.with_borrow_mut(|known| {
        if let Some(known) = known {
            known.insert(text.to_owned(), Arc::clone(&read));
        }
    });
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how_many() -> Option<usize> {
        CACHE.with_borrow(|known| known.as_ref().map(FxHashMap::len))
    }

    #[test]
    fn patterns_are_known_only_while_hooks_are_loaded() {
        assert_eq!(read("a+").unwrap().is_match("aa"), Some(true));
        assert_eq!(how_many(), None);
        let known = PatternCache::hold();
        for _ in 0..2 {
            assert_eq!(read("b+").unwrap().is_match("bb"), Some(true));
            assert_eq!(read("c+").unwrap().is_match("bb"), Some(false));
            assert!(read("(").is_err());
        }
        assert_eq!(how_many(), Some(2));
        drop(known);
        assert_eq!(how_many(), None);
    }
}
