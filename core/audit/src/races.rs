//! The audit log's queue under many orders of threads' steps: run with `--cfg shuttle`.
//!
//! An item is a number here; queue and batches are the log's own.

#![allow(dead_code, unreachable_pub, reason = "of the log's own parts not everything is used here, and none is public")]

#[path = "batch.rs"]
mod batch;
#[path = "level.rs"]
mod level;
#[path = "queue.rs"]
mod queue;

/// An item, as far as the queue knows.
mod queue_item {
    #[derive(Debug)]
    pub(super) enum QueueItem {
        Quiet(super::level::AuditLevel, usize),
        One(u64),
    }

    impl QueueItem {
        pub(super) const fn weight(&self) -> usize {
            1
        }
    }
}

mod queue_races {
    use std::sync::Arc;
    use std::time::Duration;

    use shuttle::thread;

    use super::queue::{Handed, Patience, Queue, Refused, Taken, Work};
    use super::queue_item::QueueItem;
    use hookweave_machine::sync::Mutex;

    const ORDERS: usize = 1_000;
    const LONG: Duration = Duration::from_secs(3600);
    const EACH: u64 = 2;
    const THREADS: u64 = 3;

    /// A log: what came into the file, and how much was lost.
    struct Log {
        queue: Queue,
        file: Mutex<Vec<u64>>,
        lost: Mutex<u64>,
        /// A number that no sink takes.
        refused: Option<u64>,
    }

    impl Log {
        fn new(capacity: usize, refused: Option<u64>) -> Arc<Self> {
            let queue = Queue::new(capacity, true);
            Arc::new(Self { queue, file: Mutex::default(), lost: Mutex::default(), refused })
        }

        /// What the writer's thread does.
        fn write(&self) {
            self.queue.begun(true);
            let mut spare = Work::default();
            loop {
                let Taken { work, lost, put, last } = self.queue.take(spare);
                *self.lost.lock().expect("no panic") += lost;
                let numbers = || {
                    work.items
                        .iter()
                        .filter_map(|item| if let QueueItem::One(number) = item { Some(*number) } else { None })
                };
                let mut file = self.file.lock().expect("no panic");
                file.extend(numbers());
                drop(file);
                self.queue.done(put, !numbers().any(|number| Some(number) == self.refused));
                if last {
                    self.queue.over();
                    return;
                }
                spare = work;
            }
        }

        fn holds(&self, number: u64) -> bool {
            self.file.lock().expect("no panic").contains(&number)
        }

        /// Hands a number over as the log does: without waiting where there is room.
        fn hand_over(&self, number: u64, insists: bool) -> Result<u64, Refused> {
            let mut handed = Handed::One(Some(QueueItem::One(number)));
            match self.queue.offer(&mut handed) {
                Err(Refused::Full) => self.queue.insist(&mut handed, Patience { limit: LONG, insists }),
                other => other,
            }
        }
    }

    fn each_thread(log: &Arc<Log>, work: impl Fn(&Log, u64) + Copy + Send + 'static) {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let log = Arc::clone(log);
                thread::spawn(move || (1..=EACH).for_each(|number| work(&log, thread * 10 + number)))
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().expect("told"));
    }

    fn beside_a_writer(log: &Arc<Log>, work: impl FnOnce()) {
        let writer = thread::spawn({
            let log = Arc::clone(log);
            move || log.write()
        });
        work();
        writer.join().expect("written");
    }

    /// In every order of steps each item is written once, and those of one thread in its order.
    #[test]
    fn nothing_is_lost_or_written_twice() {
        for capacity in [1, 2, 100] {
            hookweave_machine::sync::check_random(
                move || {
                    let log = Log::new(capacity, None);
                    beside_a_writer(&log, || {
                        each_thread(&log, |log, number| assert!(log.hand_over(number, false).is_ok()));
                        assert!(log.queue.close(LONG));
                    });
                    let file = log.file.lock().expect("no panic").clone();
                    for thread in 0..THREADS {
                        let own: Vec<u64> = file.iter().copied().filter(|number| number / 10 == thread).collect();
                        assert_eq!(own, (1..=EACH).map(|number| thread * 10 + number).collect::<Vec<_>>());
                    }
                    assert_eq!((file.len() as u64, *log.lost.lock().expect("no panic")), (THREADS * EACH, 0));
                },
                ORDERS,
            );
        }
    }

    /// A thread that waits for a number comes back when it is in the file, and before any time limit.
    #[test]
    fn who_waits_comes_back_when_it_is_written() {
        for capacity in [1, 100] {
            hookweave_machine::sync::check_random(
                move || {
                    let log = Log::new(capacity, Some(11));
                    beside_a_writer(&log, || {
                        each_thread(&log, |log, number| {
                            let place = log.hand_over(number, true).expect("there is room");
                            let is_written = log.queue.written(place, LONG);
                            assert!(log.holds(number), "it came back too early");
                            // A number may be reported as refused for an older one's sake; never the reverse.
                            assert!(number != 11 || !is_written, "nobody has heard it");
                        });
                        assert!(log.queue.close(LONG));
                    });
                },
                ORDERS,
            );
        }
    }

    /// A writer that cannot write ends every wait, and the items are written when it can again.
    #[test]
    fn nobody_waits_for_a_writer_that_cannot_write() {
        hookweave_machine::sync::check_random(
            || {
                let log = Log::new(1, None);
                log.queue.fails(true);
                // Nothing is written before all who wait have come back.
                each_thread(&log, |log, number| {
                    if let Ok(place) = log.hand_over(number, true) {
                        assert!(!log.queue.written(place, LONG));
                    }
                });
                log.queue.fails(false);
                beside_a_writer(&log, || assert!(log.queue.close(LONG)));
                let (file, lost) =
                    (log.file.lock().expect("no panic").len() as u64, *log.lost.lock().expect("no panic"));
                assert_eq!((file, file + lost), (1, THREADS * EACH));
            },
            ORDERS,
        );
    }

    /// When a flush comes back, all that this thread put in before is written.
    #[test]
    fn a_flush_comes_back_when_all_before_it_is_written() {
        hookweave_machine::sync::check_random(
            || {
                let log = Log::new(2, None);
                beside_a_writer(&log, || {
                    each_thread(&log, |log, number| {
                        log.hand_over(number, false).expect("there is room");
                        assert!(log.queue.flush(LONG) && log.holds(number));
                    });
                    assert!(log.queue.close(LONG));
                });
            },
            ORDERS,
        );
    }

    /// What is taken while the log is being closed is written, and what is refused is not.
    #[test]
    fn what_is_told_beside_the_end_is_written_or_refused() {
        hookweave_machine::sync::check_random(
            || {
                let log = Log::new(1, None);
                let taken = Arc::new(Mutex::new(Vec::new()));
                beside_a_writer(&log, || {
                    let closing = thread::spawn({
                        let log = Arc::clone(&log);
                        move || assert!(log.queue.close(LONG))
                    });
                    let kept = Arc::clone(&taken);
                    let telling = thread::spawn({
                        let log = Arc::clone(&log);
                        move || {
                            for number in 1..=3 {
                                match log.hand_over(number, true) {
                                    Ok(_) => kept.lock().expect("no panic").push(number),
                                    Err(refused) => assert_eq!(refused, Refused::Closed),
                                }
                            }
                        }
                    });
                    closing.join().expect("closed");
                    telling.join().expect("told");
                });
                assert_eq!(*log.file.lock().expect("no panic"), *taken.lock().expect("no panic"));
            },
            ORDERS,
        );
    }
}
