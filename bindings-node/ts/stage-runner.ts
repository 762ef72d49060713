/**
 * Runs the stages of a dispatch that the core names: from the first answer or failure to the end.
 *
 * A stage is one hook, or several that start together. Their reports go to the core in one call, which gives the next stage.
 */

import { AuditCoverage } from "./audit.js";
import { now } from "./clock.js";
import { startDeadline, stopDeadline, type Deadline } from "./deadline.js";
import type { DispatchDetails, DispatchRecord, Held } from "./dispatch-record.js";
import { HookInvocation, type Fields } from "./event.js";
import {
  reportAnswer,
  reportFailure,
  reportNothing,
  reportTimeout,
  reportUnreadable,
  timeoutReason,
} from "./hook-report.js";
import type { HookRuntime } from "./hook-runtime.js";
import { append } from "./lists.js";
import { callNative, type DispatchStatus, type HookReport } from "./native.js";
import { callAt } from "./nesting.js";
import { Outcome } from "./outcome.js";
import type { HookEntry } from "./plan.js";
import { listenTo } from "./thenables.js";
import { traceDispatch } from "./tracing.js";

/** The dispatch whose stages are run. */
export interface StagedDispatch {
  readonly record: DispatchRecord<HookRuntime>;
  readonly depth: number;
  /** Throws the signal's reason once the dispatch is cancelled. */
  check(): void;
  /** Ends with an outcome after a wait. */
  finish(outcome: Outcome): void;
  /** Ends without an outcome. */
  fail(reason: unknown): void;
  /** Prepares for a wait. */
  suspend(): void;
  /** Copies the payload, once. */
  holdPayload(): void;
  /** Continues in the caller's async context. */
  inContext(go: () => void): void;
}

/** The stages of one dispatch. */
export class StageRunner {
  readonly #dispatch: StagedDispatch;
  readonly #details: DispatchDetails;
  #running: RunningHook[] = [];
  /** The durations in nanoseconds of the no-op hooks since the last native call. */
  #noOps: number[] = [];
  #reports: HookReport[] = [];
  /** How many hooks of the stage are awaited. */
  #pending = 0;
  #starting = false;
  #cancelled = false;

  constructor(dispatch: StagedDispatch, details: DispatchDetails) {
    this.#dispatch = dispatch;
    this.#details = details;
  }

  /** Runs stages until a hook has to be awaited or the dispatch is complete. */
  go(): Outcome | null {
    const dispatch = this.#dispatch;
    for (;;) {
      dispatch.check();
      const { status } = this.#details;
      if (status.done) return this.#complete(status);
      // In turn: the next hook starts when the one before it was a no-op.
      const first = status.inTurn ? this.#noOps.length : 0;
      const end = status.inTurn ? first + 1 : status.hooks.length;
      if (first < status.hooks.length && this.#reports.length === 0) {
        this.#start(status, first, end);
        if (this.#cancelled) return null;
        if (this.#pending > 0) {
          dispatch.suspend();
          return null;
        }
      } else {
        this.#advance();
      }
    }
  }

  /** The outcome of a complete dispatch, after its audit record, spans, warnings and log messages. */
  #complete({ warningsDue, failed }: DispatchStatus): Outcome {
    const { record } = this.#dispatch;
    const { runtime } = record.plan;
    const { dispatch } = this.#details;
    if (record.unshown !== null) {
      this.#details.status = { ...dispatch.refuseUnshown(record.unshown), warningsDue };
    }
    if (runtime.auditCoverage !== AuditCoverage.None) this.#audit();
    const outcome = new Outcome(record);
    const { tracing } = runtime;
    if (tracing !== null) traceDispatch(tracing, outcome, record.began);
    if (warningsDue) runtime.counts.logWarnings();
    if (failed) {
      const failures = callNative(() => dispatch.failuresToLog());
      runtime.logFailures(outcome, failures);
    }
    return outcome;
  }

