//! What a hook of Cocode's runs, when, and for how long.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::context::{HookContext, HookEventType};
use super::result::HookResult;
use crate::engine::{Engine, Event};
use hookweave_host::error::Error;
use hookweave_host::hook::{HookSpec, Timeout};

/// A hook of Cocode's.
#[derive(Debug, Clone)]
pub struct HookDefinition {
    /// When it runs.
    pub event: HookEventType,
    /// What runs.
    pub handler: HookHandler,
    /// It runs once and is then gone.
    pub once: bool,
    /// How long it may run; defaults to ten minutes.
    pub timeout: Duration,
    /// What traces call it.
    pub name: Option<String>,
    /// The tool: a whole name, or the beginning of one with `*` behind it.
    pub tool_matcher: Option<String>,
}

impl Default for HookDefinition {
    fn default() -> Self {
        Self {
            event: HookEventType::PreToolUse,
            handler: HookHandler::Inline { callback: Arc::new(|_| HookResult::Continue) },
            once: false,
            timeout: Duration::from_secs(600),
            name: None,
            tool_matcher: None,
        }
    }
}

/// What a hook runs.
#[derive(Clone)]
pub enum HookHandler {
    /// A line for the shell.
    Shell {
        /// The line.
        command: String,
        /// Whether it reads the context as JSON.
        pass_context: bool,
        /// Whether its output is read as a [`HookResult`].
        parse_result: bool,
    },
    /// A request with the context as JSON, whose answer is read as a [`HookResult`].
    Webhook {
        /// Where it goes.
        url: String,
        /// How.
        method: HttpMethod,
        /// Its headers; values may name environment variables as `${NAME}`.
        headers: HashMap<String, String>,
    },
    /// A function of the program.
    Inline {
        /// The function.
        callback: Arc<dyn Fn(HookContext) -> HookResult + Send + Sync>,
    },
}

impl fmt::Debug for HookHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shell { command, pass_context, parse_result } => f
                .debug_struct("Shell")
                .field("command", command)
                .field("pass_context", pass_context)
                .field("parse_result", parse_result)
                .finish(),
            // Headers hold keys, and the address may.
            Self::Webhook { method, .. } => f.debug_struct("Webhook").field("method", method).finish_non_exhaustive(),
            Self::Inline { .. } => f.debug_struct("Inline").finish_non_exhaustive(),
        }
    }
}

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HttpMethod {
    /// `POST`.
    #[default]
    Post,
    /// `PUT`.
    Put,
}

/// A time limit as the engine takes it: none beyond a year, and the shortest there is for none at all.
pub(super) fn limit(timeout: Duration) -> Timeout {
    if timeout > Timeout::MAX { Timeout::Never } else { Timeout::After(timeout.max(Duration::from_nanos(1))) }
}

/// Registers what a hook runs; gives its id.
pub(super) fn register(
    engine: &Engine,
    event: HookEventType,
    spec: HookSpec,
    handler: HookHandler,
) -> Result<String, Error> {
    match handler {
        HookHandler::Inline { callback } => {
            let known = engine.resolve(&spec.event)?;
            let run = move |source: &Event| {
                let call = || callback(HookContext::of(event, &known, source));
                let refuse = |reason| HookResult::Reject { reason };
                super::super::guarded(known.gate(), call, refuse).into_response(known.name())
            };
            engine.on(spec.event.clone()).spec(spec).run(run)
        }
        HookHandler::Shell { command, pass_context, parse_result } => {
            let run = hookweave_host::config::Run::Command(hookweave_host::exec::command::CommandSpec::shell(command));
            register_file_hook(
                engine,
                event,
                spec,
                run,
                hookweave_host::dialects::cocode::variant(pass_context, parse_result),
            )
        }
        HookHandler::Webhook { url, method, headers } => {
            let run = hookweave_host::config::Run::Webhook(request(url, method, headers));
            register_file_hook(engine, event, spec, run, &hookweave_host::dialects::cocode::COCODE)
        }
    }
}

fn register_file_hook(
    engine: &Engine,
    event: HookEventType,
    spec: HookSpec,
    run: hookweave_host::config::Run,
    dialect: &'static dyn hookweave_host::dialects::Dialect,
) -> Result<String, Error> {
    engine.register_file_hook(hookweave_host::config::Declared {
        spec,
        dialect,
        declared_event: event.as_str().to_owned(),
        run,
        wakes: false,
        entry: serde_json::Value::Null,
        replaces: false,
        plugin: None,
        project: None,
    })
}

fn request(
    url: String,
    method: HttpMethod,
    headers: HashMap<String, String>,
) -> hookweave_host::exec::webhook::WebhookSpec {
    use hookweave_host::exec::webhook::{Method, UnsetVariable, WebhookSpec};
    let mut headers: Vec<_> = headers.into_iter().collect();
    headers.sort();
    let method = match method {
        HttpMethod::Post => Method::Post,
        HttpMethod::Put => Method::Put,
    };
    let mut spec = WebhookSpec { url, method, headers, allowed_env: Vec::new(), unset: UnsetVariable::Refuse };
    spec.allowed_env = spec.variables().map(str::to_owned).collect();
    spec
}
