//! Any client, any hooks, any payload.

use std::sync::Arc;

use hookweave_host::hook::HookSpec;
use hookweave_host::json::Json;
use hookweave_host::options::Options;
use hookweave_host::registry::Registry;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What one run of a hook comes to.
#[derive(Debug, Clone)]
pub(crate) enum Says {
    Answer(Value),
    Raises,
}

/// A hook with its registration and what it says in its first run and in its second.
#[derive(Debug, Clone)]
pub(crate) struct Hook {
    pub(crate) name: String,
    pub(crate) settings: Map<String, Value>,
    pub(crate) first: Says,
    pub(crate) again: Says,
}

impl Hook {
    pub(crate) fn is_mandatory(&self) -> bool {
        let says = |option: &str, value: Value| self.settings.get(option) == Some(&value);
        let implied = says("fail_behavior", "block".into());
        says("scope", "managed".into())
            || self.settings.get("mandatory").map_or(implied, |mandatory| *mandatory == true)
    }

    pub(crate) fn is_detached(&self) -> bool {
        self.settings.contains_key("detached")
    }

    pub(crate) fn priority(&self) -> i64 {
        self.settings.get("priority").and_then(Value::as_i64).unwrap_or_default()
    }

    /// Whether the hook, alone in a client, runs for a payload.
    pub(crate) fn matches_alone(&self, given: &Given, payload: &Value) -> bool {
        let mut alone = self.clone();
        alone.first = Says::Answer(Value::Null);
        let given = Given { hooks: vec![alone], payload: Payload(payload.clone()), ..given.clone() };
        !super::drive::by_facade(&given).stages.is_empty()
    }
}

/// The payload of a dispatch.
#[derive(Debug, Clone)]
pub(crate) struct Payload(pub(crate) Value);

/// A client, its hooks and one dispatch.
#[derive(Debug, Clone)]
pub(crate) struct Given {
    pub(crate) options: Value,
    pub(crate) event: &'static str,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) payload: Payload,
}

impl Default for Given {
    fn default() -> Self {
        let options = json!({"max_hooks_per_event": null, "max_total_hooks": null});
        Self { options, event: "PreToolUse", hooks: Vec::new(), payload: Payload(json!({})) }
    }
}

impl Given {
    pub(crate) fn gate(&self) -> bool {
        self.event == "PreToolUse"
    }

    /// Whether a block ends the dispatch.
    pub(crate) fn short_circuits(&self) -> bool {
        self.gate() && self.options["profile"] != "shadow"
    }

    pub(crate) fn is_parallel(&self) -> bool {
        self.options["mode"] == "parallel"
    }

    pub(crate) fn index_of(&self, name: &str) -> usize {
        self.hooks.iter().position(|hook| hook.name == name).unwrap()
    }

    /// A registry with the hooks; each handler is its hook's place here.
    pub(crate) fn registry(&self) -> Arc<Registry<usize>> {
        let registry = Registry::new(Options::read(&Json, &&self.options).unwrap());
        for (index, hook) in self.hooks.iter().enumerate() {
            registry.register(self.spec(hook), index).unwrap();
        }
        Arc::new(registry)
    }

    pub(crate) fn spec(&self, hook: &Hook) -> HookSpec {
        HookSpec::read(&Json, self.event, &&Value::Object(hook.settings.clone())).unwrap()
    }

    /// The field that hooks may modify.
    fn field(event: &str) -> &'static str {
        if event == "PreToolUse" { "args" } else { "result" }
    }
}

fn changed_object() -> impl Strategy<Value = Value> {
    (0..3_i64, 0..3_i64, prop::option::of(prop::sample::select(vec!["ls", "rm -rf /", "git push"]))).prop_map(
        |(a, b, command)| match command {
            Some(command) => json!({"a": a, "b": b, "command": command}),
            // Without a command the engine itself refuses, which is in no hook's vote.
            None => json!({"a": a, "command": "ls -l"}),
        },
    )
}

