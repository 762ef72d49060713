//! What a session adds to a tool that takes a millisecond.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookweave::{BoxFuture, Engine, Tool, ToolContext, ToolResult};
use serde_json::{Value, json};

use super::Variant;

const TOOL: Duration = Duration::from_millis(1);

/// Works for a millisecond: a timer would be less exact than what is measured.
struct Work;

impl Tool for Work {
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    fn run(&self, _: Value, _: ToolContext) -> BoxFuture<'_, Result<ToolResult, hookweave::HookError>> {
        let began = Instant::now();
        while began.elapsed() < TOOL {
            std::hint::spin_loop();
        }
        Box::pin(std::future::ready(Ok(ToolResult::from("done"))))
    }
}

/// The tool alone.
pub(crate) fn bare() -> Variant {
    Box::new(|times| {
        Box::pin(async move {
            for _ in 0..times {
                let context = ToolContext::new("", "");
                std::hint::black_box(Work.run(json!({"command": "ls -la"}), context).await.ok());
            }
        })
    })
}

/// The tool in a session of an engine.
pub(crate) fn judged(engine: &Engine) -> Result<Variant, hookweave::Error> {
    let session = engine.session().open()?;
    let tool: Arc<dyn Tool> = Arc::new(Work);
    Ok(Box::new(move |times| {
        let (session, tool) = (session.clone(), Arc::clone(&tool));
        Box::pin(async move {
            for _ in 0..times {
                let call = session.use_tool("Bash", json!({"command": "ls -la"}), None, Arc::clone(&tool));
                std::hint::black_box(call.await.ok());
            }
        })
    }))
}
