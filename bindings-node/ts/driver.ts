/**
 * Runs the hooks of a dispatch one after the other, for as long as they have nothing to say.
 *
 * This is the loop that nearly every dispatch is all of. It crosses into native code for nothing; at the first answer or
 * failure it hands over to `Stages`, which asks the core what that means. Calling a handler from here costs
 * nanoseconds, from Rust it would cost more than most handlers do.
 */

import { AsyncResource } from "node:async_hooks";

import { now } from "./clock.js";
import { renew, unwatch, watch, type Waiting } from "./deadline.js";
import { beginWait, callTracked, climb, depthHere, descend, endWait, isTracking } from "./depth.js";
import { Turn } from "./event.js";
import type { Fields } from "./event.js";
import { crossing, limits, refuseDepth } from "./native.js";
import type { Reported } from "./native.js";
import { Outcome } from "./outcome.js";
import type { Call, Plan } from "./plan.js";
import { answered, failed, timedOut, timeoutReason } from "./saying.js";
import { listen, settle, type Take } from "./settle.js";
import { Stages } from "./stages.js";
import { begin, Trail } from "./trail.js";

const { maxDepth } = limits();
const MANUAL = { requireManualDestroy: true };

/** Runs an event's hooks. */
export function run(
  plan: Plan,
  payload: Fields,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const depth = depthHere();
  if (depth > maxDepth) crossing(() => refuseDepth(depth));
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  if (plan.calls.length === 0) {
    return Promise.resolve(new Outcome(new Trail(plan, payload)));
  }
  return new Dispatch(plan, payload, depth, signal ?? null).start();
}

// Executors run at once, so that this can be taken from there without a closure for each promise.
let newFulfil: (outcome: Outcome | Promise<Outcome>) => void;
function capture(fulfil: (outcome: Outcome | Promise<Outcome>) => void): void {
  newFulfil = fulfil;
}

/**
 * A dispatch under way.
 *
 * Its fields are private by type only, and few: it never reaches a program, and making it is a good part of what a
 * dispatch with one hook costs.
 */
export class Dispatch extends Trail implements Waiting {
  previous: Waiting | null = null;
  next: Waiting | null = null;

  private turn: Turn | null = null;
  private stages: Stages | null = null;
  /** Whether it is in the list of deadlines, for the hook at this position. */
  private watched = false;
  private over = false;
  /** Counts the hooks that were given up; what one of them says later belongs to an earlier era. */
  private era = 0;
  private resolved: Take | null = null;
  private rejected: Take | null = null;
  private fulfil: ((outcome: Outcome | Promise<Outcome>) => void) | null = null;
  /** The caller's async context; made when a hook is first waited for. */
  private context: AsyncResource | null = null;
  private cancel: (() => void) | null = null;

  static {
    // One value for all of them, and no field for each.
    Object.defineProperty(this.prototype, "holds", { value: true });
  }

  constructor(
    plan: Plan,
    payload: Fields,
    readonly depth: number,
    readonly signal: AbortSignal | null,
  ) {
    super(plan, payload);
  }

  /** When the hook at this position began: when the one before it ended. */
  get since(): number {
    return this.at(this.position);
  }

  /** Milliseconds that the hook at this position may take. */
  get limit(): number {
    return this.plan.calls[this.position]?.limit ?? Infinity;
  }

  /** A caller waits, so the process lives on until the deadline. */
  declare readonly holds: true;

  /** Runs as far as it goes without waiting, and promises the rest. */
  start(): Promise<Outcome> {
    let outcome: Outcome | null;
    try {
      outcome = this.plan.simple ? this.walk() : this.enter(this.opened(), []);
    } catch (error) {
      this.fail(error);
      return Promise.reject(error);
    }
    if (outcome !== null) {
      if (this.signal !== null) this.leave();
      return Promise.resolve(outcome);
    }
    const promise = new Promise(capture);
    this.fulfil = newFulfil;
    return promise;
  }

  /** Throws the reason of a cancellation. */
  check(): void {
    this.signal?.throwIfAborted();
  }

  /** Ends with an outcome that came late. */
  finish(outcome: Outcome): void {
    if (this.over) return;
    this.leave();
    this.fulfil?.(outcome);
  }

  /** Ends without an outcome: cancelled, or by a mistake of the engine. */
  fail(reason: unknown): void {
    if (this.over) return;
    this.leave();
    this.fulfil?.(Promise.reject(reason));
    const turn = this.giveUp();
    if (turn !== null) Turn.abort(turn, reason);
    this.stages?.cancel(reason);
    this.loud?.run.abandon();
  }

