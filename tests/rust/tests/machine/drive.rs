//! Drives one dispatch to its end, through the façade or through the engine.

use std::sync::Arc;

use hookweave::{Engine, Event, HookError, HookResponse};
use hookweave_host::dispatch::{FailureKind, HandlerResult, HookFailure, Report, Stage, Step, begin};
use hookweave_host::index::{Plan, Planned, Reuse};
use hookweave_host::json::Json;
use hookweave_host::options::Mode;
use hookweave_host::registry::Registry;
use serde_json::Value;

use super::given::{Given, Says};

/// A dispatch that has ended, and how it went.
#[derive(Debug)]
pub(crate) struct Driven {
    /// Its outcome in canonical form.
    pub(crate) outcome: Value,
    /// The hooks of each stage that ran, by their places.
    pub(crate) stages: Vec<Vec<usize>>,
    /// Which of the stages were rechecks.
    pub(crate) rechecks: Vec<bool>,
    /// Which of the stages had nothing to say.
    pub(crate) quiet: Vec<bool>,
    /// The hooks that a driver may run without asking, stage by stage.
    pub(crate) ahead: Vec<Vec<usize>>,
}

/// Runs a dispatch through the façade, without waiting for anything.
pub(crate) fn by_facade(given: &Given) -> Driven {
    let registry = given.registry();
    let snapshot = registry.snapshot();
    let spec = snapshot.resolve(given.event).unwrap();
    let payload = given.payload.0.clone();
    let planned = match snapshot.event(given.event) {
        Some(index) => snapshot.plan(&Json, index, &&payload),
        None => Planned { plan: Arc::new(Plan::empty(Mode::Sequential)), reuse: Reuse::Event },
    };
    let mut driven =
        Driven { outcome: Value::Null, stages: Vec::new(), rechecks: Vec::new(), quiet: Vec::new(), ahead: Vec::new() };
    let mut step = begin(&Json, Arc::clone(&snapshot), spec, planned.plan, planned.reuse, payload);
    loop {
        match step {
            Step::Run(stage) => {
                let hooks: Vec<usize> = stage.calls().iter().map(|call| *call.entry().handler()).collect();
                let reports: Vec<Report<Value>> = hooks
                    .iter()
                    .map(|hook| {
                        let first = !driven.stages.iter().flatten().any(|earlier| earlier == hook);
                        let hook = &given.hooks[*hook];
                        if hook.is_detached() {
                            return Report::new(HandlerResult::Detached, 0);
                        }
                        Report::new(result_of(if first { &hook.first } else { &hook.again }), 0)
                    })
                    .collect();
                driven.quiet.push(reports.iter().all(|report| matches!(report.result, HandlerResult::Nothing)));
                driven.rechecks.push(stage.is_recheck());
                driven.ahead.push(stage.ahead().iter().map(|call| *call.entry().handler()).collect());
                driven.stages.push(hooks);
                step = stage.resume(&Json, reports);
            }
            Step::Done(done) => {
                driven.outcome = serde_json::to_value(done.summary()).unwrap();
                driven.outcome["event"] = done.payload().clone();
                driven.outcome["ext"] =
                    done.ext().map(|(dialect, value)| (dialect.to_owned(), value.clone())).collect();
                let came: serde_json::Map<String, Value> =
                    done.originals().map(|(field, came)| (field.to_owned(), came.clone())).collect();
                if !done.modified().is_empty() {
                    driven.outcome["original"] = Value::Object(came);
                }
                return driven;
            }
        }
    }
}

fn result_of(says: &Says) -> HandlerResult<Value> {
    match says {
        Says::Answer(Value::Null) => HandlerResult::Nothing,
        Says::Answer(answer) => HandlerResult::Answer(answer.clone()),
        Says::Raises => HandlerResult::Failed(HookFailure::new(FailureKind::Raised, "boom")),
    }
}

fn response(says: &Says) -> Result<HookResponse, HookError> {
    match says {
        Says::Answer(answer) => HookResponse::from_json(answer.clone()).map_err(|other| other.to_string().into()),
        Says::Raises => Err("boom".into()),
    }
}

