//! One tool call: judged, perhaps asked about, run, and looked at.

use std::sync::Arc;

use serde_json::{Value, json};

use super::approval::{Decided, Progress, Settled, refusal, refused_before};
use super::effect::{Called, Effect, Finished, Injected, Reply, ToolRun, ValueId};
use super::fields::{Field, Own, Surroundings};
use super::flow::{Cx, DispatchResult, Flow};
use super::permission::Permission;
use super::subject::{Answers, Edit, Subject};
use super::verdict::{Asker, SharedVerdict};
use super::{Session, Verdict};
use hookweave_machine::action::Action;
use hookweave_machine::answer::Question;
use hookweave_machine::changed::{changed_files, writes_files};
use hookweave_machine::observer::{EventDigest, ObservedEvent};

/// What `run_tool` is asked for.
#[derive(Debug, Clone)]
pub struct ToolRequest {
    /// The tool's name.
    pub tool: String,
    /// The arguments, a copy of its own.
    pub args: ValueId,
    /// The call's id; made when none is given.
    pub tool_use_id: Option<String>,
    /// What a person has answered to questions of this call, when it was made before and suspended; `None` for a call that
    /// cannot be made again.
    pub answers: Option<Answers>,
}

impl Session {
    /// Makes a tool call; ends with a [`ToolRun`], or with [`Finished::PutOff`].
    #[must_use]
    pub fn run_tool(self: &Arc<Self>, call: ToolRequest) -> Flow {
        Flow::to_end(self, |cx| async move {
            cx.run_tool(call).await.map_or(Finished::PutOff, |run| Finished::Tool(Box::new(run)))
        })
    }
}

impl ToolRun {
    /// Records the result of the call, and its input.
    pub(super) fn record(&self, session: &Session, input: Option<Arc<EventDigest>>) {
        session.record(&self.tool, Some(&self.tool_use_id), |about| ObservedEvent::ToolRun {
            about,
            input,
            ran: self.ran,
            ok: self.ok,
            decision: self.decision,
            reason: self.reason.as_deref(),
            by: self.by.as_deref(),
            error: self.error.as_deref(),
            attempts: self.attempts,
        });
    }
}

/// Whether the tool may run.
enum Judged {
    Runs,
    /// Once more from the beginning.
    Again,
    Refused,
    /// A person answers later.
    Suspended,
}

/// How far a call has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    /// The tool has not been run.
    Judged,
    Running,
    Over,
}

impl Cx {
    /// Makes a tool call; `None` when it counts as not begun.
    pub(super) async fn run_tool(&self, call: ToolRequest) -> Option<ToolRun> {
        let mut attempt = Attempt {
            cx: self,
            run: ToolRun {
                tool: self.session.state().name_of(&call.tool),
                tool_use_id: call.tool_use_id.unwrap_or_else(hookweave_clock::new_id).into(),
                decision: Action::Continue.as_str(),
                args: call.args,
                ..ToolRun::default()
            },
            retries: 0,
            edits: Vec::new(),
            about: None,
            answers: call.answers,
            progress: Progress::default(),
            stand: Stand::Judged,
        };
        let may_run = loop {
            match attempt.judge().await {
                Judged::Runs => break attempt.is_recorded(),
                Judged::Again => {}
                Judged::Refused => break false,
                Judged::Suspended => {
                    attempt.put_off("suspended");
                    return None;
                }
            }
        };
        if may_run && !attempt.carry_out().await {
            attempt.put_off("dropped");
            return None;
        }
        attempt.stand = Stand::Over;
        attempt.run.record(&self.session, attempt.about.clone());
        Some(std::mem::take(&mut attempt.run))
    }
}

/// A tool call under way.
struct Attempt<'c> {
    cx: &'c Cx,
    run: ToolRun,
    retries: u32,
    /// The questions that a person has answered with other arguments, about these.
    edits: Vec<Edit>,
    /// What is judged, where tool runs are recorded.
    about: Option<Arc<EventDigest>>,
    answers: Option<Answers>,
    progress: Progress,
    stand: Stand,
}

