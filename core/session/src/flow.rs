//! Flows: written as one function from beginning to end, run in steps by the driver that carries out their effects.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::Serialize;
use serde_json::{Map, Value};

use super::Session;
use super::effect::{Effect, Finished, Reply, Role, ValueId};
use super::fields::{Fields, Own};
use super::verdict::{SharedVerdict, Verdict};

/// Something that a session does, in steps.
///
/// It is a function that is left at each effect and entered again with the reply. It has no thread, no clock and no
/// runtime; dropping it ends it where it is.
pub struct Flow {
    session: Arc<Session>,
    function: Pin<Box<dyn Future<Output = Finished> + Send>>,
    slot: EffectSlot,
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow").finish_non_exhaustive()
    }
}

impl Flow {
    /// A flow of a session, not begun.
    pub(super) fn new<F, R>(session: &Arc<Session>, function: impl FnOnce(Cx) -> F) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Serialize,
    {
        Self::to_end(session, |cx| {
            let body = function(cx);
            async move { Finished::Json(serde_json::to_value(body.await).unwrap_or_default()) }
        })
    }

    /// The same with a result that is no JSON.
    pub(super) fn to_end<F>(session: &Arc<Session>, function: impl FnOnce(Cx) -> F) -> Self
    where
        F: Future<Output = Finished> + Send + 'static,
    {
        let slot = EffectSlot::default();
        let function = Box::pin(function(Cx { session: Arc::clone(session), slot: slot.clone() }));
        Self { session: Arc::clone(session), function, slot }
    }

    /// The session that does it.
    #[must_use]
    pub const fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Ends it where it is; a tool call whose tool has not been run counts as not begun.
    pub fn release(&mut self) {
        self.function = Box::pin(std::future::ready(Finished::Json(Value::Null)));
    }

    /// Takes in what came of the last effect, [`Reply::Begin`] at first, and says what is next.
    ///
    /// After [`Effect::Finish`] there is no more.
    pub fn step(&mut self, reply: Reply) -> Effect {
        self.slot.lock().reply = Some(reply);
        let mut context = Context::from_waker(Waker::noop());
        match self.function.as_mut().poll(&mut context) {
            Poll::Ready(result) => Effect::Finish { result },
            // Nothing but an effect is ever waited for.
            Poll::Pending => {
                self.slot.lock().effect.take().unwrap_or(Effect::Finish { result: Finished::Json(Value::Null) })
            }
        }
    }
}

/// Where a flow and its driver leave things for each other.
#[derive(Debug, Clone, Default)]
struct EffectSlot(Arc<Mutex<SlotState>>);

#[derive(Debug, Default)]
struct SlotState {
    effect: Option<Effect>,
    reply: Option<Reply>,
    /// What hooks inject while nothing may stand between a tool call and its result.
    held: Option<Vec<HeldMessage>>,
}

/// A message of hooks that waits for its place in the context.
#[derive(Debug)]
struct HeldMessage {
    role: Role,
    content: String,
    metadata: Map<String, Value>,
}

impl EffectSlot {
    fn lock(&self) -> MutexGuard<'_, SlotState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An effect that is waited for.
struct Exchange {
    slot: EffectSlot,
    effect: Option<Effect>,
}

impl Future for Exchange {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Reply> {
        let effect = self.effect.take();
        let mut state = self.slot.lock();
        if let Some(effect) = effect {
            state.effect = Some(effect);
            state.reply = None;
            return Poll::Pending;
        }
        state.reply.take().map_or(Poll::Pending, Poll::Ready)
    }
}

/// The verdict of an event's hooks, and the field that was asked for.
#[derive(Debug, Default)]
pub(super) struct DispatchResult {
    pub(super) verdict: SharedVerdict,
    pub(super) value: Option<ValueId>,
    pub(super) json: Map<String, Value>,
}

/// What a flow's functions are given: its session, and the means to have things done.
#[derive(Debug, Clone)]
pub(super) struct Cx {
    pub(super) session: Arc<Session>,
    slot: EffectSlot,
}

impl DispatchResult {
    /// The text that hooks made of a field, when they changed it.
    pub(super) fn text(&self, field: &str) -> Option<String> {
        self.json.get(field).and_then(Value::as_str).map(str::to_owned)
    }
}

impl Cx {
    /// Has something done.
    pub(super) async fn perform(&self, effect: Effect) -> Reply {
        Exchange { slot: self.slot.clone(), effect: Some(effect) }.await
    }

