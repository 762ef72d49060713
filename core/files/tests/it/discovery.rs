//! Recognising one file, and finding all of them.

use hookweave_dialects::described::system;
use hookweave_files::config::discover::{Discovery, discover};
use hookweave_files::config::load::{Configuration, LoadOptions, load};
use hookweave_files::config::trust::Trust;
use hookweave_files::config::{Format, recognise};
use hookweave_machine::error::Code;
use hookweave_machine::hook::Scope;

use super::{World, claude, runs};

const CURSOR: &str = r#"{"version": 1, "hooks": {"stop": [{"command": "cursor"}]}}"#;
const COPILOT: &str = r#"{"version": 1, "hooks": {"agentStop": [{"bash": "copilot"}]}}"#;
const GEMINI: &str = r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "gemini"}]}]}}"#;
const COCODE: &str = "[[hooks]]\nevent = \"PreToolUse\"\n[hooks.shell]\ncommand = \"cocode\"\n";
const HOOKWEAVE: &str = "hookweave = 1\n[[hooks]]\nevent = \"Stop\"\ncommand = \"hookweave\"\n";

#[test]
fn files_are_recognised_by_name_place_and_shape() {
    for (file, text, format, says) in [
        ("/p/.claude/settings.json", "{}", Format::Claude, ""),
        ("/p/managed-settings.json", "{}", Format::Claude, ""),
        ("/p/.codex/hooks.json", "{}", Format::CodexJson, ""),
        ("/p/.codex/config.toml", "", Format::CodexToml, ""),
        ("/p/.gemini/settings.json", "{}", Format::Gemini, ""),
        ("/p/.cursor/hooks.json", "{}", Format::Cursor, ""),
        ("/p/.github/hooks/a.json", "{}", Format::Copilot, ""),
        ("/p/.factory/hooks.json", "{}", Format::Described(system("factory").unwrap()), ""),
        ("/p/.wingman/wingman.config.json", "{}", Format::Wingman, ""),
        ("/p/.wingman/agents/coder/agent.json", "{}", Format::Wingman, ""),
        ("/p/.cocode/hooks.toml", "", Format::Cocode, ""),
        ("/p/hookweave.toml", "", Format::HookweaveToml, ""),
        ("/p/hookweave.json", "", Format::HookweaveJson, ""),
        ("/p/x.json", r#"{"hooks": {"PreToolUse": [{"hooks": []}]}}"#, Format::Claude, "dialect=\"wingman\""),
        ("/p/x.json", r#"{"hooks": {"SessionStart": [{"hooks": []}]}}"#, Format::Claude, "dialect=\"codex\""),
        ("/p/x.json", r#"{"toolHooks": {}}"#, Format::Wingman, ""),
        ("/p/x.json", GEMINI, Format::Gemini, ""),
        ("/p/x.json", CURSOR, Format::Cursor, "copilot"),
        ("/p/x.json", COPILOT, Format::Copilot, ""),
        ("/p/x.json", r#"{"hooks": {"maxTotalHooks": 5}}"#, Format::A3s, ""),
        ("/p/x.json", r#"{"hookweave": 1}"#, Format::HookweaveJson, ""),
        ("/p/x.toml", COCODE, Format::Cocode, "hookweave"),
        ("/p/x.toml", HOOKWEAVE, Format::HookweaveToml, ""),
        ("/p/x.toml", "[[hooks.Stop]]\nhooks = []", Format::CodexToml, ""),
    ] {
        let recognised = recognise(file.as_ref(), text, None).unwrap();
        assert_eq!(recognised.format, format, "{file} {text}");
        let because = recognised.because.unwrap_or_default();
        assert_eq!(because.is_empty(), says.is_empty(), "{file} {text}: {because}");
        assert!(because.contains(says), "{file} {text}: {because}");
    }
    for (file, text) in [("/p/x.json", "{}"), ("/p/x.json", "{"), ("/p/x.toml", "a = 1"), ("/p/x.yaml", "hooks:")] {
        assert_eq!(recognise(file.as_ref(), text, None).unwrap_err().code(), Code::InvalidConfig, "{file} {text}");
    }
    assert_eq!(recognise("/p/x".as_ref(), "{}", Some("wingman")).unwrap().format, Format::Wingman);
    assert_eq!(recognise("/p/x".as_ref(), "{}", Some("wingmann")).unwrap_err().code(), Code::UnknownDialect);
    assert_eq!(recognise("/p/x.toml".as_ref(), "", Some("gemini-cli")).unwrap_err().code(), Code::InvalidConfig);
}

#[test]
fn a_named_file_is_trusted_and_its_mistakes_are_told() {
    let world = World::new();
    let file = world.write("project/.claude/settings.json", &claude("Stop", "", "a"));
    let loaded = world.load("project/.claude/settings.json");
    assert_eq!(runs(&loaded), ["a"]);
    assert_eq!(loaded.project_dir, Some(world.path("project")));
    assert!(loaded.untrusted.is_empty());

    std::fs::write(
        &file,
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command"}, {"type": "command", "command": "b"}]}]}}"#,
    )
    .unwrap();
    let whole = load(&file, &world.options()).unwrap_err();
    assert!(whole.message().contains("`command` is missing") && whole.message().contains("`partial`"), "{whole}");
    let loaded = load(&file, &LoadOptions { partial: true, ..world.options() }).unwrap();
    assert_eq!((runs(&loaded), loaded.problems.len()), (vec!["b".to_owned()], 1));
    let strict = load(&file, &LoadOptions { strict: true, ..world.options() }).unwrap_err();
    assert_eq!(strict.code(), Code::InvalidConfig);
    assert!(strict.message().contains("settings.json:1:32 (hooks.Stop[0].hooks[0]): `command` is missing"), "{strict}");

    std::fs::write(&file, "{\n  \"hooks\": {\n").unwrap();
    let broken = load(&file, &world.options()).unwrap_err();
    assert!(broken.message().contains("settings.json:"), "{broken}");
    assert!(load(&world.path("project/none.json"), &world.options()).unwrap_err().message().contains("cannot be read"));
    assert!(load(&world.path("project"), &world.options()).is_err());
}

#[test]
fn a_scope_is_set_by_who_loads() {
    let world = World::new();
    let file = world.write("home/.claude/settings.json", &claude("Stop", "", "a"));
    let loaded = load(&file, &LoadOptions { scope: Scope::Managed, ..world.options() }).unwrap();
    assert_eq!(loaded.hooks[0].declared.spec.scope, Scope::Managed);
    assert_eq!(loaded.project_dir, None);
}

// The administrator's files stand elsewhere on other systems.
#[cfg(target_os = "linux")]
#[test]
fn every_system_is_found_at_its_usual_places_in_the_order_of_scopes() {
    let world = World::new();
    for (file, text) in [
        ("machine/etc/claude-code/managed-settings.json", claude("Stop", "", "claude managed")),
        ("machine/etc/claude-code/managed-settings.d/1.json", claude("Stop", "", "claude managed too")),
        ("home/.claude/settings.json", claude("Stop", "", "claude user")),
        ("project/.claude/settings.json", claude("Stop", "", "claude project")),
        ("project/.claude/settings.local.json", claude("Stop", "", "claude local")),
        ("project/a/.claude/settings.json", claude("Stop", "", "claude inner")),
        ("home/.codex/hooks.json", claude("Stop", "", "codex user")),
        (
            "project/.codex/config.toml",
            "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"codex\"".to_owned(),
        ),
        ("project/.gemini/settings.json", GEMINI.to_owned()),
        ("project/.cursor/hooks.json", CURSOR.to_owned()),
        ("project/.github/hooks/b.json", COPILOT.to_owned()),
        ("project/.factory/hooks.json", claude("Stop", "", "factory")),
        ("project/.wingman/wingman.config.json", claude("Stop", "", "wingman")),
        ("project/.wingman/agents/coder/agent.json", claude("Stop", "", "wingman agent")),
        ("home/.config/cocode/hooks.toml", COCODE.to_owned()),
        ("project/hookweave.toml", HOOKWEAVE.to_owned()),
        ("plugin/hooks/hooks.json", claude("Stop", "", "plugin")),
    ] {
        world.write(file, &text);
    }
    let discovery = Discovery {
        cwd: world.path("project/a"),
        trust: Trust::All,
        agent: Some("coder".to_owned()),
        plugins: vec![world.path("plugin")],
        ..world.discovery()
    };
    let found = discover(&discovery).unwrap();
    assert_eq!(found.problems, []);
    assert_eq!(
        runs(&found),
        [
            "claude managed",
            "claude managed too",
            "claude user",
            "codex user",
            "cocode",
            "plugin",
            "claude project",
            "codex",
            "gemini",
            "cursor",
            "factory",
            "wingman",
            "hookweave",
            "copilot",
            "claude inner",
            "claude local",
            "wingman agent",
        ]
    );
    let scopes: Vec<Scope> = found.hooks.iter().map(|ready| ready.declared.spec.scope).collect();
    assert!(scopes.is_sorted(), "{scopes:?}");
    assert_eq!(found.found.len(), 17);
    assert_eq!(found.project_dir, Some(world.path("project")));
    assert!(found.watched.contains(&world.path("project/a/hookweave.local.toml")));

    let only = |sources: &[&str]| {
        let sources = sources.iter().map(|&source| source.to_owned()).collect();
        discover(&Discovery { sources, ..discovery.clone() }).map(|found| runs(&found))
    };
    assert_eq!(only(&["gemini-cli", "cursor"]).unwrap(), ["gemini", "cursor"]);
    assert_eq!(only(&["local"]).unwrap(), ["claude local"]);
    assert_eq!(only(&["codex", "user"]).unwrap(), ["codex user"]);
    let error = only(&["claude"]).unwrap_err();
    assert!(error.message().contains("did you mean `claude-code`?"), "{error}");
}

#[test]
fn missing_files_are_no_errors_and_broken_ones_are_told() {
    let world = World::new();
    let empty = world.discover();
    assert!(empty.hooks.is_empty() && empty.problems.is_empty() && empty.found.is_empty());
    world.write("home/.claude/settings.json", "{");
    world.write("home/.codex/hooks.json", &claude("Stop", "", "a"));
    std::fs::create_dir_all(world.path("home/.gemini/settings.json")).unwrap();
    std::fs::create_dir_all(world.path("home/.cursor")).unwrap();
    std::fs::write(world.path("home/.cursor/hooks.json"), [0xff, 0xfe]).unwrap();
    let refused = discover(&world.discovery()).unwrap_err();
    for named in [".claude/settings.json:1", ".gemini/settings.json: cannot", ".cursor/hooks.json: cannot", "`partial`"]
    {
        assert!(refused.message().contains(named), "{refused}");
    }
    let found = discover(&Discovery { partial: true, ..world.discovery() }).unwrap();
    assert_eq!(runs(&found), ["a"]);
    let broken: Vec<_> = found.found.iter().filter(|found| found.broken).map(|found| found.dialect).collect();
    assert_eq!(broken, ["claude-code", "gemini-cli", "cursor"]);
    assert_eq!(found.problems.len(), 3);
    let strict = discover(&Discovery { strict: true, ..world.discovery() }).unwrap_err();
    assert_eq!(strict.code(), Code::InvalidConfig);
}

#[test]
fn an_entry_that_makes_no_sense_refuses_what_is_trusted_and_counts_as_unapproved_elsewhere() {
    let typo = claude("PreToolUze", "", "a");
    let world = World::new();
    world.write("project/.claude/settings.json", &typo);
    world.write("home/.claude/settings.json", &claude("Stop", "", "b"));
    let found = world.discover();
    assert_eq!((runs(&found), found.problems.len()), (vec!["b".to_owned()], 1));
    let vouched = discover(&Discovery { trust: Trust::All, ..world.discovery() }).unwrap_err();
    assert!(vouched.message().contains("PreToolUze"), "{vouched}");
    let wary = discover(&Discovery { refuse_untrusted: true, ..world.discovery() }).unwrap_err();
    assert!(wary.message().contains("PreToolUze"), "{wary}");
    for path in ["home/.claude/settings.json", "machine/etc/claude-code/managed-settings.json"] {
        let world = World::new();
        world.write(path, &typo);
        let refused = discover(&world.discovery()).unwrap_err();
        assert!(refused.code() == Code::InvalidConfig && refused.message().contains("PreToolUze"), "{refused}");
    }
    let missing = Discovery { plugins: vec![world.path("plugin")], ..world.discovery() };
    assert!(discover(&missing).unwrap_err().message().contains("no directory of a plugin"));
}

#[test]
#[cfg(unix)]
fn a_folder_of_files_that_is_no_folder_is_told() {
    let world = World::new();
    world.write("home/.copilot/hooks", "");
    assert!(world.discover().problems.is_empty());
    let many = 300;
    for number in 0..many {
        let entry = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "a"}]}}"#;
        world.write(&format!("project/.github/hooks/{number}.json"), entry);
    }
    let found = discover(&Discovery { trust: Trust::All, ..world.discovery() }).unwrap();
    assert_eq!(found.hooks.len(), many);
}

#[test]
fn a_file_at_two_places_is_read_once() {
    let world = World::new();
    world.write("home/.claude/settings.json", &claude("Stop", "", "a"));
    let found = discover(&Discovery { cwd: world.path("home"), trust: Trust::All, ..world.discovery() }).unwrap();
    assert_eq!(runs(&found), ["a"]);
    assert_eq!(found.hooks[0].declared.spec.scope, Scope::User);
}

#[test]
fn a_plugins_hooks_are_read_where_its_system_and_its_manifest_say() {
    let copilot = r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "copilot"}]}}"#;
    let cursor = r#"{"version": 1, "hooks": {"preToolUse": [{"command": "$CURSOR_PLUGIN_ROOT/cursor"}]}}"#;
    let inline = claude("PreToolUse", "", "inline").replacen('{', r#"{"name": "p", "#, 1);
    for (manifest, text, file, hooks, dialect) in [
        (".claude-plugin/plugin.json", "{}", "hooks/hooks.json", &*claude("PreToolUse", "", "usual"), "claude-code"),
        (
            ".claude-plugin/plugin.json",
            r#"{"hooks": "./my/h.json"}"#,
            "my/h.json",
            &claude("PreToolUse", "", "a"),
            "claude-code",
        ),
        (
            ".claude-plugin/plugin.json",
            r#"{"hooks": ["h.json"]}"#,
            "h.json",
            &claude("PreToolUse", "", "b"),
            "claude-code",
        ),
        (".claude-plugin/plugin.json", &inline, ".mcp.json", "{}", "claude-code"),
        (".codex-plugin/plugin.json", "{}", "hooks/hooks.json", &claude("PreToolUse", "", "$PLUGIN_ROOT/c"), "codex"),
        (".codex-plugin/plugin.json", "{}", ".codex-plugin/hooks.json", &claude("PreToolUse", "", "d"), "codex"),
        (".cursor-plugin/plugin.json", "{}", "hooks/hooks.json", cursor, "cursor"),
        (".factory-plugin/plugin.json", "{}", "hooks/hooks.json", &claude("PreToolUse", "", "e"), "factory"),
        ("plugin.json", "{}", "hooks.json", copilot, "copilot"),
        ("gemini-extension.json", "{}", "hooks/hooks.json", GEMINI, "gemini-cli"),
    ] {
        let world = World::new();
        world.write(&format!("plugin/{manifest}"), text);
        world.write(&format!("plugin/{file}"), hooks);
        let plugins = vec![world.path("plugin")];
        let found = discover(&Discovery { plugins, ..world.discovery() }).unwrap();
        let dialects: Vec<&str> = found.found.iter().map(|found| found.dialect).collect();
        assert_eq!((dialects, runs(&found).len()), (vec![dialect], 1), "{manifest} {file}: {:?}", found.problems);
        assert_eq!(found.problems, [], "{manifest} {file}");
    }
}

