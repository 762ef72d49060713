//! A worker's hook: as it is offered, and as the agent's engine takes it.

use serde_json::{Map, Value, json};

use crate::grants::Grants;
use crate::wire::{HookConfig, HookMatcher, RegisterHookRequest};
use hookweave_machine::hook::{HookSpec, Scope};
use hookweave_machine::json::{Json, from_json};
use hookweave_machine::registry::HookInfo;

/// The conditions that have fields of their own.
const NAMED: [&str; 3] = ["tool", "path_pattern", "command_pattern"];

/// The longest id of a hook, in bytes.
const MAX_ID: usize = 128;

/// What an agent made of an offer.
#[derive(Debug)]
pub(crate) struct Accepted {
    pub(crate) spec: HookSpec,
    pub(crate) warnings: Vec<String>,
}

/// A hook of a worker's own engine as it is offered to an agent; `Err` says why it cannot be.
pub fn offer(hook: &HookInfo) -> Result<RegisterHookRequest, String> {
    let refuse = |why: &str| Err(format!("the hook `{}` on {} is not offered: {why}", hook.name, hook.event));
    if hook.origin.is_some() {
        return refuse("a file declares it; load the file in the agent instead");
    }
    if hook.once {
        return refuse("it is `once`, and an agent that restarts would run it again; let its handler count");
    }
    let matcher = match serde_json::to_value(&hook.matcher) {
        Ok(Value::Object(conditions)) => matcher(conditions),
        _ => return refuse("its matcher has no JSON form"),
    };
    #[expect(clippy::cast_possible_truncation, reason = "a longer timeout is bounded to 24 days")]
    let timeout_ms = hook.timeout_ms.map_or(0, |limit| limit.ceil().clamp(1.0, f64::from(i32::MAX)) as i32);
    Ok(RegisterHookRequest {
        event_type: hook.event.clone(),
        matcher: Some(matcher),
        config: Some(HookConfig {
            priority: hook.priority,
            timeout_ms,
            r#async: hook.detached,
            fail_behavior: Some(hook.fail_behavior.as_str().to_owned()),
            no_timeout: hook.timeout_ms.is_none(),
            mandatory: hook.mandatory_setting,
            scope: (hook.scope == Scope::Managed).then(|| Scope::Managed.as_str().to_owned()),
            enforcement: Some(hook.enforcement.as_str().to_owned()),
        }),
        hook_id: Some(hook.id.clone()),
        name: Some(hook.name.clone()),
    })
}

/// Conditions as the wire has them.
fn matcher(mut conditions: Map<String, Value>) -> HookMatcher {
    let mut take = |name: &str| match conditions.remove(name) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let [tool, path_pattern, command_pattern] = NAMED.map(&mut take);
    let conditions = (!conditions.is_empty()).then(|| Value::Object(conditions).to_string().into_bytes());
    HookMatcher { tool, path_pattern, command_pattern, conditions }
}

/// The id of an offered hook; `Err` says what is wrong with it.
pub(crate) fn id(offer: &RegisterHookRequest) -> Result<&str, String> {
    let id = offer.hook_id.as_deref().unwrap_or_default();
    if id.is_empty() || id.len() > MAX_ID || id.chars().any(char::is_control) {
        return Err(format!("a hook's id has 1 to {MAX_ID} bytes without control characters; send one in hook_id"));
    }
    Ok(id)
}

/// Reads an offer and holds it against what the worker may; `Err` says what is wrong, and the fix.
pub(crate) fn read(worker: &str, id: &str, offer: &RegisterHookRequest, grants: &Grants) -> Result<Accepted, String> {
    let config = offer.config.clone().unwrap_or_default();
    let name = offer.name.as_deref().unwrap_or(id);
    if name.chars().any(char::is_control) {
        return Err("a hook's name has no control characters; choose another one".to_owned());
    }
    grants.check(worker, offer, &config)?;
    let mut settings = Map::new();
    settings.insert("name".to_owned(), format!("{worker}/{name}").into());
    settings.insert("matcher".to_owned(), Value::Object(conditions(offer.matcher.as_ref())?));
    settings.insert("priority".to_owned(), config.priority.into());
    settings.insert("detached".to_owned(), config.r#async.into());
    match (config.no_timeout, config.timeout_ms) {
        (true, 0) => _ = settings.insert("timeout".to_owned(), Value::Null),
        (true, _) => return Err("no_timeout and timeout_ms contradict each other; send one of them".to_owned()),
        (false, 0) => {}
        (false, limit) => _ = settings.insert("timeout".to_owned(), limit.into()),
    }
    for (field, word) in
        [("fail_behavior", &config.fail_behavior), ("scope", &config.scope), ("enforcement", &config.enforcement)]
    {
        if let Some(word) = word {
            settings.insert(field.to_owned(), word.as_str().into());
        }
    }
    // To fail closed is no wish to be mandatory here: most guards do, and few agents grant it. A managed hook is by itself.
    let is_managed = config.scope.as_deref() == Some(Scope::Managed.as_str());
    let mandatory = config.mandatory.or((!is_managed).then_some(false));
    settings.insert("mandatory".to_owned(), json!(mandatory));
    let settings = Value::Object(settings);
    let spec = HookSpec::read(&Json, &offer.event_type, &&settings).map_err(|error| error.message().to_owned())?;
    let (spec, warnings) = grants.bound(worker, spec);
    spec.check().map_err(|error| error.message().to_owned())?;
    Ok(Accepted { spec, warnings })
}

/// A matcher's conditions as settings have them.
fn conditions(matcher: Option<&HookMatcher>) -> Result<Map<String, Value>, String> {
    let Some(matcher) = matcher else { return Ok(Map::new()) };
    let mut conditions = match &matcher.conditions {
        None => Map::new(),
        Some(bytes) => match std::str::from_utf8(bytes).ok().and_then(|text| from_json(text).ok()) {
            Some(Value::Object(conditions)) => conditions,
            _ => return Err("matcher.conditions must be a JSON object, such as {\"rule\": \"Bash(git *)\"}".to_owned()),
        },
    };
    for (name, text) in NAMED.iter().zip([&matcher.tool, &matcher.path_pattern, &matcher.command_pattern]) {
        if let Some(text) = text {
            conditions.insert((*name).to_owned(), text.as_str().into());
        }
    }
    Ok(conditions)
}
