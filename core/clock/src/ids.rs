//! Random ids without a system call for each.

use uuid::Uuid;

/// A random id in the usual form.
#[must_use]
pub fn new_id() -> String {
    let mut text = Uuid::encode_buffer();
    drawn().hyphenated().encode_lower(&mut text).to_owned()
}

#[cfg(not(unix))]
fn drawn() -> Uuid {
    Uuid::new_v4()
}

/// From the thread's own store; a forked child, which has the same store as its parent, throws it away.
#[cfg(unix)]
fn drawn() -> Uuid {
    store::POOL
        .try_with(|pool| pool.try_borrow_mut().ok()?.draw())
        .ok()
        .flatten()
        .map_or_else(Uuid::new_v4, |bytes| uuid::Builder::from_random_bytes(bytes).into_uuid())
}

#[cfg(unix)]
mod store {
    use std::cell::RefCell;

    /// How many ids are fetched from the system at once.
    const AT_ONCE: usize = 64;

    thread_local! {
        pub(super) static POOL: RefCell<Pool> = const { RefCell::new(Pool { ids: [[0; 16]; AT_ONCE], left: 0, forks: 0 }) };
    }

    /// Random bytes that are not used yet.
    pub(super) struct Pool {
        ids: [[u8; 16]; AT_ONCE],
        left: usize,
        forks: u32,
    }

    impl Pool {
        pub(super) fn draw(&mut self) -> Option<[u8; 16]> {
            let forks = hookweave_spawn::forks();
            if self.left == 0 || self.forks != forks {
                self.left = 0;
                getrandom::fill(self.ids.as_flattened_mut()).ok()?;
                (self.left, self.forks) = (AT_ONCE, forks);
            }
            self.left -= 1;
            self.ids.get_mut(self.left).map(std::mem::take)
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_forked_child_draws_ids_of_its_own() {
            let mut pool = Pool { ids: [[0; 16]; AT_ONCE], left: 0, forks: 0 };
            pool.draw().unwrap();
            let kept = pool.ids;
            pool.forks = pool.forks.wrapping_sub(1);
            let drawn = pool.draw().unwrap();
            assert!(!kept.contains(&drawn), "the store of before the fork is gone");
            assert_eq!(pool.left, AT_ONCE - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_random_and_differ() {
        let ids: HashSet<String> = (0..1000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| Uuid::parse_str(id).is_ok_and(|id| id.get_version_num() == 4)));
    }
}
