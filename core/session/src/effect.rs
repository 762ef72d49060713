//! What a flow wants done, and what came of it.

mod finished;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use hookweave_machine::met::CommandPart;

use super::answer::Answer;
use super::fields::Fields;
use super::verdict::Verdict;

pub use finished::{Finished, Generation, Injected, ModelRun, ToolRun};

/// A value of the host's that the driver keeps for the time of a flow: arguments, a result, a response.
pub type ValueId = u32;

/// Who speaks in a message of the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Role {
    System,
    User,
    Assistant,
    Tool,
}

/// The next thing to do.
#[derive(Debug, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Effect {
    /// Raise an event; reply with [`Reply::Dispatched`], or where the payload is invalid (a model's arguments lack what a
    /// hook looks at) with [`Reply::Failed`], which refuses what the event is about.
    Dispatch {
        /// The event's name.
        event: &'static str,
        /// Its payload, but for the host's own values.
        fields: Fields,
        /// The host's own values of the payload, by field.
        values: Vec<(&'static str, ValueId)>,
        /// The fields whose final values are wanted, of those that hooks changed.
        wants: &'static [&'static str],
    },
    /// Copy a value, so that nothing else refers to its parts, and give its JSON text; reply with [`Reply::Frozen`].
    Freeze {
        /// Which one.
        value: ValueId,
    },
    /// Ask a person; reply with [`Reply::Chosen`], [`Reply::NoApprover`], [`Reply::NotAsked`], [`Reply::TimedOut`],
    /// [`Reply::Suspended`] or [`Reply::Failed`].
    Approve(Box<ApprovalRequest>),
    /// Run a tool; reply with [`Reply::Ran`] or [`Reply::Dropped`].
    RunTool {
        /// Its name.
        tool: Arc<str>,
        /// The call's id.
        tool_use_id: Arc<str>,
        /// Its arguments.
        args: ValueId,
        /// Variables that hooks left.
        env: Map<String, Value>,
    },
    /// Call the model; reply with [`Reply::Responded`] or [`Reply::Failed`].
    CallModel {
        /// What the user asked for.
        prompt: String,
        /// The instructions, when there are any.
        system_prompt: Option<String>,
        /// The names of the tools that it may call.
        tools: Vec<Value>,
        /// Messages for this call only: role and text.
        ephemeral: Vec<(Role, String)>,
    },
    /// Read a response that hooks have changed; reply with [`Reply::Responded`].
    ReadResponse {
        /// Which one.
        response: ValueId,
    },
    /// Look at the conversation; reply with [`Reply::Context`], with [`Reply::Done`] when there is none to be looked at, or with
    /// [`Reply::Failed`] when it cannot be made shorter.
    ReadContext,
    /// Put a summary in the place of what it stands for; reply with [`Reply::Done`] or [`Reply::Failed`].
    ///
    /// What has come into the context since it was looked at stays behind all of it.
    ReplaceContext {
        /// The messages before the summary, by their places.
        before: Vec<usize>,
        /// It.
        summary: String,
        /// Where it comes from.
        metadata: Map<String, Value>,
        /// The messages behind it.
        after: Vec<usize>,
    },
    /// Put a prompt that hooks changed in the place of the user's last message with it; reply with [`Reply::Done`], also when
    /// the host keeps the conversation itself, or with [`Reply::Failed`].
    ReplacePrompt {
        /// The prompt, as it stands in the context.
        prompt: String,
        /// What the model is to be given in its place.
        changed: String,
    },
    /// Say in fewer words what some messages say; reply with [`Reply::Text`] or [`Reply::Failed`].
    Summarise {
        /// The messages, by their places in the context that was looked at; none when the host keeps it.
        gone: Vec<usize>,
        /// What to keep in mind.
        custom_instructions: Option<String>,
    },
    /// Wait; reply with [`Reply::Done`].
    Wait {
        /// How long, in milliseconds.
        ms: u64,
    },
    /// Add a message to the context; reply with [`Reply::Done`] or [`Reply::Failed`].
    AddMessage {
        /// Who says it.
        role: Role,
        /// The text, if it is one.
        content: Option<String>,
        /// The value of the host's, if it is one: a response, a tool's result.
        value: Option<ValueId>,
        /// Where it comes from.
        metadata: Map<String, Value>,
    },
    /// Show a text to the user; reply with [`Reply::Done`].
    Show {
        /// The text.
        text: String,
        /// `info`, `warning` or `error`.
        level: &'static str,
        /// The hook that says it, or `hookweave`.
        source: String,
    },
    /// The flow has ended; this is what it came to.
    Finish {
        /// The fields of what its method promises.
        result: Finished,
    },
}

