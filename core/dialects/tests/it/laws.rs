//! What holds for every dialect and every input: round trips keep their meaning, and nothing panics or hangs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hookweave_dialects::{
    CommandOutput, Dialect, Invocation, OutcomeView, RunKind, WebResponse, WireAnswer, WireEvent,
};
use hookweave_machine::answer::{self, Reading};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::event::{BUILT_IN, FieldKind};
use hookweave_machine::json::Json;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Every dialect with each of its events, or one that `DIALECT` names.
fn pairs() -> Vec<(&'static dyn Dialect, &'static str)> {
    let only = std::env::var("DIALECT").ok();
    let wanted = |dialect: &&&'static dyn Dialect| only.as_ref().is_none_or(|only| only == dialect.name());
    let all = hookweave_dialects::ALL.iter().filter(wanted);
    all.flat_map(|dialect| dialect.events().into_iter().map(|event| (*dialect, event))).collect()
}

fn any_pair() -> impl Strategy<Value = (&'static dyn Dialect, &'static str)> {
    proptest::sample::select(pairs())
}

/// Payload fields that a dialect's wire has no place for, from its table.
fn lost(dialect: &str) -> BTreeMap<String, Vec<String>> {
    static LOST: OnceLock<BTreeMap<String, BTreeMap<String, Vec<String>>>> = OnceLock::new();
    let all = LOST.get_or_init(|| crate::table::all().into_iter().map(|table| (table.name, table.lost)).collect());
    // A described system without a table has Claude Code's wire.
    let described = hookweave_dialects::described::system(dialect).map(|_| "claude-code");
    all.get(dialect).or_else(|| all.get(described?)).cloned().unwrap_or_default()
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        Just("Ünïcödé \u{1F600} \"quoted\" \\ back".to_owned()),
        Just("line\nline\r\n\ttab".to_owned()),
        Just("deny".to_owned()),
        Just("{\"decision\":\"block\"}".to_owned()),
        "\\PC{0,24}",
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        Just(json!(1.5)),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(any_text(), inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// Arguments of tools as agents send them, some of them strange.
fn any_args() -> impl Strategy<Value = Value> {
    let name = prop_oneof![
        proptest::sample::select(vec![
            "command",
            "file_path",
            "path",
            "content",
            "old_string",
            "new_string",
            "old_str",
            "new_str",
            "url",
            "prompt",
            "glob",
            "pattern",
            "description",
            "subagent_type",
            "file_text",
            "dir_path",
            "replace_all",
            "change_all",
        ])
        .prop_map(str::to_owned),
        any_text(),
    ];
    proptest::collection::btree_map(name, any_json(), 0..5).prop_map(|args| Value::Object(args.into_iter().collect()))
}

/// Words that answers of some dialect are made of.
const WORDS: &[&str] = &[
    "action",
    "decision",
    "reason",
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
    "hookSpecificOutput",
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "tool_input",
    "permission",
    "user_message",
    "agent_message",
    "updated_input",
    "modifiedArgs",
    "behavior",
    "message",
    "interrupt",
    "Reject",
    "ModifyInput",
    "new_input",
    "Continue",
    "modified",
    "inject",
    "ask",
    "ext",
    "delay_ms",
    "clearContext",
    "async",
    "ok",
    "content",
    "isError",
    "followup_message",
    "env",
    "additional_context",
    "updatedToolOutput",
    "retry",
    "worktreePath",
    "llm_request",
    "llm_response",
    "tool_output",
    "updatedPermissions",
    "data",
    "context_injection",
    "args",
    "context",
    "text",
    "prompt",
    "options",
    "timeout",
    "default",
    "toolArgs",
    "toolName",
    "tool_name",
    "hooks",
];

const VALUES: &[&str] = &[
    "allow",
    "deny",
    "ask",
    "block",
    "approve",
    "stop",
    "defer",
    "continue",
    "modify",
    "inject_context",
    "ask_user",
    "retry",
    "skip",
    "PreToolUse",
    "BeforeTool",
    "preToolUse",
    "Stop",
    "UserPromptSubmit",
    "accept",
    "decline",
    "",
    "Continue",
];

/// JSON that looks like an answer.
fn any_answer() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => proptest::sample::select(VALUES).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<i16>().prop_map(Value::from),
        1 => any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let name = proptest::sample::select(WORDS).prop_map(str::to_owned);
        prop_oneof![
            4 => proptest::collection::btree_map(name, inner.clone(), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            1 => proptest::collection::vec(inner, 0..3).prop_map(Value::from),
        ]
    })
}

