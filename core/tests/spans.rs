//! The spans of a dispatch and of its hooks, for whoever listens to `tracing`.
//!
//! Alone in its program: `tracing` remembers for the whole process whether anybody listens.
#![allow(clippy::expect_used, clippy::disallowed_methods, reason = "a test ends with a message, and owns its runtime")]

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use hookweave::{Engine, Event, HookResponse};
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
        let mut seen = Seen { name: attributes.metadata().name(), above: kept.1.last().copied(), fields: Vec::new() };
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
    let told: Vec<_> = hooks.iter().map(|hook| (hook.name, hook.above, hook.fields.join(" "))).collect();
    let below = |fields: &str| ("hookweave.hook", Some(1), fields.to_owned());
    assert_eq!(
        told,
        [
            below(r#"hook=quiet event="PreToolUse" outcome="nothing""#),
            below(r#"hook=broken event="PreToolUse" outcome="raised""#),
            below(r#"hook=guard event="PreToolUse" outcome="answer""#),
        ]
    );
    Ok(())
}
