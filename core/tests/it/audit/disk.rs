//! When records are written and when the disk has them, as the log is set.

use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use hookweave::audit::{AuditOptions, Fsync};
use hookweave::{Event, HookResponse};

use crate::audit::support::{LONG, Log, dispatch, until};

#[test]
fn nothing_gathers_where_each_record_goes_to_the_disk() {
    let log = Log::new();
    let (send, heard) = channel();
    let sink = move |line: &str| {
        if line.contains("hook_finished") {
            send.send(()).unwrap();
        }
    };
    // Without a file, so that the time is the queue's alone. What gathers does so for two milliseconds.
    let engine = log.engine(AuditOptions::default().fsync(Fsync::Record).sink(sink));
    engine.on("PreToolUse").name("quiet").run(|_: &Event| None::<HookResponse>).unwrap();
    let once = || {
        let began = Instant::now();
        dispatch(&engine, "ls");
        heard.recv_timeout(LONG).unwrap();
        began.elapsed()
    };
    // A busy machine delays most of them; none that gathers is ever so quick.
    assert!(until(|| once() < Duration::from_millis(1)));
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_is_decided_that_the_disk_does_not_have() {
    for role in ["no sync never", "no sync grouped", "no sync record"] {
        crate::audit::processes::ends_well(role, &Log::new().path);
    }
}
