//! Hooks of a project run only when a person approved exactly them.

use hookweave_files::config::discover::{Discovery, discover};
use hookweave_files::config::load::{Configuration, UntrustedHook};
use hookweave_files::config::trust::{Trust, TrustStore, TrustedHook};
use hookweave_machine::error::Code;

use super::{World, claude, executable, runs};

const GUARD: &str = "\"$CLAUDE_PROJECT_DIR\"/.claude/guard.sh";

fn approve_all(world: &World, found: &Configuration) {
    let approvals: Vec<TrustedHook> = found.untrusted.iter().map(|untrusted| untrusted.approval.clone()).collect();
    world.store().approve(&approvals).unwrap();
}

fn whys(found: &Configuration) -> Vec<&str> {
    found.untrusted.iter().map(|untrusted| untrusted.why.as_str()).collect()
}

fn approved_world() -> World {
    let world = World::new();
    world.write("project/.claude/settings.json", &claude("PreToolUse", "Bash", GUARD));
    executable(&world.path("project/.claude/guard.sh"), "#!/bin/sh\nexit 0\n");
    let found = world.discover();
    approve_all(&world, &found);
    assert_eq!(runs(&world.discover()), [GUARD]);
    world
}

#[test]
fn a_projects_hooks_wait_for_approval_and_are_listed() {
    let world = World::new();
    world.write("project/.claude/settings.json", &claude("PreToolUse", "Bash", GUARD));
    world.write("project/.claude/settings.local.json", &claude("Stop", "", "local"));
    world.write("home/.claude/settings.json", &claude("Stop", "", "user"));
    executable(&world.path("project/.claude/guard.sh"), "exit 0");
    let found = world.discover();
    assert_eq!(runs(&found), ["user"]);
    let [guard, local] = found.untrusted.as_slice() else { panic!("{:?}", found.untrusted) };
    assert_eq!(
        (guard.approval.runs.as_str(), guard.approval.event.as_str(), guard.line),
        (GUARD, "PreToolUse", Some(1))
    );
    assert_eq!(guard.scripts, [world.path("project/.claude/guard.sh")]);
    assert!(guard.why.contains("it is not approved"));
    assert_eq!(local.approval.runs, "local");
    assert_eq!(found.found.iter().filter(|found| found.note.is_some()).count(), 2);

    let refused = discover(&Discovery { refuse_untrusted: true, ..world.discovery() }).unwrap_err();
    assert_eq!(refused.code(), Code::UntrustedHook);
    assert!(refused.message().contains("guard.sh"), "{refused}");
    let all = discover(&Discovery { trust: Trust::All, ..world.discovery() }).unwrap();
    assert_eq!(runs(&all).len(), 3);
}

