//! The pool: how many run at once, in which order, and what a cancellation does to each.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use crate::support::{LONG, Place, appears, dies, exec, shell, usual};
use hookweave_exec::command::run;
use hookweave_exec::pool::{Pool, PoolError};

#[test]
fn never_more_run_at_once_than_allowed_and_all_of_them_run() {
    let pool = Pool::new(4);
    let (running, most, done) =
        (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let together = Arc::new(Barrier::new(4));
    for number in 0..600 {
        let together = Arc::clone(&together);
        let (running, most, done) = (Arc::clone(&running), Arc::clone(&most), Arc::clone(&done));
        pool.submit(move |_| {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            if number < 4 {
                together.wait();
            }
            std::thread::sleep(Duration::from_millis(1));
            running.fetch_sub(1, Ordering::SeqCst);
            done.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    }
    assert!(pool.drain(LONG));
    assert_eq!(done.load(Ordering::SeqCst), 600);
    assert_eq!(most.load(Ordering::SeqCst), 4);
}

#[test]
fn jobs_that_wait_for_one_another_have_a_thread_each() {
    let pool = Pool::new(8);
    // One idle thread to begin with: it must not be counted on by more than one job.
    pool.submit(|_| ()).unwrap();
    assert!(pool.drain(LONG));
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..3 {
        let barrier = Arc::new(Barrier::new(8));
        for _ in 0..8 {
            let barrier = Arc::clone(&barrier);
            pool.submit(move |_| _ = barrier.wait()).unwrap();
        }
        assert!(pool.drain(LONG), "a job got no thread though there was room");
    }
}

fn add(to: &AtomicUsize, number: usize) {
    to.fetch_add(number, Ordering::SeqCst);
}

#[test]
fn a_queued_job_that_is_cancelled_never_starts_and_is_dropped_at_once() {
    let pool = Pool::new(1);
    let (go, wait) = channel::<()>();
    pool.submit(move |_| wait.recv().unwrap()).unwrap();
    let started = Arc::new(AtomicUsize::new(0));
    let held = Arc::clone(&started);
    let job = pool.submit(move |_| add(&held, 1)).unwrap();
    let kept = Arc::clone(&started);
    let dropped = pool.submit(move |_| add(&kept, 1)).unwrap().cancel_on_drop();
    let plain = Arc::clone(&started);
    drop(pool.submit(move |_| add(&plain, 10)).unwrap());
    assert_eq!(Arc::strong_count(&started), 4);
    job.cancel();
    drop(dropped);
    assert_eq!(Arc::strong_count(&started), 2, "cancelled jobs are gone before their turn");
    go.send(()).unwrap();
    assert!(pool.drain(LONG));
    assert_eq!(started.load(Ordering::SeqCst), 10, "the job whose handle was only dropped ran");
}

#[test]
fn a_panicking_job_harms_no_other() {
    let pool = Pool::new(1);
    pool.submit(|_| panic!("on purpose")).unwrap();
    let (report, results) = channel();
    pool.submit(move |_| report.send(7).unwrap()).unwrap();
    assert_eq!(results.recv_timeout(LONG).unwrap(), 7);
    assert!(pool.drain(LONG));
    assert_eq!(pool.load(), (0, 0));
}

#[test]
fn cancelling_a_running_job_kills_its_command() {
    let place = Place::new();
    let file = place.file("pid");
    let pool = Pool::new(2);
    let (report, results) = channel();
    let spec = shell(format!("echo $$ >{}; sleep 1000", file.display()));
    let job = pool.submit(move |cancel| report.send(run(&usual(&spec), cancel).is_err()).unwrap()).unwrap();
    let process = appears(&file);
    job.cancel();
    job.cancel();
    assert!(results.recv_timeout(LONG).unwrap());
    assert!(dies(&process));
}

#[test]
fn a_shutdown_kills_what_runs_drops_what_waits_and_takes_no_more() {
    let place = Place::new();
    let pool = Pool::new(2);
    let files = [place.file("a"), place.file("b"), place.file("c")];
    for file in &files {
        let spec = shell(format!("echo $$ >{}; sleep 1000", file.display()));
        pool.submit(move |cancel| drop(run(&usual(&spec), cancel))).unwrap();
    }
    let processes = [appears(&files[0]), appears(&files[1])];
    assert_eq!(pool.load(), (2, 1));
    assert!(!pool.drain(Duration::from_millis(50)));
    assert!(pool.shutdown(LONG));
    assert!(processes.iter().all(|process| dies(process)));
    assert!(!files[2].exists());
    assert!(matches!(pool.submit(|_| ()), Err(PoolError::Closed)));
}

#[test]
fn two_hundred_at_once_are_bounded_and_none_is_lost_or_mistaken() {
    let pool = Pool::new(8);
    let (report, results) = channel();
    for number in 0..200 {
        let report = report.clone();
        let spec = exec("/bin/echo", &[&number.to_string()]);
        let job = move |cancel: &_| report.send((number, run(&usual(&spec), cancel).unwrap().stdout)).unwrap();
        pool.submit(job).unwrap();
        assert!(pool.load().0 <= 8);
    }
    drop(report);
    let mut seen: Vec<i32> = results
        .iter()
        .map(|(number, printed)| {
            assert_eq!(String::from_utf8(printed).unwrap(), format!("{number}\n"));
            number
        })
        .collect();
    seen.sort_unstable();
    assert_eq!(seen, (0..200).collect::<Vec<_>>());
}
