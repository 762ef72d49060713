//! The agent loop of Cocode's documentation, on the registry of the compatible interface.

use std::sync::Arc;

use hookweave::compat::cocode::{HookContext, HookDefinition, HookEventType, HookHandler, HookRegistry, HookResult};
use serde_json::{Value, json};

type Checked = Result<(), Box<dyn std::error::Error>>;

fn inline(callback: impl Fn(HookContext) -> HookResult + Send + Sync + 'static) -> HookDefinition {
    HookDefinition { handler: HookHandler::Inline { callback: Arc::new(callback) }, ..Default::default() }
}

/// The loop of the documentation's agent, as it stands there, around a tool and its results.
mod agent_loop {
    use std::future::Future;
    use std::path::PathBuf;
    use std::pin::Pin;

    use hookweave::compat::cocode::{HookContext, HookEventType, HookRegistry, HookResult, ToolOutput};
    use serde_json::Value;

    pub(crate) type Called<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, String>> + 'a>>;

    pub(crate) trait Tool {
        fn name(&self) -> &str;
        fn call<'a>(&'a self, input: Value, ctx: &'a (), tool_use_id: &'a str) -> Called<'a>;
    }

    #[derive(Debug, PartialEq)]
    pub(crate) struct ToolExecutionResult(pub(crate) Result<Value, String>);

    impl ToolExecutionResult {
        fn error(_tool_use_id: &str, reason: String) -> Self {
            Self(Err(reason))
        }
    }

    impl From<Result<ToolOutput, String>> for ToolExecutionResult {
        fn from(result: Result<ToolOutput, String>) -> Self {
            Self(result)
        }
    }

    #[derive(Debug, PartialEq)]
    pub(crate) enum LoopEvent {
        HookExecuted { hook_type: HookEventType, hook_name: String },
    }

    pub(crate) struct AgentLoop {
        pub(crate) hooks: HookRegistry,
        pub(crate) session_id: String,
        pub(crate) cwd: PathBuf,
        pub(crate) ctx: (),
        pub(crate) events: Vec<LoopEvent>,
    }

    impl AgentLoop {
        async fn emit(&mut self, event: LoopEvent) {
            tokio::task::yield_now().await;
            self.events.push(event);
        }

        pub(crate) async fn run(&mut self, tool: &dyn Tool, input: Value) -> ToolExecutionResult {
            self.execute_tool(tool, input, "call-1").await
        }
    }

    #[rustfmt::skip]
#[allow(clippy::implicit_clone, reason = "the loop is as its documentation has it")]
impl AgentLoop {
    async fn execute_tool(
        &mut self,
        tool: &dyn Tool,
        input: Value,
        tool_use_id: &str,
    ) -> ToolExecutionResult {
        // Build hook context
        let ctx = HookContext {
            event: HookEventType::PreToolUse,
            tool_name: Some(tool.name().to_string()),
            tool_input: Some(input.clone()),
            session_id: self.session_id.clone(),
            cwd: self.cwd.clone(),
            ..Default::default()
        };

        // Execute PreToolUse hooks
        let hook_result = self.hooks.execute(HookEventType::PreToolUse, ctx).await;

        let final_input = match hook_result {
            HookResult::Reject { reason } => {
                return ToolExecutionResult::error(tool_use_id, reason);
            }
            HookResult::ModifyInput { new_input } => new_input,
            HookResult::Continue => input,
        };

        // Execute tool
        let result = tool.call(final_input.clone(), &self.ctx, tool_use_id).await;

        // Execute PostToolUse or PostToolUseFailure hooks
        match &result {
            Ok(output) => {
                let ctx = HookContext {
                    event: HookEventType::PostToolUse,
                    tool_name: Some(tool.name().to_string()),
                    tool_input: Some(final_input),
                    tool_output: Some(output.clone()),
                    session_id: self.session_id.clone(),
                    cwd: self.cwd.clone(),
                    ..Default::default()
                };
                self.hooks.execute(HookEventType::PostToolUse, ctx).await;
            }
            Err(e) => {
                let ctx = HookContext {
                    event: HookEventType::PostToolUseFailure,
                    tool_name: Some(tool.name().to_string()),
                    tool_input: Some(final_input),
                    error: Some(e.to_string()),
                    session_id: self.session_id.clone(),
                    cwd: self.cwd.clone(),
                    ..Default::default()
                };
                self.hooks.execute(HookEventType::PostToolUseFailure, ctx).await;
            }
        }

        // Emit HookExecuted event
        self.emit(LoopEvent::HookExecuted {
            hook_type: HookEventType::PreToolUse,
            hook_name: tool.name().to_string(),
        }).await;

        result.into()
    }
}
}

#[tokio::test]
async fn the_documented_agent_loop_runs_on_the_registry() -> Checked {
    use agent_loop::{AgentLoop, Called, Tool, ToolExecutionResult};

    struct Echo;
    impl Tool for Echo {
        fn name(&self) -> &'static str {
            "Echo"
        }
        fn call<'a>(&'a self, input: Value, _ctx: &'a (), _tool_use_id: &'a str) -> Called<'a> {
            let fails = input["fail"] == true;
            Box::pin(async move { if fails { Err("it failed".to_owned()) } else { Ok(json!({"output": input})) } })
        }
    }

    let (calls, received) = std::sync::mpsc::channel();
    let mut hooks = HookRegistry::new();
    hooks.register(inline(|ctx| match ctx.tool_input {
        Some(input) if input["n"] == 1 => HookResult::ModifyInput { new_input: json!({"n": 2}) },
        Some(input) if input["n"] == 3 => HookResult::Reject { reason: "not three".to_owned() },
        _ => HookResult::Continue,
    }));
    for event in [HookEventType::PostToolUse, HookEventType::PostToolUseFailure] {
        let calls = calls.clone();
        let record = move |ctx: HookContext| {
            let sent = calls.send(json!([format!("{:?}", ctx.event), ctx.tool_input, ctx.tool_output, ctx.error]));
            if sent.is_ok() { HookResult::Continue } else { HookResult::Reject { reason: "nobody hears".to_owned() } }
        };
        hooks.register(HookDefinition { event, ..inline(record) });
    }
    let (session_id, cwd) = ("session-1".to_owned(), std::env::temp_dir());
    let mut agent = AgentLoop { hooks, session_id, cwd, ctx: (), events: Vec::new() };
    let results = [
        agent.run(&Echo, json!({"n": 1})).await,
        agent.run(&Echo, json!({"n": 3})).await,
        agent.run(&Echo, json!({"fail": true})).await,
    ];
    let rejected = ToolExecutionResult(Err("not three".to_owned()));
    assert_eq!((&results[0].0, &results[1]), (&Ok(json!({"output": {"n": 2}})), &rejected));
    assert_eq!(results[2].0, Err("it failed".to_owned()));
    assert_eq!(agent.events.len(), 2, "a rejected call emits nothing");
    let calls: Vec<Value> = received.try_iter().collect();
    assert_eq!(
        calls,
        [
            json!(["PostToolUse", {"n": 2}, {"output": {"n": 2}}, null]),
            json!(["PostToolUseFailure", {"fail": true}, null, "it failed"]),
        ]
    );
    Ok(())
}
