/** Detached hooks: started and not awaited, at most so many at once. */

import { now } from "./clock.js";
import { startDeadline, stopDeadline, type Deadline } from "./deadline.js";
import type { DispatchRecord } from "./dispatch-record.js";
import { describe } from "./errors.js";
import { HookInvocation, type Fields } from "./event.js";
import { reportFailure, timeoutReason } from "./hook-report.js";
import { append } from "./lists.js";
import { callListener, type GuardedLogger } from "./logging.js";
import { callNative, type HookReport, type NativeClient } from "./native.js";
import { callAt } from "./nesting.js";
import type { HookEntry } from "./plan.js";
import type { LateAnswer } from "./registration.js";
import type { HookResponse } from "./response.js";
import { localAnswer } from "./spelling.js";
import { listenTo } from "./thenables.js";
import { clearTimeout, setTimeout } from "./timers.js";
import { copyContainer } from "./values.js";

/** A detached hook and the event that it gets. */
interface DetachedJob {
  readonly hook: HookEntry;
  readonly record: DispatchRecord;
  readonly payload: Fields;
  readonly depth: number;
}

/** Keeps the process alive while `on`. */
interface Holdable {
  hold(on: boolean): void;
}

/** The detached hooks of a client; the core decides how many run at once and how many may wait. */
export class DetachedHooks {
  /** Called with the late answers of detached hooks; without it they are logged. */
  lateListener: ((answer: LateAnswer) => void) | null = null;

  readonly #native: NativeClient;
  readonly #logger: GuardedLogger | null;
  readonly #waiting = new Map<number, DetachedJob>();
  readonly #running = new Set<DetachedRun>();
  #nextJob = 0;
  #onIdle: (() => void)[] = [];

  constructor(native: NativeClient, logger: GuardedLogger | null) {
    this.#native = native;
    this.#logger = logger;
  }

