/**
 * Runs the hooks of a dispatch one after the other, for as long as they have nothing to say.
 *
 * This is the loop that nearly every dispatch is all of. It crosses into native code for nothing; at the first answer or
 * failure it hands over to `Stages`, which asks the core what that means. Calling a handler from here costs
 * nanoseconds, from Rust it would cost more than most handlers do.
 */

import { AsyncResource } from "node:async_hooks";

import { renew, unwatch, watch, type Waiting } from "./deadline.js";
import { beginWait, callAt, depthHere, endWait } from "./depth.js";
import { Turn } from "./event.js";
import type { Fields } from "./event.js";
import { crossing, limits, refuseDepth } from "./native.js";
import type { Reported } from "./native.js";
import { Outcome } from "./outcome.js";
import type { Call, Plan } from "./plan.js";
import { answered, failed, timedOut, timeoutReason } from "./saying.js";
import { settle, type Take } from "./settle.js";
import { Stages } from "./stages.js";
import { begin, clock, Trail, valuesOf } from "./trail.js";

const { maxDepth } = limits();
const MANUAL = { requireManualDestroy: true };

/** What a driver needs of its client. */
export interface Crew {
  /** The function and settings of a hook that a plan names by its number. */
  call(number: number): Call;
  /** Starts a hook that is not awaited. */
  detach(call: Call, trail: Trail, payload: Fields, depth: number): Reported;
  /** Takes note of an outcome in which hooks failed. */
  noteFailures(outcome: Outcome): void;
  /** Drops plans that were kept: a hook that runs only once has started. */
  forget(): void;
}

/** Runs an event's hooks. */
export function run(
  crew: Crew,
  plan: Plan,
  payload: Fields,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const depth = depthHere();
  if (depth > maxDepth) crossing(() => refuseDepth(depth));
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  if (plan.calls.length === 0) return Promise.resolve(new Outcome(new Trail(plan, payload, clock())));
  return new Dispatch(crew, plan, payload, depth, signal ?? null).start();
}

// Executors run at once, so that these can be taken from there without a closure for each promise.
let newFulfil: (outcome: Outcome) => void;
let newRefuse: (reason: unknown) => void;
function capture(fulfil: (outcome: Outcome) => void, refuse: (reason: unknown) => void): void {
  newFulfil = fulfil;
  newRefuse = refuse;
}

/** A dispatch under way. */
export class Dispatch extends Trail implements Waiting {
  // Of `Waiting`, for the one hook that is waited for.
  since = 0n;
  limit = Infinity;
  readonly holds = true;
  previous: Waiting | null = null;
  next: Waiting | null = null;

  #position = 0;
  #turn: Turn | null = null;
  #stages: Stages | null = null;
  #watched = false;
  #over = false;
  /** Counts the hooks that were given up; what one of them says later belongs to an earlier era. */
  #era = 0;
  #resolved: Take | null = null;
  #rejected: Take | null = null;
  #fulfil: ((outcome: Outcome) => void) | null = null;
  #refuse: ((reason: unknown) => void) | null = null;
  /** The caller's async context; made when a hook is first waited for. */
  #context: AsyncResource | null = null;
  #cancel: (() => void) | null = null;

  constructor(
    readonly crew: Crew,
    plan: Plan,
    payload: Fields,
    readonly depth: number,
    readonly signal: AbortSignal | null,
  ) {
    super(plan, payload, clock());
  }

  /** Runs as far as it goes without waiting, and promises the rest. */
  start(): Promise<Outcome> {
    let outcome: Outcome | null;
    try {
      outcome = this.plan.simple ? this.#walk() : this.#enter([]);
    } catch (error) {
      this.fail(error);
      return Promise.reject(error as Error);
    }
    if (outcome !== null) {
      if (this.signal !== null) this.#leave();
      return Promise.resolve(outcome);
    }
    const promise = new Promise(capture);
    this.#fulfil = newFulfil;
    this.#refuse = newRefuse;
    return promise;
  }

  /** Throws the reason of a cancellation. */
  check(): void {
    this.signal?.throwIfAborted();
  }