/// A call that ends before its tool runs, because its driver has given it up, counts as not begun.
impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if self.stand == Stand::Judged {
            self.put_off("dropped");
        }
    }
}

impl Attempt<'_> {
    /// Makes the call count as not begun: `once` hooks may run again.
    fn put_off(&mut self, how: &'static str) {
        for used in self.progress.used_once.drain(..) {
            used.give_back();
        }
        self.stand = Stand::Over;
        (self.run.decision, self.run.ran) = (how, false);
        self.run.record(&self.cx.session, self.about.clone());
    }

    /// Asks the hooks, the host's permissions and, if need be, a person.
    async fn judge(&mut self) -> Judged {
        let dispatch_result =
            self.raise("PreToolUse", self.surroundings(), vec![("args", self.run.args)], &["args"]).await;
        if let Some(args) = dispatch_result.value {
            self.run.args = args;
        }
        let verdict = dispatch_result.verdict;
        self.about.clone_from(&verdict.about);
        match verdict.decision {
            Action::Stop | Action::Block => {
                self.run.stops = verdict.decision == Action::Stop;
                return self.refuse(verdict.decision.as_str(), verdict.reason.clone(), verdict.hook.clone());
            }
            Action::Retry => return self.again(&verdict).await,
            _ => {}
        }
        self.run.decision = verdict.decision.as_str();
        self.permit(&verdict).await
    }

    /// Waits, when a hook wants it tried again later.
    async fn again(&mut self, verdict: &Verdict) -> Judged {
        let most = self.cx.session.settings.max_retries;
        if self.retries >= most {
            let hook = verdict.hook.clone().unwrap_or_default();
            return self.refuse("block", Some(format!("hook {hook} asked for more than {most} retries")), Some(hook));
        }
        self.retries += 1;
        self.cx.wait(verdict.delay_ms).await;
        Judged::Again
    }

    /// What the host permits and what hooks want asked.
    async fn permit(&mut self, verdict: &Verdict) -> Judged {
        let permission = self.cx.session.permission_of(&self.run.tool);
        if permission == Permission::Deny {
            let reason = format!("the host does not permit {}", self.run.tool);
            let fields = Own::from(json!({"tool": &*self.run.tool, "by": "host", "reason": reason}));
            self.raise("PermissionDenied", fields, vec![("args", self.run.args)], &[]).await;
            return self.refuse("deny", Some(reason), Some("host".to_owned()));
        }
        let mut asks: Vec<(Option<&Asker>, Question)> = Vec::new();
        if verdict.decision == Action::Ask {
            asks.extend(verdict.asks.iter().map(|(hook, ask)| (Some(hook), ask.clone())));
        }
        if asks.is_empty() && (verdict.decision == Action::Ask || host_asks(permission, verdict)) {
            // In the host's own words: what hooks say must not pass for them.
            asks.push((None, Question::default()));
        }
        let host_asks = format!("permission `ask` of `{}`", self.run.tool);
        let has_answers = self.answers.as_ref().is_some_and(|answers| !answers.is_empty());
        if asks.is_empty() && !has_answers {
            return Judged::Runs;
        }
        let Reply::Frozen { value, text, shown } = self.cx.perform(Effect::Freeze { value: self.run.args }).await
        else {
            return self.refuse("deny", Some("the arguments could not be copied".to_owned()), Some("host".to_owned()));
        };
        self.run.args = value;
        let (tool, tool_use_id, edits) = (self.run.tool.clone(), self.run.tool_use_id.clone(), self.edits.clone());
        let answers = self.answers.clone();
        let subject = Subject {
            event: "PreToolUse",
            tool: &tool,
            tool_use_id: Some(&tool_use_id),
            args: Some(value),
            text,
            shown,
            host_asks: Some(host_asks.as_str()).filter(|_| permission == Permission::Ask),
            edits: &edits,
            answers: answers.as_ref(),
        };
        if let Some(decided) = self.refused_before(&subject, &asks) {
            return self.deny(&subject, decided).await;
        }
        for (hook, ask) in asks {
            match self.cx.settle(&subject, hook, &ask, &mut self.progress).await {
                Settled::Granted => {}
                Settled::Denied(Decided { by, reason, .. }) => return self.refuse("deny", reason, Some(by)),
                Settled::Rewritten(args) => return self.judge_anew(args, "hooks rewrote the arguments"),
                Settled::Edited(edit) => {
                    let args = edit.args;
                    self.edits.push(edit);
                    return self.judge_anew(args, "the arguments were edited");
                }
                Settled::Suspended => return Judged::Suspended,
            }
        }
        Judged::Runs
    }

    /// What a person has decided about this call before, if that refuses it.
    fn refused_before(&self, subject: &Subject<'_>, asks: &[(Option<&Asker>, Question)]) -> Option<Decided> {
        let answers = subject.answers.filter(|answers| !answers.is_empty())?;
        let requests: Vec<_> = asks.iter().map(|(hook, ask)| self.cx.request(subject, *hook, ask)).collect();
        let (answer, request) = refusal(&self.cx.session.call_id(subject), &requests, answers)?;
        Some(Decided::refused_by_person(refused_before(subject.tool, answer, request), &answer.option))
    }

    /// Refuses the call as a person has decided before; hooks are told.
    async fn deny(&mut self, subject: &Subject<'_>, decided: Decided) -> Judged {
        self.cx.record_decision(subject, None, &decided);
        let fields = Own::from(json!({"tool": subject.tool, "by": decided.by, "reason": decided.reason}));
        self.raise("PermissionDenied", fields, vec![("args", self.run.args)], &[]).await;
        let Decided { by, reason, .. } = decided;
        self.refuse("deny", reason, Some(by))
    }

    /// A hook has changed what a person was about to be asked, or the person has: that has to be judged like any other
    /// arguments.
    fn judge_anew(&mut self, args: ValueId, what: &str) -> Judged {
        let most = self.cx.session.settings.max_retries;
        self.run.args = args;
        if self.retries >= most {
            let reason = format!("{what} more than {most} times");
            return self.refuse("block", Some(reason), None);
        }
        self.retries += 1;
        Judged::Again
    }

    fn refuse(&mut self, decision: &'static str, reason: Option<String>, by: Option<String>) -> Judged {
        (self.run.decision, self.run.reason, self.run.by) = (decision, reason, by);
        Judged::Refused
    }

    /// Whether the run of the tool is on record, if that is required.
    fn is_recorded(&mut self) -> bool {
        match self.cx.session.may_not_start(&self.run.tool, &self.run.tool_use_id, self.about.clone()) {
            None => true,
            Some(why) => {
                self.refuse("block", Some(why), Some("audit".to_owned()));
                false
            }
        }
    }

    /// Runs the tool, again when a hook wants a failed run repeated; false when the driver has left it.
    async fn carry_out(&mut self) -> bool {
        self.stand = Stand::Running;
        self.cx.session.state().note_tool(&self.run.tool);
        self.cx.session.counters().count_tool_call();
        let most = self.cx.session.settings.max_retries;
        loop {
            let effect = Effect::RunTool {
                tool: self.run.tool.clone(),
                tool_use_id: self.run.tool_use_id.clone(),
                args: self.run.args,
                env: self.cx.session.env(),
            };
            let called = match self.cx.perform(effect).await {
                Reply::Ran(called) => called,
                Reply::Dropped => {
                    self.cx.session.state().forget_tool(&self.run.tool);
                    self.cx.session.counters().discount_tool_call();
                    return false;
                }
                _ => {
                    self.run.error = Some("the driver did not run the tool".to_owned());
                    return true;
                }
            };
            self.run.ran = true;
            self.run.attempts += 1;
            self.run.result = Some(called.result);
            self.run.ok = called.error.is_none();
            self.run.error.clone_from(&called.error);
            if called.error.is_some() {
                self.cx.session.counters().count_tool_failure();
            }
            let Some(error) = &called.error else {
                self.note_changed_files().await;
                self.look_at_result().await;
                return true;
            };
            let verdict = self.look_at_failure(error, &called).await;
            if verdict.decision != Action::Retry || self.run.attempts > most {
                return true;
            }
            self.cx.wait(verdict.delay_ms).await;
        }
    }

    /// Notes the files that the call has changed, for `Stop`.
    async fn note_changed_files(&self) {
        let (session, tool) = (&self.cx.session, &*self.run.tool);
        if !writes_files(&session.client.tools, tool) {
            return;
        }
        if let Reply::Frozen { text: Some(args), .. } = self.cx.perform(Effect::Freeze { value: self.run.args }).await {
            let files = changed_files(&session.client.tools, tool, &args);
            session.memory().note_changed(files);
        }
    }

    async fn look_at_result(&mut self) {
        let mut values = vec![("args", self.run.args)];
        values.extend(self.run.result.map(|result| ("result", result)));
        let dispatch_result = self.raise("PostToolUse", Own::default(), values, &["result"]).await;
        if let Some(result) = dispatch_result.value {
            self.run.result = Some(result);
        }
        self.run.stops |= dispatch_result.verdict.decision == Action::Stop;
    }

    async fn look_at_failure(&mut self, error: &str, called: &Called) -> SharedVerdict {
        let fields = Own::from(json!({"error": error, "duration": called.duration}));
        let values = vec![("args", self.run.args)];
        let dispatch_result = self.raise("PostToolUseFailure", fields, values, &["error"]).await;
        self.run.stops |= dispatch_result.verdict.decision == Action::Stop;
        let changed = dispatch_result.json.get("error").map(as_text);
        if self.cx.session.settings.profile.post_tool_after_failure && dispatch_result.verdict.decision != Action::Retry
        {
            self.look_at_result().await;
        }
        if changed.is_some() {
            self.run.error = changed;
            // It says the same as the error did, and the model is to read what hooks left of that.
            self.run.result = self.run.result.filter(|result| *result != called.result);
        }
        dispatch_result.verdict
    }

    /// Raises an event about this call, and keeps what hooks send to the model.
    async fn raise(
        &mut self,
        event: &'static str,
        mut fields: Own,
        values: Vec<(&'static str, ValueId)>,
        wants: &'static [&'static str],
    ) -> DispatchResult {
        if event != "PermissionDenied" {
            fields = fields.text("tool", &self.run.tool).text("tool_use_id", &self.run.tool_use_id);
        }
        let dispatch_result = self.cx.dispatch(event, fields, values, wants).await;
        let verdict = &dispatch_result.verdict;
        self.progress.used_once.extend(verdict.used_once.iter().cloned());
        self.run.feedback.extend(verdict.feedback.iter().cloned());
        self.run.suppress_output |= verdict.suppress_output;
        self.run.injected.extend(verdict.injections.iter().map(|(hook, injection)| Injected {
            hook: hook.clone(),
            content: injection.content.clone(),
            role: injection.role,
            ephemeral: injection.ephemeral,
        }));
        dispatch_result
    }

    fn surroundings(&self) -> Own {
        let state = self.cx.session.state();
        let around = Surroundings {
            working_directory: self.cx.session.cwd().map(Arc::from),
            recent_tools: state.recent_tools.iter().cloned().collect(),
            token_usage: if state.usage.is_null() { json!({"total_tokens": 0}) } else { state.usage.clone() },
        };
        Own(vec![("context".into(), Field::Surroundings(Box::new(around)))])
    }
}

/// What hooks left of an error, as text.
fn as_text(error: &Value) -> String {
    error.as_str().map_or_else(|| error.to_string(), str::to_owned)
}

/// Whether the host's own rule wants a person asked.
fn host_asks(permission: Permission, verdict: &Verdict) -> bool {
    permission == Permission::Ask && verdict.decision != Action::Allow
}
