/**
 * Runs the hooks of a dispatch one after the other, for as long as they have nothing to say.
 *
 * This is the loop that nearly every dispatch is all of. It crosses into native code for nothing; at the first answer or
 * failure it hands over to `Stages`, which asks the core what that means. Calling a handler from here costs
 * nanoseconds, from Rust it would cost more than most handlers do.
 */

import { AsyncResource } from "node:async_hooks";

import type { Cancelling } from "./cancelling.js";
import { Hears } from "./audit.js";
import { now } from "./clock.js";
import { renew, unwatch, watch, type Waiting } from "./deadline.js";
import { beginWait, callAt, depthHere, endWait } from "./depth.js";
import { Turn } from "./event.js";
import type { Fields } from "./event.js";
import { crossing, limits, refuseDepth } from "./native.js";
import type { Reported } from "./native.js";
import { Outcome } from "./outcome.js";
import type { Call, Plan } from "./plan.js";
import { answered, failed, timedOut, timeoutReason } from "./saying.js";
import { listen, settle, type Take } from "./settle.js";
import { Stages } from "./stages.js";
import { tell } from "./tracing.js";
import { auditQuiet, begin, Trail } from "./trail.js";

const { maxDepth } = limits();
const MANUAL = { requireManualDestroy: true };

/** The times of a dispatch without hooks. */
const NONE: readonly number[] = [];

/** Runs an event's hooks. */
export function run(plan: Plan, payload: Fields, signal: Cancelling | undefined): Promise<Outcome> {
  // Gives a promise back as it is.
  return Promise.resolve(runNow(plan, payload, signal));
}

/** The same without a promise where nothing has to be waited for. */
export function runNow(
  plan: Plan,
  payload: Fields,
  signal: Cancelling | undefined,
): Outcome | Promise<Outcome> {
  const depth = depthHere();
  if (depth > maxDepth) crossing(() => refuseDepth(depth));
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  const hooks = plan.calls.length;
  if (hooks === 0) {
    plan.crew.counts.without(plan.count);
    const trail = new Trail(plan, payload, NONE);
    if (plan.crew.recording) auditQuiet(trail);
    return new Outcome(trail);
  }
  const began = now();
  // One hook is the usual case, and its array is made in one piece.
  const times = hooks === 1 ? [began, 0] : new Array<number>(hooks + 1);
  times[0] = began;
  return new Dispatch(new Trail(plan, payload, times), times, depth, signal ?? null).start();
}

// Executors run at once, so that this can be taken from there without a closure for each promise.
let newFulfil: (outcome: Outcome | Promise<Outcome>) => void;
function capture(fulfil: (outcome: Outcome | Promise<Outcome>) => void): void {
  newFulfil = fulfil;
}

/**
 * A dispatch under way.
 *
 * Its fields are private by type only, and few, and it inherits nothing: it never reaches a program, and making it is
 * a good part of what a dispatch with one hook costs.
 */
export class Dispatch implements Waiting {
  previous: Waiting | null = null;
  next: Waiting | null = null;

  /** How many hooks have ended without having anything to say. */
  private position = 0;
  /** Of the hook that this loop runs or waits for; one that was given up finds none when it says something later. */
  private turn: Turn | null = null;
  private stages: Stages | null = null;
  /** Whether it is in the list of deadlines, for the hook at this position. */
  private watched = false;
  private over = false;
  private fulfil: ((outcome: Outcome | Promise<Outcome>) => void) | null = null;
  /** The caller's async context; made when a hook is first waited for. */
  private context: AsyncResource | null = null;
  private cancel: (() => void) | null = null;
  private readonly resolved: Take;
  private readonly rejected: Take;

  constructor(
    readonly trail: Trail,
    /** The trail's times, to be written. */
    private readonly times: number[],
    readonly depth: number,
    readonly signal: Cancelling | null,
  ) {
    this.resolved = (value) => {
      if (this.turn !== null) this.onResolved(value);
    };
    this.rejected = (error) => {
      if (this.turn !== null) this.resume(() => this.raised(error));
    };
  }

  /** When the hook at this position began: when the one before it ended. */
  get since(): number {
    return this.times[this.position] ?? 0;
  }

  /** Milliseconds that the hook at this position may take. */
  get limit(): number {
    return this.trail.plan.calls[this.position]?.limit ?? Infinity;
  }

  /** A caller waits, so the process lives on until the deadline. */
  declare readonly holds: true;

  static {
    // One value for all of them, and no field for each.
    Object.defineProperty(this.prototype, "holds", { value: true });
  }

  /** Runs as far as it goes without waiting, and promises the rest. */
  start(): Outcome | Promise<Outcome> {
    let outcome: Outcome | null;
    try {
      const { simple, crew } = this.trail.plan;
      const walks = simple && crew.hears !== Hears.Starts;
      outcome = walks ? this.walk() : this.enter(this.opened(), []);
    } catch (error) {
      this.fail(error);
      return Promise.reject(error);
    }
    if (outcome !== null) return outcome;
    const promise = new Promise(capture);
    this.fulfil = newFulfil;
    if (this.signal !== null) this.obey(this.signal);
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
    this.giveUp(reason);
    this.stages?.cancel(reason);
    this.trail.loud?.run.abandon();
  }

