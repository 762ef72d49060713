/** What a program that traces needs of a dispatch; one that does not pays a comparison with `null`. */

import { now } from "./clock.js";
import type { Effect } from "./effects.js";
import type { Model } from "./models.js";
import type { Outcome } from "./outcome.js";
import type { Generation } from "./session-results.js";
import type { Trail } from "./trail.js";

/** Whoever makes spans for a client. */
export interface Tracing {
  /** A dispatch is over, which began at a time and ended at another, in milliseconds since the epoch. */
  dispatched(outcome: Outcome, began: number, ended: number): void;
  /** Runs a tool call of a session from its first hook to its last. */
  tool<R extends Ended>(about: Call, run: () => Promise<R>): Promise<R>;
  /** Runs the tool itself. */
  executing<R>(run: () => Promise<R>): Promise<R>;
  /** Runs an agent from its prompt to its end. */
  agent(about: Agent, run: (spans: Follower) => Promise<Generation>): Promise<Generation>;
}

/** Whoever follows an agent's run effect by effect. */
export interface Follower {
  /** Carries out an effect, whose values are those of the flow; gives what is next. */
  carryOut<Next>(
    effect: Effect,
    values: readonly unknown[],
    work: () => Next | Promise<Next>,
  ): Next | Promise<Next>;
  /** The model, heard. */
  listening(model: Model): Model;
}

/** What came of a tool call. */
export interface Ended {
  readonly toolUseId: string;
  readonly ran: boolean;
  readonly ok: boolean;
  readonly decision: string;
  readonly by: string | null;
  readonly args: unknown;
  readonly output: unknown;
  readonly error: Error | null;
}

/** Who does something. */
export interface Doer {
  readonly sessionId: string;
  /** The subagent's id; `null` for the conversation itself. */
  readonly agentId: string | null;
}

/** A tool call. */
export interface Call extends Doer {
  readonly tool: string;
  readonly toolUseId: string | undefined;
}

/** An agent. */
export interface Agent extends Doer {
  /** The subagent's kind. */
  readonly agentType: string | null;
}

/** Tells of a dispatch that is over; what goes wrong there must not spoil it. */
export function tell(tracing: Tracing, outcome: Outcome, trail: Trail): void {
  const ended = Date.now();
  try {
    tracing.dispatched(outcome, ended - (now() - trail.began) / 1e6, ended);
  } catch (error) {
    process.emitWarning(`hookweave: no spans could be made of a dispatch: ${String(error)}`);
  }
}
