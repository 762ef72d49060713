//! What a Rust program's log shows of a dispatch.
//!
//! Alone in its program: `tracing` remembers for the whole process whether a log line has a subscriber, and tests in
//! other threads that dispatch without a log would make it believe that none has.
#![allow(clippy::expect_used, clippy::disallowed_methods, reason = "a test ends with a message, and owns its runtime")]

use std::sync::Arc;

use hookweave::{Engine, Event, FailBehavior};
use serde_json::json;

type Checked = Result<(), Box<dyn std::error::Error>>;

fn ls() -> Event {
    Event::pre_tool_use("Bash", json!({"command": "ls"}))
}

#[test]
fn a_log_tells_selection_runs_and_failures_at_their_levels() -> Checked {
    use tracing::{Event as Record, Level, Metadata, Subscriber, span};

    /// Keeps the level and text of every log line.
    #[derive(Clone, Default)]
    struct Lines(Arc<std::sync::Mutex<Vec<(Level, String)>>>);
    struct Text(String);
    impl tracing::field::Visit for Text {
        fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
            self.0.extend([field.name(), "=", &format!("{value:?}"), " "]);
        }
    }
    impl Subscriber for Lines {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }
        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, record: &Record<'_>) {
            let mut text = Text(String::new());
            record.record(&mut text);
            self.0.lock().expect("nobody panics while logging").push((*record.metadata().level(), text.0));
        }
        fn enter(&self, _: &span::Id) {}
        fn exit(&self, _: &span::Id) {}
    }

    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let lines = Lines::default();
    let engine = Engine::new();
    engine.on("PreToolUse").name("open").run(|_: &Event| -> Result<(), &str> { Err("broken") })?;
    engine
        .on("PreToolUse")
        .name("closed")
        .fail_behavior(FailBehavior::Block)
        .run_async(|_| async { Err::<(), _>("shut") })?;
    {
        let _logging = tracing::subscriber::set_default(lines.clone());
        runtime.block_on(engine.dispatch(ls()))?;
    }
    let lines = lines.0.lock().expect("nobody panicked");
    let logged = |level: Level, words: [&str; 2]| {
        lines.iter().any(|(at, text)| *at == level && words.iter().all(|word| text.contains(word)))
    };
    assert!(logged(Level::DEBUG, ["selected=2", "hooks selected"]), "{lines:?}");
    assert!(logged(Level::INFO, ["hook=open", "hook starts"]), "{lines:?}");
    assert!(logged(Level::INFO, ["hook=closed", "hook ended"]), "{lines:?}");
    assert!(logged(Level::WARN, ["open", "the action continues: broken"]), "{lines:?}");
    assert!(logged(Level::ERROR, ["closed", "blocks: shut"]), "{lines:?}");
    Ok(())
}
