//! Runs `tests/vectors/remote`: one end of the protocol, step by step. `HOOKWEAVE_WRITE=1` writes what comes of each step; read
//! the difference.

use std::path::PathBuf;

use hookweave_exec::trace_context::TraceContext;
use hookweave_machine::dispatch::{FailureKind, HandlerResult, HookFailure};
use hookweave_machine::hook::{HookSpec, Timeout};
use hookweave_remote::wire::{
    FleetEntry, HookEvent, HookResponse, ListHooksRequest, ListHooksResponse, RegisterHookRequest,
    RegisterHookResponse, UnregisterHookRequest, UnregisterHookResponse,
};
use hookweave_remote::{
    BUCKET_TTL_MS, Backoff, FleetAction, FleetAgent, FleetAgentSettings, FleetWorker, FleetWorkerSettings, Grants, Hub,
    HubAction, HubSettings, Level, Limits, Message, Method, RemoteCall, Run, WorkerAction, WorkerEnd, WorkerSettings,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Takes away what a message does not set; what is empty and set stays.
fn bare(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_set = |value: &Value| {
                !(value.is_null()
                    || *value == json!(0)
                    || *value == json!(false)
                    || *value == json!("")
                    || *value == json!([]))
            };
            let fields = fields.into_iter().filter(|(_, value)| is_set(value));
            Value::Object(fields.map(|(name, value)| (name, bare(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(bare).collect(),
        other => other,
    }
}

fn shown<M: Message + Default + serde::Serialize>(message: &[u8]) -> Value {
    bare(serde_json::to_value(M::decode(message).unwrap()).unwrap())
}

/// The bytes of a step: a message, or bytes that are none.
fn bytes<M: Message + DeserializeOwned>(step: &Value) -> Vec<u8> {
    if let Some(hex) = step.get("hex").and_then(Value::as_str) {
        let digits: Vec<u8> = hex.chars().map(|digit| u8::try_from(digit.to_digit(16).unwrap()).unwrap()).collect();
        return digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
    }
    if let Some(length) = step.get("zeros").and_then(Value::as_u64) {
        return vec![0; usize::try_from(length).unwrap()];
    }
    serde_json::from_value::<M>(step["message"].clone()).unwrap().encode_to_vec()
}

fn result(value: &Value) -> HandlerResult<Value> {
    if let Some(message) = value.get("failed").and_then(Value::as_str) {
        return HandlerResult::Failed(HookFailure::new(FailureKind::Raised, message));
    }
    value.get("answer").map_or(HandlerResult::Nothing, |answer| HandlerResult::Answer(answer.clone()))
}

fn shown_result(result: HandlerResult<Value>) -> Value {
    match result {
        HandlerResult::Answer(answer) => json!({"answer": answer}),
        HandlerResult::Failed(failure) => bare(json!({
            "failed": failure.kind.as_str(), "message": failure.message, "restricts": failure.meant_to_restrict,
        })),
        _ => json!("nothing"),
    }
}

fn shown_spec(spec: &HookSpec) -> Value {
    let timeout = match spec.timeout {
        Timeout::After(limit) => json!(limit.as_secs_f64() * 1000.0),
        Timeout::Never => json!("never"),
        Timeout::Default => json!("default"),
    };
    bare(json!({
        "event": spec.event, "name": spec.name, "matcher": spec.matcher, "priority": spec.priority, "timeout": timeout,
        "fail_behavior": spec.fail_behavior, "mandatory": spec.is_mandatory(), "scope": spec.scope, "detached": spec.detached,
    }))
}

/// A line of the log, unless all is well.
fn shown_log(level: Level, text: &str) -> Option<Value> {
    (level != Level::Info).then(|| json!({"log": level, "text": text}))
}

fn number(step: &Value, name: &str) -> u64 {
    step[name].as_u64().unwrap_or_else(|| panic!("{name} in {step}"))
}

fn text(step: &Value, name: &str) -> String {
    step[name].as_str().unwrap_or_else(|| panic!("{name} in {step}")).to_owned()
}

fn limits(settings: &Value) -> Limits {
    let mut limits = Limits::default();
    if let Some(most) = settings.get("in_flight").and_then(Value::as_u64) {
        limits.in_flight = u32::try_from(most).unwrap();
    }
    if let Some(most) = settings.get("max_message").and_then(Value::as_u64) {
        limits.max_message = u32::try_from(most).unwrap();
    }
    limits
}

fn hub(settings: &Value) -> Hub {
    let mut grants = Grants::default();
    if let Some(Value::Object(given)) = settings.get("grants") {
        for (name, value) in given {
            match name.as_str() {
                "events" => grants.events = Some(serde_json::from_value(value.clone()).unwrap()),
                "earliest_priority" => grants.earliest_priority = serde_json::from_value(value.clone()).unwrap(),
                "allow" => grants.allow = value == &json!(true),
                "modify" => grants.modify = value == &json!(true),
                "ask" => grants.ask = value == &json!(true),
                "mandatory" => grants.mandatory = value == &json!(true),
                "managed" => grants.managed = value == &json!(true),
                other => panic!("unknown grant {other}"),
            }
        }
    }
    let mut own = HubSettings { grants, limits: limits(settings), ..HubSettings::default() };
    own.token = settings.get("token").and_then(Value::as_str).map(str::to_owned);
    let count = |name: &str| settings.get(name).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
    own.queue = count("queue").unwrap_or(own.queue);
    own.max_hooks = count("max_hooks").unwrap_or(own.max_hooks);
    own.max_workers = count("max_workers").unwrap_or(own.max_workers);
    own.max_unasked = count("max_unasked").map_or(own.max_unasked, |count| u32::try_from(count).unwrap());
    Hub::new(own)
}

/// The answer to a call: which message it is depends on the method that was called last.
fn shown_reply(message: &Result<Vec<u8>, String>, method: Method) -> Value {
    match (message, method) {
        (Err(why), _) => json!({"refused": why}),
        (Ok(message), Method::Register) => json!({"message": shown::<RegisterHookResponse>(message)}),
        (Ok(message), Method::Unregister) => json!({"message": shown::<UnregisterHookResponse>(message)}),
        (Ok(message), Method::List) => {
            let listed = ListHooksResponse::decode(&**message).unwrap();
            let hooks: Vec<Value> = listed.hooks.iter().map(|hook| bare(serde_json::to_value(hook).unwrap())).collect();
            json!({"message": {"hooks": hooks}})
        }
    }
}

fn method(step: &Value) -> Method {
    match text(step, "method").as_str() {
        "register" => Method::Register,
        "unregister" => Method::Unregister,
        "list" => Method::List,
        other => panic!("unknown method {other}"),
    }
}

fn hub_actions(hub: &mut Hub, called: Method) -> Vec<Value> {
    let show = |action| {
        Some(match action {
            HubAction::Reply { ask, message } => {
                let mut reply = shown_reply(&message, called);
                reply["reply"] = ask.into();
                reply
            }
            HubAction::Send { connection, message } => json!({"send": shown::<HookEvent>(&message), "on": connection}),
            HubAction::Close { connection, reason } => json!({"close": connection, "reason": reason}),
            HubAction::Register { registration, worker, spec } => {
                json!({"register": registration, "worker": worker, "hook": shown_spec(&spec)})
            }
            HubAction::Unregister { registration } => json!({"unregister": registration}),
            HubAction::Finished { call, result } => json!({"finished": call, "with": shown_result(result)}),
            HubAction::Log { level, text } => return shown_log(level, &text),
            HubAction::Refused { level, worker, code, text } => {
                json!({"log": level, "text": text, "refused": worker, "code": code})
            }
            other => panic!("unknown action {other:?}"),
        })
    };
    hub.actions().into_iter().filter_map(show).collect()
}

fn agent_step(hub: &mut Hub, step: &Value, now: u64) {
    match text(step, "do").as_str() {
        "open" => match step.get("from").and_then(Value::as_str) {
            Some(peer) => _ = hub.opened_by(peer, now),
            None => _ = hub.opened(now),
        },
        "ask" => {
            let request = match method(step) {
                Method::Register => bytes::<RegisterHookRequest>(step),
                Method::Unregister => bytes::<UnregisterHookRequest>(step),
                Method::List => bytes::<ListHooksRequest>(step),
            };
            hub.asked(&text(step, "from"), step.get("token").and_then(Value::as_str), method(step), &request);
        }
        "receive" => hub.receive(number(step, "on"), &bytes::<HookResponse>(step), now),
        "lost" => hub.lost(number(step, "on"), &text(step, "why")),
        "registered" => {
            let refusal = step.get("refusal").and_then(Value::as_str);
            hub.registered(number(step, "registration"), refusal.map_or(Ok(()), |why| Err(why.to_owned())));
        }
        "call" => {
            let payload = step.get("payload").and_then(Value::as_object).cloned().unwrap_or_default();
            let trace = step.get("traceparent").and_then(Value::as_str);
            let call = RemoteCall {
                event: step.get("event").and_then(Value::as_str).unwrap_or("PreToolUse").to_owned(),
                payload,
                limit_ms: step.get("limit_ms").and_then(Value::as_u64),
                trace: trace.and_then(|trace| TraceContext::parse(trace, None)),
                depth: 0,
            };
            for _ in 0..step.get("times").and_then(Value::as_u64).unwrap_or(1) {
                hub.call(number(step, "registration"), call.clone(), now);
            }
        }
        "cancel" => hub.cancel(number(step, "call"), now),
        "tick" => hub.tick(now),
        "close" => hub.close(),
        other => panic!("unknown step {other}"),
    }
}

fn worker(settings: &Value) -> WorkerEnd {
    let mut own = WorkerSettings { limits: limits(settings), ..WorkerSettings::new("guard", "one") };
    own.token = settings.get("token").and_then(Value::as_str).map(str::to_owned);
    WorkerEnd::new(own)
}

fn worker_actions(worker: &mut WorkerEnd) -> Vec<Value> {
    let show = |action| {
        Some(match action {
            WorkerAction::Connect => json!("connect"),
            WorkerAction::Send { message } => json!({"send": shown::<HookResponse>(&message)}),
            WorkerAction::Close { reason } => json!({"close": reason}),
            WorkerAction::Run(run) => {
                let Run { dispatch, hook, event, payload, deadline, trace, .. } = *run;
                let run =
                    json!({"run": dispatch, "hook": hook, "event": event, "payload": payload, "deadline": deadline});
                let mut run: Map<_, _> = run.as_object().unwrap().clone();
                if let Some((parent, _)) = trace {
                    run.insert("traceparent".to_owned(), parent.into());
                }
                Value::Object(run)
            }
            WorkerAction::Cancel { dispatch } => json!({"cancel": dispatch}),
            WorkerAction::State(state) => serde_json::to_value(state).unwrap(),
            WorkerAction::Log { level, text } => return shown_log(level, &text),
            other => panic!("unknown action {other:?}"),
        })
    };
    worker.actions().into_iter().filter_map(show).collect()
}

fn worker_step(worker: &mut WorkerEnd, step: &Value, now: u64) {
    let random = step.get("random").and_then(Value::as_u64).unwrap_or(0);
    match text(step, "do").as_str() {
        "start" => {}
        "offer" => {
            let offers: Vec<RegisterHookRequest> = serde_json::from_value(step["hooks"].clone()).unwrap();
            worker.offer(offers, now);
        }
        "opened" => worker.opened(now),
        "receive" => worker.receive(&bytes::<HookEvent>(step), now, random),
        "lost" => worker.lost(&text(step, "why"), now, random),
        "answered" => worker.answered(number(step, "dispatch"), &result(step)),
        "tick" => worker.tick(now, random),
        "leave" => worker.leave(),
        other => panic!("unknown step {other}"),
    }
}

fn fleet_agent(settings: &Value) -> FleetAgent {
    let groups = serde_json::from_value(settings["groups"].clone()).unwrap();
    let limits = limits(settings);
    FleetAgent::new(FleetAgentSettings {
        groups,
        token: settings.get("token").and_then(Value::as_str).map(str::to_owned),
        keepalive_ms: limits.keepalive_ms,
        max_message: limits.max_message,
        backoff: Backoff::default(),
    })
}

fn fleet_agent_step(agent: &mut FleetAgent, step: &Value, now: u64) {
    let random = step.get("random").and_then(Value::as_u64).unwrap_or(0);
    match text(step, "do").as_str() {
        "start" => {}
        "connected" => agent.connected(&text(step, "inbox"), u32::try_from(number(step, "max_payload")).unwrap()),
        "entry" => {
            let is_there = step.get("message").is_some() || step.get("hex").is_some();
            let value = is_there.then(|| bytes::<FleetEntry>(step));
            agent.entry(&text(step, "key"), value.as_deref(), now);
        }
        "has_all" => agent.has_all(),
        "lost" => agent.lost(&text(step, "why"), now, random),
        "sent" => agent.sent(&text(step, "group"), &bytes::<HookEvent>(step), now),
        "closed" => agent.closed(&text(step, "group"), now),
        "replied" => agent.replied(&text(step, "subject"), &bytes::<HookResponse>(step), now),
        "unanswered" => agent.unanswered(&text(step, "subject")),
        "tick" => agent.tick(now),
        other => panic!("unknown step {other}"),
    }
}

fn fleet_worker(settings: &Value) -> FleetWorker {
    let own = FleetWorkerSettings {
        group: "guards".to_owned(),
        instance: "one".to_owned(),
        epoch: 1,
        limits: limits(settings),
        bucket_ttl_ms: BUCKET_TTL_MS,
        max_payload: settings
            .get("max_payload")
            .and_then(Value::as_u64)
            .map_or(1 << 20, |most| u32::try_from(most).unwrap()),
    };
    match settings.get("refusal").and_then(Value::as_str) {
        Some(why) => FleetWorker::refused(own, why),
        None => FleetWorker::new(own),
    }
}

fn fleet_worker_step(worker: &mut FleetWorker, step: &Value, now: u64) {
    match text(step, "do").as_str() {
        "sent" => worker.sent(&bytes::<HookResponse>(step), now),
        "stored" => worker.stored(),
        "called" => worker.called(&text(step, "reply"), &bytes::<HookEvent>(step), now),
        "cancelled" => worker.cancelled(&text(step, "reply")),
        "tick" => worker.tick(now),
        "end" => worker.end(),
        other => panic!("unknown step {other}"),
    }
}

/// An action of an end to which `D` is delivered, and which publishes `P`.
fn shown_fleet<D, P>(action: FleetAction) -> Option<Value>
where
    D: Message + Default + serde::Serialize,
    P: Message + Default + serde::Serialize,
{
    Some(match action {
        FleetAction::Connect => json!("connect"),
        FleetAction::Open { group } => json!({"open": group}),
        FleetAction::Deliver { group, message } => json!({"deliver": shown::<D>(&message), "group": group}),
        FleetAction::Lost { group, why } => json!({"lost": group, "why": why}),
        FleetAction::Subscribe { subject, shared } => json!({"subscribe": subject, "shared": shared}),
        FleetAction::Unsubscribe { subject } => json!({"unsubscribe": subject}),
        FleetAction::Publish { subject, reply, message } => {
            bare(json!({"publish": shown::<P>(&message), "to": subject, "reply": reply}))
        }
        FleetAction::Put { key, value } => json!({"put": shown::<FleetEntry>(&value), "at": key}),
        FleetAction::Delete { key } => json!({"delete": key}),
        FleetAction::Drain => json!("drain"),
        FleetAction::Log { level, text } => return shown_log(level, &text),
        other => panic!("unknown action {other:?}"),
    })
}

/// Runs a case; gives what came of each step.
fn run(case: &Value) -> Vec<Vec<Value>> {
    let steps = case["steps"].as_array().unwrap();
    let mut now = 0;
    let mut at = |step: &Value| {
        now = step.get("at").and_then(Value::as_u64).unwrap_or(now);
        now
    };
    match text(case, "end").as_str() {
        "agent" => {
            let mut hub = hub(&case["settings"]);
            let mut called = Method::List;
            let mut take = |step: &Value| {
                agent_step(&mut hub, step, at(step));
                if step["do"] == "ask" {
                    called = method(step);
                }
                let called = if step["do"] == "registered" { Method::Register } else { called };
                hub_actions(&mut hub, called)
            };
            steps.iter().map(&mut take).collect()
        }
        "worker" => {
            let mut worker = worker(&case["settings"]);
            let mut take = |step: &Value| {
                worker_step(&mut worker, step, at(step));
                worker_actions(&mut worker)
            };
            steps.iter().map(&mut take).collect()
        }
        "fleet_agent" => {
            let mut agent = fleet_agent(&case["settings"]);
            let mut take = |step: &Value| {
                fleet_agent_step(&mut agent, step, at(step));
                agent.actions().into_iter().filter_map(shown_fleet::<HookResponse, HookEvent>).collect()
            };
            steps.iter().map(&mut take).collect()
        }
        "fleet_worker" => {
            let mut worker = fleet_worker(&case["settings"]);
            let mut take = |step: &Value| {
                fleet_worker_step(&mut worker, step, at(step));
                worker.actions().into_iter().filter_map(shown_fleet::<HookEvent, HookResponse>).collect()
            };
            steps.iter().map(&mut take).collect()
        }
        other => panic!("unknown end {other}"),
    }
}

#[test]
fn every_vector_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors/remote");
    let writes = std::env::var_os("HOOKWEAVE_WRITE").is_some();
    let mut count = 0;
    let mut wrong = Vec::new();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    for path in paths {
        let mut topic: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in topic["cases"].as_array_mut().unwrap() {
            count += 1;
            let came = run(case);
            for (step, came) in case["steps"].as_array_mut().unwrap().iter_mut().zip(came) {
                let came = Value::Array(came);
                if writes {
                    step["then"] = came;
                } else if step["then"] != came {
                    wrong.push(format!("{}: {step}\n  came {came}", path.display()));
                }
            }
        }
        if writes {
            std::fs::write(&path, format!("{}\n", serde_json::to_string_pretty(&topic).unwrap())).unwrap();
        }
    }
    assert!(count > 20 && wrong.is_empty(), "{count} cases, wrong are:\n{}", wrong.join("\n"));
}
