/** What a program that traces needs of a dispatch; one that does not pays a comparison with `null`. */

import { now } from "./clock.js";
import type { Outcome } from "./outcome.js";
import type { Trail } from "./trail.js";

/** Whoever makes spans for a client. */
export interface Tracing {
  /** A dispatch is over, which began at a time and ended at another, in milliseconds since the epoch. */
  dispatched(outcome: Outcome, began: number, ended: number): void;
  /** Runs a tool call of a session from its first hook to its last. */
  tool<R extends Ended>(about: Call, run: () => Promise<R>): Promise<R>;
  /** Runs the tool itself. */
  executing<R>(about: Call, run: () => Promise<R>): Promise<R>;
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

/** A tool call. */
export interface Call {
  readonly tool: string;
  readonly toolUseId: string | undefined;
  readonly sessionId: string;
  readonly agentId: string | null;
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
