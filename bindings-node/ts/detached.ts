/** A hook that nobody waits for, while it runs. */

import { now } from "./clock.js";
import { unwatch, watch, type Waiting } from "./deadline.js";
import { callAt } from "./depth.js";
import { Turn, type Fields } from "./event.js";
import type { Call } from "./plan.js";
import { timeoutReason } from "./saying.js";
import { settle } from "./settle.js";
import type { Trail } from "./trail.js";

/** A hook that runs beside the agent. */
export interface Job {
  readonly call: Call;
  readonly trail: Trail;
  readonly payload: Fields;
  readonly depth: number;
}

/** A hook that nobody waits for, while it runs. */
export class Detached implements Waiting {
  since = 0;
  readonly limit: number;
  holds = false;
  previous: Waiting | null = null;
  next: Waiting | null = null;
  #watched = false;
  #over = false;
  readonly #turn: Turn;

  constructor(
    readonly job: Job,
    readonly done: (error?: unknown, answer?: object | null) => void,
  ) {
    this.limit = job.call.limit;
    this.#turn = Turn.detached(job.trail, job.payload);
  }

  start(): void {
    this.since = now();
    let result: unknown;
    try {
      const { handler } = this.job.call;
      result = callAt(this.job.depth, handler, Turn.event(this.#turn), this.#turn);
      const end = (answer: unknown): void => {
        this.#end(undefined, answer as object | null | undefined);
      };
      const fail = (error: unknown): void => {
        this.#end(error);
      };
      if (result !== undefined && result !== null && settle(result, end, fail)) {
        this.#watched = true;
        watch(this);
        return;
      }
    } catch (error) {
      this.#end(error);
      return;
    }
    this.#end(undefined, result as object | null | undefined);
  }

  expire(): void {
    this.#watched = false;
    const reason = timeoutReason(this.limit);
    Turn.abort(this.#turn, reason);
    this.#end(reason);
  }

  abort(reason: unknown): void {
    if (!this.#over) Turn.abort(this.#turn, reason);
  }

  hold(on: boolean): void {
    this.holds = on;
    if (!this.#watched) return;
    unwatch(this);
    watch(this);
  }

  #end(error?: unknown, answer?: object | null): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#watched) unwatch(this);
    this.#watched = false;
    this.done(error, answer);
  }
}