    /// Raises an event of plain fields.
    pub(super) async fn raise(&self, event: &'static str, fields: Value) -> DispatchResult {
        self.dispatch(event, fields, Vec::new(), &[]).await
    }

    /// Raises an event, shows its messages, and adds what its hooks inject.
    pub(super) async fn dispatch(
        &self,
        event: &'static str,
        own: impl Into<Own>,
        values: Vec<(&'static str, ValueId)>,
        wants: &'static [&'static str],
    ) -> DispatchResult {
        let fields = Fields { common: Arc::clone(&self.session.common), own: own.into().0 };
        let (verdict, value, json) = match self.perform(Effect::Dispatch { event, fields, values, wants }).await {
            Reply::Dispatched { verdict: Some(verdict), value, json } => (verdict, value, json),
            Reply::Failed { why } => (Box::new(Verdict::refused_by_host(why)), None, Map::new()),
            _ => return DispatchResult::default(),
        };
        let left_out = self.session.note(&verdict);
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            let why =
                format!("variables that hooks left were not kept, as they are too many, too long or odd: {names}");
            self.log("warning", why).await;
        }
        self.show_messages(&verdict).await;
        self.inject(event, &verdict).await;
        DispatchResult { verdict: SharedVerdict::of(verdict), value, json }
    }

    async fn show_messages(&self, verdict: &Verdict) {
        for (hook, message) in &verdict.messages {
            let source = hook.clone().unwrap_or_else(|| OWN.to_owned());
            self.perform(Effect::Show { text: message.text.clone(), level: message.level, source }).await;
        }
    }

    /// Tells the user something of the engine's own.
    pub(super) async fn log(&self, level: &'static str, text: String) {
        self.perform(Effect::Show { text, level, source: OWN.to_owned() }).await;
    }

    /// Adds a message to the context; a context that fails is the user's to know, and stops nothing.
    pub(super) async fn add_message(
        &self,
        role: Role,
        content: Option<String>,
        value: Option<ValueId>,
        metadata: Map<String, Value>,
    ) {
        if let Reply::Failed { why } = self.perform(Effect::AddMessage { role, content, value, metadata }).await {
            self.log("error", format!("the context did not take a message: {why}")).await;
        }
    }

    /// Adds what a hook injects; while messages are held it waits with the others.
    pub(super) async fn add_from_hooks(&self, role: Role, content: String, metadata: Map<String, Value>) {
        let message = HeldMessage { role, content, metadata };
        let now = match &mut self.slot.lock().held {
            Some(held) => {
                held.push(message);
                None
            }
            None => Some(message),
        };
        if let Some(HeldMessage { role, content, metadata }) = now {
            self.add_message(role, Some(content), None, metadata).await;
        }
    }

    /// Tells the model what hooks object to, before it is called again.
    pub(super) async fn feed_back(&self, feedback: &[String]) {
        if !feedback.is_empty() {
            self.add_from_hooks(Role::User, feedback.join("\n"), from("hook")).await;
        }
    }

    /// From now on what hooks inject is held: models demand results right behind the calls.
    pub(super) fn hold_messages(&self) {
        self.slot.lock().held.get_or_insert_default();
    }

    /// Adds what was held, in its order.
    pub(super) async fn add_held_messages(&self) {
        let held = self.slot.lock().held.take().unwrap_or_default();
        for HeldMessage { role, content, metadata } in held {
            self.add_message(role, Some(content), None, metadata).await;
        }
    }

    /// Waits before something is tried again.
    pub(super) async fn wait(&self, ms: u64) {
        if ms > 0 {
            self.perform(Effect::Wait { ms }).await;
        }
    }
}

/// The metadata of a message: where it comes from.
pub(super) fn from(source: &str) -> Map<String, Value> {
    Map::from_iter([("source".to_owned(), Value::from(source))])
}

/// The name under which the engine itself speaks.
const OWN: &str = "hookweave";
