//! A process that forks while commands run: neither side hangs. Alone in its process, because a fork copies all of it.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    unsafe_code,
    reason = "a test ends with a message; a fork is what is tested"
)]

#[path = "it/support.rs"]
#[allow(dead_code, reason = "this program uses some of it")]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use hookweave_exec::command::{CommandRun, run};
use hookweave_exec::pool::Pool;
use support::{LONG, exec, shell, until, usual};

/// What a child does with the pool that it got from its parent; true when all is well.
fn in_the_child(pool: &Pool, of_the_parent: &hookweave_exec::pool::Job) -> bool {
    of_the_parent.cancel();
    if pool.load() != (0, 0) {
        return false;
    }
    let (report, results) = channel();
    let job = pool.submit(move |cancel| {
        let spec = exec("/bin/echo", &["child"]);
        report.send(run(&usual(&spec), cancel).is_ok_and(|exited| exited.stdout == b"child\n")).unwrap();
    });
    job.is_ok() && results.recv_timeout(LONG) == Ok(true) && pool.drain(LONG) && pool.shutdown(LONG)
}

#[test]
fn a_fork_while_commands_run_starts_anew_and_leaves_the_parent_alone() {
    let pool = Arc::new(Pool::new(4));
    let stop = Arc::new(AtomicBool::new(false));
    let long = shell("sleep 10000");
    let endless = move |cancel: &_| drop(run(&CommandRun { timeout: None, ..usual(&long) }, cancel));
    let kept = pool.submit(endless).unwrap();
    let busy: Vec<_> = (0..2)
        .map(|_| {
            let (pool, stop) = (Arc::clone(&pool), Arc::clone(&stop));
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let quick = pool.submit(|_| ()).unwrap();
                    quick.cancel();
                    pool.load();
                }
            })
        })
        .collect();
    for round in 0..40 {
        // SAFETY: the child uses the pool, which is made for it, and ends without unwinding or cleaning up.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let well = in_the_child(&pool, &kept);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(!well)) };
        }
        let mut status = 0;
        // SAFETY: the place is writable and the process is this test's own child.
        if !until(|| unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == child) {
            // SAFETY: the child has not been waited for.
            unsafe { libc::kill(child, libc::SIGKILL) };
            panic!("the child of round {round} hangs");
        }
        assert_eq!(status, 0, "round {round}");
    }
    stop.store(true, Ordering::Relaxed);
    for thread in busy {
        thread.join().unwrap();
    }
    assert!(!kept.is_cancelled());
    assert_eq!(pool.load().0, 1, "the parent's command still runs");
    assert!(pool.shutdown(LONG));
}
