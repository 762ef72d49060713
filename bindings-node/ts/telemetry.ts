/**
 * Spans of tool calls, dispatches and hooks, through the OpenTelemetry API of the program.
 *
 * Needs the package `@opentelemetry/api`.
 */

import * as api from "@opentelemetry/api";
import type { Attributes, Context, Span, Tracer, TracerProvider } from "@opentelemetry/api";

import type { HookClient } from "./client.js";
import { engineOf } from "./client-hooks.js";
import { jsonText, redacted } from "./native.js";
import type { Outcome, TraceEntry } from "./outcome.js";
import type { Call, Ended, Tracing } from "./tracing.js";

/** What spans say, and where they go. */
export interface InstrumentOptions {
  /** The program's own unless given. */
  readonly tracerProvider?: TracerProvider;
  /** Adds the arguments and the result of tool calls, without the secrets in them. */
  readonly recordContent?: boolean;
}

/** Whether hooks of a tool call are run right now, which are children of its span. */
const IN_TOOL = api.createContextKey("hookweave: in a tool call");

/**
 * Makes spans of what a client does from now on.
 *
 * A session's tool call is a span `execute_tool NAME` after the GenAI conventions, and each hook that ran for it a child; any
 * other dispatch is a span `hook.dispatch` with its hooks below.
 */
export function instrument(client: HookClient, options: InstrumentOptions = {}): Instrumentation {
  return new Instrumentation(client, options);
}

/** Makes the spans of one client; another one for the same client takes its place. */
export class Instrumentation implements Tracing {
  readonly #client: HookClient;
  readonly #tracer: Tracer;
  readonly #recordContent: boolean;

  /** @internal */
  constructor(client: HookClient, { tracerProvider, recordContent = false }: InstrumentOptions) {
    this.#client = client;
    this.#recordContent = recordContent;
    this.#tracer = (tracerProvider ?? api.trace).getTracer("hookweave");
    engineOf(client).tracing = this;
  }

  /** Makes no more spans. */
  uninstrument(): void {
    const engine = engineOf(this.#client);
    if (engine.tracing === this) engine.tracing = null;
  }

  /** @internal */
  dispatched(outcome: Outcome, began: number, ended: number): void {
    const { trace, event } = outcome;
    if (trace.length === 0) return;
    const context = api.context.active();
    if (context.getValue(IN_TOOL) === true) {
      this.#hooks(trace, event.eventType, { began, ended }, context);
      return;
    }
    const attributes: Attributes = {
      "hook.event": event.eventType,
      "hook.decision": outcome.decision,
      "hook.blocked": outcome.blocked,
    };
    const fields = event as unknown as Record<string, unknown>;
    for (const [name, field] of ABOUT) {
      const value = fields[field];
      if (typeof value === "string") attributes[name] = value;
    }
    const span = this.#tracer.startSpan("hook.dispatch", { attributes, startTime: began }, context);
    this.#hooks(trace, event.eventType, { began, ended }, api.trace.setSpan(context, span));
    span.end(ended);
  }

  /** One span for each hook that ran. Where they ran together, which a trace does not say, all begin at once. */
  #hooks(
    trace: readonly TraceEntry[],
    event: string,
    { began, ended }: { began: number; ended: number },
    context: Context,
  ): void {
    const sum = trace.reduce((total, { duration }) => total + duration, 0);
    // A millisecond is what the wall's clock may be off.
    const inTurn = sum <= ended - began + 1;
    let at = began;
    for (const { hook, id, status, action, duration, failure, modified } of trace) {
      if (status === "skipped") continue;
      const attributes: Attributes = {
        "hook.name": hook,
        "hook.id": id,
        "hook.event": event,
        "hook.status": status,
        "hook.action": action,
      };
      if (modified.length > 0) attributes["hook.modified"] = [...modified];
      if (failure !== null) {
        attributes["hook.failure.kind"] = attributes["error.type"] = failure.kind;
        attributes["hook.failure.became"] = failure.became;
      }
      const span = this.#tracer.startSpan(`hook ${hook}`, { attributes, startTime: at }, context);
      if (failure !== null) {
        span.setStatus({ code: api.SpanStatusCode.ERROR, message: failure.kind });
      }
      span.end(at + duration);
      if (inTurn) at += duration;
    }
  }

  /** @internal */
  tool<R extends Ended>(about: Call, run: () => Promise<R>): Promise<R> {
    return this.#within(about, true, async (span) => {
      const outcome = await run();
      this.#ended(span, outcome);
      return outcome;
    });
  }

  /** @internal What the tool dispatches is not about its own call. Within a whole answer only this has a span. */
  executing<R>(about: Call, run: () => Promise<R>): Promise<R> {
    const active = api.context.active();
    if (active.getValue(IN_TOOL) === true) {
      return api.context.with(active.setValue(IN_TOOL, false), run);
    }
    return this.#within(about, false, async (span) => {
      try {
        return await run();
      } catch (error) {
        fail(span, error);
        throw error;
      }
    });
  }

  #within<R>(about: Call, inTool: boolean, run: (span: Span) => Promise<R>): Promise<R> {
    const { tool, toolUseId, sessionId, agentId } = about;
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
      "gen_ai.conversation.id": sessionId,
      ...(toolUseId === undefined ? {} : { "gen_ai.tool.call.id": toolUseId }),
      ...(agentId === null ? {} : { "gen_ai.agent.id": agentId }),
    };
    const active = api.context.active();
    const span = this.#tracer.startSpan(`execute_tool ${tool}`, { attributes }, active);
    const context = api.trace.setSpan(active, span).setValue(IN_TOOL, inTool);
    return api.context.with(context, async () => {
      try {
        return await run(span);
      } finally {
        span.end();
      }
    });
  }

  #ended(span: Span, outcome: Ended): void {
    if (!span.isRecording()) return;
    const { toolUseId, decision, ran, ok, by, error, args, output } = outcome;
    span.setAttributes({ "gen_ai.tool.call.id": toolUseId, "hook.decision": decision });
    if (!ran) {
      span.setAttributes({ "error.type": "blocked", "hook.blocked": true });
      if (by !== null) span.setAttribute("hook.decided_by", by);
    } else if (!ok) {
      fail(span, error?.cause);
    }
    if (!this.#recordContent) return;
    span.setAttribute("gen_ai.tool.call.arguments", content(args));
    if (ran) span.setAttribute("gen_ai.tool.call.result", content(output));
  }
}

const ABOUT = [
  ["gen_ai.conversation.id", "sessionId"],
  ["gen_ai.agent.id", "agentId"],
  ["gen_ai.tool.name", "tool"],
] as const;

function fail(span: Span, cause: unknown): void {
  span.setAttribute("error.type", cause instanceof Error ? cause.name : "_OTHER");
  span.setStatus({ code: api.SpanStatusCode.ERROR });
}

function content(value: unknown): string {
  try {
    return redacted(jsonText(value));
  } catch {
    // What has no JSON form may hide secrets anywhere.
    return `<${typeof value}>`;
  }
}