/// Runs the same dispatch through an engine: with closures, or with futures that finish after so many turns each.
pub(crate) fn by_engine(given: &Given, delays: Option<&[usize]>) -> Value {
    let settings = given.options.as_object().unwrap().clone();
    let engine = Engine::builder().settings(settings).build().unwrap();
    for (index, hook) in given.hooks.iter().enumerate() {
        let registration = engine.on(given.event).spec(given.spec(hook));
        let runs = std::sync::atomic::AtomicUsize::new(0);
        let hook = hook.clone();
        let next = move || {
            let first = runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0;
            response(if first { &hook.first } else { &hook.again })
        };
        match delays {
            None => registration.run(move |_: &Event| next()).unwrap(),
            Some(delays) => {
                let turns = delays[index % delays.len()];
                registration
                    .run_async(move |_| {
                        let answer = next();
                        async move {
                            for _ in 0..turns {
                                tokio::task::yield_now().await;
                            }
                            answer
                        }
                    })
                    .unwrap()
            }
        };
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let outcome = runtime.block_on(engine.dispatch(Event::new(given.event, given.payload.0.clone()))).unwrap();
    let mut whole = outcome.to_json();
    whole["event"] = outcome.event().payload().clone();
    whole
}

/// The outcome without what a clock says.
pub(crate) fn without_times(outcome: &Value) -> Value {
    let mut outcome = outcome.clone();
    for entry in outcome["trace"].as_array_mut().into_iter().flatten() {
        entry.as_object_mut().unwrap().shift_remove("duration_us");
    }
    outcome
}

/// Dispatches under way at the same time, to be moved on in any order.
pub(crate) struct Crowd {
    registry: Arc<Registry<usize>>,
    running: Vec<Option<Stage<usize, Value>>>,
    /// How often each hook has started.
    pub(crate) starts: Vec<usize>,
}

impl Crowd {
    pub(crate) fn new(given: &Given) -> Self {
        Self { registry: given.registry(), running: Vec::new(), starts: vec![0; given.hooks.len()] }
    }

    /// Begins one more dispatch.
    pub(crate) fn begin(&mut self, given: &Given) {
        let snapshot = self.registry.snapshot();
        let index = snapshot.event(given.event).unwrap();
        let payload = given.payload.0.clone();
        let planned = snapshot.plan(&Json, index, &&payload);
        let spec = Arc::clone(index.spec());
        let step = begin(&Json, Arc::clone(&snapshot), spec, planned.plan, planned.reuse, payload);
        self.keep(self.running.len(), step);
    }

    fn keep(&mut self, place: usize, step: Step<usize, Value>) {
        let stage = if let Step::Run(stage) = step { Some(stage) } else { None };
        if place == self.running.len() {
            self.running.push(stage);
        } else {
            self.running[place] = stage;
        }
    }

    fn at(&mut self, place: usize) -> Option<usize> {
        if self.running.is_empty() { None } else { Some(place % self.running.len()) }
    }

    /// Starts the hooks of a dispatch's stage, all of them answering nothing, and moves it on.
    pub(crate) fn step(&mut self, place: usize) {
        let Some(place) = self.at(place) else { return };
        let Some(mut stage) = self.running[place].take() else { return };
        let hooks: Vec<usize> = stage.calls().iter().map(|call| *call.entry().handler()).collect();
        for (index, hook) in hooks.iter().enumerate() {
            stage.started(index);
            self.starts[*hook] += 1;
        }
        let step = stage.resume(&Json, hooks.iter().map(|_| Report::new(HandlerResult::Nothing, 0)));
        self.keep(place, step);
    }

    /// Abandons a dispatch, before the hooks of its stage start.
    pub(crate) fn abandon(&mut self, place: usize) {
        if let Some(place) = self.at(place) {
            self.running[place] = None;
        }
    }

    /// Moves every dispatch on to its end.
    pub(crate) fn finish(&mut self) {
        for place in 0..self.running.len() {
            while self.running[place].is_some() {
                self.step(place);
            }
        }
    }

    /// The places of the hooks that are still registered.
    pub(crate) fn left(&self, given: &Given) -> Vec<usize> {
        self.registry.list().iter().map(|hook| given.index_of(&hook.name)).collect()
    }
}
