//! Hooks that come and go on one thread while others dispatch.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;

use hookweave::{Engine, Event, FailBehavior, HookResponse};
use serde_json::json;

/// How often a hook comes and goes; `HOOKWEAVE_RACES` sets another number.
fn rounds() -> u32 {
    std::env::var("HOOKWEAVE_RACES").ok().and_then(|text| text.parse().ok()).unwrap_or(300)
}

/// Whether a dispatch is blocked. Every hook here is done at once, so that no runtime is needed.
fn is_blocked(engine: &Engine) -> bool {
    let mut dispatch = pin!(engine.dispatch(Event::pre_tool_use("Bash", json!({"command": "ls"}))));
    match dispatch.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => outcome.unwrap().blocked(),
        Poll::Pending => false,
    }
}

/// Counts the changes of the hooks; after an odd number the block holds, after an even one it does not.
#[derive(Default)]
struct Changes {
    begun: AtomicU32,
    returned: AtomicU32,
    over: AtomicBool,
}

impl Changes {
    fn make<R>(&self, change: impl FnOnce() -> R) -> R {
        self.begun.fetch_add(1, Ordering::AcqRel);
        let result = change();
        self.returned.fetch_add(1, Ordering::AcqRel);
        result
    }

    /// Dispatches until all is over; gives how many dispatches beside no change there were, and how many of them were wrong.
    fn dispatch(&self, engine: &Engine) -> (u32, u32) {
        let (mut settled, mut wrong) = (0, 0);
        // At least one, also where this thread comes to it when all is over.
        while settled == 0 || !self.over.load(Ordering::Acquire) {
            let returned = self.returned.load(Ordering::Acquire);
            let blocked = is_blocked(engine);
            if self.begun.load(Ordering::Acquire) == returned {
                settled += 1;
                wrong += u32::from(blocked != (returned % 2 == 1));
            }
        }
        (settled, wrong)
    }
}

/// Puts a block in and out again beside two threads that dispatch.
fn race(others: usize, put_in: impl Fn(&Engine) -> String, take_out: impl Fn(&Engine, &str)) {
    let engine = Engine::builder().max_hooks_per_event(None).max_total_hooks(None).build().unwrap();
    for _ in 0..others {
        // They never match, and make the index take a while.
        engine.on("PreToolUse").tool("Other").run(|_: &Event| HookResponse::allow()).unwrap();
    }
    let changes = Arc::new(Changes::default());
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let (engine, changes) = (engine.clone(), Arc::clone(&changes));
            thread::spawn(move || changes.dispatch(&engine))
        })
        .collect();
    for _ in 0..rounds() {
        let id = changes.make(|| put_in(&engine));
        assert!(is_blocked(&engine), "the thread that registered the hook began a dispatch without it");
        thread::yield_now();
        changes.make(|| take_out(&engine, &id));
        assert!(!is_blocked(&engine), "the thread that took the hook out began a dispatch with it");
        thread::yield_now();
    }
    changes.over.store(true, Ordering::Release);
    let seen: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(seen.iter().all(|(settled, _)| *settled > 0), "nothing was seen: {seen:?}");
    assert!(seen.iter().all(|(_, wrong)| *wrong == 0), "(dispatches, wrong ones) of each thread: {seen:?}");
}

fn register(engine: &Engine) -> String {
    engine.on("PreToolUse").fail_behavior(FailBehavior::Block).run(|_: &Event| HookResponse::block("no")).unwrap()
}

#[test]
fn registered_hooks_are_never_missed_and_removed_ones_never_run() {
    for others in [0, 500] {
        race(others, register, |engine, id| assert!(engine.unregister_hook(id)));
    }
}

#[test]
fn switched_hooks_are_on_and_off_for_every_thread() {
    let id = std::sync::OnceLock::new();
    let put_in = |engine: &Engine| {
        let id = id.get_or_init(|| register(engine));
        engine.enable_hook(id).unwrap();
        id.clone()
    };
    race(100, put_in, |engine, id| engine.disable_hook(id).unwrap());
}
