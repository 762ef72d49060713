//! A reload: what came, went and changed, and what keeps the old hooks in force.

use hookweave_files::config::discover::{Discovery, discover};
use hookweave_files::config::load::{Configuration, load};
use hookweave_files::config::reload::{Change, Changes, Reload, diff, judge};

use super::{World, claude, executable};

const HOOKWEAVE: &str = "hookweave = 1\n[[hooks]]\nname = \"guard\"\nevent = \"PreToolUse\"\ncommand = \"./guard.sh\"\ntimeout = 20\nfail_behavior = \"block\"\n[hooks.matcher]\ntool = \"Bash|Edit\"\n";

fn changes(world: &World, old: &Configuration, text: &str) -> Changes {
    world.write("project/hookweave.toml", text);
    diff(old, &world.load("project/hookweave.toml"))
}

fn hookweave_world() -> (World, Configuration) {
    let world = World::new();
    executable(&world.path("project/guard.sh"), "exit 0");
    world.write("project/hookweave.toml", HOOKWEAVE);
    let old = world.load("project/hookweave.toml");
    (world, old)
}

#[test]
fn the_same_file_is_no_change_wherever_its_lines_stand() {
    let (world, old) = hookweave_world();
    assert!(changes(&world, &old, HOOKWEAVE).is_empty());
    let moved = HOOKWEAVE.replace("[[hooks]]", "\n# guard\n\n[[hooks]]");
    assert!(changes(&world, &old, &moved).is_empty());
    let second = format!("{HOOKWEAVE}\n[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\n");
    let found = changes(&world, &old, &second);
    assert_eq!((found.added.len(), found.removed.len(), found.changed.len()), (1, 0, 0));
    assert_eq!(found.weakening().count(), 0);
}

#[test]
fn every_weakening_is_named() {
    for (from, to, words) in [
        ("timeout = 20", "timeout = 2", "may run for 2s instead of 20s"),
        ("fail_behavior = \"block\"", "", "failure means something else"),
        ("tool = \"Bash|Edit\"", "tool = \"Bash\"", "its matcher changed"),
        ("./guard.sh", "./other.sh", "runs something else"),
        ("timeout = 20", "timeout = 20\nenabled = false", "switched off"),
        ("fail_behavior = \"block\"", "detached = true", "not awaited any more"),
        ("fail_behavior = \"block\"", "once = true", "only once"),
        ("event = \"PreToolUse\"", "event = \"PostToolUse\"", "is gone"),
        ("command = \"./guard.sh\"", "command = \"./guard.sh\"\ndialect = \"claude-code\"", "is read as claude-code"),
    ] {
        let (world, old) = hookweave_world();
        let found = changes(&world, &old, &HOOKWEAVE.replace(from, to));
        let weaker: Vec<&Change> = found.weakening().collect();
        assert_eq!(weaker.len(), 1, "{to}: {found:?}");
        assert!(weaker[0].weaker.join(", ").contains(words), "{to}: {weaker:?}");
        assert_eq!((weaker[0].name.as_str(), weaker[0].source), ("guard", "project_settings"));
    }
}

#[test]
fn strengthening_is_a_change_and_no_weakening() {
    for (from, to) in [
        ("timeout = 20", "timeout = 60"),
        ("timeout = 20", "timeout = 20\nmandatory = true"),
        ("timeout = 20", "timeout = 20\npriority = -1"),
        ("[hooks.matcher]\ntool = \"Bash|Edit\"\n", ""),
    ] {
        let (world, old) = hookweave_world();
        let found = changes(&world, &old, &HOOKWEAVE.replace(from, to));
        assert_eq!((found.changed.len(), found.weakening().count()), (1, 0), "{to}: {found:?}");
    }
}

#[test]
fn a_removed_hook_and_a_changed_script_weaken() {
    let (world, old) = hookweave_world();
    let found = changes(&world, &old, "hookweave = 1");
    assert_eq!(found.removed[0].weaker, ["is gone"]);
    executable(&world.path("project/guard.sh"), "exit 1");
    let found = changes(&world, &old, HOOKWEAVE);
    assert!(found.changed[0].weaker[0].contains("script changed"));
}

#[test]
fn a_hook_that_lost_its_approval_counts_as_gone() {
    let world = World::new();
    world.write("project/.claude/settings.json", &claude("Stop", "", "sh x.sh"));
    world.write("project/x.sh", "exit 0");
    let waiting = world.discover();
    world.store().approve(&[waiting.untrusted[0].approval.clone()]).unwrap();
    let old = world.discover();
    assert_eq!(old.hooks.len(), 1);
    world.write("project/x.sh", "exit 1");
    let found = diff(&old, &world.discover());
    assert!(found.removed[0].weaker[0].contains("changed since it was approved"), "{found:?}");
}

#[test]
fn a_broken_new_file_keeps_the_old_hooks_and_says_so() {
    let (world, old) = hookweave_world();
    let file = world.write("project/hookweave.toml", "hookweave = 1\n[[hooks]\n");
    let Reload::Kept { message, .. } = judge(&old, load(&file, &world.options())) else { panic!() };
    assert!(message.contains("stay as they were") && message.contains("hookweave.toml:2"), "{message}");

    let world = World::new();
    world.write("home/.claude/settings.json", &claude("Stop", "", "a"));
    let old = world.discover();
    world.write("home/.claude/settings.json", "{\n\"hooks\": {");
    let Reload::Kept { message, .. } = judge(&old, discover(&world.discovery())) else { panic!() };
    assert!(message.contains("settings.json:"), "{message}");
    // So does one that may be read in part.
    let partial = || Discovery { partial: true, ..world.discovery() };
    let Reload::Kept { message, problems } = judge(&old, discover(&partial())) else { panic!() };
    assert_eq!(problems.len(), 1);
    assert!(message.contains("settings.json:"), "{message}");
    world.write("home/.claude/settings.json", "{}");
    let Reload::New { changes, .. } = judge(&old, discover(&world.discovery())) else { panic!() };
    assert_eq!((changes.removed.len(), changes.weakening().count()), (1, 1));
}

#[test]
fn twins_are_told_apart() {
    let world = World::new();
    let twins = |commands: &[&str]| {
        let handlers: Vec<_> =
            commands.iter().map(|command| serde_json::json!({"type": "command", "command": command})).collect();
        serde_json::json!({"hooks": {"Stop": [{"hooks": handlers}]}}).to_string()
    };
    world.write("project/.claude/settings.json", &twins(&["a", "b", "c"]));
    let old = world.load("project/.claude/settings.json");
    world.write("project/.claude/settings.json", &twins(&["b", "c"]));
    let found = diff(&old, &world.load("project/.claude/settings.json"));
    let removed: Vec<_> = found.removed.iter().map(|change| change.name.as_str()).collect();
    assert_eq!((removed, found.changed.len(), found.added.len()), (vec!["a"], 0, 0));
}
