//! Detached hooks under many orders of threads' steps: run with `--cfg shuttle`.

use std::sync::Arc;

use shuttle::thread;

use crate::detached::{DetachedQueue, Submitted};
use crate::sync::{AtomicU64, Mutex, Ordering};

const ORDERS: usize = 3_000;
const LIMIT: usize = 2;

struct Client {
    queue: Mutex<DetachedQueue<usize>>,
    running: AtomicU64,
    runs: Mutex<Vec<usize>>,
}

impl Client {
    /// Runs a job and then all that wait, as the drivers do.
    fn work(&self, first: usize) {
        let mut next = Some(first);
        while let Some(job) = next {
            let others = self.running.fetch_add(1, Ordering::SeqCst);
            assert!(others < LIMIT as u64, "more run than may");
            self.runs.lock().expect("no panic").push(job);
            self.running.fetch_sub(1, Ordering::SeqCst);
            next = self.queue.lock().expect("no panic").finished();
        }
    }
}

/// Whatever the order: each job runs once, in one of the places that there are, and nothing is left waiting.
#[test]
fn each_job_runs_once() {
    crate::sync::check_random(
        || {
            let queue = Mutex::new(DetachedQueue::new(LIMIT));
            let client = Arc::new(Client { queue, running: AtomicU64::new(0), runs: Mutex::new(Vec::new()) });
            let submitting: Vec<_> = (0..3)
                .map(|thread| {
                    let client = Arc::clone(&client);
                    thread::spawn(move || {
                        let mut started = Vec::new();
                        for job in 0..2 {
                            let submitted = client.queue.lock().expect("no panic").submit(thread * 10 + job);
                            match submitted {
                                Submitted::Start(job) => {
                                    let client = Arc::clone(&client);
                                    started.push(thread::spawn(move || client.work(job)));
                                }
                                Submitted::Waiting => {}
                                Submitted::Refused(job) => panic!("{job} was refused"),
                            }
                        }
                        started.into_iter().for_each(|job| job.join().expect("it ran"));
                    })
                })
                .collect();
            submitting.into_iter().for_each(|thread| thread.join().expect("submitted"));
            let mut runs = client.runs.lock().expect("no panic").clone();
            runs.sort_unstable();
            assert_eq!(runs, [0, 1, 10, 11, 20, 21]);
            assert!(client.queue.lock().expect("no panic").is_idle());
        },
        ORDERS,
    );
}
