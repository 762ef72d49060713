//! A call of another shape than hooks expect, for hooks that know one file or one line: a call for each, and one answer of all.
//!
//! Hooks of Claude Code and most others test one `file_path` or one `command`. A patch has several files, and hosts put a program
//! and its words apart, so such a hook runs for each file and each line.

use serde_json::{Map, Value, json};

use super::codex::patch::{Part, parts};
use super::{Dialect, Invocation, draft};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::tool_names::{self, PROGRAMS, WORDS_APART, quoted};

/// The most calls that a hook is run for.
const MAX_CALLS: usize = 500;

/// Arguments that say again what a patch does.
const DERIVED: &[&str] = &["paths", "file_path", "content", "old_string", "new_string"];

/// The calls that a hook is run for, one for each file or line; `None` where it is run once, for the call as it is.
///
/// An error says why the call has to be refused.
#[must_use]
pub fn calls(dialect: &dyn Dialect, invocation: &Invocation) -> Option<Result<Vec<Invocation>, HookFailure<Value>>> {
    if dialect.reads_patches() {
        return None;
    }
    let Value::Object(args) = invocation.field("args")? else { return None };
    let tool = invocation.text("tool")?;
    let ours = invocation.tool.as_ref().and_then(|defined| defined.same_as.as_deref()).unwrap_or(tool);
    let Split { held_by, parts } = match ours {
        "Bash" => of_lines(invocation, args),
        "Edit" | "Write" => of_patch(args, |name| name == "command").or_else(|| of_replacements(args)),
        _ if tool_names::takes_patches(ours) => of_patch(args, |_| true),
        _ => None,
    }?;
    if parts.len() > MAX_CALLS {
        let count = parts.len();
        let why = format!("a call of {count} files or lines; a hook is run for {MAX_CALLS} at most: split the call");
        let failure = HookFailure::new(FailureKind::NotStarted, why);
        return Some(Err(HookFailure { meant_to_restrict: true, ..failure }));
    }
    let mut calls = Vec::with_capacity(parts.len() + 1);
    let own_path =
        invocation.tool.as_ref().and_then(|defined| defined.paths.first()).map_or("file_path", String::as_str);
    if ours != "Bash" && args.get(own_path).is_some_and(Value::is_string) {
        // The files, or what stands beside them, may be a decoy: the hook looks at both.
        let mut call = invocation.clone();
        let args = without(args, |name| name == "paths" || held_by.iter().any(|holder| holder == name));
        call.payload.insert("args".to_owned(), Value::Object(args));
        calls.push(call);
    }
    let further = without(args, |name| {
        name == own_path || DERIVED.contains(&name) || held_by.iter().any(|holder| holder == name)
    });
    for Part { tool, args: mut own } in parts {
        for (name, value) in &further {
            own.entry(name).or_insert_with(|| value.clone());
        }
        let mut call = invocation.clone();
        call.payload.insert("tool".to_owned(), json!(tool));
        call.payload.insert("args".to_owned(), Value::Object(own));
        call.tool = None;
        calls.push(call);
    }
    Some(Ok(calls))
}

/// A call taken apart.
struct Split {
    /// The arguments that hold its parts.
    held_by: Vec<String>,
    parts: Vec<Part>,
}