/// Parts of an answer that do not modify.
fn talk() -> impl Strategy<Value = Map<String, Value>> {
    let action = prop::sample::select(vec!["", "continue", "allow", "allow", "ask", "block", "retry", "skip", "stop"]);
    (action, any::<[bool; 5]>(), 0..3_u64).prop_map(|(action, [reason, inject, message, suppress, ext], delay)| {
        let mut answer = Map::new();
        if !action.is_empty() {
            answer.insert("action".into(), action.into());
        }
        if action == "retry" {
            answer.insert("delay_ms".into(), (delay * 100).into());
        }
        if reason {
            answer.insert("reason".into(), format!("because {action}").into());
        }
        if inject {
            answer.insert("inject".into(), json!({"content": "note", "ephemeral": message}));
        }
        if message {
            answer.insert("message".into(), "look".into());
        }
        if suppress {
            answer.insert("suppress_output".into(), true.into());
        }
        if ext {
            answer.insert("ext".into(), json!({"x": {"n": delay}, "y": {}}));
        }
        answer
    })
}

fn says(event: &'static str) -> impl Strategy<Value = Says> {
    let answer = (talk(), prop::option::weighted(0.4, changed_object())).prop_map(move |(mut answer, changed)| {
        if let Some(changed) = changed {
            answer.insert("modified".into(), json!({ (Given::field(event)): changed }));
        }
        Says::Answer(Value::Object(answer))
    });
    prop_oneof![
        6 => answer,
        2 => Just(Says::Answer(Value::Null)),
        1 => Just(Says::Answer(json!({}))),
        1 => Just(Says::Raises),
        1 => prop::sample::select(vec![json!({"actoin": "allow"}), json!({"action": "deny"}), json!({"modified": {"tool": 5}})])
            .prop_map(Says::Answer),
    ]
}

fn again(event: &'static str) -> impl Strategy<Value = Says> {
    let changes = (talk(), changed_object()).prop_map(move |(mut answer, changed)| {
        answer.insert("modified".into(), json!({ (Given::field(event)): changed }));
        Says::Answer(Value::Object(answer))
    });
    prop_oneof![
        2 => changes,
        2 => Just(Says::Answer(json!({}))),
        4 => talk().prop_map(|answer| Says::Answer(Value::Object(answer))),
        1 => Just(Says::Raises),
        1 => Just(Says::Answer(json!({"modified": {"args": {}}}))),
    ]
}

/// Matchers of every kind, over what [`payload`] makes.
pub(crate) fn matcher() -> impl Strategy<Value = Value> {
    let tool = prop::sample::select(vec!["Bash", "Write|Edit", "mcp__*", "*", "R?ad"]);
    let pattern = prop::sample::select(vec!["^B", "rit", "x(?=y)", "(.)\\1"]);
    let path = prop::sample::select(vec!["*.env", "src/**", "/w/src/*.rs", "docs/*", "**/x", "a.rs", "{a,b}.*"]);
    let command = prop::sample::select(vec!["^rm", "git (?!pull)", "ls", "\\s-\\w", ""]);
    let argument = prop::sample::select(vec![
        json!({"a": {"equals": 1}}),
        json!({"a": "1"}),
        json!({"o.n": {"regex": "x"}}),
        json!({"list.0": "y*"}),
        json!({"command": "*rm*"}),
    ]);
    let session = prop::sample::select(vec!["s-*", "t"]);
    let one = prop_oneof![
        2 => Just(json!({})),
        2 => tool.clone().prop_map(|tool| json!({"tool": tool})),
        1 => pattern.prop_map(|pattern| json!({"tool_pattern": pattern})),
        4 => path.clone().prop_map(|path| json!({"path_pattern": path})),
        4 => command.clone().prop_map(|command| json!({"command_pattern": command})),
        2 => argument.prop_map(|args| json!({"args": args})),
        1 => session.prop_map(|session| json!({"session": session})),
        2 => (tool, command).prop_map(|(tool, command)| json!({"tool": tool, "command_pattern": command})),
    ];
    (one, prop::option::weighted(0.2, path)).prop_map(|(mut one, path)| {
        if let Some(path) = path {
            one["path_pattern"] = path.into();
        }
        one
    })
}

