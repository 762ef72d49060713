//! Hooks that rewrite: those that can agree come to the same event in every order, those that cannot let nothing through, and
//! what one of them has taken out of an event never comes back by the way they are put together.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something is not as it should be")]

use hookweave::{Engine, Event, HookResponse};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const SECRET: &str = "sk-SECRET";

fn config() -> ProptestConfig {
    let more = std::env::var("HOOKWEAVE_CASES").ok().and_then(|cases| cases.parse().ok());
    ProptestConfig { cases: more.unwrap_or(256), failure_persistence: None, ..ProptestConfig::default() }
}

/// What a hook makes of the field that may be modified.
#[derive(Debug, Clone)]
enum Rewrite {
    /// Sets a key.
    Set(&'static str, i64),
    /// Takes a key away.
    Remove(&'static str),
    /// Blackens the secret in every text.
    Redact,
    /// Adds to a text that it was shown.
    Append(&'static str, &'static str),
    /// Writes down a text that holds the secret.
    Leak(&'static str),
    /// Hands the field back as it is.
    Nothing,
}

impl Rewrite {
    fn of(&self, fields: &Map<String, Value>) -> Map<String, Value> {
        let mut fields = fields.clone();
        match self {
            Self::Set(key, value) => _ = fields.insert((*key).to_owned(), (*value).into()),
            Self::Remove(key) => _ = fields.shift_remove(*key),
            Self::Redact => fields.values_mut().for_each(redact),
            Self::Append(key, text) => {
                let current = fields.get(*key).and_then(Value::as_str).unwrap_or_default();
                if !current.ends_with(text) {
                    fields.insert((*key).to_owned(), format!("{current}{text}").into());
                }
            }
            Self::Leak(key) => _ = fields.insert((*key).to_owned(), format!("the key is {SECRET}").into()),
            Self::Nothing => {}
        }
        fields
    }
}

fn redact(value: &mut Value) {
    match value {
        Value::String(text) => *text = text.replace(SECRET, "***"),
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::Object(fields) => fields.values_mut().for_each(redact),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[derive(Debug, Clone)]
struct Rewriter {
    name: String,
    rewrite: Rewrite,
    mandatory: bool,
    priority: i32,
}

/// A client and one of its events.
#[derive(Debug, Clone)]
struct Setting {
    profile: &'static str,
    mode: &'static str,
    conflict: &'static str,
    event: &'static str,
}

impl Setting {
    fn field(&self) -> &'static str {
        match self.event {
            "PreToolUse" => "args",
            "PostToolUse" => "result",
            _ => "response",
        }
    }

    /// What comes of an event for these hooks.
    fn dispatch(&self, hooks: &[Rewriter], fields: &Value) -> Value {
        let settings = json!({
            "profile": self.profile, "mode": self.mode, "conflict": self.conflict,
            "max_hooks_per_event": null, "max_total_hooks": null,
        });
        let engine = Engine::builder().settings(settings.as_object().unwrap().clone()).build().unwrap();
        let field = self.field();
        for hook in hooks {
            let mut registration = engine.on(self.event).name(&hook.name).priority(hook.priority).timeout(None);
            if hook.mandatory {
                registration = registration.mandatory();
            }
            let rewrite = hook.rewrite.clone();
            let answer = move |event: &Event| {
                let fields = rewrite.of(event.payload()[field].as_object().unwrap());
                HookResponse::from_json(json!({ "modified": { field: fields } })).unwrap()
            };
            registration.run(answer).unwrap();
        }
        let payload = json!({"tool": "Bash", "args": {}, "prompt": "p", "model": "m", field: fields});
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let outcome = runtime.block_on(engine.dispatch(Event::new(self.event, payload))).unwrap();
        let mut whole = outcome.to_json();
        whole["event"] = outcome.event().payload().clone();
        whole
    }
}

fn setting() -> impl Strategy<Value = Setting> {
    let profile =
        prop::sample::select(vec!["default", "a3s", "wingman", "cocode", "amplifier", "shadow", "claude-code"]);
    let mode = prop::sample::select(vec!["sequential", "parallel"]);
    let conflict = prop::sample::select(vec!["block", "ask", "last"]);
    let event = prop::sample::select(vec!["PreToolUse", "PostToolUse", "GenerateEnd"]);
    (profile, mode, conflict, event).prop_map(|(profile, mode, conflict, event)| Setting {
        profile,
        mode,
        conflict,
        event,
    })
}

/// Rewriters of which each has a key of its own, so that they commute, and that do nothing the second time.
fn agreeing() -> impl Strategy<Value = Vec<Rewriter>> {
    let of_key = |key: &'static str| {
        prop_oneof![
            (0..3_i64).prop_map(move |value| Rewrite::Set(key, value)),
            Just(Rewrite::Remove(key)),
            Just(Rewrite::Append(key, " -v")),
            Just(Rewrite::Nothing),
        ]
    };
    let rewriter = move |key| (of_key(key), any::<bool>(), -1..2_i32);
    (rewriter("a"), rewriter("b"), rewriter("c"), rewriter("d")).prop_map(|(a, b, c, d)| {
        let rewriter = |(name, (rewrite, mandatory, priority))| Rewriter {
            name: String::from(name),
            rewrite,
            mandatory,
            priority,
        };
        [("a", a), ("b", b), ("c", c), ("d", d)].into_iter().map(rewriter).collect()
    })
}

fn blocked_or_asked(outcome: &Value) -> bool {
    outcome["decision"] == "block" || outcome["decision"] == "ask"
}

proptest! {
    #![proptest_config(config())]

    /// Rewriters that commute and are idempotent come to the same event, in any order, in every mode, and block nothing.
    #[test]
    fn who_can_agree_agrees(
        hooks in agreeing(),
        order in Just([0_usize, 1, 2, 3]).prop_shuffle(),
        settings in prop::collection::vec(setting(), 2),
    ) {
        let fields = json!({"a": "one", "b": "two", "c": 3});
        let mut wanted = fields.as_object().unwrap().clone();
        for hook in &hooks {
            wanted = hook.rewrite.of(&wanted);
        }
        let shuffled: Vec<_> = order.iter().map(|at| hooks[*at].clone()).collect();
        for setting in settings {
            // Hooks after the tool are not awaited there, except mandatory ones.
            if setting.profile == "wingman" && setting.event == "PostToolUse" {
                continue;
            }
            for hooks in [&hooks, &shuffled] {
                let outcome = setting.dispatch(hooks, &fields);
                prop_assert_eq!(outcome["event"][setting.field()].as_object().unwrap(), &wanted, "{:?}: {}", setting, outcome);
                prop_assert_eq!(&outcome["decision"], "continue");
                prop_assert!(outcome["trace"].as_array().unwrap().iter().all(|entry| entry["not_idempotent"] != true));
            }
        }
    }

    /// Two mandatory hooks that overrule each other let nothing of it through, and both are named.
    #[test]
    fn who_cannot_agree_is_named(setting in setting(), swap in any::<bool>(), apart in any::<bool>(), more in agreeing()) {
        let rewriter = |name: &str, value, priority| Rewriter {
            name: name.to_owned(), rewrite: Rewrite::Set("x", value), mandatory: true, priority,
        };
        let mut hooks = vec![rewriter("left", 1, 0), rewriter("right", 2, i32::from(apart))];
        if swap {
            hooks.reverse();
        }
        hooks.extend(more);
        let outcome = setting.dispatch(&hooks, &json!({"x": "before"}));
        let text = outcome.to_string();
        // One stage and the last change may stand: that is what was asked for, openly.
        let is_open = setting.mode == "parallel" && !apart && setting.conflict == "last";
        let is_gate = setting.event == "PreToolUse";
        prop_assert!(text.contains("`left`") && text.contains("`right`"), "{text}");
        if is_gate && !is_open {
            prop_assert!(blocked_or_asked(&outcome), "{text}");
        }
        if !is_gate && !is_open {
            let left = outcome["event"][setting.field()]["x"].as_str().unwrap_or_default();
            prop_assert!(left.starts_with("[withheld: "), "{text}");
        }
    }

    /// What a mandatory hook removes from an event is not in the final event, regardless of the others, in every setting.
    #[test]
    fn a_mandatory_redaction_is_never_lost(
        setting in setting(),
        at in 0..4_usize,
        others in prop::collection::vec(
            (prop_oneof![
                Just(Rewrite::Leak("text")), Just(Rewrite::Leak("new")), Just(Rewrite::Append("text", "!")),
                Just(Rewrite::Set("text", 1)), Just(Rewrite::Remove("text")), Just(Rewrite::Nothing), Just(Rewrite::Redact),
            ], any::<bool>(), -1..2_i32),
            0..4,
        ),
        priority in -1..2_i32,
    ) {
        let mut hooks: Vec<Rewriter> = others.into_iter().enumerate().map(|(index, (rewrite, mandatory, priority))| {
            Rewriter { name: format!("other-{index}"), rewrite, mandatory, priority }
        }).collect();
        let redacts = Rewriter { name: "redacts".to_owned(), rewrite: Rewrite::Redact, mandatory: true, priority };
        hooks.insert(at.min(hooks.len()), redacts);
        let fields = json!({"text": format!("a {SECRET} b"), "list": [SECRET], "deep": {"deeper": SECRET}});
        let outcome = setting.dispatch(&hooks, &fields);
        let left = outcome["event"][setting.field()].to_string();
        let goes_on = setting.event != "PreToolUse" || outcome["decision"] != "block";
        prop_assert!(!(goes_on && left.contains(SECRET)), "{left} of {outcome}");
    }

    /// What any hook takes out of a key is not in it afterwards, as long as no hook that was shown it puts it back later; only
    /// where the last change may stand it can be lost to a hook that ran beside it, and that is reported.
    #[test]
    fn a_redaction_is_never_lost_to_a_neighbour(
        setting in setting(),
        at in 0..4_usize,
        others in prop::collection::vec(
            (prop_oneof![Just(Rewrite::Append("text", "!")), Just(Rewrite::Append("text", "?")), Just(Rewrite::Set("n", 1)), Just(Rewrite::Nothing)], any::<bool>()),
            0..4,
        ),
    ) {
        if setting.profile == "wingman" && setting.event == "PostToolUse" {
            return Ok(());
        }
        let mut hooks: Vec<Rewriter> = others.into_iter().enumerate().map(|(index, (rewrite, mandatory))| {
            Rewriter { name: format!("other-{index}"), rewrite, mandatory, priority: 0 }
        }).collect();
        let redacts = Rewriter { name: "redacts".to_owned(), rewrite: Rewrite::Redact, mandatory: false, priority: 0 };
        hooks.insert(at.min(hooks.len()), redacts);
        let outcome = setting.dispatch(&hooks, &json!({"text": format!("a {SECRET} b")}));
        let left = outcome["event"][setting.field()].to_string();
        if !left.contains(SECRET) {
            return Ok(());
        }
        if setting.conflict == "last" {
            let text = outcome["messages"].to_string();
            prop_assert!(text.contains("`redacts`") && text.contains("stands"), "{outcome}");
        } else {
            // What a person is asked about goes nowhere before they say so.
            prop_assert!(setting.event == "PreToolUse" && blocked_or_asked(&outcome), "{left} of {outcome}");
        }
    }
}