  /** Makes ready for waiting. */
  suspend(): void {
    if (this.context !== null) return;
    this.context = new AsyncResource("HookDispatch", MANUAL);
    beginWait();
  }

  /** Goes on in the caller's async context: a timer's own is whoever's armed it. */
  inContext(go: () => void): void {
    this.context?.runInAsyncScope(go);
  }

  /** The hook that is waited for has used up its time. */
  expire(): void {
    this.watched = false;
    this.inContext(() => {
      const { limit, turn, depth } = this;
      const took = this.took();
      this.giveUp(timeoutReason(limit));
      this.resume(() => {
        const values = this.opened();
        const call = this.trail.plan.calls[this.position] as Call;
        return this.enter(values, [timedOut(call, turn, { values, depth, took })]);
      });
    });
  }

  /** Calls hooks until one is waited for, one has something to say, or all have run. */
  private walk(): Outcome | null {
    const { trail } = this;
    const { calls } = trail.plan;
    while (this.position < calls.length) {
      if (this.signal !== null) this.check();
      const { handler } = calls[this.position] as Call;
      const turn = (this.turn = new Turn(trail, trail.payload));
      let result: unknown;
      try {
        result = callAt(this.depth, handler, Turn.event(turn), turn);
        if (result !== undefined && result !== null && this.waitFor(result)) return null;
      } catch (error) {
        return this.raised(error);
      }
      if (result !== undefined && result !== null) return this.said(result);
      this.pass();
    }
    if (this.signal !== null) this.check();
    if (trail.unshown !== null) {
      trail.plan.crew.counts.quiet(trail);
      return this.enter(this.opened(), []);
    }
    if (trail.plan.crew.hears >= Hears.All) auditQuiet(trail);
    const { counts, tracing } = trail.plan.crew;
    counts.quiet(trail);
    const outcome = new Outcome(trail);
    if (tracing !== null) tell(tracing, outcome, trail);
    return outcome;
  }

  /** The hook at this position has nothing to say. */
  private pass(): void {
    this.turn = null;
    this.times[++this.position] = now();
  }

  /** Listens to what a handler returned, if it has to be waited for. */
  private waitFor(result: unknown): boolean {
    // What nearly every handler returns; anything else is looked at more closely.
    const promise = result as Promise<unknown>;
    if (promise.constructor === Promise && promise.then === listen) {
      void promise.then(this.resolved, this.rejected);
    } else if (!settle(result, this.resolved, this.rejected)) {
      return false;
    }
    if (!this.watched) this.watch();
    else if (this.trail.plan.uneven) renew(this);
    return true;
  }

  private watch(): void {
    // A hook may have cancelled its own dispatch.
    if (this.over) return;
    this.suspend();
    this.watched = true;
    watch(this);
  }

  private onResolved(value: unknown): void {
    try {
      let outcome: Outcome | null;
      if (value === undefined || value === null) {
        this.pass();
        outcome = this.walk();
      } else {
        outcome = this.said(value);
      }
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Goes on after a wait; whatever is thrown ends the dispatch, not the process. */
  private resume(go: () => Outcome | null): void {
    try {
      const outcome = go();
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The hook at this position has answered something. */
  private said(answer: unknown): Outcome | null {
    const values = this.opened();
    return this.enter(values, [answered(values, answer, this.took())]);
  }

  /** The hook at this position has thrown something. */
  private raised(error: unknown): Outcome | null {
    const values = this.opened();
    return this.enter(values, [failed(values, "raised", error, this.took())]);
  }

  /** The values of this dispatch, for the native side. */
  private opened(): unknown[] {
    return [this.trail.payload];
  }

  /** Hands over to the core, which says what to run from here on. */
  private enter(values: unknown[], reports: Reported[]): Outcome | null {
    if (this.over) return null;
    this.turn = null;
    this.times.length = this.position + 1;
    this.unwatch();
    this.stages = new Stages(this, begin(this.trail, values, reports));
    return this.stages.go();
  }

  /** Lets the caller's signal end it. */
  private obey(signal: Cancelling): void {
    this.cancel = () => {
      this.fail(signal.reason);
    };
    // A hook may have fired it already.
    if (signal.aborted) this.cancel();
    else signal.addEventListener("abort", this.cancel, { once: true });
  }

  /** Stops waiting for the hook that runs; whatever it says from now on is not heard. */
  private giveUp(reason: unknown): void {
    const { turn } = this;
    this.turn = null;
    if (turn !== null) Turn.abort(turn, reason);
  }

  private leave(): void {
    this.over = true;
    this.unwatch();
    if (this.context !== null) endWait();
    if (this.cancel !== null) this.signal?.removeEventListener("abort", this.cancel);
  }

  private unwatch(): void {
    if (!this.watched) return;
    this.watched = false;
    unwatch(this);
  }

  /** Nanoseconds since the last hook ended. */
  private took(): number {
    return now() - this.since;
  }
}