  /** Ends with an outcome that came late. */
  finish(outcome: Outcome): void {
    if (this.#over) return;
    this.#leave();
    this.#fulfil?.(outcome);
  }

  /** Ends without an outcome: cancelled, or by a mistake of the engine. */
  fail(reason: unknown): void {
    if (this.#over) return;
    this.#leave();
    this.#refuse?.(reason);
    const turn = this.#giveUp();
    if (turn !== null) Turn.abort(turn, reason);
    this.#stages?.cancel(reason);
    this.run?.abandon();
  }

  /** Makes ready for waiting. */
  suspend(): void {
    if (this.#context !== null) return;
    this.#context = new AsyncResource("HookDispatch", MANUAL);
    beginWait();
    if (this.signal !== null) {
      this.#cancel = () => {
        this.fail(this.signal?.reason);
      };
      this.signal.addEventListener("abort", this.#cancel, { once: true });
    }
  }

  /** Goes on in the caller's async context: a timer's own is whoever's armed it. */
  inContext(go: () => void): void {
    this.#context?.runInAsyncScope(go);
  }

  /** The hook that is waited for has used up its time. */
  expire(): void {
    this.#watched = false;
    this.inContext(() => {
      const { limit } = this;
      const turn = this.#giveUp();
      if (turn !== null) Turn.abort(turn, timeoutReason(limit));
      this.#goOn(() => this.#enter([timedOut(limit, this.#took())]));
    });
  }

  /** Calls hooks until one is waited for, one has something to say, or all have run. */
  #walk(): Outcome | null {
    const { calls } = this.plan;
    for (;;) {
      const call = calls[this.#position];
      if (call === undefined) return new Outcome(this);
      if (this.signal !== null) this.check();
      const turn = new Turn(this, this.payload);
      let result: unknown;
      try {
        result = callAt(this.depth, call.handler, Turn.event(turn), turn);
        if (result !== undefined && result !== null && this.#waitFor(result)) {
          this.#turn = turn;
          this.#watch(call.limit);
          return null;
        }
      } catch (error) {
        return this.#enter([failed(valuesOf(this), "raised", error, this.#took())]);
      }
      if (result !== undefined && result !== null) {
        return this.#enter([answered(valuesOf(this), result, this.#took())]);
      }
      this.#pass();
    }
  }

  /** The hook at this position has nothing to say. */
  #pass(): void {
    this.ends.push(clock());
    this.#position++;
  }

  /** Listens to what a handler returned, if it has to be waited for. */
  #waitFor(result: unknown): boolean {
    if (this.#resolved === null || this.#rejected === null) {
      const era = this.#era;
      this.#resolved = (value) => {
        if (era === this.#era) this.#onResolved(value);
      };
      this.#rejected = (error) => {
        if (era !== this.#era) return;
        this.#goOn(() => this.#enter([failed(valuesOf(this), "raised", error, this.#took())]));
      };
    }
    return settle(result, this.#resolved, this.#rejected);
  }

  #watch(limit: number): void {
    this.since = this.ends.at(-1) ?? this.began;
    this.limit = limit;
    if (this.#watched) {
      renew(this);
    } else {
      this.suspend();
      this.#watched = true;
      watch(this);
    }
  }

  #onResolved(value: unknown): void {
    this.#turn = null;
    this.#goOn(() => {
      if (value !== undefined && value !== null) {
        return this.#enter([answered(valuesOf(this), value, this.#took())]);
      }
      this.#pass();
      return this.#walk();
    });
  }

  /** Goes on after a wait; whatever is thrown ends the dispatch, not the process. */
  #goOn(on: () => Outcome | null): void {
    try {
      const outcome = on();
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Hands over to the core, which says what to run from here on. */
  #enter(reports: Reported[]): Outcome | null {
    if (this.#watched) {
      this.#watched = false;
      unwatch(this);
    }
    this.#stages = new Stages(this, begin(this, reports));
    return this.#stages.go();
  }

  /** Stops waiting for the hook that runs; whatever it says from now on is not heard. */
  #giveUp(): Turn | null {
    this.#era++;
    this.#resolved = null;
    this.#rejected = null;
    const turn = this.#turn;
    this.#turn = null;
    return turn;
  }

  #leave(): void {
    this.#over = true;
    if (this.#watched) {
      this.#watched = false;
      unwatch(this);
    }
    if (this.#context !== null) endWait();
    if (this.#cancel !== null) this.signal?.removeEventListener("abort", this.#cancel);
  }

  /** Nanoseconds since the last hook ended. */
  #took(): number {
    return Number(clock() - (this.ends.at(-1) ?? this.began));
  }
}
