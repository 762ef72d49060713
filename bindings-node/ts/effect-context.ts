/** What the effects of one flow share: its values, the host's parts, cancellation, and what it has produced so far. */

import type { ApprovalRequest, Approver } from "./approval.js";
import { untilAborted, type Cancellation, type Cancelling } from "./cancellation.js";
import type { Context, ContextMessage } from "./context.js";
import type { Display } from "./display.js";
import { describe } from "./errors.js";
import { append } from "./lists.js";
import type { Logger } from "./logging.js";
import type { Model } from "./models.js";
import type { Outcome } from "./outcome.js";
import type { Effect } from "./session-effects.js";
import type { Flow } from "./session-flow.js";
import type { ErrorClass, Summarise } from "./session-options.js";
import type { AnyTool, Tools } from "./tools.js";
import type { AgentSpans, Tracing } from "./tracing.js";

/** What effects read of their session. */
export interface SessionIdentity {
  readonly id: string;
  /** The subagent's id; `null` for the session itself. */
  readonly agentId: string | null;
  /** Whether the core needs the outcomes of dispatches in which every hook was a no-op. */
  readonly needsNoOpOutcomes: boolean;
}

/** What the host gave to a session, shared with its subagents. */
export interface SessionParts {
  readonly approver: Approver | null;
  readonly context: Context;
  readonly display: Display;
  readonly tools: Tools;
  readonly logger: Logger | null;
  /** Dispatches an event to the client's hooks, and passes its outcome to the session's listener. */
  raise(event: string, payload: object, cancelling: Cancelling): Outcome | Promise<Outcome>;
  /** Drops cached plans: a hook that runs only once may run again. */
  forgetPlans(): void;
  /** Makes the spans of tool calls. */
  readonly tracing: () => Tracing | null;
}

/** What one flow was given beside the session's parts. */
export interface FlowInputs {
  /** The function of the one tool that is run. */
  readonly run?: AnyTool;
  /** Errors that go through the call unchanged. */
  readonly passes?: readonly ErrorClass[] | undefined;
  readonly model?: Model;
  readonly onText?: ((text: string) => void) | undefined;
  readonly summarise?: Summarise;
  /** Makes the spans of the flow's effects. */
  readonly spans?: AgentSpans | undefined;
}

/** The state of one flow, which its effects read and write. */
export class EffectContext {
  /** The values that the core refers to by their index. */
  readonly values: unknown[] = [];
  readonly outcomes: Outcome[] = [];
  /** The outcomes about each tool call of the model. */
  readonly byCall: Outcome[][] = [];
  /** What tools threw, by the number of the arguments. */
  readonly thrown = new Map<number, unknown>();
  /** The conversation as a compaction found it. */
  context: readonly ContextMessage[] = [];
  /** The result of the flow, as the core writes it. */
  result: unknown;
  /** What the model threw last. */
  modelError: unknown;
  /** The question that is answered later. */
  pending: ApprovalRequest | null = null;

  constructor(
    readonly session: SessionIdentity,
    readonly parts: SessionParts,
    readonly inputs: FlowInputs,
    readonly cancelling: Cancellation,
  ) {}

  /** Keeps a value and gives its number. */
  keep(value: unknown): number {
    return append(this.values, value);
  }

  /** Calls a function of the host; rejects when the flow is cancelled first. */
  async call<T>(
    work: () => T | PromiseLike<T>,
    cancelling: Cancelling = this.cancelling,
  ): Promise<Awaited<T>> {
    return untilAborted(work(), cancelling);
  }

  /** Whether an error is one that goes through the call unchanged. */
  passes(error: unknown): boolean {
    return this.inputs.passes?.some((kind) => error instanceof kind) ?? false;
  }

  /** Logs a failure of the host's code and reports it to the core; a cancellation is thrown instead. */
  failed(flow: Flow, message: string, error: unknown): Effect {
    this.cancelling.throwIfAborted();
    this.log(message, error);
    return flow.failed(describe(error));
  }

  log(message: string, error: unknown): void {
    const { id: sessionId } = this.session;
    this.parts.logger?.warn(message, { sessionId, message: describe(error), error });
  }
}
