//! The spans of a tool call and of a whole agent, for subscribers of `tracing`.
//!
//! Their fields are those of OpenTelemetry's GenAI conventions, so that `tracing-opentelemetry` makes of them what the other
//! languages make. They hold no content.

use serde_json::{Map, Value};
use tracing::field::Empty;
use tracing::{Span, debug_span};

use hookweave_host::session::{Effect, Fields, Reply, Role, Session};

/// The spans that are open while a flow is carried out; without a subscriber there are none.
pub(super) struct Spans {
    whole: Span,
    model: Span,
    tool: Span,
    called: bool,
    used: [u64; 2],
}

/// What an effect is about, as far as spans are.
#[derive(Clone, Copy)]
pub(super) enum SpanSubject {
    Event(&'static str),
    Model,
    Other,
}

/// The fields of usage, and what models call them.
const TOKENS: [(&str, [&str; 2]); 2] = [
    ("gen_ai.usage.input_tokens", ["input_tokens", "prompt_tokens"]),
    ("gen_ai.usage.output_tokens", ["output_tokens", "completion_tokens"]),
];

impl Spans {
    /// For a flow that has none of its own.
    pub(super) const fn none() -> Self {
        Self { whole: Span::none(), model: Span::none(), tool: Span::none(), called: false, used: [0; 2] }
    }

    /// For a tool call that is made for itself.
    pub(super) fn of_tool(session: &Session, tool: &str) -> Self {
        let mut spans = Self::none();
        spans.tool = tool_span(&Span::current(), session, tool);
        spans
    }

    /// For an agent's run.
    pub(super) fn of_agent(session: &Session) -> Self {
        let kind = session.agent_type();
        let whole = debug_span!(
            "hookweave.agent",
            otel.name = kind.map_or_else(|| "invoke_agent".to_owned(), |kind| format!("invoke_agent {kind}")),
            otel.status_code = Empty,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.conversation.id = session.id(),
            gen_ai.agent.id = session.agent_id(),
            gen_ai.agent.name = kind,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            hookweave.status = Empty,
            "error.type" = Empty,
        );
        let mut spans = Self::none();
        spans.whole = whole;
        spans
    }

    /// Opens and closes what an effect begins and ends; gives the span that the effect belongs to.
    pub(super) fn before(&mut self, session: &Session, effect: &Effect) -> (Span, SpanSubject) {
        if self.whole.is_disabled() && self.tool.is_disabled() {
            return (Span::none(), SpanSubject::Other);
        }
        let about = match effect {
            Effect::Dispatch { event, fields, .. } => {
                self.raises(session, event, fields);
                SpanSubject::Event(event)
            }
            Effect::CallModel { .. } => SpanSubject::Model,
            Effect::AddMessage { role: Role::Tool, metadata, .. } => {
                self.close_tool(metadata);
                SpanSubject::Other
            }
            _ => SpanSubject::Other,
        };
        let inner = [&self.tool, &self.model].into_iter().find(|span| !span.is_disabled());
        (inner.unwrap_or(&self.whole).clone(), about)
    }

    fn raises(&mut self, session: &Session, event: &str, fields: &Fields) {
        if event == "GenerateStart" && self.model.is_disabled() {
            let model = fields.own_text("model").filter(|model| !model.is_empty());
            self.called = false;
            self.model = debug_span!(
                parent: &self.whole,
                "hookweave.model",
                otel.name = model.map_or_else(|| "chat".to_owned(), |model| format!("chat {model}")),
                otel.kind = "client",
                otel.status_code = Empty,
                gen_ai.operation.name = "chat",
                gen_ai.conversation.id = session.id(),
                gen_ai.agent.id = session.agent_id(),
                gen_ai.request.model = model,
                gen_ai.usage.input_tokens = Empty,
                gen_ai.usage.output_tokens = Empty,
                "error.type" = Empty,
            );
        } else if event == "ToolResolution" {
            self.tool = tool_span(&self.whole, session, fields.own_text("tool").unwrap_or_default());
        } else if let Some(id) = fields.own_text("tool_use_id") {
            self.tool.record("gen_ai.tool.call.id", id);
        }
    }

