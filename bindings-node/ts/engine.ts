/** The inner side of a client: its native part, the functions of its hooks, its plans, log, counts and detached hooks. */

import { AuditCoverage, AuditLog } from "./audit.js";
import { DetachedHooks } from "./detached.js";
import type { DispatchRecord } from "./dispatch-record.js";
import { errorOf } from "./errors.js";
import type { Fields } from "./event.js";
import type { OutsideHookHandler, RunningOutsideHooks } from "./outside-hooks.js";
import type { HookRuntime } from "./hook-runtime.js";
import type { GuardedLogger } from "./logging.js";
import {
  callNative,
  NativeClient,
  type HookReport,
  type RegisteredGuard,
  type RegisteredHook,
} from "./native.js";
import type { Outcome } from "./outcome.js";
import { PlanCache } from "./plan-cache.js";
import { Plan, type HookEntry } from "./plan.js";
import type { AnyHandler } from "./registration.js";
import { RunCounts, UNCOUNTED } from "./run-counts.js";
import type { Tracing } from "./tracing.js";
import { isObject, nameOf } from "./values.js";

/** A hook that the native side has registered, and its handler here. */
type LoadedHook = {
  readonly hook: RegisteredHook;
  readonly wakes: boolean;
} & OutsideHookHandler;

/** Refuses what is no name of an event; native code would do it with words of its own. */
export function checkName(event: unknown): asserts event is string {
  if (typeof event === "string") return;
  const given = isObject(event) ? nameOf(event) : String(event);
  throw errorOf("unknown_event", `an event is a name such as "PreToolUse", not ${given}`);
}

export class Engine implements HookRuntime {
  readonly native: NativeClient;
  readonly logger: GuardedLogger | null;
  readonly recording: boolean;
  readonly audit: AuditLog;
  readonly counts: RunCounts;
  readonly detached: DetachedHooks;
  auditCoverage: AuditCoverage = AuditCoverage.None;
  tracing: Tracing | null = null;
  /** The hooks from files that run; created with the first file. */
  runningOutsideHooks: RunningOutsideHooks | null = null;
  /** Called when hooks may have changed. */
  readonly watchers = new Set<() => void>();

  /** A copy of what the core knows, so that a dispatch makes no native call for it. */
  #closed = false;
  readonly #hooks = new Map<number, HookEntry>();
  readonly #plans = new PlanCache();

  constructor(options: object, hostOptions: readonly string[], logger: GuardedLogger | null) {
    this.native = callNative(() => new NativeClient(options, [...hostOptions]));
    this.logger = logger;
    this.counts = new RunCounts(this.native, logger);
    this.detached = new DetachedHooks(this.native, logger);
    const self = new WeakRef(this);
    this.audit = new AuditLog(this.native, logger, (coverage) => {
      const engine = self.deref();
      if (engine !== undefined) engine.auditCoverage = coverage;
    });
    this.recording = this.native.isRecording;
    // Dispatches may be recorded for a replay before any log is opened.
    if (this.recording) this.auditCoverage = this.native.auditCoverage() as AuditCoverage;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Refuses everything from now on. */
  close(): void {
    this.#closed = true;
    this.native.close();
    this.forgetPlans();
    this.counts.release();
  }

  /** Throws `client_closed` for what a closed client can no longer do, such as `dispatch events`. */
  checkOpen(action: string): void {
    if (this.#closed) callNative(() => this.native.checkOpen(action));
  }

  directory(): string | null {
    return this.native.directory() ?? null;
  }

  command(event: string, payload: object): string {
    return callNative(() => this.native.eventCommand(event, payload));
  }

  paths(event: string, payload: object): readonly string[] {
    return callNative(() => this.native.eventPaths(event, payload));
  }

  /** Registers a handler; gives the hook's id. */
  register(event: string, settings: object, handler: AnyHandler): string {
    const registered = callNative(() => this.native.register(event, settings));
    this.#keep(registered, { handler });
    this.#hooksChanged();
    const { name, id } = registered;
    this.logger?.debug("hook registered", { event, hook: name, id });
    return id;
  }

  /** Keeps a guard that the native side registers; gives the hook's id. */
  guard(register: () => RegisteredGuard): string {
    const { hook, answer } = callNative(register);
    const given: unknown = JSON.parse(answer);
    this.#keep(hook, { handler: () => given });
    this.#hooksChanged();
    this.logger?.debug("guard registered", { hook: hook.name, id: hook.id });
    return hook.id;
  }

  /** Adds hooks that the native side has registered: of files, or of workers. */
  adopt(loaded: readonly LoadedHook[]): void {
    for (const { hook, ...own } of loaded) this.#keep(hook, own);
    this.#hooksChanged();
  }

  #keep(hook: RegisteredHook, own: Pick<HookEntry, "handler" | "wakes" | "onTimeout">): void {
    const { timeout, ...known } = hook;
    this.#hooks.set(hook.number, { ...known, ...own, limit: timeout ?? Infinity });
  }

  /** Drops the functions of hooks that nothing can call any more, and cached plans. */
  #hooksChanged(): void {
    for (const dropped of this.native.takeDropped()) this.#hooks.delete(dropped);
    this.forgetPlans();
    // A guard that is not enforced must not go unseen.
    if (this.native.hasUnseenObserver()) this.counts.logWarnings();
  }

  forgetPlans(): void {
    this.#plans.clear();
    for (const changed of this.watchers) changed();
  }

  hook(number: number): HookEntry {
    const hook = this.#hooks.get(number);
    if (hook === undefined) throw new Error(`no function is kept for hook ${String(number)}`);
    return hook;
  }

  /** The hooks that an event runs. */
  plan(event: string, payload: Fields): Plan<HookRuntime> {
    return this.#plans.get(event, payload) ?? this.#newPlan(event, payload);
  }

  #newPlan(event: string, payload: Fields): Plan<HookRuntime> {
    checkName(event);
    const planned = callNative(() => this.native.plan(event, payload));
    const plan = new Plan<HookRuntime>(
      this,
      planned.native,
      planned.event,
      planned.hasToolUseId,
      planned.hooks.map((number) => this.hook(number)),
      planned.simple,
      planned.gate,
      this.native.enabled ? this.counts.of(planned.event) : UNCOUNTED,
    );
    this.#plans.add(event, payload, plan, planned.holds);
    // The dispatch that begins here does not wait for it.
    if (planned.warningsDue) queueMicrotask(() => this.counts.logWarnings());
    return plan;
  }

  detach(
    hook: HookEntry,
    record: DispatchRecord,
    payload: Fields,
    depth: number,
    values: unknown[],
  ): HookReport {
    return this.detached.start(hook, record, payload, depth, values);
  }

  /** Waits until no detached hook runs or waits; false when the timeout in milliseconds was over first. */
  drain(timeout: number | undefined): Promise<boolean> {
    return this.detached.drain(timeout, this.runningOutsideHooks);
  }

  logFailures(outcome: Outcome, failures: readonly (readonly [number, number])[]): void {
    if (this.logger === null || failures.length === 0) return;
    const timesByIndex = new Map(failures);
    for (const [index, { failure, hook, id, duration }] of outcome.trace.entries()) {
      const times = timesByIndex.get(index);
      if (failure === null || times === undefined) continue;
      const { kind, message, became, error } = failure;
      const event = outcome.event.eventType;
      const details = { event, hook, id, kind, message, duration, error, times };
      if (became === "block") this.logger.error("hook failed, the action is blocked", details);
      else this.logger.warn("hook failed, the action continues", details);
    }
  }
}