  /** Makes ready for waiting. */
  suspend(): void {
    if (this.context !== null) return;
    this.context = new AsyncResource("HookDispatch", MANUAL);
    beginWait();
    if (this.signal !== null) {
      this.cancel = () => {
        this.fail(this.signal?.reason);
      };
      this.signal.addEventListener("abort", this.cancel, { once: true });
    }
  }

  /** Goes on in the caller's async context: a timer's own is whoever's armed it. */
  inContext(go: () => void): void {
    this.context?.runInAsyncScope(go);
  }

  /** The hook that is waited for has used up its time. */
  expire(): void {
    this.watched = false;
    this.inContext(() => {
      const { limit } = this;
      const turn = this.giveUp();
      if (turn !== null) Turn.abort(turn, timeoutReason(limit));
      this.say(() => timedOut(limit, this.took()));
    });
  }

  /** Calls hooks until one is waited for, one has something to say, or all have run. */
  private walk(): Outcome | null {
    const { calls } = this.plan;
    while (this.position < calls.length) {
      const call = calls[this.position] as Call;
      if (this.signal !== null) this.check();
      const { handler } = call;
      const turn = new Turn(this, this.payload);
      const before = descend(this.depth);
      let result: unknown;
      try {
        result = isTracking()
          ? callTracked(this.depth, call.handler, Turn.event(turn), turn)
          : // Called without a receiver: a handler must not find the engine's records in `this`.
            handler(Turn.event(turn), turn);
        climb(before);
        if (result !== undefined && result !== null && this.waitFor(result)) {
          this.turn = turn;
          if (this.watched) renew(this);
          else this.watch();
          return null;
        }
      } catch (error) {
        climb(before);
        const values = this.opened();
        return this.enter(values, [failed(values, "raised", error, this.took())]);
      }
      if (result !== undefined && result !== null) {
        const values = this.opened();
        return this.enter(values, [answered(values, result, this.took())]);
      }
      this.pass();
    }
    if (this.signal !== null) this.check();
    this.close(this.position + 1);
    return new Outcome(this);
  }

  /** The hook at this position has nothing to say. */
  private pass(): void {
    this.note(++this.position);
  }

  /** Listens to what a handler returned, if it has to be waited for. */
  private waitFor(result: unknown): boolean {
    if (this.resolved === null || this.rejected === null) {
      const { era } = this;
      this.resolved = (value) => {
        if (era === this.era) this.onResolved(value);
      };
      this.rejected = (error) => {
        if (era === this.era) this.say((values) => failed(values, "raised", error, this.took()));
      };
    }
    // What nearly every handler returns; anything else is looked at more closely.
    const promise = result as Promise<unknown>;
    if (promise.constructor === Promise && promise.then === listen) {
      void promise.then(this.resolved, this.rejected);
      return true;
    }
    return settle(result, this.resolved, this.rejected);
  }

  private watch(): void {
    this.suspend();
    this.watched = true;
    watch(this);
  }

  private onResolved(value: unknown): void {
    this.turn = null;
    if (value !== undefined && value !== null) {
      this.say((values) => answered(values, value, this.took()));
      return;
    }
    this.pass();
    try {
      const outcome = this.walk();
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Goes on after a hook that has something to say; whatever is thrown ends the dispatch, not the process. */
  private say(report: (values: unknown[]) => Reported): void {
    try {
      const values = this.opened();
      const outcome = this.enter(values, [report(values)]);
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The values of this dispatch, for the native side. */
  private opened(): unknown[] {
    return [this.payload];
  }

  /** Hands over to the core, which says what to run from here on. */
  private enter(values: unknown[], reports: Reported[]): Outcome | null {
    if (this.watched) {
      this.watched = false;
      unwatch(this);
    }
    this.stages = new Stages(this, begin(this, values, reports));
    return this.stages.go();
  }

  /** Stops waiting for the hook that runs; whatever it says from now on is not heard. */
  private giveUp(): Turn | null {
    this.era++;
    this.resolved = null;
    this.rejected = null;
    const { turn } = this;
    this.turn = null;
    return turn;
  }

  private leave(): void {
    this.over = true;
    this.close(this.position + 1);
    if (this.watched) {
      this.watched = false;
      unwatch(this);
    }
    if (this.context !== null) endWait();
    if (this.cancel !== null) this.signal?.removeEventListener("abort", this.cancel);
  }

  /** Nanoseconds since the last hook ended. */
  private took(): number {
    return now() - this.since;
  }
}
