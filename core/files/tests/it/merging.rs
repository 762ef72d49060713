//! Several files together: copies, switches, replacements.

use hookweave_files::config::Run;
use hookweave_files::config::discover::{Discovery, discover};
use hookweave_files::config::load::{Configuration, LoadOptions, load};
use hookweave_files::config::trust::Trust;
use hookweave_machine::decision::Decision;
use hookweave_machine::hook::{Enforcement, Scope};

use super::{World, claude, runs};

fn all(world: &World) -> Configuration {
    discover(&Discovery { trust: Trust::All, ..world.discovery() }).unwrap()
}

#[test]
fn the_same_hook_in_several_settings_files_runs_once_where_its_system_says_so() {
    let world = World::new();
    for file in ["home/.claude/settings.json", "project/.claude/settings.json", "project/.claude/settings.local.json"] {
        world.write(file, &claude("Stop", "", "same"));
    }
    let found = all(&world);
    assert_eq!(runs(&found), ["same"]);
    assert_eq!(found.hooks[0].declared.spec.scope, Scope::User);

    world.write("project/.claude/settings.json", &claude("SubagentStop", "", "same"));
    assert_eq!(runs(&all(&world)), ["same", "same"]);
}

#[test]
fn a_rule_of_two_files_is_enforced_if_one_of_them_enforces_it() {
    let policies = |enforcement: &str, answer: &str| {
        format!(
            r#"{{"hookweave": 1, "policies": {{"use": ["git"], "enforcement": "{enforcement}", "rules": {{"git.push-force": "{answer}"}}}}}}"#
        )
    };
    for (user, project, expected) in [
        (("observe", "block"), ("enforce", "ask"), (Some(Enforcement::Enforce), "ask")),
        (("enforce", "ask"), ("enforce", "block"), (Some(Enforcement::Enforce), "block")),
        // A project's file may not observe, and then says nothing.
        (("enforce", "ask"), ("observe", "block"), (Some(Enforcement::Enforce), "block")),
        (("observe", "ask"), ("observe", "block"), (None, "block")),
    ] {
        let world = World::new();
        world.write("home/.config/hookweave/hookweave.json", &policies(user.0, user.1));
        world.write("project/hookweave.json", &policies(project.0, project.1));
        let found = all(&world);
        let rule =
            found.hooks.iter().find(|hook| hook.declared.spec.name.as_deref() == Some("git.push-force")).unwrap();
        assert_eq!(rule.declared.spec.scope, Scope::User);
        let answer = if matches!(rule.declared.run, Run::Decision(Decision::Ask(_))) { "ask" } else { "block" };
        assert_eq!((rule.declared.spec.enforcement, answer), expected, "{user:?} {project:?}");
    }
}

#[test]
fn the_same_hook_runs_twice_where_its_system_says_so() {
    let world = World::new();
    world.write("project/.wingman/wingman.config.json", &claude("Stop", "", "same"));
    world.write("project/.wingman/agents/coder/agent.json", &claude("Stop", "", "same"));
    let found =
        discover(&Discovery { trust: Trust::All, agent: Some("coder".to_owned()), ..world.discovery() }).unwrap();
    assert_eq!(runs(&found), ["same", "same"]);
    assert_eq!(found.hooks[1].declared.spec.scope, Scope::Agent);
    assert_eq!(runs(&all(&world)), ["same"]);
}

#[test]
fn copies_in_plugins_stay_apart() {
    let world = World::new();
    for file in ["home/.claude/settings.json", "one/hooks/hooks.json", "two/hooks/hooks.json"] {
        world.write(file, &claude("Stop", "", "same"));
    }
    let plugins = vec![world.path("one"), world.path("two")];
    let found = discover(&Discovery { plugins, ..world.discovery() }).unwrap();
    assert_eq!(runs(&found), ["same", "same", "same"]);
}

