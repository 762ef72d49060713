//! What is known of patterns while hooks are loaded: each is read once, and those of one file have a common bound.
//!
//! Reading a file checks the patterns that stand in it, and registering its hooks needs them again. A pattern alone is
//! bounded; an unapproved file may hold thousands of them.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::Pattern;

/// What the patterns of one file may compile to together, in bytes.
const MAX_OF_FILE: usize = 256 << 20;

thread_local! {
    static CACHE: RefCell<Cache> = RefCell::new(Cache::default());
}

#[derive(Debug, Default)]
struct Cache {
    /// The regular expressions that were read; none outside of [`PatternCache`].
    known: Option<FxHashMap<String, Pattern>>,
    /// What the file has left, in bytes; without a file there is no bound.
    left: Option<usize>,
}

/// While it is held, this thread reads each regular expression only once.
#[derive(Debug)]
pub struct PatternCache {
    is_outer: bool,
    left_before: Option<usize>,
}

impl PatternCache {
    /// Keeps what this thread reads until the value is dropped.
    pub fn hold() -> Self {
        Self::with(|left| left)
    }

    /// The same for the patterns of one file, which together may compile to 256 MiB.
    pub fn of_file() -> Self {
        Self::with(|_| Some(MAX_OF_FILE))
    }

    fn with(left: impl FnOnce(Option<usize>) -> Option<usize>) -> Self {
        CACHE.with_borrow_mut(|cache| {
            let held = Self { is_outer: cache.known.is_none(), left_before: cache.left };
            cache.known.get_or_insert_default();
            cache.left = left(cache.left);
            held
        })
    }
}

impl Drop for PatternCache {
    fn drop(&mut self) {
        CACHE.with_borrow_mut(|cache| {
            cache.left = self.left_before;
            if self.is_outer {
                cache.known = None;
            }
        });
    }
}

/// Takes a pattern's size from what its file has left; to be called before it is compiled.
pub(super) fn charge(bytes: usize) -> Result<(), String> {
    CACHE.with_borrow_mut(|cache| {
        let Some(left) = &mut cache.left else { return Ok(()) };
        if let Some(rest) = left.checked_sub(bytes) {
            *left = rest;
            return Ok(());
        }
        *left = 0;
        Err(format!(
            "the patterns of the file compile to more than {} MiB together, the most that one file may have; repeat less \
             (`{{1000}}`), write `[a-z]` for `\\w`, or move hooks to another file",
            MAX_OF_FILE >> 20
        ))
    })
}

/// Reads a regular expression, or takes the one that is known.
pub(super) fn read(text: &str, read: impl FnOnce() -> Result<Pattern, String>) -> Result<Pattern, String> {
    let known = CACHE.with_borrow(|cache| cache.known.as_ref().and_then(|known| known.get(text).cloned()));
    if let Some(known) = known {
        return Ok(known);
    }
    let read = read()?;
    CACHE.with_borrow_mut(|cache| {
        if let Some(known) = &mut cache.known {
            known.insert(text.to_owned(), read.clone());
        }
    });
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how_many() -> Option<usize> {
        CACHE.with_borrow(|cache| cache.known.as_ref().map(FxHashMap::len))
    }

    #[test]
    fn patterns_are_known_only_while_hooks_are_loaded() {
        assert_eq!(Pattern::new("a+").unwrap().is_match("aa"), Some(true));
        assert_eq!(how_many(), None);
        let known = PatternCache::hold();
        for _ in 0..2 {
            let _file = PatternCache::of_file();
            assert_eq!(Pattern::new("b+").unwrap().is_match("bb"), Some(true));
            assert_eq!(Pattern::new("(?=c)c").unwrap().is_match("bb"), Some(false));
            assert!(Pattern::new("(").is_err());
        }
        assert_eq!(how_many(), Some(2));
        drop(known);
        assert_eq!(how_many(), None);
    }

    /// How many of different patterns a file may have.
    fn fitting(of: impl Fn(usize) -> Result<(), String>) -> usize {
        let _file = PatternCache::of_file();
        let fitting = (0..10_000).take_while(|index| of(*index).is_ok()).count();
        assert!(of(fitting).unwrap_err().contains("256 MiB"));
        assert!(of(fitting + 1).unwrap_err().contains("another file"));
        fitting
    }

    #[test]
    fn the_patterns_of_a_file_are_bounded_together() {
        let pattern = |text: String| Pattern::new(&text).map(drop);
        assert_eq!(fitting(|index| pattern(format!(r"(?:\w{{60}}){index}"))), 25);
        // One that is too large by itself costs as much time.
        let too_large = |index| match pattern(format!(r"(?:\w{{2000}}){index}")) {
            Err(why) if why.contains("256 MiB") => Err(why),
            _ => Ok(()),
        };
        assert_eq!(fitting(too_large), 25);
        assert!((100..2000).contains(&fitting(|index| pattern(format!("(?:abc){{1000}}{index}")))));
        assert!((10..200).contains(&fitting(|index| pattern(format!(r"(?=\w\w\w\w){index}")))));
        assert!((10..200).contains(&fitting(|index| pattern(format!(r"(?:(?:\w){{10}}(?=x)){{1,2}}{index}")))));
        let glob = |index: usize| super::super::Names::new(&format!("{}{index}", "?".repeat(4000))).map(drop);
        assert!((100..2000).contains(&fitting(glob)));
    }

    #[test]
    fn what_is_known_is_charged_once_and_a_second_file_has_its_own_bound() {
        let large = |index: usize| Pattern::new(&format!(r"(?:\w{{60}}){index}")).is_ok();
        for _ in 0..2 {
            let _file = PatternCache::of_file();
            assert!((0..100).all(|_| large(0)) && (0..25).all(large) && !large(25));
        }
        assert!((0..30).all(large));
    }
}
