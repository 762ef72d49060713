//! The spans of a dispatch and of its hooks, for subscribers of `tracing`.
//!
//! Alone in its program: `tracing` remembers for the whole process whether there is a subscriber.
#![allow(clippy::expect_used, clippy::disallowed_methods, reason = "a test ends with a message, and owns its runtime")]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use hookweave::{BoxFuture, Engine, Event, HookError, HookResponse, ModelRequest, ModelResponse, ToolCall};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::{Metadata, Subscriber, span};

/// A span: its name, the number of the one above it, and its fields.
#[derive(Debug, Clone, Default, PartialEq)]
struct Seen {
    name: &'static str,
    above: Option<u64>,
    fields: Vec<String>,
}

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.push(format!("{}={value:?}", field.name()));
    }
}

/// Keeps every span.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<(Vec<Seen>, Vec<u64>)>>);

impl Subscriber for Spans {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span()
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut kept = self.0.lock().expect("nobody panics here");
        let above = attributes.parent().map(span::Id::into_u64).or_else(|| kept.1.last().copied());
        let mut seen = Seen { name: attributes.metadata().name(), above, fields: Vec::new() };
        attributes.record(&mut seen);
        kept.0.push(seen);
        span::Id::from_u64(kept.0.len() as u64)
    }
    fn record(&self, span: &span::Id, values: &span::Record<'_>) {
        let mut kept = self.0.lock().expect("nobody panics here");
        let place = usize::try_from(span.into_u64()).expect("few spans") - 1;
        values.record(kept.0.get_mut(place).expect("a span that was made"));
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, _: &tracing::Event<'_>) {}
    fn enter(&self, span: &span::Id) {
        self.0.lock().expect("nobody panics here").1.push(span.into_u64());
    }
    fn exit(&self, _: &span::Id) {
        self.0.lock().expect("nobody panics here").1.pop();
    }
}

#[test]
fn a_dispatch_is_a_span_and_its_hooks_are_below() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new();
    engine.on("PreToolUse").name("quiet").run(|_: &Event| ())?;
    engine.on("PreToolUse").name("broken").run_async(|_| async {
        tokio::task::yield_now().await;
        Err::<(), _>("no")
    })?;
    engine.on("PreToolUse").name("guard").run(|_: &Event| HookResponse::block("no"))?;
    let spans = Spans::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    tracing::subscriber::with_default(spans.clone(), || {
        let event = Event::new("PreToolUse", json!({"tool": "Bash", "args": {"command": "ls"}, "session_id": "s1"}));
        runtime.block_on(engine.dispatch(event))
    })?;
    let seen = spans.0.lock().expect("nobody panics here").0.clone();
    let [dispatch, hooks @ ..] = seen.as_slice() else { panic!("no span") };
    assert_eq!(dispatch.name, "hookweave.dispatch");
    assert_eq!(
        dispatch.fields,
        [r#"event="PreToolUse""#, r#"tool="Bash""#, r#"session="s1""#, r#"decision="block""#, "blocked=true"]
    );
    let spans_below: Vec<_> = hooks.iter().map(|hook| (hook.name, hook.above, hook.fields.join(" "))).collect();
    let below = |fields: &str| ("hookweave.hook", Some(1), fields.to_owned());
    assert_eq!(
        spans_below,
        [
            below(r#"hook=quiet event="PreToolUse" outcome="nothing""#),
            below(r#"hook=broken event="PreToolUse" outcome="raised""#),
            below(r#"hook=guard event="PreToolUse" outcome="answer""#),
        ]
    );
    Ok(())
}

/// Calls two tools and is done.
#[derive(Debug, Default)]
struct Calls(Mutex<u32>);

impl hookweave::Model for Calls {
    fn respond(&self, _: ModelRequest) -> BoxFuture<'_, Result<ModelResponse, HookError>> {
        let mut turn = self.0.lock().expect("nobody panics here");
        *turn += 1;
        let call = |name: &str| ToolCall::new(name, json!({})).id(format!("call {name}"));
        let response = if *turn == 1 {
            let usage = json!({"input_tokens": 10, "output_tokens": 5});
            ModelResponse::default().tool_call(call("Add")).tool_call(call("Nowhere")).usage(usage)
        } else {
            ModelResponse::new("done")
        };
        Box::pin(async move { Ok(response) })
    }
}

/// Each span by its `otel.name` or its own, with the name of the one above it and the fields that show how it ended.
fn tree(seen: &[Seen]) -> Vec<(String, String, String)> {
    let name = |span: &Seen| {
        let otel_name = span.fields.iter().find_map(|field| field.strip_prefix("otel.name="));
        let hook = span.fields.iter().find_map(|field| field.strip_prefix("hook="));
        otel_name.or(hook).unwrap_or(span.name).trim_matches('"').to_owned()
    };
    let shown = ["error.type", "otel.status_code", "hook.decided_by", "hookweave.status", "gen_ai.usage.output_tokens"];
    let above = |span: &Seen| {
        span.above.and_then(|above| seen.get(usize::try_from(above).ok()? - 1)).map_or_else(String::new, name)
    };
    let fields_of = |span: &Seen| {
        let fields = span.fields.iter().filter(|field| shown.iter().any(|name| field.starts_with(name)));
        fields.cloned().collect::<Vec<_>>().join(" ")
    };
    let kept = seen.iter().filter(|span| span.name != "hookweave.dispatch");
    kept.map(|span| (name(span), above(span), fields_of(span))).collect()
}

#[test]
fn an_agents_run_has_spans_of_its_model_and_tools() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::new();
    let spans = Spans::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    engine.register_tool("Add", Arc::new(Adds));
    engine.register_model(Arc::new(Calls::default()));
    tracing::subscriber::with_default(spans.clone(), || {
        runtime.block_on(async {
            let session = engine.session().set("session_id", json!("s1")).set("model", json!("m-1")).open()?;
            session.generate("a secret").await
        })
    })?;
    let seen = spans.0.lock().expect("nobody panics here").0.clone();
    assert!(!format!("{seen:?}").contains("secret"));
    let of = |name: &str, above: &str, fields: &str| (name.to_owned(), above.to_owned(), fields.to_owned());
    let run = r#"gen_ai.usage.output_tokens=5 hookweave.status="done""#;
    assert_eq!(
        tree(&seen),
        [
            of("invoke_agent", "", run),
            of("chat m-1", "invoke_agent", "gen_ai.usage.output_tokens=5"),
            of("execute_tool Add", "invoke_agent", ""),
            of("execute_tool Nowhere", "invoke_agent", r#"error.type="blocked" hook.decided_by="host""#),
            of("chat m-1", "invoke_agent", ""),
        ]
    );
    Ok(())
}

/// A tool that has nothing to fear.
#[derive(Debug)]
struct Adds;

impl hookweave::Tool for Adds {
    fn run(
        &self,
        _: serde_json::Value,
        _: hookweave::ToolContext,
    ) -> BoxFuture<'_, Result<hookweave::ToolResult, HookError>> {
        Box::pin(async { Ok(hookweave::ToolResult::from(3)) })
    }
}