#[test]
fn a_plugin_whose_hooks_are_not_there_is_said() {
    let world = World::new();
    world.write("plugin/.claude-plugin/plugin.json", "{}");
    let of = |partial| {
        let plugins = vec![world.path("plugin")];
        discover(&Discovery { plugins, partial, ..world.discovery() })
    };
    let said = |found: &Configuration| found.problems.iter().map(ToString::to_string).collect::<String>();
    assert!(said(&of(false).unwrap()).contains("declares no hooks"));
    for (hooks, says) in
        [(r#""gone.json""#, "no such file"), (r#""../x.json""#, "no such file"), ("[1]", "the path of a file")]
    {
        world.write("x.json", "{}");
        world.write("plugin/.claude-plugin/plugin.json", &format!(r#"{{"hooks": {hooks}}}"#));
        let refused = of(false).unwrap_err();
        assert!(refused.code() == Code::InvalidConfig && refused.message().contains(says), "{refused}");
        assert!(said(&of(true).unwrap()).contains(says), "{hooks}");
    }
    // What it names is not known, so that its guards would be missing.
    std::fs::write(world.path("plugin/.claude-plugin/plugin.json"), b"\xff").unwrap();
    assert!(of(false).unwrap_err().message().contains("it is no UTF-8"));
}

#[cfg(unix)]
#[test]
fn a_managed_file_that_anyone_can_write_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let file = world.write("machine/etc/claude-code/managed-settings.json", &claude("Stop", "", "echo"));
    assert_eq!(world.discover().problems.len(), 0);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
    let problems = world.discover().problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].to_string().contains("chmod o-w"), "{}", problems[0]);
}
