//! Commands that change one file at the same time.

use crate::support::Place;

const EVENTS: [&str; 8] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "Stop",
    "PreCompact",
    "SessionEnd",
];

#[test]
fn installations_at_once_lose_no_entry() {
    let place = Place::new();
    let install = |event: &str| {
        place.run(&format!("hookweave install claude-code --scope local --source hookweave --yes --event {event}"))
    };
    let printed: Vec<String> = std::thread::scope(|scope| {
        let all: Vec<_> = EVENTS.iter().map(|event| scope.spawn(move || install(event))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let settings = std::fs::read_to_string(place.project.join(".claude/settings.local.json")).unwrap();
    let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
    for (event, printed) in EVENTS.iter().zip(&printed) {
        assert!(settings["hooks"].get(event).is_some(), "{event}: {printed}\n{settings}");
        assert!(!printed.contains("changed meanwhile"), "{event}: {printed}");
    }
}
