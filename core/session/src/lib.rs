//! What an agent does with outcomes: one state machine for a whole conversation.
//!
//! **Owns** tool calls, approvals, turns, model calls, compaction and subagents, each as a [`Flow`]: a sequence of [`Effect`]s (run these
//! hooks, ask this person, run the tool) that a driver carries out and reports back. The order is therefore the same in every language.
//! **Never** runs a tool, asks a person or waits; values of the host stay with the driver, under numbers.
//!
//! # Entry points
//!
//! * [`Session`] holds what outlives an event: permissions, remembered approvals, the budget of a turn, the environment.
//! * [`ToolRun`], [`ModelRun`], [`Submitted`], [`Generation`] and [`Compaction`] are what flows end with.
//! * [`Permissions`] is what the host allows, asks about or denies before any hook.

mod agent;
mod answer;
mod approval;
mod client;
mod compaction;
mod context;
mod counters;
mod effect;
mod environment;
mod fields;
mod flow;
mod kept;
mod model_call;
mod notices;
mod permission;
mod prompt;
mod question_id;
#[cfg(all(test, shuttle))]
mod races;
mod recording;
mod refused;
mod response;
mod settings;
mod state;
mod stop;
mod subject;
mod tool;
mod verdict;

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use serde_json::{Map, Value};

use hookweave_machine::error::{Code, Error};
use hookweave_machine::outcome::Outcome;
use hookweave_machine::payload::Host;
use hookweave_machine::read::Reader;
use hookweave_machine::sessions::SessionLookup;
use hookweave_machine::sync::{Mutex, MutexGuard};

use counters::Counters;
use environment::Environment;
use state::{Memory, State};

pub use answer::{Answer, read_answer};
pub use approval::Decided;
pub use client::Client;
pub use compaction::Compaction;
pub use effect::{
    ApprovalRequest, Called, Effect, Finished, Generation, Injected, ModelRun, Reply, Requested, Role, Speaker,
    ToolRun, ValueId,
};
pub use environment::OpenSessions;
pub use fields::{Field, Fields, Surroundings};
pub use flow::Flow;
pub use kept::{ApprovalStore, KeptQuestion};
pub use model_call::ModelPrompt;
pub use notices::NoticeResult;
pub use permission::{Permission, Permissions};
pub use prompt::Submitted;
pub use response::{Arguments, ParsedCall, ParsedResponse, read_response};
pub use settings::{Approvals, MAX_STOPS, Settings};
pub use stop::{Started, Stopped};
pub use subject::Answers;
pub use tool::ToolRequest;
pub use verdict::{Asker, Verdict};

/// One conversation of an agent, or of a subagent within it.
#[derive(Debug)]
pub struct Session {
    id: String,
    agent: Option<Agent>,
    settings: Arc<Settings>,
    /// What every event of the session carries.
    common: Arc<Map<String, Value>>,
    state: Mutex<State>,
    environment: Environment,
    /// Shared by a conversation and all its subagents.
    memory: Arc<Mutex<Memory>>,
    client: Client,
}

/// Who a subagent is.
#[derive(Debug, Clone)]
struct Agent {
    id: String,
    kind: String,
}

impl Session {
    /// A conversation; an id is made when none is given.
    #[must_use]
    pub fn new(id: Option<String>, settings: Settings, client: Client) -> Arc<Self> {
        let memory = Memory::new(settings.permissions.clone());
        let id = id.unwrap_or_else(hookweave_clock::new_id);
        Arc::new(Self {
            common: common(&id, &settings, None),
            id,
            agent: None,
            settings: Arc::new(settings),
            state: Mutex::default(),
            environment: Environment::new(Counters::begun()),
            memory: Arc::new(Mutex::new(memory)),
            client,
        })
    }