/// What a process may print: answers, their beginnings, text around them, bytes.
fn any_output() -> impl Strategy<Value = Vec<u8>> {
    let text = || any_answer().prop_map(|answer| answer.to_string());
    prop_oneof![
        2 => text().prop_map(String::into_bytes),
        1 => text().prop_map(|text| format!("\u{feff}banner\n\u{1b}[31m{text}\u{1b}[0m\n").into_bytes()),
        1 => text().prop_map(|text| json!(text).to_string().into_bytes()),
        1 => (text(), any::<proptest::sample::Index>()).prop_map(|(text, at)| {
            let bytes = text.into_bytes();
            let end = at.index(bytes.len() + 1);
            bytes[..end].to_vec()
        }),
        1 => any_text().prop_map(String::into_bytes),
        1 => proptest::collection::vec(any::<u8>(), 0..64),
        1 => Just(Vec::new()),
        1 => (1_usize..3000).prop_map(|deep| format!("{{\"decision\":{}", "[".repeat(deep)).into_bytes()),
        1 => (1_usize..3000).prop_map(|deep| format!("{{\"a\":{}{}}}", "[".repeat(deep), "]".repeat(deep)).into_bytes()),
    ]
}

/// Checks that what was understood is an answer that holds for the event.
fn valid(dialect: &dyn Dialect, invocation: &Invocation, result: &HandlerResult<Value>) -> Result<(), TestCaseError> {
    if let HandlerResult::Answer(answer) = result
        && let Reading::Invalid(invalid) = answer::read(&Json, &invocation.event, &answer)
    {
        let place = format!("{} on {}", dialect.name(), invocation.declared_event);
        return Err(TestCaseError::fail(format!("{place}: {answer} is no answer: {}", invalid.message)));
    }
    prop_assert!(!matches!(result, HandlerResult::Detached));
    Ok(())
}

/// A payload for an event in which the fields that matter vary.
fn varied(dialect: &dyn Dialect, declared: &str, tool: &str, args: &Value, text: &str) -> Invocation {
    let mut invocation = crate::subject::invocation(dialect, declared, None, None);
    let known = invocation.event.built_in().expect("dialects know built-in events");
    for field in known.fields {
        match (field.name, field.kind) {
            ("tool", _) => _ = invocation.payload.insert("tool".to_owned(), json!(tool)),
            ("args", _) => _ = invocation.payload.insert("args".to_owned(), args.clone()),
            ("prompt" | "message" | "reason" | "error" | "last_message", FieldKind::Text | FieldKind::Any) => {
                invocation.payload.insert(field.name.to_owned(), json!(text));
            }
            _ => {}
        }
    }
    invocation
}

const TOOLS: &[&str] = &[
    "Bash",
    "Edit",
    "Write",
    "Read",
    "Glob",
    "Grep",
    "Agent",
    "WebFetch",
    "mcp__server__tool",
    "MyTool",
    "LS",
    "PowerShell",
];

/// How much a decision holds back; more is stricter.
fn strictness(decision: &str) -> u8 {
    match decision {
        "allow" => 0,
        "ask" => 2,
        "block" => 3,
        "stop" => 4,
        _ => 1,
    }
}

fn outcome(decision: &str, gate: bool, extra: &Value) -> Map<String, Value> {
    let refuses = matches!(decision, "block" | "stop");
    let feedback = if refuses && !gate { json!(["because"]) } else { json!([]) };
    let asks = if decision == "ask" {
        json!([{"hook": "h", "prompt": "Really?", "options": ["Allow once", "Deny"], "timeout_ms": 1000, "default": "deny"}])
    } else {
        json!([])
    };
    let mut whole = json!({
        "decision": decision, "blocked": refuses && gate, "reason": "because", "modified": [], "votes": [], "injections": [],
        "messages": [], "asks": asks, "feedback": feedback, "delay_ms": 0, "suppress_output": false, "ext": {}, "trace": [],
    });
    let (Some(whole), Some(extra)) = (whole.as_object_mut(), extra.as_object()) else { return Map::new() };
    whole.extend(extra.clone());
    whole.clone()
}