/// What a person is asked. Every text in it is already made safe to be shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ApprovalRequest {
    /// A digest of what is asked: the same question of the same call has it again, also in another process.
    pub id: String,
    /// The event that waits for the answer.
    pub event: Cow<'static, str>,
    /// The tool; empty when it is not about one.
    pub tool: String,
    /// The call's id; `None` when it is not about one.
    pub tool_use_id: Option<String>,
    /// The very arguments that will be used; `None` when it is not about a tool.
    pub args: Option<ValueId>,
    /// The arguments as JSON text, when they have one.
    pub shown: Option<String>,
    /// The command line, in parts; empty when it is not about one.
    pub command: Vec<CommandPart>,
    /// The hook that asks; `None` when it is the host's own rule.
    pub hook: Option<String>,
    /// The condition for which it asks: of the hook's matcher, or the host's; `None` when there is none.
    pub why: Option<String>,
    /// The reason of the hook's answer, where it is not the question itself.
    pub reason: Option<String>,
    /// The question.
    pub prompt: String,
    /// What can be chosen.
    pub options: Vec<String>,
    /// Those of them that allow.
    pub granting: Vec<String>,
    /// How long to wait, in milliseconds.
    pub timeout_ms: u64,
    /// What happens without an answer in time: `allow` or `deny`.
    pub default: &'static str,
    /// How widely "Allow always" is remembered beyond the very same arguments: `tool` or `prompt`.
    pub remember: Option<&'static str>,
    /// Whether "Allow always" holds in later sessions too.
    pub persistent: bool,
}

/// What came of an effect.
#[derive(Debug)]
pub enum Reply {
    /// The flow may begin.
    Begin,
    /// It is done, and there is nothing to say about it.
    Done,
    /// It could not be done.
    Failed {
        /// Why.
        why: String,
    },
    /// The verdict of the hooks.
    Dispatched {
        /// All of it; `None` when they had nothing to say.
        verdict: Option<Box<Verdict>>,
        /// The final value of the wanted field that is the host's own: a copy of its own.
        value: Option<ValueId>,
        /// The final values of the others.
        json: Map<String, Value>,
    },
    /// A copy of a value, and its JSON text when it has one.
    Frozen {
        /// The copy.
        value: ValueId,
        /// Its text.
        text: Option<String>,
        /// What a person is shown of it: its text, or as much of it as can be written down.
        shown: Option<String>,
    },
    /// What a person chose.
    Chosen(Answer<ValueId>),
    /// The host has no approver, so no person was asked.
    NoApprover,
    /// The host's approver asks no person: it decides every question alike.
    NotAsked {
        /// Whether it allows them all, or denies them all.
        allows: bool,
    },
    /// A person did not answer in time.
    TimedOut,
    /// The question is answered later, by a call that is made again.
    Suspended,
    /// The call was left by the host's control flow, and counts as not begun.
    Dropped,
    /// A tool has run.
    Ran(Called),
    /// The model has answered.
    Responded {
        /// Its response, as the host's value.
        response: ValueId,
        /// Its text.
        text: String,
        /// The tools that it calls, in order.
        calls: Vec<Requested>,
        /// What it cost.
        usage: Value,
    },
    /// The conversation as it is.
    Context {
        /// Its messages, as hooks are to see them: a list of `role`, `content`, `metadata`.
        messages: ValueId,
        /// Who says each.
        speakers: Vec<Speaker>,
    },
    /// A text.
    Text {
        /// It.
        text: String,
    },
}

/// The author of a message of the context.
#[derive(Debug, Clone)]
pub struct Speaker {
    /// `system`, `user`, `assistant`, `tool`.
    pub role: String,
    /// Its metadata says `pinned`: it always stays.
    pub pinned: bool,
}

/// How a tool's run ended.
#[derive(Debug)]
pub struct Called {
    /// Its result, a record with `success` and `output`, as the host's value.
    pub result: ValueId,
    /// Why it failed; `None` when it did not.
    pub error: Option<String>,
    /// How long it took, in milliseconds.
    pub duration: f64,
}

/// A tool call of the model's.
#[derive(Debug, Clone)]
pub struct Requested {
    /// The tool's name.
    pub tool: String,
    /// The call's id, when the model gave one.
    pub id: Option<String>,
    /// The arguments.
    pub args: ValueId,
    /// Whether the host has such a tool.
    pub known: bool,
}
