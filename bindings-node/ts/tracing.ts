/** What makes spans of dispatches, tool calls and agents; without tracing it costs a comparison with `null`. */

import { now } from "./clock.js";
import type { Effect } from "./session-effects.js";
import type { Model } from "./models.js";
import type { Outcome } from "./outcome.js";
import type { Generation } from "./session-results.js";

/** Makes the spans of a client. */
export interface Tracing {
  /** A dispatch is over; its times are in milliseconds since the epoch. */
  dispatched(outcome: Outcome, began: number, ended: number): void;
  /** A tool call of a session begins. */
  tool(call: TracedToolCall): ToolCallSpan;
  /** Runs the tool itself. */
  executing<R>(run: () => Promise<R>): Promise<R>;
  /** Runs an agent from its prompt to its end. */
  agent(agent: TracedAgent, run: (spans: AgentSpans) => Promise<Generation>): Promise<Generation>;
}

/** The span of one tool call; one of the last three methods ends it. */
export interface ToolCallSpan {
  /** Runs the hooks that judge the call or look at its result. */
  judging<R>(run: () => Promise<R>): Promise<R>;
  /** The tool runs, perhaps not for the first time. */
  began(): void;
  /** The tool threw. */
  threw(error: unknown): void;
  ended(call: EndedToolCall): void;
  /** The call ends by an error that is not the tool's. */
  broke(error: unknown): void;
  /** The call was left before its tool ran. */
  left(): void;
}

/** Makes the spans of one agent's run, effect by effect. */
export interface AgentSpans {
  /** Carries out an effect, whose values are those of the flow; gives what is next. */
  carryOut<Next>(
    effect: Effect,
    values: readonly unknown[],
    work: () => Next | Promise<Next>,
  ): Next | Promise<Next>;
  /** The same model, with its usage and failures recorded. */
  observeModel(model: Model): Model;
}

/** What came of a tool call. */
export interface EndedToolCall {
  readonly toolUseId: string;
  readonly ran: boolean;
  readonly ok: boolean;
  readonly decision: string;
  readonly by: string | null;
  readonly args: unknown;
  readonly output: unknown;
  readonly error: Error | null;
}

/** The session, and perhaps the subagent, that a span is about. */
export interface SpanSubject {
  readonly sessionId: string;
  /** The subagent's id; `null` for the conversation itself. */
  readonly agentId: string | null;
}

/** A tool call. */
export interface TracedToolCall extends SpanSubject {
  readonly tool: string;
  readonly toolUseId: string | undefined;
}

/** An agent. */
export interface TracedAgent extends SpanSubject {
  /** The subagent's kind. */
  readonly agentType: string | null;
}

/** Makes the spans of a dispatch that began at a time on `process.hrtime`'s clock; an error there must not fail it. */
export function traceDispatch(tracing: Tracing, outcome: Outcome, began: number): void {
  const ended = Date.now();
  try {
    tracing.dispatched(outcome, ended - (now() - began) / 1e6, ended);
  } catch (error) {
    process.emitWarning(`hookweave: no spans could be made of a dispatch: ${String(error)}`);
  }
}