/// Payloads, well-formed or not.
pub(crate) fn payload() -> impl Strategy<Value = Payload> {
    let path =
        || prop::sample::select(vec!["src/a.rs", "/w/src/b.rs", "src/../.env", "docs\\a.md", "x", "a.rs", "/etc/x"]);
    let command = prop::sample::select(vec!["rm -rf /", "git push", "git pull", "ls -l", "echo xy"]);
    let tool = prop::sample::select(vec!["Bash", "Write", "mcp__a__b", "Read", "xy"]);
    let args = (0..9_u8, path(), path(), command).prop_map(|(shape, one, two, command)| match shape {
        0 => json!({"command": command}),
        1 => json!({"file_path": one}),
        2 => json!({"file_path": one, "path": two, "command": command}),
        3 => json!({"paths": [one, two]}),
        4 => json!({"a": 1, "o": {"n": "xx"}, "list": ["yes"]}),
        5 => json!({"command": [command], "file_path": one}),
        6 => json!({"paths": [one, 7], "o": "text"}),
        7 => json!([command]),
        _ => Value::Null,
    });
    (tool, args, any::<[bool; 3]>()).prop_map(|(tool, args, [cwd, has_tool, session])| {
        let mut payload =
            json!({"args": args, "timestamp": 1, "session_id": if session { "s-1" } else { "z" }, "tool_use_id": "t"});
        if cwd {
            payload["cwd"] = "/w".into();
        }
        if has_tool {
            payload["tool"] = tool.into();
        }
        Payload(payload)
    })
}

/// A hook that only matches.
pub(crate) fn quiet_hook(index: usize, matcher: &Value) -> Hook {
    let name = format!("h{index}");
    let settings = json!({"name": name, "matcher": matcher}).as_object().unwrap().clone();
    Hook { name, settings, first: Says::Answer(Value::Null), again: Says::Answer(Value::Null) }
}

fn hook(event: &'static str) -> impl Strategy<Value = Hook> {
    let scope = prop::sample::select(vec!["callback", "callback", "user", "agent", "managed"]);
    let matcher = prop_oneof![
        5 => Just(json!({})),
        1 => Just(json!({"command_pattern": "^rm"})),
        1 => Just(json!({"args": {"a": {"equals": 1}}})),
        1 => Just(json!({"tool": "Bash"})),
    ];
    let fail = prop::option::weighted(0.3, prop::sample::select(vec!["continue", "block"]));
    let kind = prop::sample::select(vec!["", "", "", "", "", "mandatory", "mandatory", "once", "detached", "not"]);
    (-1..2_i64, scope, matcher, fail, kind, says(event), again(event)).prop_map(
        |(priority, scope, matcher, fail, kind, first, again)| {
            let mut settings = Map::new();
            settings.insert("priority".into(), priority.into());
            settings.insert("scope".into(), scope.into());
            settings.insert("matcher".into(), matcher);
            if let Some(fail) = fail {
                settings.insert("fail_behavior".into(), fail.into());
            }
            let mut hook = Hook { name: String::new(), settings, first, again };
            if kind == "not" {
                if scope != "managed" {
                    hook.settings.insert("mandatory".into(), false.into());
                }
            } else if kind == "mandatory" || (!kind.is_empty() && !hook.is_mandatory()) {
                hook.settings.insert(kind.into(), true.into());
            }
            hook
        },
    )
}

fn number(hooks: &mut [Hook]) {
    for (index, hook) in hooks.iter_mut().enumerate() {
        hook.name = format!("h{index}");
        hook.settings.insert("name".into(), hook.name.clone().into());
    }
}

fn options() -> impl Strategy<Value = Value> {
    let profile = prop::sample::select(vec!["default", "default", "a3s", "shadow"]);
    let mode = prop::sample::select(vec!["sequential", "parallel"]);
    let fail = prop::sample::select(vec!["continue", "continue", "block"]);
    (profile, mode, conflict(), fail).prop_map(|(profile, mode, conflict, fail)| {
        json!({"profile": profile, "mode": mode, "conflict": conflict, "fail_behavior": fail, "max_hooks_per_event": null, "max_total_hooks": null})
    })
}