    /// Takes note of what came of an effect.
    pub(super) fn after(&mut self, about: SpanSubject, reply: &Reply) {
        match (about, reply) {
            (SpanSubject::Model, Reply::Responded { usage, .. }) => self.uses(usage),
            (SpanSubject::Model, _) => self.called = true,
            (SpanSubject::Event("GenerateEnd" | "GenerateError"), _) => {
                self.close_model(matches!(about, SpanSubject::Event("GenerateError")));
            }
            _ => {}
        }
    }

    fn uses(&mut self, usage: &Value) {
        self.called = true;
        for ((field, names), sum) in TOKENS.iter().zip(&mut self.used) {
            let Some(tokens) = names.iter().find_map(|name| usage.get(name)?.as_u64()) else { continue };
            *sum += tokens;
            self.model.record(*field, tokens);
            self.whole.record(*field, *sum);
        }
    }

    fn close_model(&mut self, failed: bool) {
        if failed {
            fail(&self.model, "_OTHER");
        } else if !self.called {
            self.model.record("error.type", "blocked");
        }
        self.model = Span::none();
    }

    /// The model is about to get the result of a call: it is over.
    fn close_tool(&mut self, record: &Map<String, Value>) {
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        if let Some(id) = text("tool_use_id") {
            self.tool.record("gen_ai.tool.call.id", id);
        }
        let ok = record.get("success") == Some(&Value::Bool(true));
        ended(&self.tool, text("decision").unwrap_or_default(), text("by"), ok);
        self.tool = Span::none();
    }

    /// What came of a tool call that was made for itself.
    pub(super) fn tool_ended(&mut self, decision: &str, by: Option<&str>, ok: bool) {
        ended(&self.tool, decision, by, ok);
        self.tool = Span::none();
    }

    /// What came of the run.
    pub(super) fn agent_ended(&mut self, status: &'static str) {
        if !self.model.is_disabled() {
            self.close_model(false);
        }
        self.whole.record("hookweave.status", status);
        match status {
            "failed" => fail(&self.whole, "_OTHER"),
            "limit" => fail(&self.whole, status),
            "blocked" => _ = self.whole.record("error.type", status),
            _ => {}
        }
        self.whole = Span::none();
    }
}

impl Drop for Spans {
    /// What is still open was given up: a future was dropped.
    fn drop(&mut self) {
        for span in [&self.tool, &self.model, &self.whole] {
            fail(span, "cancelled");
        }
    }
}

fn tool_span(parent: &Span, session: &Session, tool: &str) -> Span {
    debug_span!(
        parent: parent,
        "hookweave.tool",
        otel.name = format!("execute_tool {tool}"),
        otel.status_code = Empty,
        gen_ai.operation.name = "execute_tool",
        gen_ai.tool.name = tool,
        "gen_ai.tool.type" = "function",
        gen_ai.tool.call.id = Empty,
        gen_ai.conversation.id = session.id(),
        gen_ai.agent.id = session.agent_id(),
        hook.decision = Empty,
        hook.blocked = Empty,
        hook.decided_by = Empty,
        "error.type" = Empty,
    )
}

fn ended(tool: &Span, decision: &str, by: Option<&str>, ok: bool) {
    tool.record("hook.decision", decision);
    if matches!(decision, "block" | "stop" | "deny") {
        tool.record("error.type", "blocked").record("hook.blocked", true);
        if let Some(by) = by {
            tool.record("hook.decided_by", by);
        }
    } else if !ok {
        fail(tool, "_OTHER");
    }
}

fn fail(span: &Span, kind: &str) {
    span.record("error.type", kind).record("otel.status_code", "ERROR");
}
