//! Random cases in which a guard must refuse a call: for every guard and form of its answer, every content of the call and
//! every answer of other hooks, the tool never runs.
//!
//! They are vectors of sessions, so that every language runs the same ones. A case depends on nothing but its seed and its number.

use serde_json::{Map, Value, json};

/// The seed of the cases that stand in `tests/vectors/opening`.
pub const SEED: u64 = 20_261_123;

/// Numbers that follow from a seed (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(end).unwrap()).unwrap()
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

/// What a guard looks for, and a call in which it is.
struct Danger {
    matcher: Value,
    tool: &'static str,
    args: Value,
    /// A call that looks harmless to the same guard, where there is one.
    harmless: Option<Value>,
    /// The session must not say where it works.
    placeless: bool,
}

/// Lines in which `rm` hides; what no reader understands whole selects as well.
const REMOVES: &[&str] = &[
    "rm -rf x",
    "true; rm x",
    "echo $(rm x)",
    "X=1 rm x",
    "coproc rm x",
    "{fd}>log rm x",
    "{rm,-rf,/}",
    "( ( rm x ) )",
    "cat <<E\n$(rm x)\nE",
    "echo `rm x`",
    "if true; then rm x; fi",
    "a[$(rm x)]=1",
];

/// Lines that begin with `git` and run something else.
const MORE_THAN_GIT: &[&str] = &[
    "git --version; ( ( touch P ) )",
    "git --version; ((touch P))",
    "git --version a[$(touch P)]=1",
    "git --version ${x:-<(touch P)}",
    "git --version <<E\n$(touch '$(touch P)')\nE",
    "git --version && touch P",
    "git --version | sh",
    "git --version $(touch P)",
    "git --version `touch P`",
    "git --version\ntouch P",
    "git --version & touch P",
];

fn danger(dice: &mut Dice) -> Danger {
    let any = |matcher: Value, tool: &'static str, args: Value| Danger {
        matcher,
        tool,
        args,
        harmless: None,
        placeless: false,
    };
    match dice.below(9) {
        0 => any(json!({}), "Bash", json!({"command": "ls"})),
        1 => any(
            dice.of(&[json!({"tool": "Ba*"}), json!({"tool": "Bash|Write"}), json!({"tool_pattern": "^B"})]),
            "Bash",
            json!({"command": "ls"}),
        ),
        2 => Danger {
            harmless: Some(json!({"command": "ls"})),
            ..any(
                json!({"command_pattern": "\\brm\\b"}),
                "Bash",
                dice.of(&[json!({"command": "rm x"}), json!({"command": ["rm", "x"]}), json!({"command": "ls\nrm x"})]),
            )
        },
        3 => Danger {
            harmless: Some(json!({"command": "ls"})),
            ..any(json!({"rule": "Bash(rm *)"}), "Bash", json!({"command": dice.of(REMOVES)}))
        },
        4 => {
            let path = dice.of(&["secrets/k", "./secrets/k", "a/../secrets/k", "secrets//k", "secrets/a/../k"]);
            let args = dice.of(&[
                json!({"file_path": path}),
                json!({"path": path}),
                json!({"paths": ["README.md", path]}),
                json!({"file_path": "README.md", "path": path}),
            ]);
            let matcher = dice.of(&[
                json!({"path_pattern": "secrets/**"}),
                json!({"path_pattern": "**/secrets/*"}),
                json!({"rule": "Edit(secrets/**)"}),
            ]);
            Danger { harmless: Some(json!({"file_path": "README.md"})), ..any(matcher, "Write", args) }
        }
        5 => {
            // What is written from the root lies in the project or outside of it only for who knows where the call works.
            let (matcher, path) = dice.of(&[
                (json!({"path_pattern": "secrets/**"}), "{project}/secrets/k"),
                (json!({"rule": "Edit(secrets/**)"}), "{project}/secrets/k"),
                (json!({"path_pattern": "/etc/**"}), "../../../../../../../../../../../../etc/passwd"),
                (json!({"rule": "Edit(//etc/**)"}), "../../../../../../../../../../../../etc/passwd"),
            ]);
            Danger { placeless: dice.one_in(2), ..any(matcher, "Write", json!({"file_path": path})) }
        }
        6 => any(
            json!({"path_pattern": "secrets/**"}),
            "Write",
            dice.of(&[json!({"file_path": 7}), json!({"paths": ["a", 7]}), json!({"file_path": {"p": "secrets/k"}})]),
        ),
        7 => {
            let matcher = dice.of(&[
                json!({"args": {"target.env": "prod*"}}),
                json!({"args": {"target.env": {"regex": "^prod"}}}),
                json!({"args": {"target.env": {"equals": "production"}}}),
            ]);
            Danger {
                harmless: Some(json!({"target": {"env": "test"}})),
                ..any(matcher, "Deploy", json!({"target": {"env": "production"}}))
            }
        }
        _ => any(
            json!({"args": {"target": "prod*"}}),
            "Deploy",
            dice.of(&[json!({"target": "production"}), json!({"target": "prod", "more": [1, {"a": null}]})]),
        ),
    }
}