fn conflict() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["block", "ask", "last"])
}

fn base_payload() -> Payload {
    Payload(json!({"tool": "Bash", "args": {"a": 0, "b": 0, "command": "ls"}, "result": {"a": 0, "b": 0},
        "session_id": "s", "timestamp": 1, "tool_use_id": "t"}))
}

fn event() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["PreToolUse", "PreToolUse", "PostToolUse"])
}

/// A client with up to eight hooks of any kind.
pub(crate) fn world() -> impl Strategy<Value = Given> {
    event().prop_flat_map(|event| {
        (options(), prop::collection::vec(hook(event), 0..8)).prop_map(move |(options, mut hooks)| {
            number(&mut hooks);
            Given { options, event, hooks, payload: base_payload() }
        })
    })
}

/// Hooks that match everything and say nothing, some of them once.
pub(crate) fn quiet_world() -> impl Strategy<Value = Given> {
    let hook = (-1..2_i64, any::<bool>());
    (options(), prop::collection::vec(hook, 1..6)).prop_map(|(options, hooks)| {
        let hooks = hooks.into_iter().enumerate().map(|(index, (priority, once))| {
            let mut hook = quiet_hook(index, &json!({}));
            hook.settings.insert("priority".into(), priority.into());
            if once {
                hook.settings.insert("once".into(), true.into());
            }
            hook
        });
        Given { options, event: "PreToolUse", hooks: hooks.collect(), payload: base_payload() }
    })
}

/// One parallel stage whose hooks each replace the args, or say nothing.
pub(crate) fn merging_world() -> impl Strategy<Value = Given> {
    let key = || prop::option::weighted(0.8, 0..3_u8);
    let args = (key(), key(), key(), key()).prop_map(|(a, b, c, d)| {
        let fields = [("a", a), ("b", b), ("c", c), ("d", d)];
        let given = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))));
        Value::Object(given.collect())
    });
    let hook = (prop::option::weighted(0.8, args.clone()), prop::bool::weighted(0.3));
    (args, prop::collection::vec(hook, 1..5), conflict()).prop_map(|(base, hooks, conflict)| {
        let hooks = hooks.into_iter().enumerate().map(|(index, (args, mandatory))| {
            let mut hook = quiet_hook(index, &json!({}));
            if let Some(args) = args {
                hook.first = Says::Answer(json!({ "modified": { "args": args } }));
            }
            if mandatory {
                hook.settings.insert("mandatory".into(), true.into());
            }
            hook
        });
        let options = json!({"mode": "parallel", "conflict": conflict});
        Given {
            options,
            event: "PreToolUse",
            hooks: hooks.collect(),
            payload: Payload(json!({"tool": "Bash", "args": base})),
        }
    })
}

/// Hooks whose effect stays in their stage and in folding, in order, and two places between stages.
pub(crate) fn hooks_for_splitting() -> impl Strategy<Value = (Given, (usize, usize))> {
    (world(), 0..8_usize, 0..8_usize).prop_map(|(mut given, one, two)| {
        // What comes of a conflict is the engine's own word, which is in no hook's vote.
        given.options["conflict"] = "last".into();
        for hook in &mut given.hooks {
            hook.settings.shift_remove("mandatory");
            hook.settings.shift_remove("fail_behavior");
            hook.settings.insert("scope".into(), "callback".into());
            if let Says::Answer(answer) = &mut hook.first
                && answer["action"] == "skip"
            {
                answer["action"] = "ask".into();
            }
        }
        given.hooks.sort_by_key(Hook::priority);
        number(&mut given.hooks);
        let cut = |at: usize| {
            let mut at = at.min(given.hooks.len());
            while given.is_parallel()
                && at > 0
                && at < given.hooks.len()
                && given.hooks[at].priority() == given.hooks[at - 1].priority()
            {
                at -= 1;
            }
            at
        };
        let (one, two) = (cut(one), cut(two));
        (given, (one.min(two), one.max(two)))
    })
}
