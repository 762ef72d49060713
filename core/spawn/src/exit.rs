//! Waiting for a process without polling, and telling to which session it belongs.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::ptr;

/// Opens a descriptor that becomes readable when a process ends, for a child that has not been waited for, whose number therefore cannot mean another process.
///
/// Fails where the system has no such thing (Linux before 5.3), and on some systems for a process that has ended already.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn exit_event(child: i32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes two integers; a descriptor that it gives is ours alone and closed at a start by itself.
    unsafe {
        let opened = libc::syscall(libc::SYS_pidfd_open, libc::c_long::from(child), 0 as libc::c_long);
        match i32::try_from(opened) {
            Ok(opened) if opened >= 0 => Ok(OwnedFd::from_raw_fd(opened)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Opens a descriptor that becomes readable when a process ends, for a child that has not been waited for, whose number therefore cannot mean another process.
///
/// Fails for a process that has ended already.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub fn exit_event(child: i32) -> io::Result<OwnedFd> {
    use std::os::fd::AsRawFd;
    // SAFETY: the queue is ours alone; the event is fully written before it is read, and the call keeps no pointer.
    unsafe {
        let queue = libc::kqueue();
        if queue < 0 {
            return Err(io::Error::last_os_error());
        }
        let queue = OwnedFd::from_raw_fd(queue);
        libc::fcntl(queue.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
        let mut event: libc::kevent = std::mem::zeroed();
        event.ident = child.unsigned_abs() as _;
        event.filter = libc::EVFILT_PROC;
        event.flags = libc::EV_ADD | libc::EV_ONESHOT;
        event.fflags = libc::NOTE_EXIT;
        let event = &raw const event;
        if libc::kevent(queue.as_raw_fd(), event, 1, ptr::null_mut(), 0, ptr::null()) < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(queue)
    }
}

/// The session that a process belongs to; none when there is no such process, or it is the system's own.
#[must_use]
pub fn session_of(process: i32) -> Option<i32> {
    // SAFETY: the call takes and gives an integer.
    let session = unsafe { libc::getsid(process) };
    (session > 0).then_some(session)
}

/// Whether the system forgets how children of this process end, because `SIGCHLD` is ignored or has `SA_NOCLDWAIT`.
#[must_use]
pub fn forgets_children() -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: asks only; the place is writable, and read only when the call has filled it.
    let action = unsafe {
        if libc::sigaction(libc::SIGCHLD, ptr::null(), action.as_mut_ptr()) != 0 {
            return false;
        }
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN || action.sa_flags & libc::SA_NOCLDWAIT != 0
}
