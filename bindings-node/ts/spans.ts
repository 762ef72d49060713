/** What the spans of tool calls and of whole agents have in common. */

import * as api from "@opentelemetry/api";
import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";

import { codeOf, isError, isOurs } from "./errors.js";
import { jsonText, redacted } from "./native.js";
import type { SpanSubject, EndedToolCall, ToolCallSpan } from "./tracing.js";

/** The `error.type` of what was given up. */
const CANCELLED = "cancelled";

const JUDGED = api.createContextKey("hookweave: what hooks judge");

/** A span of something that hooks judge: theirs are its children. */
export class JudgedSpan {
  constructor(readonly span: Span) {}
}

/** What the hooks judge that are run in a context, if it has a span. */
export function judgedSpanIn(context: Context): JudgedSpan | undefined {
  return context.getValue(JUDGED) as JudgedSpan | undefined;
}

/** A context for hooks that judge something; without it one for code whose dispatches are about something else. */
export function withJudgedSpan(
  judged: JudgedSpan | undefined,
  context = api.context.active(),
): Context {
  return context.setValue(JUDGED, judged);
}

/** The `error.type` of what was thrown: never its message, which may hold anything. */
export function errorType(error: unknown): string {
  return isError(error) ? error.name : "_OTHER";
}

/** The `error.type` of a cancellation: the reason of a signal may be anything. */
export function cancellationType(error: unknown): string {
  const isOwn = isOurs(error) && codeOf(error) !== "session_closed";
  return isOwn ? error.name : CANCELLED;
}

/** Marks a span as failed. */
export function fail(span: Span, kind: string): void {
  span.setAttribute("error.type", kind);
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}

/** Marks a span as blocked. */
export function block(span: Span): void {
  span.setAttributes({ "error.type": "blocked", "hook.blocked": true });
}

/** The attributes of everything that is done in a session. */
export function spanAttributes({ sessionId, agentId }: SpanSubject, operation: string): Attributes {
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.conversation.id": sessionId,
    ...(agentId === null ? {} : { "gen_ai.agent.id": agentId }),
  };
}

/** The span of a tool call. */
export class ToolSpan extends JudgedSpan implements ToolCallSpan {
  readonly #recordContent: boolean;
  #ran = false;
  #failure: string | null = null;

  constructor(
    tracer: Tracer,
    subject: SpanSubject,
    tool: string,
    recordContent: boolean,
    context: Context,
  ) {
    const attributes = {
      ...spanAttributes(subject, "execute_tool"),
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
    };
    super(tracer.startSpan(`execute_tool ${tool}`, { attributes }, context));
    this.#recordContent = recordContent;
  }

  /** The tool runs, perhaps not for the first time. */
  began(): void {
    this.#ran = true;
    this.#failure = null;
  }

  /** The tool threw. */
  threw(error: unknown): void {
    this.#failure = errorType(error);
  }

  /** Sets the call's id. */
  named(toolUseId: string): void {
    this.span.setAttribute("gen_ai.tool.call.id", toolUseId);
  }

  /** Sets the decision and the result. */
  decided(decision: string, by: string | null, ok: boolean): void {
    const { span } = this;
    span.setAttribute("hook.decision", decision);
    if (!this.#ran) {
      block(span);
      if (by !== null) span.setAttribute("hook.decided_by", by);
    } else if (!ok) {
      fail(span, this.#failure ?? "_OTHER");
    }
  }

  /** Sets the arguments, if content is recorded. */
  given(args: unknown): void {
    this.#content("gen_ai.tool.call.arguments", args);
  }

  /** Sets the result, if content is recorded and the tool has run. */
  gave(output: unknown): void {
    if (this.#ran) this.#content("gen_ai.tool.call.result", output);
  }

  /** Sets everything about a call that is not part of an agent's run. */
  ended({ toolUseId, decision, by, ok, args, output }: EndedToolCall): void {
    this.named(toolUseId);
    this.decided(decision, by, ok);
    this.given(args);
    this.gave(output);
    this.span.end();
  }

  /** Runs the hooks that judge the call or look at its result. */
  judging<R>(run: () => Promise<R>): Promise<R> {
    const active = api.trace.setSpan(api.context.active(), this.span);
    return api.context.with(withJudgedSpan(this, active), run);
  }

  /** Ends it by an error that is not the tool's. */
  broke(error: unknown): void {
    fail(this.span, cancellationType(error));
    this.span.end();
  }

  /** Ends it for a call that was left before its tool ran. */
  left(): void {
    fail(this.span, CANCELLED);
    this.span.end();
  }

  #content(name: string, value: unknown): void {
    if (this.#recordContent && this.span.isRecording()) {
      this.span.setAttribute(name, contentOf(value));
    }
  }
}

function contentOf(value: unknown): string {
  try {
    return redacted(jsonText(value));
  } catch {
    // What has no JSON form may hide secrets anywhere.
    return `<${typeof value}>`;
  }
}
