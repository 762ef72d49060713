/** A client's inner side: its hooks, the plans it remembers, and the hooks that nobody waits for. */

import type { HookResponse } from "./answers.js";
import { AuditLog, Hears } from "./audit.js";
import { Counts, UNCOUNTED } from "./counts.js";
import { Detached, type Job } from "./detached.js";
import { describe } from "./errors.js";
import type { Fields } from "./event.js";
import { tellHost, type GuardedLogger } from "./logger.js";
import type { NativeHandler, Waiters } from "./native-hooks.js";
import { localAnswer } from "./names.js";
import { crossing, NativeHooks, type Registered, type Reported } from "./native.js";
import type { Outcome } from "./outcome.js";
import { Plan, type Call, type Crew } from "./plan.js";
import { failed } from "./saying.js";
import { clearTimeout, setTimeout } from "./timers.js";
import type { Tracing } from "./tracing.js";
import type { Trail } from "./trail.js";
import type { LateAnswer } from "./types.js";
import { copyContainer } from "./values.js";

/** What only a hook from a file has, and its handler. */
type Native = { readonly wakes: boolean } & NativeHandler;

/** Plans of one event, as long as no hook changes. */
interface Memo {
  /** The plan for every payload. */
  always: Plan | null;
  /** The plans by tool. */
  byTool: Map<string, Plan> | null;
}

/** How many tools an event remembers; hostile payloads could name new ones without end. */
const MAX_TOOLS = 1024;

/** What a client is made of. */
export class Engine implements Crew {
  readonly native: NativeHooks;
  readonly logger: GuardedLogger | null;
  /** A copy of what the core knows, so that a dispatch need not ask it. */
  #closed = false;
  /** Which dispatches are told to the audit log. */
  hears: Hears = Hears.Nothing;
  readonly recording: boolean;
  readonly audit: AuditLog;
  readonly counts: Counts;
  tracing: Tracing | null = null;
  /** The hooks from files that run; made with the first file. */
  waiters: Waiters | null = null;
  /** Who hears what hooks from files say when nobody waits for them. */
  late: ((answer: LateAnswer) => void) | null = null;

  readonly #calls = new Map<number, Call>();
  readonly #memo = new Map<string, Memo>();
  readonly #jobs = new Map<number, Job>();
  readonly #running = new Set<Detached>();
  #nextJob = 0;
  #idle: (() => void)[] = [];

  constructor(options: object, ofDriver: readonly string[], logger: GuardedLogger | null) {
    this.native = crossing(() => new NativeHooks(options, [...ofDriver]));
    this.logger = logger;
    this.counts = new Counts(this.native, logger);
    const self = new WeakRef(this);
    this.audit = new AuditLog(this.native, logger, (hears) => {
      const engine = self.deref();
      if (engine !== undefined) engine.hears = hears;
    });
    this.recording = this.native.isRecording;
    // Before anybody opens a log, dispatches may be recorded.
    if (this.recording) this.hears = this.native.auditHears() as Hears;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Lets nothing come any more. */
  close(): void {
    this.#closed = true;
    this.native.close();
    this.forget();
    this.counts.release();
  }

  /** Refuses what a closed client can no longer do, such as `dispatch events`. */
  checkOpen(what: string): void {
    if (this.#closed) crossing(() => this.native.checkOpen(what));
  }

  /** The working directory of events that name none; `null` where it was deleted. */
  directory(): string | null {
    return this.native.directory() ?? null;
  }

  /** Registers a handler; gives the hook's id. */
  register(event: string, settings: object, handler: Call["handler"]): string {
    const known = crossing(() => this.native.register(event, settings));
    this.#keep(known, { handler });
    this.#changed();
    this.logger?.debug("hook registered", { event, hook: known.name, id: known.id });
    return known.id;
  }

  /** Takes hooks in that the core has registered. */
  adopt(hooks: readonly ({ readonly hook: Registered } & Native)[]): void {
    for (const { hook, ...native } of hooks) this.#keep(hook, native);
    this.#changed();
  }

  #keep(hook: Registered, code: Pick<Call, "handler" | "wakes" | "late">): void {
    const { timeout, ...known } = hook;
    this.#calls.set(hook.number, { ...known, ...code, limit: timeout ?? Infinity });
  }

  /** Drops the functions of hooks that nothing can call any more, and plans that were kept. */
  #changed(): void {
    for (const dropped of this.native.takeDropped()) this.#calls.delete(dropped);
    this.forget();
  }

  forget(): void {
    this.#memo.clear();
  }

  call(number: number): Call {
    const call = this.#calls.get(number);
    if (call === undefined) throw new Error(`no function is kept for hook ${String(number)}`);
    return call;
  }

  /** The hooks that an event runs; a payload that is not surely a plain object is left to the core to judge. */
  plan(event: string, payload: Fields): Plan {
    const memo = this.#memo.get(event);
    if (memo !== undefined && isObject(payload)) {
      // Read first: compiled code knows the object then, and answers the question after its prototype by itself.
      const tool = payload["tool"];
      if (Object.getPrototypeOf(payload) === Object.prototype) {
        const plan = memo.always ?? (typeof tool === "string" ? memo.byTool?.get(tool) : undefined);
        if (plan !== undefined) return plan;
      }
    }
    return this.#ask(event, payload);
  }

