/**
 * Runs the hooks of a dispatch one after the other, as long as each is a no-op.
 *
 * Nearly every dispatch stays in this loop, which enters native code only for the audit log and for counts. At the first answer or failure it hands over to
 * `StageRunner`. A dispatch with one hook takes 0.3 µs here and 5.5 µs there; the bar is "Node, 1 async hook / bare loop"
 * of docs/BENCHMARKS.md.
 */

import { AsyncResource } from "node:async_hooks";

import { AuditCoverage } from "./audit.js";
import type { Cancelling } from "./cancellation.js";
import { now } from "./clock.js";
import { restartDeadline, startDeadline, stopDeadline, type Deadline } from "./deadline.js";
import { auditNoOp, begin, hold, type DispatchRecord } from "./dispatch-record.js";
import { HookInvocation } from "./event.js";
import {
  reportAnswer,
  reportFailure,
  reportTimeout,
  reportUnreadable,
  timeoutReason,
} from "./hook-report.js";
import type { HookRuntime } from "./hook-runtime.js";
import type { HookReport } from "./native.js";
import { beginWait, callAt, endWait } from "./nesting.js";
import { Outcome } from "./outcome.js";
import type { HookEntry } from "./plan.js";
import { StageRunner, type StagedDispatch } from "./stage-runner.js";
import { listenTo, promiseThen, type Listener } from "./thenables.js";
import { traceDispatch } from "./tracing.js";

const MANUAL = { requireManualDestroy: true };

/**
 * A dispatch in progress.
 *
 * Its fields are private by type only: no program sees a dispatch, and `#` fields make one with one hook 5 % slower (the
 * bar "Node, 1 async hook / bare loop" of docs/BENCHMARKS.md).
 */
export class Dispatch implements Deadline, StagedDispatch {
  previous: Deadline | null = null;
  next: Deadline | null = null;
  isHeld = false;

  /** How many hooks have ended as no-ops. */
  private position = 0;
  /** The hook that runs; `null` once it is abandoned, so that its later result is ignored. */
  private invocation: HookInvocation | null = null;
  private stages: StageRunner | null = null;
  /** Whether a deadline is running for the hook at this position. */
  private watched = false;
  private over = false;
  private fulfil: ((outcome: Outcome | Promise<Outcome>) => void) | null = null;
  /** The caller's async context; created when a hook is first awaited. */
  private context: AsyncResource | null = null;
  private cancel: (() => void) | null = null;
  private readonly resolved: Listener;
  private readonly rejected: Listener;

  constructor(
    readonly record: DispatchRecord<HookRuntime>,
    /** The times of the record, writable. */
    private readonly times: number[],
    readonly depth: number,
    readonly signal: Cancelling | null,
  ) {
    this.resolved = (value) => {
      if (this.invocation !== null) this.onResolved(value);
    };
    this.rejected = (error) => {
      if (this.invocation !== null) this.resume(() => this.failed(error));
    };
  }

  /** When the hook at this position began: when the one before it ended. */
  get since(): number {
    return this.times[this.position] ?? 0;
  }

  /** Milliseconds that the hook at this position may take. */
  get limit(): number {
    return this.record.plan.hooks[this.position]?.limit ?? Infinity;
  }

  /** A caller waits, so that the process must live until the deadline. */
  readonly keepsAlive = true;

  /** Runs until a hook has to be awaited; gives the outcome, or a promise of it. */
  start(): Outcome | Promise<Outcome> {
    let outcome: Outcome | null;
    try {
      const { simple, runtime } = this.record.plan;
      const isFast = simple && runtime.auditCoverage !== AuditCoverage.Starts;
      outcome = isFast ? this.walk() : this.enterStages(this.newValues(), []);
    } catch (error) {
      this.fail(error);
      return Promise.reject(error);
    }
    if (outcome !== null) return outcome;
    const promise = new Promise<Outcome>((fulfil) => {
      this.fulfil = fulfil;
    });
    if (this.signal !== null) this.follow(this.signal);
    return promise;
  }

  /** Throws the signal's reason once the dispatch is cancelled. */
  check(): void {
    this.signal?.throwIfAborted();
  }

  /** Ends with an outcome after a wait. */
  finish(outcome: Outcome): void {
    if (this.over) return;
    this.leave();
    this.fulfil?.(outcome);
  }

  /** Ends without an outcome: cancelled, or by an internal error. */
  fail(reason: unknown): void {
    if (this.over) return;
    this.leave();
    this.fulfil?.(Promise.reject(reason));
    this.abandonHook(reason);
    this.stages?.cancel(reason);
    this.record.details?.dispatch.abandon();
  }

  /** Prepares for a wait: keeps the async context, counts the waiting dispatch. */
  suspend(): void {
    if (this.context !== null) return;
    this.context = new AsyncResource("HookDispatch", MANUAL);
    beginWait();
  }

  /** Holds the payload, as other code of the host may change it from here on. */
  holdPayload(): void {
    if (this.isHeld) return;
    this.isHeld = true;
    const held = hold(this.record);
    if (this.invocation !== null) HookInvocation.hold(this.invocation, held);
    this.stages?.hold(held);
  }

  /** Continues in the caller's async context: a timer runs in the context of the code that armed it. */
  inContext(go: () => void): void {
    this.context?.runInAsyncScope(go);
  }

