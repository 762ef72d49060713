//! What a hook meant by its exit code and output.

mod hosted;
mod object;
mod own_words;
mod schema;

use serde_json::{Map, Value};

use super::events::{ClaudeEvent, Two, asked};
use super::flavour::Flavour;
use crate::draft::{Draft, failed, refused};
use crate::output::{self, Json};
use crate::{CommandOutput, Invocation, WebResponse};
use hookweave_machine::dispatch::{FailureKind, HandlerResult};

pub(super) use hosted::decode as decode_hosted;

/// What a hook says that blocks and gives no reason.
const NO_REASON: &str = "the hook exited with code 2 and gave no reason";

/// One hook's output on its way to an answer.
struct Reader<'a> {
    flavour: &'a Flavour,
    known: &'static ClaudeEvent,
    /// What exit code 2 does.
    two: Two,
    invocation: &'a Invocation,
    draft: Draft<'a>,
}

/// What a text that a hook printed is.
enum Printed {
    Nothing,
    Plain,
    Answer(Map<String, Value>),
    /// A JSON object that is no answer.
    Void(String),
    /// It may be an answer, but cannot be read here.
    Unreadable(String),
}

/// Reads what a process left.
pub(crate) fn decode(flavour: &Flavour, invocation: &Invocation, exited: &CommandOutput) -> HandlerResult<Value> {
    let stdout = output::text(&exited.stdout);
    let stderr = output::text(&exited.stderr);
    let Some(reader) = Reader::new(flavour, invocation) else { return HandlerResult::Nothing };
    let is_on_stderr = flavour.reads_stderr && stdout.is_empty() && exited.code != Some(2);
    let printed = reader.printed(if is_on_stderr { &stderr } else { &stdout });
    match exited.code {
        Some(0) => reader.zero(&stdout, &stderr, printed),
        Some(2) => reader.two(&stderr, &printed),
        _ => reader.other(exited, &stdout, &stderr, printed),
    }
}

/// Reads what a web server answered.
pub(crate) fn decode_web(flavour: &Flavour, invocation: &Invocation, answer: &WebResponse) -> HandlerResult<Value> {
    let body = output::text(&answer.body);
    let Some(reader) = Reader::new(flavour, invocation) else { return HandlerResult::Nothing };
    if !(200..300).contains(&answer.status) {
        let line = output::first_line(&body);
        let what = if line.is_empty() { String::new() } else { format!(": {line}") };
        return reader.fails(FailureKind::Unreachable, format!("the server answered {}{what}", answer.status));
    }
    match reader.printed(&body) {
        Printed::Plain => {
            let line = output::first_line(&body);
            reader.fails(FailureKind::InvalidAnswer, format!("the server answered text, not a JSON object: {line}"))
        }
        printed => reader.zero("", "", printed),
    }
}

/// Reads a text that was printed for the hook, for example by an MCP tool.
pub(crate) fn decode_text(flavour: &Flavour, invocation: &Invocation, text: &str) -> HandlerResult<Value> {
    let exited = CommandOutput { code: Some(0), signal: None, stdout: text.as_bytes().to_vec(), stderr: Vec::new() };
    decode(flavour, invocation, &exited)
}

impl<'a> Reader<'a> {
    fn new(flavour: &'a Flavour, invocation: &'a Invocation) -> Option<Self> {
        let known = asked(invocation.event.name(), &invocation.declared_event)?;
        let two = flavour.two(known);
        Some(Self { flavour, known, two, invocation, draft: Draft::new(flavour.name, invocation) })
    }

    fn printed(&self, text: &str) -> Printed {
        if text.is_empty() {
            return Printed::Nothing;
        }
        match output::parse_object_first(text) {
            Json::Object(mut fields) => {
                own_words::translate(self.flavour, self.known, &mut fields);
                match schema::check(self.known, &fields) {
                    Ok(()) => Printed::Answer(fields),
                    Err(why) => Printed::Void(why),
                }
            }
            Json::Unreadable(why) => Printed::Unreadable(why),
            Json::Other(_) | Json::Not => Printed::Plain,
        }
    }

