//! Regular expressions that are compiled once while hooks are loaded.
//!
//! Reading a file checks the patterns that stand in it, and registering its hooks needs them again. Compiling is most of what
//! `hookweave hook` does before it can decide, so that the second time is worth saving.

use std::cell::RefCell;

use regex::{Error, Regex};
use rustc_hash::FxHashMap;

thread_local! {
    static KNOWN: RefCell<Option<FxHashMap<String, Regex>>> = const { RefCell::new(None) };
}

/// While it is held, this thread compiles each regular expression only once.
#[derive(Debug)]
pub(crate) struct Known(());

impl Known {
    pub(crate) fn hold() -> Self {
        KNOWN.set(Some(FxHashMap::default()));
        Self(())
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        KNOWN.set(None);
    }
}

/// Compiles a regular expression, or takes the one that is known.
pub(super) fn compiled(text: &str) -> Result<Regex, Error> {
    let known = KNOWN.with_borrow(|known| known.as_ref().map(|known| known.get(text).cloned()));
    match known {
        None => Regex::new(text),
        Some(Some(known)) => Ok(known),
        Some(None) => {
            let compiled = Regex::new(text)?;
            KNOWN.with_borrow_mut(|known| {
                if let Some(known) = known {
                    known.insert(text.to_owned(), compiled.clone());
                }
            });
            Ok(compiled)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how_many() -> Option<usize> {
        KNOWN.with_borrow(|known| known.as_ref().map(FxHashMap::len))
    }

    #[test]
    fn patterns_are_known_only_while_hooks_are_loaded() {
        assert!(compiled("a+").unwrap().is_match("aa"));
        assert_eq!(how_many(), None);
        let known = Known::hold();
        for _ in 0..2 {
            assert!(compiled("b+").unwrap().is_match("bb"));
            assert!(!compiled("c+").unwrap().is_match("bb"));
            assert!(compiled("(").is_err());
        }
        assert_eq!(how_many(), Some(2));
        drop(known);
        assert_eq!(how_many(), None);
    }
}