/// More in the arguments, which changes nothing of what the guard looks for.
fn spice(dice: &mut Dice, args: &mut Value) {
    let Some(fields) = args.as_object_mut() else { return };
    for key in ["note", "zeta"] {
        if dice.one_in(2) {
            continue;
        }
        let depth = 100 + dice.below(27);
        let wide: Map<String, Value> = (0..60).map(|key| (format!("k{key}"), Value::from(key))).collect();
        let value = dice.of(&[
            json!({"$nested": depth}),
            Value::Object(wide),
            json!({"$repeat": ["long ", 4000]}),
            Value::Null,
            json!([1, 2.5, true, "é\u{202e}x", {"": {}}]),
            json!({"$int": "9007199254740993"}),
            json!({"action": "allow"}),
        ]);
        fields.insert(key.to_owned(), value);
    }
}

/// Answers that mean to refuse, in the words and shapes of one system or another, right or wrong.
fn refusals() -> Vec<Value> {
    vec![
        json!({"action": "block", "reason": "no"}),
        json!({"action": "stop"}),
        json!({"action": "block", "reson": "no"}),
        json!({"action": "Deny"}),
        json!({"hookSpecificOutput": {"permissionDecision": "deny"}}),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}),
        json!({"behavior": "deny"}),
        json!({"behavior": "deny", "message": "no"}),
        json!({"decision": "block", "reason": "no"}),
        json!({"decision": "deny"}),
        json!({"permissionDecision": "deny"}),
        json!({"continue": false}),
        json!([{"action": "block"}]),
        json!(false),
        json!("deny"),
        json!({"block": true}),
        json!({"modified": {"tool": "Read"}}),
        json!({"action": "allow", "modified": {"argz": {}}}),
    ]
}

/// What a command of our own format prints that means to refuse: whole, broken, or twice over.
const PRINTED: &[&str] = &[
    "{\"action\": \"block\", \"reason\": \"no\"}",
    "{\"action\":\"block\"} and more",
    "{\"action\": \"block\", \"reason\": \"two\nlines\"}",
    "{\"action\": \"block\",}",
    "{\"action\": \"block\", \"reason\": \"no",
    "{\"action\": \"block\", \"action\": \"allow\"}",
    "{\"action\": \"deny\"}",
];

/// A guard as a hook of the program.
fn callback(dice: &mut Dice, matcher: &Value, must_look_again: bool) -> Map<String, Value> {
    let mut hook = Map::new();
    hook.insert("name".to_owned(), "guard".into());
    hook.insert("event".to_owned(), "PreToolUse".into());
    hook.insert("matcher".to_owned(), matcher.clone());
    hook.insert("priority".to_owned(), dice.of(&[-1, 0, 0, 1]).into());
    let (refuses, fails) = match dice.below(6) {
        0 => (json!({"raises": "boom"}), true),
        1 => (json!({"returns": dice.of(&[json!(5), json!({"acton": "x"}), json!(true), json!("hm")])}), true),
        2 => (json!({"reads_json": true, "then": {"answer": {"action": "block", "reason": "no"}}}), dice.one_in(2)),
        _ => (json!({"returns": dice.of(&refusals())}), dice.one_in(3)),
    };
    hook.insert("does".to_owned(), refuses);
    if fails {
        hook.insert("fail_behavior".to_owned(), "block".into());
    } else if must_look_again || dice.one_in(4) {
        let (option, value) = dice.of(&[("mandatory", json!(true)), ("scope", json!("managed"))]);
        hook.insert(option.to_owned(), value);
    }
    hook
}

