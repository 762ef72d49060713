//! Tool calls of one conversation by its session: the flow of [`hookweave_host::session`], carried out on the caller's thread.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookweave_host::audit::Audit;
use hookweave_host::json::{Json, to_json};
use hookweave_host::session::{
    ApprovalRequest, Called, Client, Effect, Fields, Finished, Reply, Session, Settings, ToolRequest, ToolRun, ValueId,
};
use serde_json::{Map, Value, json};

use super::result::text_of;
use crate::auditing;
use crate::drive::dispatch;
use crate::failed::{Failed, Result};
use crate::policy::{Policy, Which};
use crate::recording::RecordArgs;
use crate::screen::shown_lines;

/// The hooks of a conversation.
#[derive(Debug)]
pub(crate) struct Judge {
    policy: Policy,
    session: Arc<Session>,
    audit: Option<Arc<Audit>>,
    record: RecordArgs,
    which: Which,
}

/// What a judged call is made with.
pub(super) trait Caller {
    /// Runs the tool; `None` where the call is left.
    fn run(&mut self, args: &Value) -> Option<Made>;

    /// Asks a person.
    fn ask(&mut self, question: &ApprovalRequest) -> Reply;
}

/// How a tool has run: what it gave or why it failed, as hooks see it, and how long it took.
pub(super) struct Made {
    pub(super) output: Value,
    pub(super) is_error: bool,
    pub(super) took: Duration,
}

/// What came of a call.
pub(super) struct Judged {
    /// Why the tool did not run.
    pub(super) refusal: Option<String>,
    /// What it gave, as hooks left it.
    pub(super) output: Value,
    pub(super) is_error: bool,
    /// What hooks tell the model.
    pub(super) notes: Vec<String>,
}

impl Judge {
    /// Opens a session for the hooks of a policy.
    pub(crate) fn new(
        mut policy: Policy,
        which: Which,
        audit: Option<Arc<Audit>>,
        record: RecordArgs,
        directory: &Path,
    ) -> Result<Self> {
        policy.sees_whole_sessions = true;
        if let Some(audit) = &audit {
            policy.registry.watch(Arc::clone(audit) as _);
        }
        let cwd = Some(directory.to_string_lossy().into_owned());
        let settings = Settings { cwd, profile: policy.registry.options().profile, ..Settings::default() };
        let session = Session::new(None, settings, Client::of(&policy.registry));
        policy.runtime.open(&session)?;
        Ok(Self { policy, session, audit, record, which })
    }

    /// Ends what runs in the background, and closes the audit log.
    pub(crate) fn end(&self, farewell: Duration) -> Result<()> {
        if !self.policy.runtime.drain(farewell) {
            self.policy.runtime.shutdown(farewell);
        }
        auditing::close(self.audit.as_deref())
    }

    /// Makes a call; `None` where it was left.
    pub(super) fn call(&self, tool: &str, args: Value, caller: &mut dyn Caller) -> Result<Option<Judged>> {
        let mut values = Values(vec![args]);
        let mut notes = Vec::new();
        let request = ToolRequest { tool: tool.to_owned(), args: 0, tool_use_id: None, answers: None };
        let mut flow = self.session.run_tool(request);
        let mut reply = Reply::Begin;
        loop {
            reply = match flow.step(reply) {
                Effect::Finish { result: Finished::Tool(run) } => return Ok(Some(judged(*run, &values, notes))),
                Effect::Finish { result: Finished::PutOff } => return Ok(None),
                Effect::Finish { .. } => {
                    return Err(Failed::new("internal error: a tool call ended as something else"));
                }
                Effect::Dispatch { event, fields, values: given, wants } => {
                    self.dispatched(event, fields, &given, wants, &mut values)?
                }
                Effect::Freeze { value } => {
                    let text = to_json(&Json, &values.get(value)).ok();
                    Reply::Frozen { value, shown: text.clone(), text }
                }
                Effect::Approve(question) => caller.ask(&question),
                Effect::RunTool { args, .. } => match caller.run(values.get(args)) {
                    Some(made) => Reply::Ran(values.called(made)),
                    None => Reply::Dropped,
                },
                Effect::Wait { ms } => {
                    std::thread::sleep(Duration::from_millis(ms));
                    Reply::Done
                }
                Effect::AddMessage { content, .. } => {
                    notes.extend(content);
                    Reply::Done
                }
                Effect::Show { text, source, .. } => {
                    say(&format!("{source}: {text}"));
                    Reply::Done
                }
                _ => Reply::Done,
            };
        }
    }

    /// Asks the hooks of an event.
    fn dispatched(
        &self,
        event: &str,
        fields: Fields,
        given: &[(&'static str, ValueId)],
        wants: &[&'static str],
        values: &mut Values,
    ) -> Result<Reply> {
        let mut payload = fields.into_map();
        payload.extend(given.iter().map(|(field, value)| ((*field).to_owned(), values.get(*value).clone())));
        let (mut outcome, _) = dispatch(&self.policy, event, &payload)?;
        if let Some(audit) = &self.audit {
            audit.dispatched(&Json, &mut outcome, |wait| wait());
        }
        // A recording that fails changes nothing of what was decided.
        if let Err(why) = self.record.add(None, &self.which, &payload, &outcome) {
            say(&why.to_string());
        }
        let verdict = Some(Box::new(self.session.verdict(&outcome, &Json)));
        let (mut value, mut json) = (None, Map::new());
        for field in wants.iter().filter(|field| outcome.modified().contains(field)) {
            let last = outcome.payload().get(*field).cloned().unwrap_or_default();
            if given.iter().any(|(name, _)| name == field) {
                value = Some(values.keep(last));
            } else {
                json.insert((*field).to_owned(), last);
            }
        }
        Ok(Reply::Dispatched { verdict, value, json })
    }
}

/// The values of one call, which the flow knows by number.
struct Values(Vec<Value>);

impl Values {
    fn keep(&mut self, value: Value) -> ValueId {
        self.0.push(value);
        ValueId::try_from(self.0.len() - 1).unwrap_or(ValueId::MAX)
    }

    fn get(&self, id: ValueId) -> &Value {
        usize::try_from(id).ok().and_then(|id| self.0.get(id)).unwrap_or(&Value::Null)
    }

    fn called(&mut self, made: Made) -> Called {
        let Made { output, is_error, took } = made;
        let duration = took.as_secs_f64() * 1000.0;
        let error = is_error.then(|| text_of(&output));
        let result = json!({"success": !is_error, "output": output, "duration": duration});
        Called { result: self.keep(result), error, duration }
    }
}

fn judged(run: ToolRun, values: &Values, mut notes: Vec<String>) -> Judged {
    // The session keeps these for its own calls of a model.
    notes.extend(run.injected.into_iter().filter(|given| given.ephemeral).map(|given| given.content));
    notes.extend(run.feedback);
    let unsaid = || format!("{} by {}", run.decision, run.by.as_deref().unwrap_or("a hook"));
    let refusal = (!run.ran).then(|| run.reason.clone().unwrap_or_else(unsaid));
    let result = run.result.and_then(|result| values.get(result).get("output")).cloned();
    let output = result.or_else(|| run.error.map(Value::from)).unwrap_or_default();
    Judged { refusal, output, is_error: !run.ok, notes }
}

/// Tells the person who reads the server's log.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "hookweave: {}", shown_lines(text));
}