  /** Starts a hook, or queues it, or reports why it does not run. */
  start(
    hook: HookEntry,
    record: DispatchRecord,
    payload: Fields,
    depth: number,
    values: unknown[],
  ): HookReport {
    const number = this.#nextJob++;
    let job: DetachedJob;
    try {
      // The host may change its payload once the dispatch is over, while this hook still reads it.
      job = { hook, record, depth, payload: copyContainer(payload as Record<string, unknown>) };
    } catch (error) {
      return reportFailure(values, "not_started", error, 0);
    }
    const admission = callNative(() => this.#native.submitDetached(number));
    if (admission === "refused") {
      return {
        result: "failed",
        duration: 0,
        failureKind: "detached_limit",
        message: this.#native.detachedRefusal(),
      };
    }
    if (admission === "start") this.#run(job);
    else this.#waiting.set(number, job);
    return { result: "detached", duration: 0 };
  }

  #run(job: DetachedJob): void {
    const run = new DetachedRun(job, (error, answer) => {
      this.#running.delete(run);
      if (error !== undefined) this.#logFailure(job, error);
      else if (answer !== undefined && answer !== null) {
        try {
          this.#passOn(job, answer);
        } catch (unreadable) {
          this.#logFailure(job, unreadable);
        }
      }
      const next = this.#native.finishDetached();
      const waiting = typeof next === "number" ? this.#waiting.get(next) : undefined;
      if (waiting !== undefined && typeof next === "number") {
        this.#waiting.delete(next);
        this.#run(waiting);
      } else if (this.#native.detachedIdle()) {
        for (const resolve of this.#onIdle.splice(0)) resolve();
      }
    });
    this.#running.add(run);
    run.start();
  }

  #logFailure({ hook, record }: DetachedJob, error: unknown): void {
    this.#logger?.warn("detached hook failed", {
      event: record.plan.event,
      hook: hook.name,
      id: hook.id,
      message: describe(error),
      error,
    });
  }

  /** Passes an answer on to the listener; only an objection wakes the model. */
  #passOn({ hook, record }: DetachedJob, given: object): void {
    if (typeof given !== "object" || Object.keys(given).length === 0) return;
    // The answer of a function of the program is in this language's spelling already.
    const answer = (
      hook.wakes === undefined ? given : localAnswer(record.plan.event, given)
    ) as HookResponse;
    const logger = this.#logger;
    const wakes = hook.wakes === true && (answer.action === "block" || answer.action === "stop");
    const late = { event: record.plan.event, hook: hook.name, wakes, answer };
    if (this.lateListener === null) {
      logger?.info("a detached hook answered, and there is no listener", late);
      return;
    }
    callListener(this.lateListener, [late], (error) => {
      logger?.warn("a listener to late answers failed", { message: describe(error), error });
    });
  }

  /** Waits until no detached hook runs or waits; false when the timeout in milliseconds was over first. */
  async drain(timeout: number | undefined, fileHooks: Holdable | null): Promise<boolean> {
    if (this.#native.detachedIdle()) return true;
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<boolean>((resolve) => {
      const onIdle = (): void => {
        resolve(true);
      };
      append(this.#onIdle, onIdle);
      if (timeout !== undefined) {
        timer = setTimeout(() => {
          this.#onIdle = this.#onIdle.filter((other) => other !== onIdle);
          resolve(false);
        }, timeout);
      }
    });
    const release = this.#hold(true, fileHooks);
    try {
      return await idle;
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  /** While a caller waits for detached hooks, their deadlines keep the process alive. */
  #hold(on: boolean, fileHooks: Holdable | null): () => void {
    for (const run of this.#running) run.hold(on);
    fileHooks?.hold(on);
    return () => {
      for (const run of this.#running) run.hold(!on);
      fileHooks?.hold(!on);
    };
  }

  /** Fires the signals of the hooks that run. */
  abort(reason: unknown): void {
    for (const run of this.#running) run.abort(reason);
  }
}

/** One detached hook while it runs. */
class DetachedRun implements Deadline {
  isHeld = false;
  since = 0;
  readonly limit: number;
  keepsAlive = false;
  previous: Deadline | null = null;
  next: Deadline | null = null;
  #hasDeadline = false;
  #over = false;
  readonly #invocation: HookInvocation;

  constructor(
    readonly job: DetachedJob,
    readonly done: (error?: unknown, answer?: object | null) => void,
  ) {
    this.limit = job.hook.limit;
    this.#invocation = HookInvocation.detached(job.record, job.payload);
  }

  start(): void {
    this.since = now();
    const { hook, depth } = this.job;
    let result: unknown;
    try {
      const event = HookInvocation.event(this.#invocation);
      result = callAt(depth, hook.handler, event, this.#invocation);
      const answered = (answer: unknown): void => {
        this.#end(undefined, answer as object | null | undefined);
      };
      const failed = (error: unknown): void => {
        this.#end(error);
      };
      if (result !== undefined && result !== null && listenTo(result, answered, failed)) {
        this.#hasDeadline = true;
        startDeadline(this);
        return;
      }
    } catch (error) {
      this.#end(error);
      return;
    }
    this.#end(undefined, result as object | null | undefined);
  }

  holdPayload(): void {
    // Nothing that it was shown is approved.
    this.isHeld = true;
  }

  expire(): void {
    this.#hasDeadline = false;
    const reason = timeoutReason(this.limit);
    HookInvocation.abort(this.#invocation, reason);
    this.#end(reason);
  }

  abort(reason: unknown): void {
    if (!this.#over) HookInvocation.abort(this.#invocation, reason);
  }

  /** Changes whether the deadline keeps the process alive. */
  hold(on: boolean): void {
    this.keepsAlive = on;
    if (!this.#hasDeadline) return;
    stopDeadline(this);
    this.isHeld = false;
    startDeadline(this);
  }

  #end(error?: unknown, answer?: object | null): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#hasDeadline) stopDeadline(this);
    this.#hasDeadline = false;
    this.done(error, answer);
  }
}