/// A guard as a file with its script, for every call.
fn file(dice: &mut Dice, case: &mut Map<String, Value>) {
    let script = |body: &str| format!("#!/bin/sh\n{body}\n");
    let says = dice.of(&[
        "echo no >&2; exit 2",
        "cat >/dev/null; exit 2",
        "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"permissionDecision\": \"deny\", \"permissionDecisionReason\": \"no\"}}'",
        "echo '{\"decision\": \"block\", \"reason\": \"no\"}'",
    ]);
    let claude =
        |command: &str| json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}});
    let (path, content, at, text) = match dice.below(4) {
        0 => {
            let command = dice.of(&[
                "\"$CLAUDE_PROJECT_DIR\"/guards/g.sh",
                "./guards/g.sh",
                "sh guards/g.sh",
                "sh ./guards/g.sh",
            ]);
            (".claude/settings.json", json!({"content": claude(command)}), "guards/g.sh", script(says))
        }
        1 => {
            let settings = claude("\"${CLAUDE_PLUGIN_ROOT}\"/g.sh");
            ("plugin/hooks/hooks.json", json!({"content": settings}), "plugin/g.sh", script(says))
        }
        2 => {
            let toml =
                "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\nname = \"guard\"\ncommand = [\"./guards/g.sh\"]\n";
            let printed = dice.of(PRINTED);
            ("hookweave.toml", json!({"text": toml}), "guards/g.sh", script(&format!("cat <<'EOF'\n{printed}\nEOF")))
        }
        _ => {
            let toml = "hookweave = 1\n[[hooks]]\nevent = \"PreToolUse\"\nname = \"guard\"\nfail_behavior = \"block\"\ncommand = [\"./guards/g.sh\"]\n";
            let body = dice.of(&["exit 1", "exit 127", "kill -9 $$", "echo hm", "echo '{'"]);
            ("hookweave.toml", json!({"text": toml}), "guards/g.sh", script(body))
        }
    };
    let mut declared = content.as_object().unwrap().clone();
    declared.insert("path".to_owned(), path.into());
    case.insert("files".to_owned(), json!([declared, {"path": at, "text": text, "executable": true}]));
    case.insert("load".to_owned(), json!([{"path": path, "scope": dice.of(&["project", "user", "managed"])}]));
}

fn names_project(args: &Value) -> bool {
    args.to_string().contains("{project}")
}

/// What other hooks say: nothing of it lets the call run that a guard refuses.
fn others(dice: &mut Dice, args: &Value, may_skip: bool) -> Vec<Value> {
    let count = dice.below(4);
    (0..count)
        .map(|number| {
            let mut changed = args.clone();
            changed["extra"] = dice.below(3).into();
            let mut says = vec![
                json!({"answer": {"action": "allow", "reason": "fine"}}),
                json!({"returns": {"hookSpecificOutput": {"permissionDecision": "allow"}}}),
                json!({"returns": {"decision": "approve"}}),
                json!({"returns": true}),
                json!({"raises": "boom"}),
                json!({"answer": {"modified": {"args": changed}}}),
                json!({"answer": {"action": "allow", "modified": {"args": args}}}),
                json!({"answer": {"inject": "context", "message": "note"}}),
                json!({"answer": {"action": "ask", "ask": {"prompt": "sure?", "default": "allow"}}}),
                json!({"mutates": {"args.command": "true", "args.file_path": "README.md"}}),
                json!({"answer": {"action": "retry"}}),
            ];
            // Only what a case says of the call itself is filled in everywhere.
            if names_project(args) {
                says.retain(|says| says.pointer("/answer/modified").is_none());
            }
            if may_skip {
                says.push(json!({"answer": {"action": "skip"}}));
            }
            let mut hook = json!({"name": format!("other-{number}"), "event": "PreToolUse", "priority": dice.of(&[-1, 0, 0, 1]), "does": dice.of(&says)});
            if dice.one_in(3) {
                hook["scope"] = dice.of(&["user", "project", "agent"]).into();
            }
            hook
        })
        .collect()
}

