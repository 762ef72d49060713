//! Wingman's hooks: three events, an exit code, and nothing that is read from standard output.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::canonical::{self, Expressible};
use super::incoming::{self, Incoming};
use super::{
    Dialect, Encoded, Exited, Invocation, OutcomeView, Placement, RunKind, WireAnswer, WireEvent, matching, output,
    tool_names,
};
use hookweave_machine::dispatch::HandlerResult;
use hookweave_machine::error::Error;
use hookweave_machine::matcher::MatcherSpec;
use hookweave_machine::pattern::Pattern;

const NAME: &str = "wingman";
const EVENTS: &[&str] = &["PreToolUse", "PostToolUse", "Stop"];

/// What a Wingman agent understands: a refusal before a tool, nothing else.
const EXPRESSIBLE: Expressible = Expressible { name: "Wingman", ask: false, retry: false, modified: &[] };

/// The hooks of Wingman.
#[derive(Debug)]
pub struct Wingman;

/// The wingman dialect.
pub static WINGMAN: Wingman = Wingman;

/// Whether a name means nothing else to a reader of patterns or globs.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-:/ ".contains(letter))
}

/// The string matcher: everything, exact names, or a regular expression that an equal name satisfies too.
fn tool_matcher(matcher: &str) -> Result<MatcherSpec, String> {
    let spec = MatcherSpec { naming: Some(NAME), ..MatcherSpec::default() };
    if matches!(matcher, "" | "*") {
        return Ok(MatcherSpec::default());
    }
    if matcher.contains('|') {
        let names: Vec<&str> = matcher.split('|').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(format!("`{matcher}` names no tool; name one on each side of `|`, or leave the matcher out"));
        }
        if names.iter().all(|name| is_plain(name)) {
            return Ok(MatcherSpec { tool: Some(names.join("|")), ..spec });
        }
        let escaped: Vec<String> = names.into_iter().map(regex::escape).collect();
        return Ok(MatcherSpec { tool_pattern: Some(format!("^(?:{})$", escaped.join("|"))), ..spec });
    }
    if is_plain(matcher) {
        return Ok(MatcherSpec { tool: Some(matcher.to_owned()), ..spec });
    }
    let exact = matching::literal(matcher);
    let either = format!("{exact}|(?:{matcher})");
    // A pattern that does not compile alone would, for example `a)|(b`, slip through between the parentheses.
    let good = Pattern::new(matcher).is_ok() && Pattern::new(&either).is_ok();
    Ok(MatcherSpec { tool_pattern: Some(if good { either } else { exact }), ..spec })
}

impl Dialect for Wingman {
    fn name(&self) -> &'static str {
        NAME
    }

    fn parallel(&self) -> bool {
        false
    }

    fn detached_in_order(&self) -> bool {
        true
    }

    fn place(&self, declared_event: &str, matcher: Option<&str>) -> Option<Result<Placement, String>> {
        let event = EVENTS.iter().copied().find(|event| *event == declared_event)?;
        let spec = match matcher {
            Some(matcher) if event != "Stop" => tool_matcher(matcher),
            _ => Ok(MatcherSpec::default()),
        };
        Some(spec.map(|matcher| Placement { event, matcher }))
    }

    fn events(&self) -> Vec<&'static str> {
        EVENTS.to_vec()
    }

    fn timeout(&self, _declared_event: &str, _kind: RunKind) -> Option<Duration> {
        Some(Duration::from_secs(60))
    }

    fn encode(&self, invocation: &Invocation) -> Encoded {
        let event = invocation.event.name();
        let mut body = Map::new();
        let mut put = |name: &str, value: Value| body.insert(name.to_owned(), value);
        put("session_id", json!(invocation.text("session_id").unwrap_or_default()));
        put("cwd", json!(invocation.text("cwd").unwrap_or_default()));
        put("hook_event_name", json!(event));
        if let Some(tool) = invocation.text("tool") {
            let definition = invocation.tool.as_ref();
            put("tool_name", json!(tool_names::to_dialect(NAME, tool, definition)));
            let args = match invocation.field("args") {
                Some(Value::Object(args)) => Value::Object(tool_names::args_to_dialect(NAME, tool, definition, args)),
                other => other.cloned().unwrap_or_else(|| json!({})),
            };
            put("tool_input", args);
            if let Some(id) = invocation.field("tool_use_id") {
                put("tool_use_id", id.clone());
            }
        }
        if let Some(result) = invocation.field("result") {
            put("tool_output", result.get("output").unwrap_or(result).clone());
        }
        Encoded { body: Value::Object(body), env: Vec::new(), env_file: None }
    }

    fn may_refuse(&self, _invocation: &Invocation) -> bool {
        // The exit code alone decides: a hook's output is not read.
        false
    }

    fn decode(&self, invocation: &Invocation, exited: &Exited) -> HandlerResult<Value> {
        match exited.code {
            Some(0) => HandlerResult::Nothing,
            Some(2) if invocation.event.name() == "PreToolUse" => canonical::block(exited),
            // On later events every failure is logged and the agent goes on.
            _ => canonical::exited(exited),
        }
    }

    fn event_from_wire(&self, wire: &Value) -> Result<WireEvent, Error> {
        let mut wire = Incoming::new(NAME, wire)?;
        let name = wire.take_text("hook_event_name").unwrap_or_default();
        let Some(event) = EVENTS.iter().copied().find(|event| *event == name) else {
            let why = format!("`hook_event_name` is `{}`; known are {}", output::shown(&name), EVENTS.join(", "));
            return Err(incoming::refuse(NAME, why));
        };
        wire.moves(&["session_id"], "session_id");
        wire.moves(&["cwd"], "cwd");
        if event != "Stop" {
            let theirs = wire.take_text("tool_name").unwrap_or_default();
            if theirs.is_empty() {
                return Err(incoming::refuse(NAME, "`tool_name` is missing"));
            }
            let tool = tool_names::seen(NAME, &theirs);
            let args = match wire.input(&["tool_input"], event)? {
                None => Map::new(),
                Some(Value::Object(args)) => tool_names::args_from_dialect(NAME, &tool, None, &args),
                Some(other) => {
                    let why = format!("`tool_input` must be an object, is {}", output::kind(&other));
                    return Err(incoming::refuse(NAME, why));
                }
            };
            wire.put("tool", &*tool);
            wire.put("args", args);
            wire.moves(&["tool_use_id"], "tool_use_id");
        }
        if event == "PostToolUse" {
            let output = wire.take("tool_output").unwrap_or_default();
            wire.put("result", json!({"output": output}));
        }
        Ok(wire.event(event))
    }

    fn outcome_to_wire(&self, outcome: &OutcomeView<'_>) -> WireAnswer {
        let mut answer = WireAnswer::default();
        let refusal = canonical::refusal(outcome, &mut answer, EXPRESSIBLE);
        canonical::leave_out(outcome, &mut answer, EXPRESSIBLE);
        let Some(reason) = refusal else { return answer };
        if outcome.event.event != "PreToolUse" {
            answer.degrade("block: Wingman logs it and continues, after a tool and at the end");
        }
        WireAnswer { exit_code: 2, stderr: reason, ..answer }
    }
}
