//! A command in front of any text stays visible: its guard looks, and no allow of another command covers the line.
#![no_main]

use std::sync::{Arc, LazyLock};

use hookweave_machine::hook::HookSpec;
use hookweave_machine::index::{Call, Snapshot};
use hookweave_machine::json::Json;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

static ALLOW: LazyLock<Arc<Snapshot<()>>> = LazyLock::new(|| snapshot("Bash(git *)"));
static GUARD: LazyLock<Arc<Snapshot<()>>> = LazyLock::new(|| snapshot("Bash(touch *)"));

fn snapshot(rule: &str) -> Arc<Snapshot<()>> {
    let registry = Registry::new(Options::default());
    let spec = HookSpec::new("PreToolUse").matcher(MatcherSpec::default().rule(rule));
    registry.register(spec, ()).expect("a rule");
    registry.snapshot()
}

/// Whether the hook is selected, and whether an allow of it would cover the whole line.
fn judge(snapshot: &Snapshot<()>, line: &str) -> (bool, bool) {
    let payload = json!({"tool": "Bash", "args": {"command": line}, "cwd": "/"});
    let event = snapshot.event("PreToolUse").expect("an event with a hook");
    let planned = snapshot.plan(&Json, event, &&payload);
    let first = planned.plan.calls().first();
    (first.is_some(), first.is_some_and(Call::grants_all))
}

fuzz_target!(|text: &str| {
    _ = hookweave_command::summary(text);
    _ = judge(&ALLOW, text);
    // A shell runs the first line before it reads the second.
    let line = format!("touch marked\n{text}");
    assert!(judge(&GUARD, &line).0, "the guard of `touch` does not see {line:?}");
    assert!(!judge(&ALLOW, &line).1, "an allow of `git` covers {line:?}");
});
