//! The hooks that one event runs.

use std::cell::RefCell;
use std::sync::Arc;

use hookweave_host::audit::{Audit, Batch, EventDigest};
use hookweave_host::clock::present;
use hookweave_host::dispatch::{Step, begin, check_depth};
use hookweave_host::envelope::has_tool_use_id;
use hookweave_host::error::{Code, Error};
use hookweave_host::event::EventSpec;
use hookweave_host::index::{Plan, Reuse, Snapshot};
use hookweave_host::payload::{Host, Kind, Spelling};
use hookweave_host::registry::Registry;
use napi::Env;
use napi::bindgen_prelude::{Object, Unknown};
use napi_derive::napi;

use crate::dispatch::{BegunDispatch, HookReport, NativeDispatch, nanos};
use crate::errors::{CodedError, coded, from_napi};
use crate::registration::HandlerRef;
use crate::values::{Slot, Values};

thread_local! {
    static BATCH: RefCell<Batch> = RefCell::default();
}

/// The other payloads for which a plan holds.
#[napi(string_enum = "lowercase")]
pub enum PlanScope {
    /// Every payload of the event.
    Event,
    /// Every payload with the same tool.
    Tool,
    /// This payload only.
    Once,
}

/// A plan with what the TypeScript layer needs of it.
#[napi(object, object_from_js = false)]
pub struct PlannedHooks {
    /// The native side of the plan.
    pub native: NativePlan,
    /// For which other payloads it holds.
    pub holds: PlanScope,
    /// The event's canonical name.
    pub event: String,
    /// Whether the engine fills in a missing tool call id.
    pub has_tool_use_id: bool,
    /// The hooks' numbers, in order.
    pub hooks: Vec<u32>,
    /// Whether every hook is a stage of its own and none needs to be claimed.
    pub simple: bool,
    /// Whether a block stops what the event is about.
    pub gate: bool,
    /// Whether it is time to look for warnings.
    pub warnings_due: bool,
}

/// A plan with the hooks that it was made from.
#[napi]
pub struct NativePlan {
    snapshot: Arc<Snapshot<HandlerRef>>,
    event: Arc<EventSpec>,
    plan: Arc<Plan<HandlerRef>>,
    reuse: Reuse,
    audit: Arc<Audit>,
}

/// Refuses a payload that is no object, or whose working directory is no text.
pub(crate) fn check_payload(values: &Values<'_>, payload: &Unknown<'_>) -> Result<(), CodedError> {
    let kind = values.kind(payload);
    if kind == Kind::Object {
        return hookweave_host::envelope::check_payload(values, payload).map_err(|error| coded(&error));
    }
    Err(coded(&Error::new(Code::InvalidPayload, format!("a payload is an object, not {}", kind.words()))))
}

/// Plans a payload.
pub(crate) fn plan(
    values: &Values<'_>,
    registry: &Registry<HandlerRef>,
    spec: Arc<EventSpec>,
    payload: Slot,
    audit: Arc<Audit>,
) -> Result<PlannedHooks, CodedError> {
    let payload = values.view(&payload);
    check_payload(values, &payload)?;
    let snapshot = registry.snapshot();
    let (plan, reuse) = match snapshot.event(spec.name()) {
        Some(index) => {
            let planned = snapshot.plan_dispatch(values, index, &payload).map_err(|error| coded(&error))?;
            (planned.plan, planned.reuse)
        }
        None => (Arc::new(Plan::empty(snapshot.options().mode)), Reuse::Event),
    };
    let hooks: Vec<u32> = plan.calls().iter().map(|call| call.entry().handler().number).collect();
    // What the profile decides of an event without hooks is known at the end of a dispatch.
    let is_unguarded = plan.calls().is_empty() && snapshot.wants_guarded(spec.name());
    let has_detached = plan.calls().iter().any(|call| call.entry().detached());
    Ok(PlannedHooks {
        holds: match reuse {
            Reuse::Event => PlanScope::Event,
            Reuse::Tool => PlanScope::Tool,
            Reuse::Never => PlanScope::Once,
        },
        event: spec.name().to_owned(),
        has_tool_use_id: has_tool_use_id(&spec),
        hooks,
        simple: plan.is_plain() && !has_detached && !is_unguarded && (plan.is_in_turn() || plan.calls().len() < 2),
        gate: spec.gate(),
        warnings_due: spec.is_look_due(),
        native: NativePlan { snapshot, event: spec, plan, reuse, audit },
    })
}