  /** Writes the dispatch to the audit log; it is blocked when that fails and the log is required. */
  #audit(): void {
    const { dispatch, values } = this.#details;
    this.#details.status = callNative(() => dispatch.audit(values));
  }

  /** Ends all hooks that run. */
  cancel(reason: unknown): void {
    this.#cancelled = true;
    for (const running of this.#running) running.cancel(reason);
  }

  /** Lets the hooks that run see copies of the payload. */
  hold(held: Held): void {
    for (const { invocation } of this.#running) HookInvocation.hold(invocation, held);
  }

  /** Accepts the report of one hook; the last one of a stage continues the dispatch. */
  accept(index: number, report: HookReport): void {
    const { inTurn } = this.#details.status;
    if (inTurn && report.result === "nothing") append(this.#noOps, report.duration);
    else this.#reports[inTurn ? 0 : index] = report;
    this.#pending--;
    if (this.#pending > 0 || this.#starting) return;
    try {
      const outcome = this.go();
      if (outcome !== null) this.#dispatch.finish(outcome);
    } catch (error) {
      this.#dispatch.fail(error);
    }
  }

  /** Passes the reports to the core, which gives the next stage. */
  #advance(): void {
    const { dispatch, values } = this.#details;
    const [noOps, reports] = [this.#noOps, this.#reports];
    this.#noOps = [];
    this.#reports = [];
    this.#running = [];
    this.#details.status = callNative(() => dispatch.resume(values, noOps, reports));
  }

  #start(status: DispatchStatus, first: number, end: number): void {
    const { record, depth } = this.#dispatch;
    const { dispatch, values } = this.#details;
    const { runtime } = record.plan;
    const payload = values[status.payload] as Fields;
    this.#running = [];
    this.#pending = end - first;
    this.#starting = true;
    for (let index = first; index < end; index++) {
      if (index > first) this.#dispatch.check();
      const hook = runtime.hook(status.hooks[index] as number);
      if (runtime.auditCoverage === AuditCoverage.Starts)
        callNative(() => {
          dispatch.auditStart(values, index);
        });
      if (hook.once) {
        dispatch.started(index);
        runtime.forgetPlans();
      }
      if (hook.detached) {
        this.accept(index, runtime.detach(hook, record, payload, depth, values));
        continue;
      }
      const invocation = new HookInvocation(record, payload);
      const running = new RunningHook(this, this.#dispatch, values, hook, index, invocation);
      append(this.#running, running);
      running.start();
      if (this.#cancelled) break;
    }
    this.#starting = false;
  }
}

/** One hook of a stage while it runs. */
class RunningHook implements Deadline {
  readonly since = now();
  readonly limit: number;
  readonly keepsAlive = true;
  previous: Deadline | null = null;
  next: Deadline | null = null;
  isHeld = false;
  #hasDeadline = false;
  #over = false;

  constructor(
    readonly stages: StageRunner,
    readonly dispatch: StagedDispatch,
    readonly values: unknown[],
    readonly hook: HookEntry,
    readonly index: number,
    readonly invocation: HookInvocation,
  ) {
    this.limit = hook.limit;
  }

  holdPayload(): void {
    this.isHeld = true;
    this.dispatch.holdPayload();
  }

  start(): void {
    const { dispatch, hook, invocation } = this;
    let result: unknown;
    try {
      result = callAt(dispatch.depth, hook.handler, HookInvocation.event(invocation), invocation);
    } catch (error) {
      this.#failed(error);
      return;
    }
    try {
      const isPromise =
        result !== undefined &&
        result !== null &&
        listenTo(
          result,
          (value) => {
            this.#answered(value);
          },
          (error) => {
            this.#failed(error);
          },
        );
      if (isPromise) {
        if (!this.#over) {
          this.#hasDeadline = true;
          startDeadline(this);
        }
        return;
      }
    } catch (error) {
      this.#end(() => reportUnreadable(this.values, error, this.#elapsed()));
      return;
    }
    this.#answered(result);
  }

  expire(): void {
    this.#hasDeadline = false;
    if (this.#over) return;
    this.dispatch.inContext(() => {
      HookInvocation.abort(this.invocation, timeoutReason(this.limit));
      const { hook, invocation, values, dispatch } = this;
      const details = { values, depth: dispatch.depth, duration: this.#elapsed() };
      this.#end(() => reportTimeout(hook, invocation, details));
    });
  }

  cancel(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopDeadline();
    HookInvocation.abort(this.invocation, reason);
  }

  #answered(value: unknown): void {
    this.#end(() =>
      value === undefined || value === null
        ? reportNothing(this.#elapsed())
        : reportAnswer(this.values, value, this.#elapsed()),
    );
  }

  #failed(error: unknown): void {
    this.#end(() => reportFailure(this.values, "raised", error, this.#elapsed()));
  }

  #end(report: () => HookReport): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopDeadline();
    this.stages.accept(this.index, report());
  }

  #stopDeadline(): void {
    if (!this.#hasDeadline) return;
    this.#hasDeadline = false;
    stopDeadline(this);
  }

  #elapsed(): number {
    return now() - this.since;
  }
}
