//! Killing all that a command started.
//!
//! Most of it is in the leader's process group, and one call reaches that. Tools such as `timeout`, and shells with job
//! control, make groups of their own within the session; Linux lists those. What left the session is reached only at
//! a timeout or a cancellation, while its parents still live to be followed.

use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};

/// How often the lists are read again for what was started while they were read.
#[cfg(any(target_os = "linux", target_os = "android"))]
const ROUNDS: usize = 16;

/// A run so short that process numbers cannot have gone once around since it began.
#[cfg(any(target_os = "linux", target_os = "android"))]
const SHORT: std::time::Duration = std::time::Duration::from_millis(500);

/// As many numbers are asked for one by one; beyond, reading the list is cheaper.
#[cfg(any(target_os = "linux", target_os = "android"))]
const FEW: i32 = 2000;

/// Kills the session of a leader that still runs, and its descendants in other sessions.
pub(super) fn kill_all(leader: Pid) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let descendants = linux::descendants(leader);
    let _ = kill_process_group(leader, Signal::KILL);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        linux::kill(&descendants);
        kill_listed(leader, linux::all);
    }
}

/// Kills what a leader that was started then has left in its session; it has exited and was not waited for.
pub(super) fn kill_leftovers(leader: Pid, since: Instant) {
    let _ = kill_process_group(leader, Signal::KILL);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        let short = hookweave_clock::now().saturating_duration_since(since) < SHORT;
        kill_listed(leader, || match linux::started_after(leader) {
            Some(numbers) if short && numbers.len() <= usize::try_from(FEW).unwrap_or_default() => {
                numbers.filter_map(Pid::from_raw).collect()
            }
            _ => linux::all(),
        });
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = since;
}

/// Kills the members of the session among the listed processes until a list has none.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn kill_listed(leader: Pid, list: impl Fn() -> Vec<Pid>) {
    for _ in 0..ROUNDS {
        if list().into_iter().filter(|process| *process != leader && linux::kill_member(*process, leader)).count() == 0
        {
            return;
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux {
    use std::ops::Range;
    use std::os::fd::OwnedFd;

    use hookweave_spawn::session_of;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    /// More than a hook has any use for; a fork bomb is left to the limits of the system.
    const MOST: usize = 10_000;

    /// Kills a process if it is of the session and was not killed before; says whether it did.
    pub(super) fn kill_member(process: Pid, session: Pid) -> bool {
        let is_member = || session_of(process.as_raw_pid()) == Some(session.as_raw_pid());
        if !is_member() {
            return false;
        }
        let Ok(held) = pidfd_open(process, PidfdFlags::empty()) else { return false };
        // Asked again, now that the number cannot come to mean another process unnoticed.
        is_member() && !is_zombie(process) && pidfd_send_signal(&held, Signal::KILL).is_ok()
    }

    /// A killed process is listed until its parent has waited for it.
    fn is_zombie(process: Pid) -> bool {
        let Ok(status) = std::fs::read_to_string(format!("/proc/{process}/stat")) else { return true };
        let after_name = status.rfind(')').and_then(|at| status.get(at + 1..)).unwrap_or_default();
        after_name.trim_start().starts_with(['Z', 'X'])
    }

    /// The numbers given to processes since the leader's, when they have not gone around.
    pub(super) fn started_after(leader: Pid) -> Option<Range<i32>> {
        let load = std::fs::read_to_string("/proc/loadavg").ok()?;
        let newest: i32 = load.split_ascii_whitespace().last()?.parse().ok()?;
        let first = leader.as_raw_pid() + 1;
        (newest + 1 >= first).then_some(first..newest + 1)
    }

    /// Every process that the system shows.
    pub(super) fn all() -> Vec<Pid> {
        let listed = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        listed.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)).collect()
    }

    /// The children of a living process, their children and so on, each held by a descriptor.
    pub(super) fn descendants(of: Pid) -> Vec<OwnedFd> {
        let mut held = Vec::new();
        let mut parents = vec![of];
        while let Some(parent) = parents.pop() {
            for child in children(parent) {
                if held.len() == MOST {
                    return held;
                }
                // Held first and then found to be the child still: so it cannot be another process.
                let Ok(descriptor) = pidfd_open(child, PidfdFlags::empty()) else { continue };
                if children(parent).contains(&child) {
                    held.push(descriptor);
                    parents.push(child);
                }
            }
        }
        held
    }

    fn children(parent: Pid) -> Vec<Pid> {
        let threads = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        let lists = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
        lists
            .flat_map(|list| list.split_ascii_whitespace().filter_map(|number| number.parse().ok()).collect::<Vec<_>>())
            .filter_map(Pid::from_raw)
            .collect()
    }

    pub(super) fn kill(held: &[OwnedFd]) {
        for descriptor in held {
            let _ = pidfd_send_signal(descriptor, Signal::KILL);
        }
    }
}