/// The arguments of a call without some of them.
fn without(args: &Map<String, Value>, left_out: impl Fn(&str) -> bool) -> Map<String, Value> {
    args.iter().filter(|(name, _)| !left_out(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The files of a patch, which is the text of one of these arguments.
fn of_patch(args: &Map<String, Value>, may_hold: impl Fn(&str) -> bool) -> Option<Split> {
    args.iter().filter(|(name, _)| may_hold(name)).find_map(|(name, value)| {
        let parts = parts(value.as_str()?);
        (!parts.is_empty()).then(|| Split { held_by: vec![name.clone()], parts })
    })
}

/// The changes of a list `replacements`, each of one file.
fn of_replacements(args: &Map<String, Value>) -> Option<Split> {
    let part = |change: &Value| {
        let path = ["filePath", "file_path", "path"].iter().find_map(|name| change.get(name)?.as_str())?;
        let mut args = Map::from_iter([("file_path".to_owned(), json!(path))]);
        for (theirs, ours) in [("oldString", "old_string"), ("newString", "new_string")] {
            let value = change.get(theirs).or_else(|| change.get(ours));
            args.extend(value.map(|value| (ours.to_owned(), value.clone())));
        }
        Some(Part { tool: "Edit", args })
    };
    let parts: Vec<Part> = args.get("replacements")?.as_array()?.iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| Split { held_by: vec!["replacements".to_owned()], parts })
}

/// The lines of a shell's call that do not stand in one argument.
fn of_lines(invocation: &Invocation, args: &Map<String, Value>) -> Option<Split> {
    let own = invocation.tool.as_ref().and_then(|defined| defined.command.as_deref()).unwrap_or("command");
    let is_apart = |(name, value): &(&String, &Value)| match name.as_str() {
        name if name == own => false,
        "task" => value.is_object(),
        "commands" => value.is_array() || value.is_string(),
        name if WORDS_APART.contains(&name) => value.is_array() || value.is_string(),
        name => PROGRAMS.contains(&name) && value.is_string(),
    };
    let mut held_by: Vec<String> = args.iter().filter(is_apart).map(|(name, _)| name.clone()).collect();
    held_by.first()?;
    held_by.extend([own.to_owned(), "command".to_owned()]);
    let mut lines = lines_of(args, own);
    if let Some(Value::Object(task)) = args.get("task") {
        lines.extend(lines_of(task, "command"));
    }
    let several = match args.get("commands") {
        Some(Value::Array(several)) => several.as_slice(),
        Some(line) => std::slice::from_ref(line),
        None => &[],
    };
    for several in several {
        match several {
            Value::String(line) => lines.push(line.clone()),
            Value::Array(words) => lines.extend(joined(words)),
            Value::Object(command) => lines.extend(lines_of(command, "command")),
            _ => {}
        }
    }
    let part = |line| Part { tool: "Bash", args: Map::from_iter([("command".to_owned(), Value::String(line))]) };
    let parts: Vec<Part> = lines.into_iter().map(part).collect();
    (!parts.is_empty()).then_some(Split { held_by, parts })
}

/// A command or program with the words that stand apart from it.
fn lines_of(args: &Map<String, Value>, own: &str) -> Vec<String> {
    let words = WORDS_APART.iter().filter(|name| **name != own).find_map(|name| match args.get(*name)? {
        Value::String(words) => Some(words.clone()),
        Value::Array(words) => joined(words),
        _ => None,
    });
    let programs = PROGRAMS.iter().copied().filter(|name| *name != own);
    let programs = std::iter::once(own).chain(programs).filter_map(|name| args.get(name)?.as_str());
    let line = |program: &str| match &words {
        Some(words) if !words.is_empty() => format!("{program} {words}"),
        _ => program.to_owned(),
    };
    programs.map(line).collect()
}

/// Words as a line.
fn joined(words: &[Value]) -> Option<String> {
    let word = |word: &Value| match word {
        Value::String(word) => Some(quoted(word).into_owned()),
        Value::Number(_) | Value::Bool(_) => Some(word.to_string()),
        _ => None,
    };
    words.iter().map(word).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}

/// The answer of one hook that ran for several files or lines, in the making.
#[derive(Debug, Default)]
pub struct Joined {
    answer: Map<String, Value>,
    runs: usize,
    failed: Option<HookFailure<Value>>,
}

impl Joined {
    /// Adds what a run came to; `Some` ends the runs: it refuses the call, or cannot decide about it.
    pub fn add(&mut self, call: &Invocation, result: HandlerResult<Value>) -> Option<HandlerResult<Value>> {
        self.runs += 1;
        let mut answer = match result {
            HandlerResult::Answer(Value::Object(answer)) => answer,
            HandlerResult::Nothing => Map::new(),
            HandlerResult::Failed(failure) if !ends(&failure) => {
                self.failed.get_or_insert(failure);
                return None;
            }
            other => return Some(other),
        };
        if let Some(Value::Object(modified)) = answer.get_mut("modified") {
            let args = modified.remove("args");
            if args.is_some_and(|args| Some(&args) != call.payload.get("args")) {
                let args = call.payload.get("args");
                let part = args.and_then(|args| args.get("file_path").or_else(|| args.get("command"))?.as_str());
                let part = part.unwrap_or_default();
                let why = format!("a hook changed the arguments for `{part}`, which cannot be put back into the call");
                return Some(draft::refused(FailureKind::InvalidAnswer, why));
            }
            if modified.is_empty() {
                answer.remove("modified");
            }
        }
        let refuses = matches!(action(&answer), "block" | "stop");
        self.join(answer);
        if refuses { Some(HandlerResult::Answer(Value::Object(std::mem::take(&mut self.answer)))) } else { None }
    }

    /// What the hook's runs have replaced in the payload, for the next run.
    #[must_use]
    pub fn modified(&self) -> Option<&Map<String, Value>> {
        self.answer.get("modified").and_then(Value::as_object)
    }

    /// The answer of all runs.
    #[must_use]
    pub fn into_result(self) -> HandlerResult<Value> {
        let is_question = matches!(action(&self.answer), "ask" | "retry");
        match self.failed {
            // What failed may have been a refusal, and the answer of another run must not be lost.
            Some(failure) => HandlerResult::Failed(HookFailure {
                meant_to_restrict: failure.meant_to_restrict || is_question,
                ..failure
            }),
            None if self.answer.is_empty() => HandlerResult::Nothing,
            None => HandlerResult::Answer(Value::Object(self.answer)),
        }
    }

    fn join(&mut self, mut answer: Map<String, Value>) {
        if self.runs == 1 || strength(&answer) > strength(&self.answer) {
            for name in DECISION {
                self.answer.remove(*name);
                self.answer.extend(answer.remove_entry(*name));
            }
        }
        answer.retain(|name, _| !DECISION.contains(&name.as_str()));
        merge(&mut self.answer, answer);
    }
}

/// The fields of an answer that are its decision.
const DECISION: &[&str] = &["action", "reason", "ask"];

fn action(answer: &Map<String, Value>) -> &str {
    let implied = if answer.contains_key("ask") { "ask" } else { "continue" };
    answer.get("action").and_then(Value::as_str).unwrap_or(implied)
}

/// How much an answer restricts; an `allow` the least, since it counts only where every run allows.
fn strength(answer: &Map<String, Value>) -> Option<usize> {
    const ACTIONS: &[&str] = &["allow", "continue", "retry", "ask", "block", "stop"];
    ACTIONS.iter().position(|known| *known == action(answer))
}

/// Adds fields: lists are joined, objects are merged, of others the last counts.
fn merge(fields: &mut Map<String, Value>, more: Map<String, Value>) {
    for (name, value) in more {
        match (fields.get_mut(&name), value) {
            (Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (Some(Value::Object(known)), Value::Object(more)) if name != "result" => merge(known, more),
            (_, value) => _ = fields.insert(name, value),
        }
    }
}

/// Whether a failed run ends the others: what it was to restrict is not known, or the call is over.
fn ends(failure: &HookFailure<Value>) -> bool {
    failure.meant_to_restrict || failure.kind == FailureKind::Cancelled
}
