//! Any text as the expression of a hook: where it does not hold its opposite does, and brackets change nothing.
#![no_main]

use hookweave_machine::hook::HookSpec;
use hookweave_machine::json::Json;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::options::Options;
use hookweave_machine::registry::Registry;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

/// Whether a hook with the expression is selected; `None` if the expression is refused.
fn selects(expression: &str) -> Option<bool> {
    let registry = Registry::new(Options::default());
    let spec = HookSpec::new("PreToolUse").matcher(MatcherSpec::default().when(expression));
    registry.register(spec, ()).ok()?;
    let snapshot = registry.snapshot();
    let event = snapshot.event("PreToolUse").expect("an event with a hook");
    let args = json!({"command": "git push", "count": 3, "list": [1, "a", null], "deep": {"x": 1.5}});
    let payload = json!({"tool": "Bash", "args": args, "cwd": "/project", "session": {"id": "s"}});
    let planned = snapshot.plan(&Json, event, &&payload);
    Some(!planned.plan.calls().is_empty())
}

fuzz_target!(|text: &str| {
    let Some(holds) = selects(text) else { return };
    // What ends in a comment, or is as long as an expression may be, is refused in brackets.
    if let Some(in_brackets) = selects(&format!("({text})")) {
        assert_eq!(holds, in_brackets, "brackets change {text:?}");
    }
    if let Some(opposite) = selects(&format!("!({text})")) {
        assert!(holds || opposite, "neither {text:?} nor its opposite selects");
    }
});