    /// A conversation with the settings of a host's object, `session_id` among them; `of_host` are those that the host
    /// reads by itself.
    pub fn read<'v, H: Host>(
        host: &'v H,
        view: &H::View<'v>,
        client: Client,
        of_host: &[&str],
    ) -> Result<Arc<Self>, Error> {
        let id = Reader::new(host, view, Code::InvalidOption, "session")?.text("session_id")?;
        Ok(Self::new(id, Settings::read(host, view, client.profile, of_host)?, client))
    }

    /// A subagent of this conversation: its hooks, its id and what was approved are the same; turns and budget are its own.
    #[must_use]
    pub fn subagent(&self, kind: String, id: Option<String>) -> Arc<Self> {
        let agent = Agent { id: id.unwrap_or_else(hookweave_clock::new_id), kind };
        let subagent = Self {
            common: common(&self.id, &self.settings, Some(&agent)),
            id: self.id.clone(),
            agent: Some(agent),
            settings: Arc::clone(&self.settings),
            state: Mutex::default(),
            environment: self.environment.for_subagent(),
            memory: Arc::clone(&self.memory),
            client: self.client.clone(),
        };
        subagent.environment.join(&subagent.id, subagent.agent_id());
        Arc::new(subagent)
    }

    /// What hooks leave in the environment reaches the hooks of a client from here on: it has these open sessions.
    pub fn open_in(&self, open: &Arc<OpenSessions>) {
        self.client.sessions.set(Arc::clone(open) as Arc<dyn SessionLookup>);
        self.environment.show_to(open);
        self.environment.join(&self.id, self.agent_id());
    }

    /// The conversation's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The subagent's id; `None` for the conversation itself.
    #[must_use]
    pub fn agent_id(&self) -> Option<&str> {
        self.agent.as_ref().map(|agent| agent.id.as_str())
    }

    /// The subagent's kind; `None` for the conversation itself.
    #[must_use]
    pub fn agent_type(&self) -> Option<&str> {
        self.agent.as_ref().map(|agent| agent.kind.as_str())
    }

    /// The working directory of its events; `None` where that was deleted.
    #[must_use]
    pub fn cwd(&self) -> Option<String> {
        self.settings.cwd.clone().or_else(|| self.client.directory.now().map(Cow::into_owned))
    }

    /// The environment that hooks left for tools and commands.
    #[must_use]
    pub fn env(&self) -> Map<String, Value> {
        self.environment.all()
    }

    /// Takes in what hooks of an event left in the environment; gives the names of what was not kept.
    pub fn note(&self, verdict: &Verdict) -> Vec<String> {
        verdict.env.iter().flat_map(|(scope, left)| self.environment.take_in(*scope, left)).collect()
    }

    /// The same of an event that the host has raised in the session by itself.
    pub fn keep_variables<T, H: Host>(&self, outcome: &Outcome<T, H::Value>, host: &H) {
        for (scope, left) in verdict::env(outcome, host) {
            for name in self.environment.take_in(scope, &left) {
                tracing::warn!(
                    session = self.id,
                    "the variable {name:?} is too long, odd or one too many, and is not kept"
                );
            }
        }
    }

    /// Adds a rule for tools that the host has learnt of since; of several rules for a tool the strictest holds.
    pub fn permit(&self, tools: &str, permission: Permission) -> Result<(), Error> {
        self.memory().permissions.add(tools, permission)
    }

    /// From now on "Allow always" holds for later sessions too, as long as the store keeps it.
    pub fn keep_approvals(&self, store: Arc<dyn ApprovalStore>) {
        self.memory().store = Some(store);
    }

    /// Where approvals outlive the session.
    fn approval_store(&self) -> Option<Arc<dyn ApprovalStore>> {
        self.memory().store.clone()
    }

    /// What the host permits a tool, under whichever of its names.
    fn permission_of(&self, tool: &str) -> Permission {
        self.memory().permissions.of(tool, || self.client.tools.names(tool))
    }

    /// What the session was made with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What conditions may know of the conversation.
    fn counters(&self) -> &Counters {
        self.environment.counters()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What every event of the session carries.
    #[must_use]
    pub const fn common(&self) -> &Arc<Map<String, Value>> {
        &self.common
    }
}

fn common(session: &str, settings: &Settings, agent: Option<&Agent>) -> Arc<Map<String, Value>> {
    let mut fields = Map::new();
    fields.insert("session_id".to_owned(), session.into());
    if let Some(cwd) = &settings.cwd {
        fields.insert("cwd".to_owned(), cwd.clone().into());
    }
    if let Some(agent) = agent {
        fields.insert("agent_id".to_owned(), agent.id.clone().into());
    }
    Arc::new(fields)
}

impl Drop for Session {
    fn drop(&mut self) {
        self.environment.leave(&self.id, self.agent.as_ref().map(|agent| agent.id.as_str()));
    }
}