/// What the dialect's own reading makes of what was left for the agent.
fn read_back(dialect: &dyn Dialect, invocation: &Invocation, written: &WireAnswer) -> (u8, Option<Value>) {
    let exited = CommandOutput {
        code: Some(written.exit_code),
        signal: None,
        stdout: written.stdout.clone().into_bytes(),
        stderr: written.stderr.clone().into_bytes(),
    };
    match hookweave_dialects::answer_of_command(dialect, invocation, &exited) {
        HandlerResult::Answer(answer) => {
            let action = answer.get("action").and_then(Value::as_str).unwrap_or("continue").to_owned();
            let asks = answer.get("ask").is_some_and(|ask| !ask.is_null());
            (strictness(&action).max(if asks { 2 } else { 0 }), Some(answer))
        }
        HandlerResult::Failed(failure) if failure.meant_to_restrict => (3, None),
        _ => (1, None),
    }
}

/// Whether the event can be refused at all, as the dialect reads exit code 2.
fn can_refuse(dialect: &dyn Dialect, invocation: &Invocation) -> bool {
    let refusal = WireAnswer { exit_code: 2, stderr: "no".to_owned(), ..WireAnswer::default() };
    read_back(dialect, invocation, &refusal).0 >= strictness("block")
}

/// The event as the agent itself would send it.
fn sent(dialect: &dyn Dialect, invocation: &Invocation) -> Result<WireEvent, TestCaseError> {
    let encoded = dialect.encode(invocation);
    dialect.event_from_wire(&encoded.body).map_err(|error| {
        TestCaseError::fail(format!("{} {}: {error} in {}", dialect.name(), invocation.declared_event, encoded.body))
    })
}

/// Whether the dialect reads what it writes for an event.
fn has_wire(dialect: &dyn Dialect, invocation: &Invocation) -> bool {
    dialect.event_from_wire(&dialect.encode(invocation).body).is_ok()
}

#[test]
fn every_event_that_a_hook_reads_is_understood() {
    let reads = |dialect: &dyn Dialect, declared: &str, tool: &&str| {
        has_wire(
            dialect,
            &varied(dialect, declared, tool, &json!({"command": "ls", "file_path": "/project/a"}), "text"),
        )
    };
    let without: Vec<_> = pairs()
        .into_iter()
        .filter(|(dialect, declared)| !TOOLS.iter().any(|tool| reads(*dialect, declared, tool)))
        .map(|(dialect, declared)| format!("{} {declared}", dialect.name()))
        .collect();
    assert!(without.is_empty(), "cannot be read: {without:?}");
}

