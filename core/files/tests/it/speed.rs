//! How long loading takes; printed, not asserted, since machines differ.

use std::fmt::Write as _;
use std::time::Instant;

use super::World;

#[test]
fn fifty_hooks_are_loaded() {
    let world = World::new();
    let mut text = "hookweave = 1\n".to_owned();
    let mut handlers = Vec::new();
    for number in 0..50 {
        let script = format!("project/hooks/guard-{number}.sh");
        world.write(&script, "#!/bin/sh\nexit 0\n");
        write!(text, "[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"./hooks/guard-{number}.sh\"\n[hooks.matcher]\ntool_pattern = \"^(Bash|Edit)$\"\n").unwrap();
        handlers.push(serde_json::json!({"type": "command", "command": format!("\"$CLAUDE_PROJECT_DIR\"/hooks/guard-{number}.sh")}));
    }
    world.write("project/hookweave.toml", &text);
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "^(Bash|Edit)$", "hooks": handlers}]}});
    world.write("project/.claude/settings.json", &settings.to_string());
    for file in ["project/hookweave.toml", "project/.claude/settings.json"] {
        let times: Vec<_> = (0..5)
            .map(|_| {
                let begun = Instant::now();
                let loaded = world.load(file);
                assert_eq!(loaded.hooks.len(), 50);
                begun.elapsed()
            })
            .collect();
        println!("{file}: 50 hooks in {:?}", times.iter().min().unwrap());
    }
}
