//! What an audit log adds to a dispatch of one hook that says nothing.

use std::time::{Duration, Instant};

use hookweave::audit::AuditOptions;
use hookweave::{Engine, Event};

use super::{OWN, Variant, event};

/// How long the records of a sample may take to be written.
const FLUSH: Duration = Duration::from_secs(60);

async fn dispatch(engine: &Engine, event: &Event, times: u32) -> f64 {
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    let began = Instant::now();
    for _ in 0..times {
        std::hint::black_box(engine.dispatch(event.clone()).await.ok());
    }
    began.elapsed().as_secs_f64()
}

/// Seconds that so many dispatches take longer with a log than without.
pub(crate) fn added() -> Result<Variant, hookweave::Error> {
    let file = std::env::temp_dir().join("hookweave-bench-audit.jsonl");
    _ = std::fs::remove_file(&file);
    // What is measured is what a dispatch pays, not how long the writer takes for the records of a whole sample.
    let config = AuditOptions::file(file).queue(1_000_000);
    let (plain, audited) = (Engine::new(), Engine::builder().audit(config).build()?);
    for engine in [&plain, &audited] {
        engine.on("PreToolUse").tool("Bash").run_async(|_| async {})?;
    }
    let event = event("ls -la");
    Ok(Box::new(move |times| {
        let (plain, audited, event) = (plain.clone(), audited.clone(), event.clone());
        Box::pin(async move {
            let without = dispatch(&plain, &event, times).await;
            let with = dispatch(&audited, &event, times).await;
            OWN.set(Some(with - without));
            std::hint::black_box(audited.flush_audit(FLUSH));
        })
    }))
}