/// Fails with everything that is wrong at once.
fn report(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_refusal_among_words_refuses_in_every_dialect_that_reads_output() {
    for (dialect, event) in pairs() {
        let invocation = crate::subject::invocation(dialect, event, None, None);
        if !["PreToolUse", "BeforeTool"].contains(&event) || !dialect.may_refuse(&invocation) {
            continue;
        }
        let decoded = |text: &str| {
            let exited =
                CommandOutput { code: Some(0), signal: None, stdout: text.as_bytes().to_vec(), stderr: Vec::new() };
            hookweave_dialects::answer_of_command(dialect, &invocation, &exited)
        };
        let refuses = |result: &HandlerResult<Value>| match result {
            HandlerResult::Failed(failure) => failure.meant_to_restrict,
            HandlerResult::Answer(answer) => answer.get("action").is_some_and(|action| action == "block"),
            _ => false,
        };
        for text in [
            r#"checking... {"decision":"block","reason":"no"}"#,
            r#"${A} {"x"} {"decision":"deny"} done"#,
            "a\n{\"decision\":\"deny\"}\nb",
        ] {
            assert!(refuses(&decoded(text)), "{} {event}: {text}: {:?}", dialect.name(), decoded(text));
        }
        // Some systems take no plain text at all.
        if matches!(decoded("plain"), HandlerResult::Failed(_)) {
            continue;
        }
        for text in ["checked ${HOME} and {a,b}", r#"input: {"tool_input":{"decision":"deny"}} is fine"#] {
            assert!(!refuses(&decoded(text)), "{} {event}: {text}: {:?}", dialect.name(), decoded(text));
        }
    }
}

#[test]
fn what_is_left_for_an_agent_is_at_least_as_strict() {
    let mut wrong = Vec::new();
    for (dialect, declared) in pairs() {
        for tool in TOOLS {
            let invocation =
                varied(dialect, declared, tool, &json!({"command": "ls", "file_path": "/project/a"}), "text");
            let Ok(event) = dialect.event_from_wire(&dialect.encode(&invocation).body) else { continue };
            for decision in ["continue", "allow", "ask", "retry", "block", "stop"] {
                for extra in [json!({}), full_outcome()] {
                    wrong.extend(laxer(dialect, &invocation, &event, decision, &extra));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    report(&wrong);
}

fn full_outcome() -> Value {
    json!({
        "injections": [{"hook": "h", "content": "context", "role": "system", "ephemeral": false}],
        "messages": [{"hook": "h", "text": "hello", "level": "info"}],
    })
}

/// What is wrong when the agent may do more than was decided.
fn laxer(
    dialect: &dyn Dialect,
    invocation: &Invocation,
    event: &WireEvent,
    decision: &str,
    extra: &Value,
) -> Option<String> {
    let gate = invocation.event.gate();
    let outcome = outcome(decision, gate, extra);
    let written =
        dialect.outcome_to_wire(&OutcomeView::read(event, &event.payload, &outcome).expect("the decision is known"));
    let (found, answer) = read_back(dialect, invocation, &written);
    // Where nothing can be refused, and where the event is itself the question, saying so is all that can be done.
    let is_question = decision == "ask" && event.event == "PermissionRequest";
    let binds = gate && !is_question;
    let wanted = if binds { strictness(decision) } else { strictness("continue").min(strictness(decision)) };
    // An agent that is about to stop and gets no answer stops.
    let ends_anyway = decision == "stop" && matches!(event.event, "Stop" | "SubagentStop");
    let wanted = if ends_anyway { strictness("continue") } else { wanted };
    let is_degraded = !written.degraded.is_empty();
    // A refusal alone is less than a stop, and has to be reported.
    let wanted = if is_degraded { wanted.min(strictness("block")) } else { wanted };
    let holds = found >= wanted || (is_degraded && !can_refuse(dialect, invocation));
    let granted = decision != "allow" && found < strictness("continue");
    let what = if granted { "grants what nobody allowed" } else { "is laxer" };
    (granted || !holds).then(|| {
        format!(
            "{} {}: {decision} {what}: {written:?} is read as {answer:?}",
            dialect.name(),
            invocation.declared_event
        )
    })
}

#[test]
fn changed_arguments_reach_the_agent_or_nothing_passes() {
    let mut wrong = Vec::new();
    for (dialect, declared) in pairs() {
        for tool in TOOLS {
            let invocation =
                varied(dialect, declared, tool, &json!({"command": "ls", "file_path": "/project/a"}), "text");
            let Ok(event) = dialect.event_from_wire(&dialect.encode(&invocation).body) else { continue };
            if event.event != "PreToolUse" {
                continue;
            }
            for decision in ["continue", "allow"] {
                let mut payload = event.payload.clone();
                payload.insert("args".to_owned(), json!({"command": "rm", "file_path": "/project/b"}));
                let outcome = outcome(decision, true, &json!({"modified": ["args"]}));
                let written = dialect
                    .outcome_to_wire(&OutcomeView::read(&event, &payload, &outcome).expect("the decision is known"));
                let (found, answer) = read_back(dialect, &invocation, &written);
                let new = answer.as_ref().and_then(|answer| answer.get("modified")?.get("args"));
                let reached = new.is_some_and(|args| args.get("command") == Some(&json!("rm")));
                if found < strictness("block") && !reached {
                    wrong.push(format!(
                        "{} {declared} {tool} {decision}: {written:?} is read as {answer:?}",
                        dialect.name()
                    ));
                }
            }
        }
    }
    report(&wrong);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_hook_reads_comes_back_as_the_event(
        (dialect, declared) in any_pair(),
        tool in proptest::sample::select(TOOLS),
        args in any_args(),
        text in any_text(),
    ) {
        // Copilot's `path` is the engine's `file_path`. VS Code writes `file_path` there, as a call with a `path` alone does.
        prop_assume!(dialect.name() != "copilot" || args.get("path").is_none() || args.get("file_path").is_some());
        let invocation = varied(dialect, declared, tool, &args, &text);
        prop_assume!(has_wire(dialect, &invocation));
        let event = sent(dialect, &invocation)?;
        prop_assert_eq!(event.event, invocation.event.name(), "{} {}", dialect.name(), declared);
        let lost = lost(dialect.name());
        let is_lost = |field: &str| ["*", event.event, declared].iter().any(|place| {
            lost.get(*place).is_some_and(|fields| fields.iter().any(|lost| lost == field))
        });
        for (field, value) in &invocation.payload {
            if field == "metadata" || field == "event_type" || is_lost(field) {
                continue;
            }
            let back = event.payload.get(field);
            let fits = back == Some(value) || back.is_none_or(Value::is_null) && value.is_null();
            prop_assert!(fits, "{} {declared}: `{field}` was {value}, came back as {back:?}", dialect.name());
        }
    }

    #[test]
    fn nothing_that_a_hook_prints_panics_or_is_misread(
        (dialect, declared) in any_pair(),
        code in proptest::sample::select(vec![Some(0), Some(1), Some(2), Some(3), Some(126), Some(127), Some(255), Some(-1), None]),
        stdout in any_output(),
        stderr in any_output(),
    ) {
        let invocation = crate::subject::invocation(dialect, declared, None, None);
        let exited = CommandOutput { code, signal: code.is_none().then_some(9), stdout, stderr };
        valid(dialect, &invocation, &hookweave_dialects::answer_of_command(dialect, &invocation, &exited))?;
    }

    #[test]
    fn nothing_that_a_server_or_a_model_answers_panics(
        (dialect, declared) in any_pair(),
        status in prop_oneof![Just(200_u16), Just(204), Just(302), Just(404), Just(500), any::<u16>()],
        body in any_output(),
        answered in any_answer(),
        kind in proptest::sample::select(vec![RunKind::McpTool, RunKind::Prompt, RunKind::Agent]),
    ) {
        let invocation = crate::subject::invocation(dialect, declared, None, None);
        let answer = WebResponse { status, content_type: Some("application/json".to_owned()), body };
        valid(dialect, &invocation, &hookweave_dialects::answer_of_server(dialect, &invocation, &answer))?;
        valid(dialect, &invocation, &hookweave_dialects::answer_of_host(dialect, &invocation, kind, &answered))?;
    }

    #[test]
    fn nothing_that_an_agent_sends_or_a_host_raises_panics(
        (dialect, declared) in any_pair(),
        wire in prop_oneof![any_json(), any_answer()],
        field in proptest::sample::select(vec!["tool", "args", "result", "prompt", "metadata", "error", "tool_calls", "cwd", "session_id", "message", "timestamp", "messages", "model"]),
        value in any_json(),
    ) {
        let _ = dialect.event_from_wire(&wire);
        // A valid event with one field of the wrong kind, on both sides.
        let mut invocation = crate::subject::invocation(dialect, declared, None, None);
        let mut encoded = dialect.encode(&invocation).body;
        if let Some(fields) = encoded.as_object_mut() {
            let names: Vec<_> = fields.keys().cloned().collect();
            for name in names {
                let mut broken = fields.clone();
                broken.insert(name, value.clone());
                if let Ok(event) = dialect.event_from_wire(&Value::Object(broken)) {
                    let outcome = outcome("block", true, &json!({"modified": ["args"], "ext": {dialect.name(): wire}}));
                    let view = OutcomeView::read(&event, &event.payload, &outcome).expect("the decision is known");
                    let _ = dialect.outcome_to_wire(&view);
                }
            }
        }
        invocation.payload.insert(field.to_owned(), value);
        let _ = dialect.encode(&invocation);
    }

    #[test]
    fn no_matcher_panics((dialect, declared) in any_pair(), matcher in prop_oneof!["[A-Za-z_|*,. ()^$\\[\\]?+-]{0,24}", "\\PC{0,24}", "/[a-z|]{1,9}/i?", "(Bahs|bash|Raed)( .*)?"]) {
        if let Some(Ok(place)) = dialect.place(declared, Some(&matcher)) {
            prop_assert!(BUILT_IN.iter().any(|known| known.name == place.event));
            let event = crate::subject::spec(place.event);
            prop_assert!(
                hookweave_machine::matcher::Matcher::new(place.matcher.clone(), &event).is_ok(),
                "{} {declared}: `{matcher}` is taken and does not compile: {:?}", dialect.name(), place.matcher
            );
        }
    }
}