#[test]
fn what_is_approved_runs_and_what_changes_is_untrusted_again() {
    let world = approved_world();
    executable(&world.path("project/.claude/guard.sh"), "#!/bin/sh\ncurl evil\n");
    let found = world.discover();
    assert!(runs(&found).is_empty());
    assert!(whys(&found)[0].contains("changed since it was approved"), "{:?}", whys(&found));

    executable(&world.path("project/.claude/guard.sh"), "#!/bin/sh\nexit 0\n");
    assert_eq!(runs(&world.discover()), [GUARD]);
    for text in [
        claude("PreToolUse", "Bash|Edit", GUARD),
        claude("PostToolUse", "Bash", GUARD),
        claude("PreToolUse", "Bash", GUARD).replacen('{', r#"{"env": {"LEVEL": "none"}, "#, 1),
        claude("PreToolUse", "Bash", "\"$CLAUDE_PROJECT_DIR\"/.claude/guard.sh; curl evil"),
    ] {
        world.write("project/.claude/settings.json", &text);
        let found = world.discover();
        assert!(runs(&found).is_empty(), "{text}");
        assert!(whys(&found)[0].contains("changed"), "{text}: {:?}", whys(&found));
    }
    std::fs::remove_file(world.path("project/.claude/guard.sh")).unwrap();
    world.write("project/.claude/settings.json", &claude("PreToolUse", "Bash", GUARD));
    assert!(runs(&world.discover()).is_empty());
}

#[test]
fn layout_other_keys_and_order_do_not_matter() {
    let world = approved_world();
    let text = claude("PreToolUse", "Bash", GUARD);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let text =
        format!("// moved\n{}", serde_json::to_string_pretty(&value).unwrap()).replacen('{', "{\"model\": \"x\",", 1);
    world.write("project/.claude/settings.json", &text);
    assert_eq!(runs(&world.discover()), [GUARD]);
}

#[test]
fn an_approval_is_for_one_project() {
    let world = approved_world();
    let other = world.path("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    world.write("other/.claude/settings.json", &claude("PreToolUse", "Bash", GUARD));
    executable(&other.join(".claude/guard.sh"), "#!/bin/sh\nexit 0\n");
    let found = discover(&Discovery { cwd: other, ..world.discovery() }).unwrap();
    assert!(runs(&found).is_empty());
}

#[cfg(unix)]
#[test]
fn an_approval_holds_however_somebody_came_to_the_project() {
    let world = approved_world();
    std::os::unix::fs::symlink(world.path("project"), world.path("link")).unwrap();
    let found = discover(&Discovery { cwd: world.path("link"), ..world.discovery() }).unwrap();
    assert_eq!(runs(&found), [GUARD]);
}

#[test]
fn a_missing_script_cannot_be_slipped_in() {
    let world = World::new();
    world.write("project/.claude/settings.json", &claude("Stop", "", "sh later.sh"));
    let found = world.discover();
    approve_all(&world, &found);
    assert_eq!(runs(&world.discover()), ["sh later.sh"]);
    world.write("project/later.sh", "curl evil");
    assert!(runs(&world.discover()).is_empty());
}

#[test]
fn a_broken_store_is_an_error() {
    let world = approved_world();
    world.write("home/.config/hookweave/trust.json", "{");
    let refused = discover(&world.discovery()).unwrap_err();
    assert!(refused.message().contains("move it away"), "{refused}");
}

#[test]
fn a_project_cannot_switch_hooks_off_before_it_is_approved() {
    let world = World::new();
    world.write("home/.claude/settings.json", &claude("Stop", "", "user"));
    world.write("project/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    let found = world.discover();
    assert_eq!(runs(&found), ["user"]);
    let switch: &UntrustedHook = &found.untrusted[0];
    assert!(switch.approval.runs.contains("disable all hooks"), "{switch}");
    approve_all(&world, &found);
    assert!(runs(&world.discover()).is_empty());
}

#[cfg(unix)]
#[test]
fn a_script_that_is_a_pipe_or_endless_hangs_nobody() {
    let world = World::new();
    let pipe = world.path("project/pipe.sh");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    world.write("project/.claude/settings.json", &claude("Stop", "", "./pipe.sh"));
    let found = world.discover();
    assert!(
        found
            .untrusted
            .iter()
            .all(|untrusted| untrusted.approval.fingerprint.is_empty() || untrusted.scripts.is_empty())
    );
    std::fs::remove_file(&pipe).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &pipe).unwrap();
    assert!(runs(&world.discover()).is_empty());
}

#[test]
fn a_loaded_hook_knows_when_its_script_changes() {
    let world = approved_world();
    let found = world.discover();
    let guard = &found.hooks[0].guard;
    guard.check().unwrap();
    executable(&world.path("project/.claude/guard.sh"), "#!/bin/sh\nexit 0\n# more\n");
    let why = guard.check().unwrap_err();
    assert!(why.contains("guard.sh") && why.contains("changed"), "{why}");
}

#[test]
fn a_hook_may_keep_a_log() {
    let world = World::new();
    let log = world.path("project/log.txt");
    let command = format!("jq -r .tool_name >> {} 2>&1", log.display());
    world.write("project/.claude/settings.json", &claude("Stop", "", &command));
    let found = world.discover();
    approve_all(&world, &found);
    let found = world.discover();
    assert_eq!(found.hooks.len(), 1);
    std::fs::write(&log, "Bash\n").unwrap();
    found.hooks[0].guard.check().unwrap();
    assert_eq!(world.discover().hooks.len(), 1);
}

#[test]
fn what_a_hook_runs_beside_its_line_is_shown_and_part_of_the_approval() {
    let world = World::new();
    world.write(
        "project/hookweave.toml",
        "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\ncommand = [\"bash\", \"-o\", \"pipefail\", \"guard\"]\n\
         env = { BASH_ENV = \"hooks/env\" }\n",
    );
    world.write("project/guard", "true");
    world.write("project/hooks/env", "true");
    let found = world.discover();
    let [hook] = found.untrusted.as_slice() else { panic!("{:?}", found.untrusted) };
    assert_eq!(hook.approval.runs, "bash -o pipefail guard (BASH_ENV=hooks/env)");
    assert_eq!(hook.scripts, [world.path("project/hooks/env"), world.path("project/guard")]);
    for script in ["project/guard", "project/hooks/env"] {
        approve_all(&world, &world.discover());
        let loaded = world.discover();
        world.write(script, "curl evil");
        assert!(loaded.hooks[0].guard.check().unwrap_err().contains("changed"), "{script}");
        assert!(whys(&world.discover())[0].contains("changed since it was approved"), "{script}");
    }
}

#[test]
fn a_hook_with_more_scripts_than_anybody_looks_at_cannot_be_approved() {
    let world = World::new();
    let line = (0..80).map(|number| format!("sh hooks/a{number}")).collect::<Vec<_>>().join("; ");
    world.write("project/.claude/settings.json", &claude("Stop", "", &line));
    let found = world.discover();
    assert!(whys(&found)[0].contains("names 64 scripts or more"), "{:?}", whys(&found));
    approve_all(&world, &found);
    assert!(world.discover().hooks.is_empty());
}

/// The events that are closed, with the matchers of those that close them.
fn closed(found: &Configuration) -> Vec<(String, String)> {
    let closed = found.lost.iter().filter_map(|lost| lost.closed.as_ref()).map(|ready| &ready.declared.spec);
    closed
        .map(|spec| {
            (spec.event.clone(), spec.matcher.tool.as_ref().map(|tool| format!("{tool:?}")).unwrap_or_default())
        })
        .collect()
}

const OWN: &str = "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"Bash\"\ncommand = \"./guard.sh\"\n";

/// A project with a guard of its own that is approved.
fn guarded() -> World {
    let world = World::new();
    world.write("project/hookweave.toml", OWN);
    executable(&world.path("project/guard.sh"), "#!/bin/sh\nexit 2\n");
    approve_all(&world, &world.discover());
    let found = world.discover();
    assert_eq!((found.hooks.len(), found.lost.len()), (1, 0), "{found:?}");
    world
}

#[test]
fn what_changed_or_is_gone_since_its_approval_closes_its_gate() {
    type Changing = fn(&World);
    let changes: [(&str, Changing); 6] = [
        ("its script", |world| executable(&world.path("project/guard.sh"), "#!/bin/sh\nexit 2\n# more\n")),
        ("its script", |world| std::fs::remove_file(world.path("project/guard.sh")).unwrap()),
        ("it changed", |world| _ = world.write("project/hookweave.toml", &OWN.replace("Bash", "Read"))),
        ("is gone; put it back, or run `hookweave trust revoke", |world| {
            std::fs::remove_file(world.path("project/hookweave.toml")).unwrap();
        }),
        ("cannot be read now", |world| _ = world.write("project/hookweave.toml", "")),
        ("is gone; put it back, or run `hookweave trust approve`", |world| {
            _ = world.write("project/hookweave.toml", "hookweave = 1\n");
        }),
    ];
    for (at, (why, change)) in changes.into_iter().enumerate() {
        let world = guarded();
        change(&world);
        let found = world.discover();
        let [lost] = found.lost.as_slice() else { panic!("{at}: {:?}", found.lost) };
        assert!(lost.why.contains(why) && lost.why.contains("approved on 20"), "{at}: {}", lost.why);
        assert_eq!(lost.is_taken_out, why.contains("trust approve"), "{}", lost.why);
        assert!(lost.is_taken_out || lost.why.contains("hookweave trust revoke"), "{}", lost.why);
        let closed = closed(&found);
        assert_eq!(closed.len(), 1, "{at}");
        assert_eq!((closed[0].0.as_str(), closed[0].1.contains("Bash")), ("PreToolUse", why == "its script"), "{at}");
        assert!(found.hooks.is_empty());
    }
}

#[test]
fn an_approval_of_what_changed_opens_the_gate_and_so_does_taking_it_back() {
    let world = guarded();
    executable(&world.path("project/guard.sh"), "#!/bin/sh\nexit 0\n");
    approve_all(&world, &world.discover());
    let found = world.discover();
    assert_eq!((found.hooks.len(), found.lost.len(), world.store().approved().unwrap().len()), (1, 0, 1));
    std::fs::remove_file(world.path("project/hookweave.toml")).unwrap();
    let found = world.discover();
    assert_eq!(closed(&found).len(), 1);
    world.store().revoke(&[found.lost[0].approval.fingerprint.as_str()]).unwrap();
    assert!(world.discover().lost.is_empty());
}

#[test]
fn a_repository_that_begins_further_down_or_ends_does_not_end_the_search() {
    let world = guarded();
    std::fs::create_dir_all(world.path("project/sub/.git")).unwrap();
    let sub = || discover(&Discovery { cwd: world.path("project/sub"), ..world.discovery() }).unwrap();
    assert_eq!(runs(&sub()), ["./guard.sh"]);
    std::fs::remove_dir(world.path("project/sub/.git")).unwrap();
    std::fs::rename(world.path("project/.git"), world.path("project/git")).unwrap();
    let found = sub();
    assert_eq!((runs(&found), found.lost.len()), (vec!["./guard.sh".to_owned()], 0));
    std::fs::remove_file(world.path("project/hookweave.toml")).unwrap();
    assert_eq!(closed(&sub()).len(), 1);
}

#[test]
fn a_file_that_is_not_certain_to_run_is_none_of_the_hook() {
    for (line, file) in [
        ("pytest -q tests/test_a.py", "tests/test_a.py"),
        ("npx eslint src/index.js", "src/index.js"),
        ("grep -q 'sh src/index.js' log; cat src/index.js", "src/index.js"),
        ("cat src/index.js; exit 2", "src/index.js"),
        ("python3 -c 'cmd = 1; print(cmd)'", "cmd"),
    ] {
        let world = World::new();
        let entry = format!("hookweave = 1\n[[hooks]]\nevent = \"Stop\"\ncommand = \"{line}\"\n");
        world.write("project/hookweave.toml", &entry);
        world.write(&format!("project/{file}"), "1");
        approve_all(&world, &world.discover());
        assert_eq!(world.discover().hooks.len(), 1, "{line}");
        world.write(&format!("project/{file}"), "2");
        let found = world.discover();
        assert_eq!((runs(&found), found.lost.len()), (vec![line.to_owned()], 0), "{line}: {:?}", found.untrusted);
        found.hooks[0].guard.check_in(None).unwrap();
    }
}

#[test]
fn a_text_that_a_line_runs_closes_its_gate_when_it_changes() {
    for line in ["X=$(cat x.txt); sh -c \\\"$X\\\"", "python3 -c \\\"$(cat x.txt)\\\"", "cat x.txt | sh"] {
        let world = World::new();
        let entry = format!("hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\ncommand = \"{line}\"\n");
        world.write("project/hookweave.toml", &entry);
        world.write("project/x.txt", "exit 2");
        let found = world.discover();
        assert!(whys(&found)[0].contains("the files that it runs cannot be determined"), "{:?}", whys(&found));
        approve_all(&world, &found);
        assert_eq!(world.discover().hooks.len(), 1, "{line}");
        world.write("project/x.txt", "exit 0");
        assert_eq!(closed(&world.discover()).len(), 1, "{line}");
    }
}

#[test]
fn what_only_observed_closes_nothing_and_is_told() {
    let world = World::new();
    world.write(
        "project/hookweave.toml",
        &OWN.replace("PreToolUse", "SessionStart").replace("matcher = \"Bash\"\n", ""),
    );
    executable(&world.path("project/guard.sh"), "#!/bin/sh\n");
    approve_all(&world, &world.discover());
    std::fs::remove_file(world.path("project/hookweave.toml")).unwrap();
    let found = world.discover();
    assert!(closed(&found).is_empty());
    assert!(found.problems[0].message.contains("is gone"), "{:?}", found.problems);
    let refused = discover(&Discovery { refuse_untrusted: true, ..world.discovery() }).unwrap_err();
    assert_eq!(refused.code(), Code::UntrustedHook);
}

#[test]
fn a_store_that_the_project_brings_along_is_refused() {
    let world = guarded();
    world.write("project/.cfg/hookweave/trust.json", "{\"hookweave\": 1, \"approved\": []}");
    let store = TrustStore::at(world.path("project/.cfg/hookweave/trust.json"));
    let refused = discover(&Discovery { store: Some(store), ..world.discovery() }).unwrap_err();
    assert!(refused.message().contains("bring its approvals along"), "{refused}");
}
