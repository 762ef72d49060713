//! Noticing that a process was forked, without asking the system each time.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);

/// Runs in the child: all that may be done there is to count.
extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// How many forks lie between the first call and this process: a caller that kept the number knows that threads of then are gone.
///
/// A child that was made past the C library, by the system call itself, is not noticed.
pub fn forks() -> u32 {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        // SAFETY: the function lives as long as the program, and touches nothing but an atomic number.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
    FORKS.load(Ordering::Relaxed)
}
