//! The agent's end of one worker's connection: who it is, whether it is there, and its calls.

use prost::Message;
use serde_json::Value;

use crate::action::{HubAction, Level};
use crate::answer::{read, shortened};
use crate::calls::{Calls, Pending};
use crate::pulse::{Due, Pulse};
use crate::remote_hook::RemoteCall;
use crate::settings::{HubSettings, PATIENCE_MS, VERSION, is_name};
use crate::token;
use crate::wire::{Cancel, Hello, HookEvent, HookResponse, Ping, RegisterHookRequest, Welcome};
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};

/// What a worker said that concerns all connections.
#[derive(Debug)]
pub(crate) enum Said {
    Hello(Hello),
    Register(RegisterHookRequest),
    Unregister(String),
    Complete,
    Leave,
}

/// Why a connection is refused.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) code: &'static str,
    pub(crate) reason: String,
    /// It would be the same the next time.
    pub(crate) is_final: bool,
}

impl Refused {
    pub(crate) fn new(code: &'static str, reason: impl Into<String>) -> Self {
        Self { code, reason: reason.into(), is_final: false }
    }

    pub(crate) fn finally(code: &'static str, reason: impl Into<String>) -> Self {
        Self { is_final: true, ..Self::new(code, reason) }
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct AgentEnd {
    id: u64,
    opened: u64,
    /// The worker's name, from its hello on.
    pub(crate) worker: Option<String>,
    /// It takes nothing new, and goes when its calls have ended.
    pub(crate) leaves: bool,
    /// It has told all its hooks, and waits to hear that they are in force.
    pub(crate) is_complete: bool,
    /// It is of the first version: it knows events and answers, and nothing else.
    is_old: bool,
    calls: Calls,
    pulse: Pulse,
    max_message: usize,
    unasked: u32,
    /// The second in which they are counted.
    counted: u64,
}

impl AgentEnd {
    pub(crate) fn new(id: u64, settings: &HubSettings, now: u64) -> Self {
        Self {
            id,
            opened: now,
            worker: None,
            leaves: false,
            is_complete: false,
            is_old: false,
            calls: Calls::new(settings.limits.in_flight as usize, settings.queue),
            pulse: Pulse::new(settings.limits.keepalive_ms, now),
            max_message: settings.limits.max_message as usize,
            unasked: 0,
            counted: 0,
        }
    }

    /// The worker's name, for messages.
    pub(crate) fn name(&self) -> &str {
        self.worker.as_deref().unwrap_or("unknown")
    }

    /// Reads a message.
    pub(crate) fn receive(
        &mut self,
        message: &[u8],
        settings: &HubSettings,
        now: u64,
        actions: &mut Vec<HubAction>,
    ) -> Result<Option<Said>, Refused> {
        if message.len() > settings.limits.max_message as usize {
            let (length, limit) = (message.len(), settings.limits.max_message);
            return Err(Refused::finally(
                "too_large",
                format!(
                    "a message of {length} bytes is over the limit of {limit}; send less, or raise max_message in the agent"
                ),
            ));
        }
        let response = HookResponse::decode(message).map_err(|error| {
            Refused::finally(
                "unreadable",
                format!("a message cannot be read ({error}); speak version {VERSION} of the protocol"),
            )
        })?;
        if response.controls() > 1 {
            let why = "a message says two things at once; send a message for each";
            return Err(Refused::finally("unreadable", why));
        }
        self.pulse.heard(now);
        if self.worker.is_none() {
            let hello = response.hello.ok_or_else(|| {
                Refused::finally(
                    "no_hello",
                    "the first message is not a hello; send one with version, worker and token",
                )
            })?;
            return check(hello, settings).map(Said::Hello).map(Some);
        }
        if response.controls() == 0 {
            return self.answered(&response, settings, now, actions).map(|()| None);
        }
        // Nobody asked for any of these, so that their number is bounded.
        self.unasked(settings, now)?;
        if let Some(ping) = response.ping {
            self.send(&HookEvent { pong: Some(ping), ..HookEvent::default() }, actions);
            return Ok(None);
        }
        let said = [
            response.register.map(Said::Register),
            response.unregister.map(|unregister| Said::Unregister(unregister.hook_id)),
            response.complete.map(|_| Said::Complete),
            response.leave.map(|_| Said::Leave),
        ];
        Ok(said.into_iter().flatten().next())
    }

    /// Takes the worker that said hello.
    pub(crate) fn welcome(&mut self, hello: &Hello, settings: &HubSettings, actions: &mut Vec<HubAction>) {
        let limits = &settings.limits;
        self.worker = Some(hello.worker.clone());
        if hello.max_in_flight > 0 {
            self.calls.most_in_flight = limits.in_flight.min(hello.max_in_flight).max(1) as usize;
        }
        if hello.max_message > 0 {
            self.max_message = limits.max_message.min(hello.max_message) as usize;
        }
        let welcome = Welcome {
            version: VERSION,
            max_in_flight: u32::try_from(self.calls.most_in_flight).unwrap_or(u32::MAX),
            max_message: limits.max_message,
            keepalive_ms: limits.keepalive_ms,
        };
        self.send(&HookEvent { welcome: Some(welcome), ..HookEvent::default() }, actions);
    }

    /// Takes a client of the first version under the name that the agent gave it.
    pub(crate) fn is_first_version(&mut self, name: &str) {
        self.worker = Some(name.to_owned());
        self.is_old = true;
        self.calls.one_of_a_hook();
    }

    /// Sends an event as soon as the worker has room for it.
    ///
    /// A client of the first version does not answer a hook that is `detached`.
    pub(crate) fn call(
        &mut self,
        (id, hook, detached): (u64, &str, bool),
        call: RemoteCall,
        now: u64,
        actions: &mut Vec<HubAction>,
    ) {
        let deadline = call.limit_ms.map(|limit| now.saturating_add(limit));
        let is_silent = detached && self.is_old;
        let pending = Pending { id, hook: hook.to_owned(), deadline, call, is_silent };
        if !self.calls.submit(pending) {
            let (in_flight, waiting) = self.calls.load();
            let why = format!(
                "the worker `{}` has {in_flight} events and {waiting} wait, which is all that may; start more workers, or raise in_flight or queue in the agent",
                self.name()
            );
            finish(id, FailureKind::NotStarted, why, actions);
        }
        self.start(now, actions);
    }

    /// Sends what the worker has room for.
    fn start(&mut self, now: u64, actions: &mut Vec<HubAction>) {
        while let Some(pending) = self.calls.start() {
            let (id, is_silent) = (pending.id, pending.is_silent);
            let event = event(pending, now);
            if event.encoded_len() > self.max_message {
                let why = format!(
                    "the event has {} bytes, and the worker `{}` takes {}; raise max_message on both ends",
                    event.encoded_len(),
                    self.name(),
                    self.max_message
                );
                self.calls.cancel(id);
                // An event must not get past a guard by its size.
                let failure = HookFailure { meant_to_restrict: true, ..HookFailure::new(FailureKind::NotStarted, why) };
                actions.push(HubAction::Finished { call: id, result: HandlerResult::Failed(failure) });
                continue;
            }
            self.send(&event, actions);
            if is_silent {
                self.calls.cancel(id);
                actions.push(HubAction::Finished { call: id, result: HandlerResult::Nothing });
            }
        }
    }

    fn answered(
        &mut self,
        response: &HookResponse,
        settings: &HubSettings,
        now: u64,
        actions: &mut Vec<HubAction>,
    ) -> Result<(), Refused> {
        let answered = self.calls.answered(response.dispatch_id, &response.hook_id);
        if answered.is_none() && self.calls.settle(response.dispatch_id, &response.hook_id) {
            self.start(now, actions);
            return Ok(());
        }
        let Some(pending) = answered else {
            // It is late, doubled, or of another worker.
            let text = format!(
                "the worker `{}` answered {} for the hook `{}`, which is no call that waits for it; the answer has no effect",
                self.name(),
                response.dispatch_id,
                shortened(&response.hook_id).escape_debug()
            );
            actions.push(HubAction::Log { level: Level::Warning, text });
            return self.unasked(settings, now);
        };
        let result = match read(response) {
            HandlerResult::Answer(answer) => match settings.grants.filter(answer) {
                Ok((answer, None)) => HandlerResult::Answer(answer),
                Ok((answer, Some(taken))) => {
                    let text = format!("the hook `{}` of the worker `{}`: {taken}", pending.hook, self.name());
                    actions.push(HubAction::Log { level: Level::Warning, text });
                    HandlerResult::Answer(answer)
                }
                Err(failure) => HandlerResult::Failed(failure),
            },
            other => other,
        };
        actions.push(HubAction::Finished { call: pending.id, result });
        self.start(now, actions);
        Ok(())
    }

    fn unasked(&mut self, settings: &HubSettings, now: u64) -> Result<(), Refused> {
        let second = now / 1000;
        if self.counted != second {
            (self.counted, self.unasked) = (second, 0);
        }
        self.unasked += 1;
        if self.unasked <= settings.max_unasked {
            return Ok(());
        }
        let most = settings.max_unasked;
        Err(Refused::new("flood", format!("more than {most} unrequested messages within a second; send fewer")))
    }

    /// Ends a call that nobody waits for.
    pub(crate) fn cancel(&mut self, id: u64, now: u64, actions: &mut Vec<HubAction>) -> bool {
        let Some((pending, is_sent)) = self.calls.cancel(id) else { return false };
        if is_sent {
            let cancel = Some(Cancel { dispatch_id: pending.id });
            self.calls.owe(pending.hook);
            self.send(&HookEvent { cancel, ..HookEvent::default() }, actions);
        }
        finish(id, FailureKind::Cancelled, "the dispatch was cancelled", actions);
        self.start(now, actions);
        true
    }

    /// Does what is due; refuses a connection that is silent.
    pub(crate) fn tick(&mut self, now: u64, actions: &mut Vec<HubAction>) -> Result<(), Refused> {
        for id in self.calls.late(now) {
            let Some((pending, is_sent)) = self.calls.cancel(id) else { continue };
            if is_sent {
                let cancel = Some(Cancel { dispatch_id: id });
                self.calls.owe(pending.hook);
                self.send(&HookEvent { cancel, ..HookEvent::default() }, actions);
            }
            let limit = std::time::Duration::from_millis(pending.call.limit_ms.unwrap_or_default());
            actions.push(HubAction::Finished { call: id, result: HandlerResult::Failed(HookFailure::timeout(limit)) });
        }
        self.start(now, actions);
        if self.worker.is_none() {
            if now >= self.opened.saturating_add(PATIENCE_MS) {
                return Err(Refused::new("no_hello", format!("no hello came within {PATIENCE_MS} ms; send one first")));
            }
            return Ok(());
        }
        if self.is_old {
            // It knows no pings; its transport notices when it is gone.
            return Ok(());
        }
        match self.pulse.due(now) {
            Due::Nothing => Ok(()),
            Due::Ping(number) => {
                self.send(&HookEvent { ping: Some(Ping { number }), ..HookEvent::default() }, actions);
                Ok(())
            }
            Due::Gone => Err(Refused::new("silent", "the worker did not answer a ping; it may connect again")),
        }
    }

    pub(crate) fn next_deadline(&self) -> u64 {
        let patience = match (&self.worker, self.is_old) {
            (None, _) => self.opened + PATIENCE_MS,
            (Some(_), true) => u64::MAX,
            (Some(_), false) => self.pulse.next(),
        };
        self.calls.next_deadline().map_or(patience, |at| at.min(patience))
    }

    /// Ends every call, because the connection ends: each is a failure of its hook.
    pub(crate) fn end_calls(&mut self, why: &str, actions: &mut Vec<HubAction>) {
        for pending in self.calls.take_all() {
            let why = format!("the worker `{}` was lost before it answered: {why}", self.name());
            finish(pending.id, FailureKind::Lost, why, actions);
        }
    }

    /// Whether it leaves and has nothing to do any more.
    pub(crate) fn has_left(&self) -> bool {
        self.leaves && self.calls.load() == (0, 0)
    }

    pub(crate) fn send(&self, event: &HookEvent, actions: &mut Vec<HubAction>) {
        if self.is_old && event.controls() > 0 {
            // It would take it for an event.
            return;
        }
        actions.push(HubAction::Send { connection: self.id, message: event.encode_to_vec() });
    }
}

/// Ends a call with a failure.
pub(crate) fn finish(call: u64, kind: FailureKind, why: impl Into<String>, actions: &mut Vec<HubAction>) {
    actions.push(HubAction::Finished { call, result: HandlerResult::Failed(HookFailure::new(kind, why)) });
}

/// Holds a hello against what the agent takes.
fn check(hello: Hello, settings: &HubSettings) -> Result<Hello, Refused> {
    if hello.version != VERSION {
        let theirs = hello.version;
        return Err(Refused::finally(
            "unknown_version",
            format!(
                "the agent speaks version {VERSION} of the protocol and the worker version {theirs}; update the older one"
            ),
        ));
    }
    if !token::is_right(settings.token.as_deref(), hello.token.as_deref()) {
        let why = if hello.token.is_some() {
            "the token is not the agent's; give the worker the one that the agent was started with"
        } else {
            "the agent wants a token; give the worker the one that the agent was started with"
        };
        return Err(Refused::finally("bad_token", why));
    }
    if !is_name(&hello.worker) {
        let why = "a worker's name has 1 to 64 letters, digits, dots, dashes or underscores; choose another one";
        return Err(Refused::finally("bad_name", why));
    }
    Ok(hello)
}

/// A call as the worker gets it.
fn event(pending: &Pending, now: u64) -> HookEvent {
    let Pending { id, hook, deadline, call, .. } = pending;
    let text = |name: &str| call.payload.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    HookEvent {
        hook_id: hook.clone(),
        event_type: call.event.clone(),
        session_id: text("session_id"),
        timestamp: call.payload.get("timestamp").and_then(Value::as_i64).unwrap_or_default(),
        payload: serde_json::to_vec(&call.payload).unwrap_or_default(),
        dispatch_id: *id,
        time_left_ms: deadline.map_or(0, |at| at.saturating_sub(now).max(1)),
        traceparent: call.trace.as_ref().map(|trace| trace.parent().to_owned()),
        tracestate: call.trace.as_ref().and_then(|trace| trace.state().map(str::to_owned)),
        depth: call.depth,
        ..HookEvent::default()
    }
}
