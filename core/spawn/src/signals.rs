//! Signals that must not reach a thread of the engine.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Blocks every signal in this thread, so that a host's handlers run on the host's own threads.
pub fn hold_signals() {
    let mut all = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is initialised before it is read; only this thread's mask changes.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut());
    }
}

/// Writes to a pipe; without a reader that is an error and never a `SIGPIPE`, no matter what the host does with that
/// signal.
pub fn write_quietly(pipe: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let _quiet = Quiet::new(pipe);
    // SAFETY: the pointer and the length are those of the slice.
    let written = unsafe { libc::write(pipe.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    // The error is read before the guard's own calls can overwrite it.
    usize::try_from(written).map_err(|_| io::Error::last_os_error())
}

/// Keeps `SIGPIPE` from a thread and takes back what one write raised.
#[cfg(not(target_vendor = "apple"))]
struct Quiet {
    before: libc::sigset_t,
    pipe: libc::sigset_t,
    was_pending: bool,
}

#[cfg(not(target_vendor = "apple"))]
impl Quiet {
    fn new(_pipe: BorrowedFd<'_>) -> Self {
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        let mut pipe = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: both sets are initialised by the calls before they are read.
        unsafe {
            libc::sigemptyset(pipe.as_mut_ptr());
            libc::sigaddset(pipe.as_mut_ptr(), libc::SIGPIPE);
            let was_pending = pending();
            libc::sigemptyset(before.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_BLOCK, pipe.as_ptr(), before.as_mut_ptr());
            Self { before: before.assume_init(), pipe: pipe.assume_init(), was_pending }
        }
    }
}

#[cfg(not(target_vendor = "apple"))]
impl Drop for Quiet {
    fn drop(&mut self) {
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the sets are initialised; the wait does not block.
        unsafe {
            if !self.was_pending && pending() {
                libc::sigtimedwait(&raw const self.pipe, std::ptr::null_mut(), &raw const at_once);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut());
        }
    }
}

/// Whether a `SIGPIPE` waits for this thread.
#[cfg(not(target_vendor = "apple"))]
fn pending() -> bool {
    let mut waiting = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is initialised before the call and read after it.
    unsafe {
        libc::sigemptyset(waiting.as_mut_ptr());
        libc::sigpending(waiting.as_mut_ptr()) == 0 && libc::sigismember(waiting.as_ptr(), libc::SIGPIPE) == 1
    }
}

/// There a descriptor itself can be set to raise nothing.
#[cfg(target_vendor = "apple")]
struct Quiet;

#[cfg(target_vendor = "apple")]
impl Quiet {
    fn new(pipe: BorrowedFd<'_>) -> Self {
        // SAFETY: sets a flag of an open descriptor.
        unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETNOSIGPIPE, 1) };
        Self
    }
}
