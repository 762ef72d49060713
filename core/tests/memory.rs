//! What a client costs in memory: a program may have one for each request.

#![expect(unsafe_code, reason = "an allocator that counts is one by trait alone")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hookweave::audit::Audit;
use hookweave_host::file_hook::{Runtime, Settings};
use hookweave_host::hook::HookSpec;
use hookweave_host::options::Options;
use hookweave_host::registry::Registry;

thread_local! {
    /// Bytes that this thread has and has not given back.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

fn count(bytes: usize, sign: isize) {
    // A thread that ends has no counter any more.
    _ = HELD.try_with(|held| held.set(held.get() + sign * isize::try_from(bytes).unwrap_or(0)));
}

// SAFETY: everything is the system's allocator's; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What making something leaves behind, in bytes.
fn held_by<R>(make: impl FnOnce() -> R) -> (R, isize) {
    let before = HELD.get();
    let made = make();
    (made, HELD.get() - before)
}

#[test]
fn a_client_costs_little() {
    let make = || Registry::<()>::new(Options::default());
    // What all clients share is made with the first one.
    make().resolve("Stop").unwrap();
    let (registry, empty) = held_by(make);
    assert!(empty < 4096, "a registry without hooks holds {empty} bytes");
    let (_, hook) = held_by(|| registry.register(HookSpec::new("PreToolUse"), ()).unwrap());
    let (snapshot, indexed) = held_by(|| registry.snapshot());
    assert!(hook + indexed < 8192, "a hook holds {hook} bytes, and {indexed} where it is looked up");
    let (_runtime, runtime) = held_by(|| Runtime::new(Settings::default()));
    let (_audit, log) = held_by(Audit::new);
    assert!(runtime + log < 4096, "what runs commands holds {runtime} bytes, and a log that is not open {log}");
    let ((), freed) = held_by(|| drop((snapshot, registry)));
    assert!(empty + hook + indexed + freed < 512, "{freed} bytes were given back");
}