  /** The hook that is awaited has reached its timeout. */
  expire(): void {
    this.watched = false;
    this.inContext(() => {
      const { limit, invocation, depth } = this;
      const duration = this.elapsed();
      this.abandonHook(timeoutReason(limit));
      this.resume(() => {
        const values = this.newValues();
        const hook = this.record.plan.hooks[this.position] as HookEntry;
        const details = { values, depth, duration };
        return this.enterStages(values, [reportTimeout(hook, invocation, details)]);
      });
    });
  }

  /** Calls hooks until one is awaited, one is no no-op, or all have run. */
  private walk(): Outcome | null {
    const { record } = this;
    const { hooks } = record.plan;
    while (this.position < hooks.length) {
      if (this.signal !== null) this.check();
      const { handler } = hooks[this.position] as HookEntry;
      const invocation = (this.invocation = new HookInvocation(record, record.payload));
      let result: unknown;
      try {
        result = callAt(this.depth, handler, HookInvocation.event(invocation), invocation);
      } catch (error) {
        return this.failed(error);
      }
      if (result !== undefined && result !== null) {
        try {
          if (this.waitFor(result)) return null;
        } catch (error) {
          return this.unreadable(error);
        }
        return this.answered(result);
      }
      this.pass();
    }
    if (this.signal !== null) this.check();
    if (record.unshown !== null) {
      record.plan.runtime.counts.countNoOp(record);
      return this.enterStages(this.newValues(), []);
    }
    if (record.plan.runtime.auditCoverage >= AuditCoverage.All) auditNoOp(record);
    const { counts, tracing } = record.plan.runtime;
    counts.countNoOp(record);
    const outcome = new Outcome(record);
    if (tracing !== null) traceDispatch(tracing, outcome, record.began);
    return outcome;
  }

  /** The hook at this position was a no-op. */
  private pass(): void {
    this.invocation = null;
    this.times[++this.position] = now();
  }

  /** Listens to what a handler returned; false when it is no promise. */
  private waitFor(result: unknown): boolean {
    // Nearly every handler returns a plain promise.
    const promise = result as Promise<unknown>;
    if (promise.constructor === Promise && promise.then === promiseThen) {
      void promise.then(this.resolved, this.rejected);
    } else if (!listenTo(result, this.resolved, this.rejected)) {
      return false;
    }
    if (!this.watched) this.wait();
    else if (this.record.plan.uneven) restartDeadline(this);
    return true;
  }

  private wait(): void {
    // A hook may have cancelled its own dispatch.
    if (this.over) return;
    this.suspend();
    this.watched = true;
    startDeadline(this);
  }

  private onResolved(value: unknown): void {
    try {
      let outcome: Outcome | null;
      if (value === undefined || value === null) {
        this.pass();
        outcome = this.walk();
      } else {
        outcome = this.answered(value);
      }
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Continues after a wait; an error ends the dispatch, not the process. */
  private resume(go: () => Outcome | null): void {
    try {
      const outcome = go();
      if (outcome !== null) this.finish(outcome);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The hook at this position returned an answer. */
  private answered(answer: unknown): Outcome | null {
    const values = this.newValues();
    return this.enterStages(values, [reportAnswer(values, answer, this.elapsed())]);
  }

  /** The hook at this position threw or rejected. */
  private failed(error: unknown): Outcome | null {
    const values = this.newValues();
    return this.enterStages(values, [reportFailure(values, "raised", error, this.elapsed())]);
  }

  /** The hook at this position returned something that throws when it is asked whether it is a promise. */
  private unreadable(error: unknown): Outcome | null {
    const values = this.newValues();
    return this.enterStages(values, [reportUnreadable(values, error, this.elapsed())]);
  }

  /** The values of this dispatch for the native side. */
  private newValues(): unknown[] {
    return [this.record.payload];
  }

  /** Hands over to the core, which decides from here on what to run. */
  private enterStages(values: unknown[], reports: HookReport[]): Outcome | null {
    if (this.over) return null;
    this.invocation = null;
    this.times.length = this.position + 1;
    this.stopWaiting();
    this.stages = new StageRunner(this, begin(this.record, values, reports));
    return this.stages.go();
  }

  /** Ends the dispatch when the caller's signal fires. */
  private follow(signal: Cancelling): void {
    this.cancel = () => {
      this.fail(signal.reason);
    };
    // A hook may have fired it already.
    if (signal.aborted) this.cancel();
    else signal.addEventListener("abort", this.cancel, { once: true });
  }

  /** Stops waiting for the hook that runs; its later result is ignored. */
  private abandonHook(reason: unknown): void {
    const { invocation } = this;
    this.invocation = null;
    if (invocation !== null) HookInvocation.abort(invocation, reason);
  }

  private leave(): void {
    this.over = true;
    this.stopWaiting();
    if (this.context !== null) endWait();
    if (this.cancel !== null) this.signal?.removeEventListener("abort", this.cancel);
  }

  private stopWaiting(): void {
    if (!this.watched) return;
    this.watched = false;
    stopDeadline(this);
  }

  /** Nanoseconds since the last hook ended. */
  private elapsed(): number {
    return now() - this.since;
  }
}
