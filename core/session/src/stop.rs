//! The beginning and the end: of a session, of a turn, of a subagent.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::effect::Role;
use super::flow::{Cx, DispatchResult, Flow};
use super::prompt::Passed;
use super::settings::MAX_STOPS;
use super::{Agent, Session};
use hookweave_machine::action::Action;

/// What came of a beginning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Started {
    /// Whether it may begin.
    pub accepted: bool,
    /// Why not.
    pub reason: Option<String>,
    /// The environment that hooks left.
    pub env: Map<String, Value>,
}

/// What came of an end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stopped {
    /// A hook wants the agent to go on.
    pub should_continue: bool,
    /// Why; the model has the reason.
    pub reason: Option<String>,
}

impl Session {
    /// The session begins; ends with a [`Started`].
    #[must_use]
    pub fn start(self: &Arc<Self>, source: String) -> Flow {
        Flow::new(self, |cx| async move {
            cx.session.environment.join(cx.session.id(), cx.session.agent_id());
            let model = cx.session.settings.model.clone();
            cx.raise("SessionStart", json!({"source": source, "model": model})).await;
            Started { accepted: true, reason: None, env: cx.session.env() }
        })
    }

    /// The session ends, and with it what was approved; ends with a [`Stopped`].
    #[must_use]
    pub fn end(self: &Arc<Self>, reason: String) -> Flow {
        Flow::new(self, |cx| async move {
            cx.raise("SessionEnd", json!({"reason": reason})).await;
            cx.session.memory().clear();
            cx.session.environment.leave(cx.session.id(), cx.session.agent_id());
            Stopped::default()
        })
    }

    /// The agent has done its work; hooks may keep it at it. Ends with a [`Stopped`].
    #[must_use]
    pub fn stop(self: &Arc<Self>, details: Value) -> Flow {
        Flow::new(self, |cx| async move { cx.stop(details).await })
    }

    /// The agent has ended with an error; ends with a [`Stopped`].
    #[must_use]
    pub fn stop_failure(self: &Arc<Self>, error: String) -> Flow {
        Flow::new(self, |cx| async move {
            cx.raise("StopFailure", json!({"error": error})).await;
            Stopped::default()
        })
    }

    /// This subagent begins; ends with a [`Started`].
    #[must_use]
    pub fn start_subagent(self: &Arc<Self>) -> Flow {
        Flow::new(self, |cx| async move {
            let mut tries = 0;
            loop {
                let dispatch_result = cx.about_subagent("SubagentStart").await;
                match cx.passes("SubagentStart", &dispatch_result.verdict, cx.kind(), &mut tries).await {
                    Passed::Yes => return Started { accepted: true, reason: None, env: cx.session.env() },
                    Passed::Again => {}
                    Passed::No(reason) => return Started { accepted: false, reason, env: Map::new() },
                }
            }
        })
    }

    /// This subagent has done its work; hooks may keep it at it. Ends with a [`Stopped`].
    #[must_use]
    pub fn stop_subagent(self: &Arc<Self>) -> Flow {
        Flow::new(self, |cx| async move {
            let dispatch_result = cx.about_subagent("SubagentStop").await;
            cx.check_stop("SubagentStop", dispatch_result).await
        })
    }
}

impl Cx {
    pub(super) async fn stop(&self, details: Value) -> Stopped {
        let changed = self.session.memory().changed_files.clone();
        let began = self.session.state().turn_began;
        let duration = began.map(|began| {
            u64::try_from(hookweave_clock::now().saturating_duration_since(began).as_millis()).unwrap_or(u64::MAX)
        });
        let mut fields = json!({
            "turn_count": self.session.state().turns,
            "duration": duration,
            "changed_files": Some(changed).filter(|files| !files.is_empty()),
            "stop_hook_active": self.session.state().stops > 0,
        });
        if let (Value::Object(fields), Value::Object(details)) = (&mut fields, details) {
            fields.extend(details);
        }
        let dispatch_result = self.raise("Stop", fields).await;
        self.check_stop("Stop", dispatch_result).await
    }

    /// A block means: keep working. The reason goes to the model, and not more than so often in a row.
    async fn check_stop(&self, event: &'static str, dispatch_result: DispatchResult) -> Stopped {
        let verdict = dispatch_result.verdict;
        if verdict.decision != Action::Block {
            self.session.state().stops = 0;
            return Stopped::default();
        }
        let stops = {
            let mut state = self.session.state();
            state.stops += 1;
            state.stops
        };
        let hook = verdict.hook.clone().unwrap_or_default();
        if stops > MAX_STOPS {
            self.session.state().stops = 0;
            let text = format!("hook {hook} has kept the agent from stopping {MAX_STOPS} times in a row: it stops now");
            self.log("warning", text).await;
            return Stopped { should_continue: false, reason: verdict.reason.clone() };
        }
        let reason = verdict.reason.clone().unwrap_or_else(|| format!("hook {hook} wants the work to continue"));
        let metadata = json!({"source": "hook", "hook_name": hook, "event": event});
        let Value::Object(metadata) = metadata else { return Stopped::default() };
        self.add_message(Role::User, Some(reason.clone()), None, metadata).await;
        Stopped { should_continue: true, reason: Some(reason) }
    }

    fn kind(&self) -> &str {
        self.session.agent.as_ref().map_or("", |agent| agent.kind.as_str())
    }

    async fn about_subagent(&self, event: &'static str) -> DispatchResult {
        let (id, kind) = match &self.session.agent {
            Some(Agent { id, kind }) => (id.clone(), kind.clone()),
            None => (String::new(), String::new()),
        };
        let parent = &self.session.id;
        self.raise(event, json!({"agent_id": id, "agent_type": kind, "parent_session_id": parent})).await
    }
}