  #ask(event: string, payload: Fields): Plan {
    const planned = crossing(() => this.native.plan(event, payload));
    const calls = planned.calls.map((number) => this.call(number));
    const plan = new Plan(
      this,
      planned.native,
      planned.event,
      planned.hasToolUseId,
      calls,
      planned.simple,
      this.native.enabled ? this.counts.of(planned.event) : UNCOUNTED,
    );
    if (planned.holds === "event") {
      this.#memo.set(event, { always: plan, byTool: null });
    } else if (planned.holds === "tool" && typeof payload["tool"] === "string") {
      let memo = this.#memo.get(event);
      if (memo === undefined) this.#memo.set(event, (memo = { always: null, byTool: new Map() }));
      if (memo.byTool !== null && memo.byTool.size < MAX_TOOLS)
        memo.byTool.set(payload["tool"], plan);
    }
    return plan;
  }

  detach(call: Call, trail: Trail, payload: Fields, depth: number, values: unknown[]): Reported {
    const number = this.#nextJob++;
    let job: Job;
    try {
      // The host may change its payload as soon as the dispatch is over; this hook may still be reading then.
      job = { call, trail, depth, payload: copyContainer(payload as Record<string, unknown>) };
    } catch (error) {
      return failed(values, "not_started", error, 0);
    }
    const admission = crossing(() => this.native.submitDetached(number));
    if (admission === "refused") {
      return {
        said: "failed",
        took: 0,
        kind: "detached_limit",
        message: this.native.detachedRefusal(),
      };
    }
    if (admission === "start") this.#startJob(job);
    else this.#jobs.set(number, job);
    return { said: "detached", took: 0 };
  }

  #startJob(job: Job): void {
    const detached = new Detached(job, (error, answer) => {
      this.#running.delete(detached);
      if (error !== undefined) this.#noteDetached(job, error);
      else if (answer !== undefined && answer !== null) this.#noteAnswer(job, answer);
      const next = this.native.finishDetached();
      const waiting = typeof next === "number" ? this.#jobs.get(next) : undefined;
      if (waiting !== undefined && typeof next === "number") {
        this.#jobs.delete(next);
        this.#startJob(waiting);
      } else if (this.native.detachedIdle()) {
        for (const tell of this.#idle.splice(0)) tell();
      }
    });
    this.#running.add(detached);
    detached.start();
  }

  #noteDetached({ call, trail }: Job, error: unknown): void {
    this.logger?.warn("detached hook failed", {
      event: trail.plan.event,
      hook: call.name,
      id: call.id,
      message: describe(error),
      error,
    });
  }

  /** Only an objection wakes the model. */
  #noteAnswer({ call, trail }: Job, said: object): void {
    if (typeof said !== "object" || Object.keys(said).length === 0) return;
    // What a program's own function answers is in this language's spelling already.
    const answer = (
      call.wakes === undefined ? said : localAnswer(trail.plan.event, said)
    ) as HookResponse;
    const { late, logger } = this;
    const wakes = call.wakes === true && (answer.action === "block" || answer.action === "stop");
    const told = { event: trail.plan.event, hook: call.name, wakes, answer };
    if (late === null) {
      logger?.info("a detached hook answered, and nobody listens", told);
      return;
    }
    tellHost(late, [told], (error) => {
      logger?.warn("a listener to late answers failed", { message: describe(error), error });
    });
  }

  /** Waits until no detached hook runs or waits; false when the time was over first. */
  async drain(timeout: number | undefined): Promise<boolean> {
    if (this.native.detachedIdle()) return true;
    let timer: NodeJS.Timeout | undefined;
    const idle = new Promise<boolean>((resolve) => {
      const tell = (): void => {
        resolve(true);
      };
      this.#idle.push(tell);
      if (timeout !== undefined) {
        timer = setTimeout(() => {
          this.#idle = this.#idle.filter((other) => other !== tell);
          resolve(false);
        }, timeout);
      }
    });
    const holding = this.#hold(true);
    try {
      return await idle;
    } finally {
      clearTimeout(timer);
      holding();
    }
  }

  /** While somebody waits for detached hooks, their deadlines keep the process alive. */
  #hold(on: boolean): () => void {
    for (const detached of this.#running) detached.hold(on);
    const { waiters } = this;
    waiters?.hold(on);
    return () => {
      for (const detached of this.#running) detached.hold(!on);
      waiters?.hold(!on);
    };
  }

  /** Tells the signals of detached hooks that nobody waits for them any more. */
  abortDetached(reason: unknown): void {
    for (const detached of this.#running) detached.abort(reason);
  }

  /** Tells of failures, given by their places in the trace and how often each hook has failed by now. */
  noteFailures(outcome: Outcome, told: readonly (readonly [number, number])[]): void {
    if (this.logger === null || told.length === 0) return;
    const times = new Map(told);
    for (const [index, { failure, hook, id, duration }] of outcome.trace.entries()) {
      const failed = times.get(index);
      if (failure === null || failed === undefined) continue;
      const { kind, message, became, error } = failure;
      const details = {
        event: outcome.event.eventType,
        hook,
        id,
        kind,
        message,
        duration,
        error,
        times: failed,
      };
      if (became === "block") this.logger.error("hook failed, the action is blocked", details);
      else this.logger.warn("hook failed, the action goes on", details);
    }
  }
}

function isObject(payload: unknown): boolean {
  return typeof payload === "object" && payload !== null;
}
