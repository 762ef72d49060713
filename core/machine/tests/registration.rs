//! What registering hooks costs when there are many, and that limits count what is there.
//!
//! Alone in its program, since it compares times.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a test ends with a message, and watches the clock")]

use std::time::{Duration, Instant};

use hookweave_machine::hook::HookSpec;
use hookweave_machine::json::Json;
use hookweave_machine::options::Options;
use hookweave_machine::registry::HookId;
use hookweave_machine::registry::Registry;
use serde_json::json;

/// Hooks of the smaller and of the larger registry.
const FEW: usize = 500;
const TIMES_AS_MANY: usize = 16;

fn spec(number: usize) -> HookSpec {
    // A priority each, so that no hook simply goes to the end.
    HookSpec::new("PreToolUse").priority(i32::try_from(number * 7919 % 1000).unwrap())
}

/// Registers so many hooks and takes all of them out again.
fn fill_and_empty(count: usize) -> Duration {
    let options = json!({"max_hooks_per_event": null, "max_total_hooks": null});
    let registry = Registry::new(Options::read(&Json, &&options).unwrap());
    let began = Instant::now();
    let ids: Vec<HookId> = (0..count).map(|number| registry.register(spec(number), ()).unwrap()).collect();
    for id in ids {
        assert!(registry.unregister(id));
    }
    began.elapsed()
}

fn least(measure: impl Fn() -> Duration) -> f64 {
    std::iter::repeat_with(measure).take(5).min().unwrap().as_secs_f64()
}

#[test]
fn a_hook_more_costs_no_look_at_all_others() {
    // As much work in as much time: a busy machine interrupts both alike.
    let together = || fill_and_empty(FEW * TIMES_AS_MANY);
    let apart = || (0..TIMES_AS_MANY).map(|_| fill_and_empty(FEW)).sum();
    // In proportion it is 1, with a look at each other hook over 6.
    let ratio = || least(together) / least(apart);
    let end = Instant::now() + Duration::from_secs(120);
    let ratios: Vec<f64> =
        std::iter::repeat_with(ratio).take_while(|ratio| *ratio >= 3.5 && Instant::now() < end).collect();
    assert!(Instant::now() < end, "so many hooks in one registry took as many times as long as in some: {ratios:.0?}");
}

#[test]
fn limits_count_the_hooks_that_are_there() {
    let options = json!({"max_hooks_per_event": 2, "max_total_hooks": 3});
    let registry = Registry::new(Options::read(&Json, &&options).unwrap());
    let register = |event: &str| registry.register(HookSpec::new(event), ());
    let first = register("PreToolUse").unwrap();
    register("PreToolUse").unwrap();
    assert!(register("pre_tool_use").unwrap_err().message().contains("2 hooks are registered for PreToolUse"));
    register("Stop").unwrap();
    assert!(register("Stop").unwrap_err().message().contains("3 hooks are registered"));
    assert!(registry.unregister(first));
    assert!(!registry.unregister(first), "a hook is counted once");
    register("PreToolUse").unwrap();
    assert!(register("Stop").is_err());
    registry.clear();
    register("PreToolUse").unwrap();
    register("PreToolUse").unwrap();
    assert!(register("PreToolUse").unwrap_err().message().contains("2 hooks are registered for PreToolUse"));
}
