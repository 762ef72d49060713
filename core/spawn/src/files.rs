//! What happens to descriptors and directory between the start and the program.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;

/// `posix_spawn` and its kin give the error instead of setting it.
pub(crate) fn check(failed: libc::c_int) -> io::Result<()> {
    if failed == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(failed)) }
}

type ChangeDirectory = unsafe extern "C" fn(*mut libc::posix_spawn_file_actions_t, *const libc::c_char) -> libc::c_int;
#[cfg(not(target_vendor = "apple"))]
type CloseFrom = unsafe extern "C" fn(*mut libc::posix_spawn_file_actions_t, libc::c_int) -> libc::c_int;

/// Initialised file actions.
pub(crate) struct Actions(MaybeUninit<libc::posix_spawn_file_actions_t>);

impl Actions {
    pub(crate) fn new() -> io::Result<Self> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the place is writable; the call initialises it.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        Ok(Self(actions))
    }

    pub(crate) fn as_ptr(&self) -> *const libc::posix_spawn_file_actions_t {
        self.0.as_ptr()
    }

    pub(crate) fn duplicate(&mut self, from: RawFd, to: RawFd) -> io::Result<()> {
        // SAFETY: the actions are initialised.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(self.0.as_mut_ptr(), from, to) })
    }

    /// Does nothing where the C library cannot; see [`addchdir`].
    pub(crate) fn change_directory(&mut self, directory: &CStr) -> io::Result<()> {
        let Some(addchdir) = addchdir() else { return Ok(()) };
        // SAFETY: the actions are initialised; the path is copied by the call.
        check(unsafe { addchdir(self.0.as_mut_ptr(), directory.as_ptr()) })
    }

    /// Nothing to do: `POSIX_SPAWN_CLOEXEC_DEFAULT` closes all that no action names.
    #[cfg(target_vendor = "apple")]
    #[expect(clippy::unnecessary_wraps, clippy::unused_self, reason = "other systems need both")]
    pub(crate) fn close_others(&mut self, _first: RawFd) -> io::Result<()> {
        Ok(())
    }

    /// Closes every descriptor from a number on: libraries forget to mark theirs.
    #[cfg(not(target_vendor = "apple"))]
    pub(crate) fn close_others(&mut self, first: RawFd) -> io::Result<()> {
        if let Some(closefrom) = closefrom() {
            // SAFETY: the actions are initialised.
            return check(unsafe { closefrom(self.0.as_mut_ptr(), first) });
        }
        for descriptor in inheritable(first) {
            // SAFETY: the actions are initialised; closing what is closed already does no harm in the child.
            check(unsafe { libc::posix_spawn_file_actions_addclose(self.0.as_mut_ptr(), descriptor) })?;
        }
        Ok(())
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: initialised in `new`, destroyed once.
        unsafe { libc::posix_spawn_file_actions_destroy(self.0.as_mut_ptr()) };
    }
}

/// Descriptors from a number on that a started program would inherit.
#[cfg(not(target_vendor = "apple"))]
fn inheritable(first: RawFd) -> Vec<RawFd> {
    let listed = std::fs::read_dir("/proc/self/fd").or_else(|_| std::fs::read_dir("/dev/fd"));
    let numbers = listed.into_iter().flatten().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers
        .filter(|descriptor| {
            // SAFETY: asks for flags only; a descriptor that was closed meanwhile is an error and left out.
            let flags = unsafe { libc::fcntl(*descriptor, libc::F_GETFD) };
            *descriptor >= first && flags >= 0 && flags & libc::FD_CLOEXEC == 0
        })
        .collect()
}

/// Changes the directory of what is spawned; younger than the C libraries that programs still run on.
#[cfg(not(target_env = "musl"))]
pub(crate) fn addchdir() -> Option<ChangeDirectory> {
    let found = symbol(c"posix_spawn_file_actions_addchdir_np")?;
    // SAFETY: that is the function's type wherever it exists.
    Some(unsafe { std::mem::transmute::<*mut libc::c_void, ChangeDirectory>(found) })
}

#[cfg(target_env = "musl")]
#[expect(clippy::unnecessary_wraps, reason = "other C libraries may lack it")]
pub(crate) fn addchdir() -> Option<ChangeDirectory> {
    Some(libc::posix_spawn_file_actions_addchdir_np)
}

#[cfg(not(any(target_env = "musl", target_vendor = "apple")))]
fn closefrom() -> Option<CloseFrom> {
    let found = symbol(c"posix_spawn_file_actions_addclosefrom_np")?;
    // SAFETY: that is the function's type wherever it exists.
    Some(unsafe { std::mem::transmute::<*mut libc::c_void, CloseFrom>(found) })
}

#[cfg(target_env = "musl")]
fn closefrom() -> Option<CloseFrom> {
    None
}

/// A function of the C library, looked up so that a library without it still loads the program.
#[cfg(not(target_env = "musl"))]
fn symbol(name: &CStr) -> Option<*mut libc::c_void> {
    // SAFETY: the name ends with NUL; looking up has no other effect.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() { None } else { Some(found) }
}

#[cfg(all(test, not(target_vendor = "apple")))]
mod tests {
    use super::inheritable;
    use std::os::fd::AsRawFd;

    #[test]
    fn only_descriptors_that_are_not_closed_at_a_start_are_listed() {
        let marked = std::fs::File::open("/dev/null").unwrap();
        // SAFETY: a plain duplicate, which the test closes below.
        let bare = unsafe { libc::dup(marked.as_raw_fd()) };
        let listed = inheritable(3);
        // SAFETY: the descriptor is the test's own.
        unsafe { libc::close(bare) };
        assert!(listed.contains(&bare));
        assert!(!listed.contains(&marked.as_raw_fd()));
    }
}