    fn zero(mut self, stdout: &str, stderr: &str, printed: Printed) -> HandlerResult<Value> {
        match printed {
            Printed::Answer(answer) => self.answers(&answer, None),
            Printed::Void(why) => self.fails(FailureKind::InvalidAnswer, why),
            Printed::Unreadable(why) => unreadable(&why),
            Printed::Nothing | Printed::Plain if self.two == Two::Fails => self.made(stdout),
            Printed::Nothing | Printed::Plain => {
                if self.flavour.plain_is_context.contains(&self.known.name) {
                    self.draft.context(stdout);
                }
                self.remark(stdout);
                if let Some(why) = output::misplaced_answer(stderr) {
                    self.draft.note(why);
                }
                self.draft.into_result()
            }
        }
    }

    fn two(mut self, stderr: &str, printed: &Printed) -> HandlerResult<Value> {
        let reason = if stderr.is_empty() { NO_REASON } else { stderr };
        if let Printed::Void(why) | Printed::Unreadable(why) = printed {
            self.draft.note(format!("what was printed is no answer: {why}"));
        }
        let empty = Map::new();
        let answer = if let Printed::Answer(answer) = printed { answer } else { &empty };
        let effect = match self.two {
            // Policies of the administrator take effect regardless of hooks.
            Two::Blocks if super::is_beyond_hooks(self.invocation) => Two::Ignored,
            effect => effect,
        };
        match effect {
            Two::Blocks | Two::TellsModel | Two::Fails => return self.answers(answer, Some(reason)),
            Two::TellsUser if !stderr.is_empty() => self.draft.message(stderr, "warning"),
            Two::TellsUser => self.draft.note("exit code 2 shows stderr to the user, and stderr is empty"),
            Two::Ignored => {
                let line = output::first_line(stderr);
                let detail = if line.is_empty() { String::new() } else { format!(": {line}") };
                self.draft.note(format!("exit code 2 decides nothing on {}{detail}", self.known.name));
            }
        }
        self.answers(answer, None)
    }

    fn other(self, exited: &CommandOutput, stdout: &str, stderr: &str, printed: Printed) -> HandlerResult<Value> {
        let ending = output::ending(exited.code, exited.signal, "", stderr);
        match printed {
            Printed::Answer(answer) if self.two != Two::Fails => self.answers(&answer, None),
            Printed::Void(why) => self.fails(FailureKind::InvalidAnswer, format!("{ending}; {why}")),
            Printed::Unreadable(why) => unreadable(&why),
            _ => {
                let ending = output::ending(exited.code, exited.signal, stdout, stderr);
                self.fails(FailureKind::Exited, ending)
            }
        }
    }

    /// Puts an answer where the event has a place for it; `refusal` is why exit code 2 refuses.
    fn answers(mut self, answer: &Map<String, Value>, refusal: Option<&str>) -> HandlerResult<Value> {
        object::read(self.flavour, self.known, self.invocation, &mut self.draft, answer, refusal);
        if self.two == Two::Fails && refusal.is_none() && object::specific(answer, "worktreePath").is_none() {
            return refused(FailureKind::InvalidAnswer, "the hook named no directory for the worktree");
        }
        self.draft.into_result()
    }

    /// The path that a `WorktreeCreate` hook prints in its last line.
    fn made(mut self, stdout: &str) -> HandlerResult<Value> {
        let path = output::last_line(stdout);
        if path.is_empty() {
            return refused(FailureKind::InvalidAnswer, "the hook named no directory for the worktree");
        }
        self.draft.own("worktreePath", Value::String(path));
        self.draft.into_result()
    }

    /// A remark on text that looks as if more was meant.
    fn remark(&mut self, stdout: &str) {
        let why = if stdout.starts_with('{') {
            "what was printed begins with `{` but is no JSON; it is read as plain text"
        } else if output::object_behind_text(stdout).is_some() {
            "JSON that follows other text is not read; nothing in it counts"
        } else if stdout.starts_with(['[', '"']) && output::parse(stdout) != Json::Not {
            "only a JSON object is read as an answer; a list or a string is plain text"
        } else {
            return;
        };
        self.draft.note(why);
    }

    /// A failure, which lets the action go on, except where something was to be made.
    fn fails(&self, kind: FailureKind, why: String) -> HandlerResult<Value> {
        if self.two == Two::Fails { refused(kind, why) } else { failed(kind, why) }
    }
}

/// Claude Code would have read it, and it may have been a refusal.
fn unreadable(why: &str) -> HandlerResult<Value> {
    refused(FailureKind::InvalidAnswer, format!("the JSON that was printed cannot be read: {why}"))
}
