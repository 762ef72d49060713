/**
 * Spans of agents, their models and tools, dispatches and hooks, through the OpenTelemetry API of the program.
 *
 * Needs the package `@opentelemetry/api`.
 */

import * as api from "@opentelemetry/api";
import type { Attributes, Context, Tracer, TracerProvider } from "@opentelemetry/api";

import { AgentRun } from "./agent-spans.js";
import type { HookClient } from "./client.js";
import { engineOf } from "./client-hooks.js";
import type { Outcome, TraceEntry } from "./outcome.js";
import { ownFields } from "./own-fields.js";
import type { Generation } from "./session-results.js";
import { judgedSpanIn, ToolSpan, withJudgedSpan } from "./spans.js";
import type { AgentSpans, TracedAgent, TracedToolCall, Tracing } from "./tracing.js";

/** The content and the destination of spans. */
export interface InstrumentOptions {
  /** Default: the program's own. */
  readonly tracerProvider?: TracerProvider;
  /** Adds the arguments and the result of tool calls, without the secrets in them. */
  readonly recordContent?: boolean;
}

/**
 * Makes spans of a client's agents, models, tools, dispatches and hooks from now on.
 *
 * After the GenAI conventions a session's `generate` is a span `invoke_agent`. Below it each call of the model is a span
 * `chat MODEL`, each tool call a span `execute_tool NAME`; so is `runTool` by itself. Each hook is a child of what it judged;
 * any other dispatch is a span `hook.dispatch` with its hooks below.
 */
export function instrument(client: HookClient, options: InstrumentOptions = {}): Instrumentation {
  return new Instrumentation(client, options);
}

/** The spans of one client; instrumenting the same client again replaces them. */
export class Instrumentation {
  readonly #client: HookClient;
  readonly #tracing: ClientTracing;

  /** @internal */
  constructor(client: HookClient, options: InstrumentOptions) {
    const { tracerProvider, recordContent = false } = ownFields(options);
    this.#client = client;
    const tracer = (tracerProvider ?? api.trace).getTracer("hookweave");
    this.#tracing = new ClientTracing(tracer, recordContent);
    engineOf(client).tracing = this.#tracing;
  }

  /** Makes no more spans. */
  uninstrument(): void {
    const engine = engineOf(this.#client);
    if (engine.tracing === this.#tracing) engine.tracing = null;
  }
}

/** Makes the spans of one client. */
class ClientTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #recordContent: boolean;

  constructor(tracer: Tracer, recordContent: boolean) {
    this.#tracer = tracer;
    this.#recordContent = recordContent;
  }

  dispatched(outcome: Outcome, began: number, ended: number): void {
    const { trace, event } = outcome;
    if (trace.length === 0) return;
    const context = api.context.active();
    if (judgedSpanIn(context) !== undefined) {
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

  /** One span for each hook that ran. Hooks that ran together, which a trace does not show, begin at the same time. */
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

  tool({ tool, toolUseId, ...doer }: TracedToolCall): ToolSpan {
    const active = api.context.active();
    const call = new ToolSpan(this.#tracer, doer, tool, this.#recordContent, active);
    if (toolUseId !== undefined) call.named(toolUseId);
    return call;
  }

  /** Dispatches of the tool itself are not about its call. */
  async executing<R>(run: () => Promise<R>): Promise<R> {
    const call = judgedSpanIn(api.context.active());
    if (!(call instanceof ToolSpan)) return run();
    call.began();
    try {
      return await api.context.with(withJudgedSpan(undefined), run);
    } catch (error) {
      call.threw(error);
      throw error;
    }
  }

  agent(about: TracedAgent, run: (spans: AgentSpans) => Promise<Generation>): Promise<Generation> {
    return new AgentRun(this.#tracer, about, this.#recordContent).follow(run);
  }
}

const ABOUT = [
  ["gen_ai.conversation.id", "sessionId"],
  ["gen_ai.agent.id", "agentId"],
  ["gen_ai.tool.name", "tool"],
] as const;