/// The case of a seed and a number.
#[must_use]
pub fn case(seed: u64, number: u64) -> Value {
    let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d).wrapping_add(number));
    let dice = &mut dice;
    let profile = dice.of(&["default", "default", "a3s", "wingman", "cocode", "amplifier", "shadow", "claude-code"]);
    let mut case = Map::new();
    case.insert("id".to_owned(), format!("opening/{number}").into());
    case.insert("rule".to_owned(), "S8.tool".into());
    case.insert("client".to_owned(), json!({
        "profile": profile, "mode": dice.of(&["sequential", "parallel"]), "conflict": dice.of(&["block", "ask", "last"]),
        "max_hooks_per_event": null, "max_total_hooks": null,
    }));
    case.insert("approver".to_owned(), json!(["Deny"]));
    let (why, tool, args, hooks) = match dice.below(8) {
        0 => {
            // The host asks, a rule allows `git` only, and the person says no.
            let command = dice.of(MORE_THAN_GIT);
            case.insert("session".to_owned(), json!({"permissions": {"Bash": "ask"}}));
            let allows = json!({"name": "git", "event": "PreToolUse", "matcher": {"rule": "Bash(git *)"}, "does": {"answer": {"action": "allow"}}});
            ("An allow of `git` grants nothing else.", "Bash", json!({"command": command}), vec![allows])
        }
        1 | 2 => {
            file(dice, &mut case);
            let mut args = json!({"command": "ls"});
            spice(dice, &mut args);
            let hooks = others(dice, &args, false);
            ("A guard from a file refuses.", "Bash", args, hooks)
        }
        3 => {
            // A call that looks harmless until another hook has had its turn.
            let danger = std::iter::repeat_with(|| danger(dice)).find(|danger| !names_project(&danger.args)).unwrap();
            let guard = callback(dice, &danger.matcher, true);
            let smuggler = json!({"name": "smuggler", "event": "PreToolUse", "priority": dice.of(&[-1, 0, 1]),
                "does": {"answer": {"action": dice.of(&["allow", "continue"]), "modified": {"args": danger.args}}}});
            let mut hooks = vec![Value::Object(guard), smuggler];
            if dice.one_in(2) {
                hooks.reverse();
            }
            let came = danger.harmless.clone().unwrap_or_else(|| danger.args.clone());
            place(dice, &mut case, &danger);
            ("What is changed behind a guard is looked at again.", danger.tool, came, hooks)
        }
        _ => {
            let danger = danger(dice);
            let guard = callback(dice, &danger.matcher, false);
            let keeps = ["mandatory", "scope", "fail_behavior"].iter().any(|option| guard.contains_key(*option));
            let mut args = danger.args.clone();
            spice(dice, &mut args);
            let mut hooks = others(dice, &args, keeps);
            let at = dice.below(hooks.len() + 1);
            hooks.insert(at, Value::Object(guard));
            place(dice, &mut case, &danger);
            ("A guard that refuses is obeyed.", danger.tool, args, hooks)
        }
    };
    case.insert("why".to_owned(), why.into());
    case.insert("hooks".to_owned(), hooks.into());
    case.insert("do".to_owned(), json!([{"run_tool": {"tool": tool, "args": args}, "expect": {"ran": false}}]));
    case.insert("expect".to_owned(), json!({"tools": []}));
    Value::Object(case)
}

/// Gives a case a project, and its session a directory or none.
fn place(dice: &mut Dice, case: &mut Map<String, Value>, danger: &Danger) {
    let is_path = names_project(&danger.args) || danger.tool == "Write";
    if is_path || dice.one_in(4) {
        case.insert("files".to_owned(), json!([{"path": "README.md", "text": "x"}]));
        if danger.placeless {
            case.insert("session".to_owned(), json!({"cwd": null}));
        }
    }
}

/// Cases of a seed, as a file of vectors.
#[must_use]
pub fn file_of(seed: u64, numbers: impl IntoIterator<Item = u64>) -> Value {
    let cases: Vec<Value> = numbers.into_iter().map(|number| case(seed, number)).collect();
    json!({"hookweave": 1, "topic": "opening", "cases": cases})
}