#[napi]
impl NativePlan {
    /// Begins a dispatch whose payload is the array's first value.
    ///
    /// `no_ops` are the nanoseconds of the first hooks, which have answered nothing; `reports` are what came of the hooks
    /// of the stage after them, if they have run too.
    #[napi(catch_unwind)]
    pub fn begin(
        &self,
        env: Env,
        values: Object<'_>,
        no_ops: Vec<f64>,
        reports: Vec<HookReport>,
    ) -> Result<BegunDispatch, CodedError> {
        let values = Values::new(&env, values).map_err(from_napi)?;
        let step = self.step(&values, Slot(0));
        Ok(NativeDispatch::begin(&values, step, self.plan.calls().len(), &no_ops, &reports, Arc::clone(&self.audit)))
    }

    /// The fields whose texts an audit record needs: for each the letter that identifies it, then the name, with `args.` before
    /// it where it is an argument. Joined with NULs, because one text is passed faster than a list. `None` where they depend
    /// on the tool.
    #[must_use]
    #[napi(catch_unwind)]
    pub fn audit_fields(&self) -> Option<String> {
        let place = |(tag, name, in_args): (char, &str, bool)| {
            // What is inside of `args` is spelled as it comes.
            if in_args { format!("{tag}args.{name}") } else { format!("{tag}{}", Spelling::TypeScript.local(name)) }
        };
        let places: Vec<_> = EventDigest::places(&self.event, &self.snapshot)?.into_iter().map(place).collect();
        Some(places.join("\0"))
    }

    /// Records a dispatch of no-op hooks, by the texts of those fields.
    #[napi(catch_unwind)]
    pub fn audit_texts(&self, texts: String, no_ops: Vec<f64>) {
        // One at a time: a record that waited for others would be lost if the tool after it ends the process.
        BATCH.with_borrow_mut(|batch| {
            batch.add(&self.event, &self.plan, present().ticks, no_ops.into_iter().map(nanos), &texts);
            self.audit.quiet(batch);
        });
    }

    /// Records a dispatch of no-op hooks; gives why it is blocked when it cannot be recorded and the log is required.
    #[napi(catch_unwind)]
    pub fn audit_no_op(&self, env: Env, payload: Unknown<'_>, no_ops: Vec<f64>) -> Result<Option<String>, CodedError> {
        let values = Values::none(&env).map_err(from_napi)?;
        let slot = values.keep(&payload);
        let step = self.step(&values, slot);
        Ok(NativeDispatch::audit_no_op(&values, step, &no_ops, &self.audit))
    }
}

impl NativePlan {
    fn step(&self, values: &Values<'_>, payload: Slot) -> Step<HandlerRef, Slot> {
        let (snapshot, event) = (Arc::clone(&self.snapshot), Arc::clone(&self.event));
        begin(values, snapshot, event, Arc::clone(&self.plan), self.reuse, payload)
    }
}

/// Refuses what is no payload; throws `invalid_payload`.
#[napi(js_name = "checkPayload", catch_unwind)]
pub fn check_given(env: Env, payload: Unknown<'_>) -> Result<(), CodedError> {
    check_payload(&Values::none(&env).map_err(from_napi)?, &payload)
}

/// Refuses a dispatch that is nested too deep; throws `nested_too_deep`.
#[napi(catch_unwind)]
pub fn refuse_depth(depth: u32) -> Result<(), CodedError> {
    check_depth(depth).map_err(|error| coded(&error))
}