#[cfg(target_os = "linux")]
#[test]
fn switches_act_on_their_own_dialect_and_never_on_managed_hooks() {
    let world = World::new();
    let managed = "machine/etc/claude-code/managed-settings.json";
    world.write(managed, &claude("Stop", "", "managed"));
    world.write("home/.claude/settings.json", &claude("Stop", "", "user"));
    world.write("home/.codex/hooks.json", &claude("Stop", "", "codex"));
    world.write("project/.claude/settings.json", &claude("Stop", "", "project"));
    let switch = |text: &str| {
        world.write("project/.claude/settings.local.json", text);
        runs(&all(&world))
    };
    assert_eq!(switch(r#"{"disableAllHooks": true}"#), ["managed", "codex"]);
    assert_eq!(switch(r#"{"disableAllHooks": false}"#), ["managed", "user", "codex", "project"]);
    // Only the administrator can exclude all others.
    assert_eq!(switch(r#"{"allowManagedHooksOnly": true}"#), ["managed", "user", "codex", "project"]);
    let text = claude("Stop", "", "managed").replacen('{', r#"{"allowManagedHooksOnly": true,"#, 1);
    world.write(managed, &text);
    assert_eq!(switch("{}"), ["managed", "codex"]);
    // The administrator's settings count before all others.
    let text = claude("Stop", "", "managed").replacen('{', r#"{"disableAllHooks": false,"#, 1);
    world.write(managed, &text);
    assert_eq!(switch(r#"{"disableAllHooks": true}"#), ["managed", "user", "codex", "project"]);
}

#[test]
fn gemini_hooks_are_switched_off_by_name_and_run_in_sequence_together() {
    let world = World::new();
    let hooks = |extra: &str, name: &str, sequential: bool| {
        format!(
            r#"{{"hooks": {{{extra} "BeforeTool": [{{"sequential": {sequential}, "hooks": [{{"type": "command", "command": "c-{name}", "name": "{name}"}}]}}]}}}}"#
        )
    };
    world.write("home/.gemini/settings.json", &hooks("", "one", false));
    world.write("project/.gemini/settings.json", &hooks("", "two", true));
    let found = all(&world);
    assert_eq!(runs(&found), ["c-one", "c-two"]);
    assert!(found.hooks.iter().all(|ready| ready.declared.spec.group.is_none()));
    world.write("project/.gemini/settings.json", &hooks(r#""disabled": ["one"],"#, "two", false));
    let found = all(&world);
    assert_eq!(runs(&found), ["c-two"]);
    assert_eq!(found.hooks[0].declared.spec.group, Some("gemini-cli"));
}

#[test]
fn webhooks_go_only_where_the_lists_allow() {
    let world = World::new();
    world.write(
        "home/.claude/settings.json",
        r#"{"allowedHttpHookUrls": ["https://good.example/*"], "httpHookAllowedEnvVars": ["GOOD"], "hooks": {"Stop": [{"hooks": [
{"type": "http", "url": "https://good.example/x", "allowedEnvVars": ["GOOD", "BAD"], "headers": {"A": "$GOOD$BAD"}},
{"type": "http", "url": "https://bad.example/x"}]}]}}"#,
    );
    let found = all(&world);
    assert_eq!(runs(&found), ["POST https://good.example/x"]);
    let hookweave_files::config::Run::Webhook(webhook) = &found.hooks[0].declared.run else { panic!() };
    assert_eq!(webhook.allowed_env, ["GOOD"]);
    let [problem] = found.problems.as_slice() else { panic!("{:?}", found.problems) };
    assert_eq!((problem.line, problem.fatal), (Some(3), true));
}

#[test]
fn a_variable_that_is_not_set_is_told_at_load() {
    let world = World::new();
    world.write(
        "home/.config/cocode/hooks.toml",
        "[[hooks]]\nevent = \"PreToolUse\"\n[hooks.webhook]\nurl = \"https://h.example\"\nheaders = { A = \"${HOOKWEAVE_TEST_UNSET}\" }\n",
    );
    let found = all(&world);
    assert_eq!(found.hooks.len(), 1);
    assert!(found.problems[0].message.contains("HOOKWEAVE_TEST_UNSET"), "{:?}", found.problems);
}

fn hook_file(name: &str, command: &str, extra: &str) -> String {
    format!("hookweave = 1\n[[hooks]]\nname = \"{name}\"\nevent = \"PreToolUse\"\ncommand = \"{command}\"\n{extra}\n")
}

#[test]
fn an_agents_own_hook_takes_the_place_of_a_wider_one() {
    let world = World::new();
    world.write("project/hookweave.toml", &hook_file("lint", "wide", ""));
    world.write("project/.hookweave/agents/coder.toml", &hook_file("lint", "narrow", "override = true"));
    let agent = |trust| Discovery { trust, agent: Some("coder".to_owned()), ..world.discovery() };
    let found = discover(&agent(Trust::All)).unwrap();
    assert_eq!((runs(&found), found.problems.len()), (vec!["narrow".to_owned()], 0));
    // A hook that is not approved replaces nothing.
    let load_user = world.write("home/.config/hookweave/hookweave.toml", &hook_file("lint", "user", ""));
    std::fs::remove_file(world.path("project/hookweave.toml")).unwrap();
    let found = discover(&agent(Trust::Approved)).unwrap();
    assert_eq!(runs(&found), ["user"]);
    std::fs::remove_file(load_user).unwrap();
    let found = discover(&agent(Trust::All)).unwrap();
    assert!(found.problems[0].message.contains("no hook `lint` to replace"), "{:?}", found.problems);

    world.write("project/.hookweave/agents/coder.toml", &hook_file("lint", "narrow", ""));
    world.write("project/hookweave.toml", &hook_file("lint", "wide", ""));
    assert_eq!(runs(&discover(&agent(Trust::All)).unwrap()), ["wide", "narrow"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_managed_hook_cannot_be_replaced() {
    let world = World::new();
    world.write("machine/etc/hookweave/hookweave.toml", &hook_file("lint", "managed", ""));
    world.write("project/.hookweave/agents/coder.toml", &hook_file("lint", "narrow", "override = true"));
    let found =
        discover(&Discovery { trust: Trust::All, agent: Some("coder".to_owned()), ..world.discovery() }).unwrap();
    assert_eq!(runs(&found), ["managed", "narrow"]);
    assert!(found.problems[0].message.contains("cannot be replaced"), "{:?}", found.problems);
}

#[test]
fn only_an_agents_file_replaces() {
    let world = World::new();
    let file = world.write("project/hookweave.toml", &hook_file("lint", "x", "override = true"));
    assert!(load(&file, &world.options()).unwrap_err().message().contains("only an agent's own file"));
    let agent = load(&file, &LoadOptions { scope: Scope::Agent, ..world.options() }).unwrap();
    assert_eq!(agent.hooks.len(), 1);
}

#[test]
fn a3s_defaults_reach_the_client() {
    let world = World::new();
    world.write("project/a3s.json", r#"{"hooks": {"maxTotalHooks": 7, "defaultTimeout": 5000}}"#);
    let loaded = world.load("project/a3s.json");
    assert_eq!(loaded.options.get("max_total_hooks"), Some(&7.into()));
}
