//! Runs work on several threads and tells of it in order.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;

use crate::failed::Result;

/// Runs so many items at a time; tells of each as soon as it and all before it are done. The first error ends it.
pub(super) fn run<T: Sync, R: Send>(
    items: &[T],
    jobs: NonZeroUsize,
    run: impl Fn(&T) -> Result<R> + Sync,
    mut tell: impl FnMut(&R) -> Result<()>,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        for _ in 0..jobs.get().min(items.len()) {
            let (sender, next, run) = (sender.clone(), &next, &run);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    // Nobody waits any more after an error.
                    if sender.send((at, run(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut ahead, mut done) = (BTreeMap::new(), Vec::with_capacity(items.len()));
        for (at, ran) in receiver {
            ahead.insert(at, ran);
            while let Some(ran) = ahead.remove(&done.len()) {
                let ran = ran?;
                tell(&ran)?;
                done.push(ran);
            }
        }
        Ok(done)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;
    use crate::failed::Failed;

    #[test]
    fn two_run_at_a_time_and_are_told_of_in_order() {
        let together = Barrier::new(2);
        let mut told = Vec::new();
        let work = |number: &i32| {
            // Alone neither of the two would come through.
            together.wait();
            Ok(*number)
        };
        let tell = |number: &i32| {
            told.push(*number);
            Ok(())
        };
        let done = run(&[1, 2, 3, 4], NonZeroUsize::new(2).unwrap(), work, tell).unwrap();
        assert_eq!((done, told), (vec![1, 2, 3, 4], vec![1, 2, 3, 4]));
    }

    #[test]
    fn an_error_ends_it() {
        let work = |number: &i32| if *number == 2 { Err(Failed::new("no")) } else { Ok(*number) };
        let mut told = 0;
        let tell = |_: &i32| {
            told += 1;
            Ok(())
        };
        assert!(run(&[1, 2, 3], NonZeroUsize::MIN, work, tell).is_err());
        assert_eq!(told, 1);
    }
}
