/** The inner side of a session: its flows and subagents, and how it ends. */

import type { PendingApprovals } from "./approval.js";
import { follow, type Cancellation } from "./cancellation.js";
import { errorOf } from "./errors.js";
import type { Model } from "./models.js";
import { Flow } from "./session-flow.js";
import type { NativeSession } from "./native.js";
import type { FlowInputs, SessionIdentity, SessionParts } from "./effect-context.js";
import { FlowDriver } from "./session-driver.js";
import { plainResult, type Stopped } from "./session-results.js";
import type { TemporaryHook } from "./temporary-hook.js";

/** What a session needs of its client and was given by the program. */
export interface SessionHost extends SessionParts {
  readonly pending: PendingApprovals;
  readonly model: () => Model | null;
  /** Whether the client is closed. */
  readonly closed: () => boolean;
  /** Registers a hook that is only for the conversation of this id. */
  readonly hook: (id: string, event: string, hook: unknown) => TemporaryHook;
}

/** A flow that has begun; `close` is called at its end. */
export interface OpenFlow {
  readonly driver: FlowDriver;
  readonly flow: Flow;
  readonly cancellation: Cancellation;
  readonly close: () => void;
}

/** A session's flows, subagents and hooks. */
export class SessionState<S extends SessionIdentity = SessionIdentity> {
  /** The session that this is the inner side of. */
  session!: S;
  /** False for a subagent that did not begin: it raises no `SubagentStop`. */
  begun = true;
  readonly hooks = new Set<TemporaryHook>();
  /** The calls whose tools the program runs. */
  readonly calls = new Set<{ drop(): void }>();
  readonly #flows = new Set<Cancellation>();
  readonly #children = new Set<SessionState<S>>();
  /** Why nothing begins any more; `null` while the session is open. */
  #over: { readonly reason: unknown } | null = null;
  #ending: Promise<Stopped> | null = null;
  #unfollow: () => void = () => undefined;

  constructor(
    readonly native: NativeSession,
    readonly host: SessionHost,
    readonly parent: SessionState<S> | null,
  ) {}

  /** Whether it has ended, or was cancelled. */
  get over(): boolean {
    return this.#over !== null;
  }

  /** Throws why nothing begins any more. */
  check(): void {
    if (this.#over !== null) throw this.#over.reason;
  }

  /** Runs a flow to its end; gives its result. */
  async flow(
    begin: (native: NativeSession) => number,
    signal: AbortSignal | undefined,
    inputs: FlowInputs = {},
  ): Promise<unknown> {
    const { result } = await this.drive(begin, signal, inputs);
    return result;
  }

  /** Runs a flow to its end; gives the driver with all values that the result refers to. */
  async drive(
    begin: (native: NativeSession, driver: FlowDriver) => number,
    signal: AbortSignal | undefined,
    inputs: FlowInputs,
  ): Promise<FlowDriver> {
    this.check();
    return this.#drive(begin, signal, inputs);
  }

  async #drive(
    begin: (native: NativeSession, driver: FlowDriver) => number,
    signal: AbortSignal | undefined,
    inputs: FlowInputs,
  ): Promise<FlowDriver> {
    const { driver, flow, close } = this.#open(begin, signal, inputs);
    try {
      await driver.run(flow);
      return driver;
    } finally {
      close();
    }
  }

  /** Begins a flow whose tool the caller runs. */
  open(
    begin: (native: NativeSession, driver: FlowDriver) => number,
    signal: AbortSignal | undefined,
    inputs: FlowInputs,
  ): OpenFlow {
    this.check();
    return this.#open(begin, signal, inputs);
  }

  #open(
    begin: (native: NativeSession, driver: FlowDriver) => number,
    signal: AbortSignal | undefined,
    inputs: FlowInputs,
  ): OpenFlow {
    const { cancellation, release } = follow(signal);
    const close = (): void => {
      this.#flows.delete(cancellation);
      release();
    };
    this.#flows.add(cancellation);
    try {
      cancellation.throwIfAborted();
      const { native } = this;
      const driver = new FlowDriver(this.session, this.host, inputs, cancellation);
      return { driver, flow: new Flow(native, begin(native, driver)), cancellation, close };
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Runs work that is cancelled by the caller's signal or the end of the session. */
  async during<R>(
    signal: AbortSignal | undefined,
    work: (cancellation: Cancellation) => Promise<R>,
  ): Promise<R> {
    this.check();
    const { cancellation, release } = follow(signal);
    this.#flows.add(cancellation);
    try {
      cancellation.throwIfAborted();
      return await work(cancellation);
    } finally {
      this.#flows.delete(cancellation);
      release();
    }
  }

  /** Cancels everything when a signal fires. */
  follow(signal: AbortSignal | undefined): void {
    if (signal === undefined) return;
    const stop = (): void => {
      this.stop(signal.reason);
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    this.#unfollow = () => {
      signal.removeEventListener("abort", stop);
    };
  }

  /** Adds a subagent, until it has ended. */
  adopt(child: SessionState<S>): void {
    this.#children.add(child);
    child.begun = false;
  }

  /** Cancels all flows of the session and its subagents, and refuses new ones. */
  stop(reason: unknown): void {
    this.#over ??= { reason };
    for (const flow of [...this.#flows]) flow.abort(reason);
    for (const child of this.#children) child.stop(reason);
  }

  /** Ends it once, with its own event. */
  end(reason: string): Promise<Stopped> {
    return (this.#ending ??= this.#end(reason));
  }

  async #end(reason: string): Promise<Stopped> {
    const { native, parent } = this;
    const who = parent === null ? "session" : "subagent";
    this.stop(errorOf("session_closed", `the ${who} \`${native.agentId ?? native.id}\` has ended`));
    this.#unfollow();
    try {
      for (const child of [...this.#children].reverse()) await child.end(reason);
      if (!this.begun || this.host.closed()) return { shouldContinue: false, reason: null };
      const last = (): number => (parent === null ? native.end(reason) : native.stopSubagent());
      const { result } = await this.#drive(last, undefined, {});
      return plainResult(result) as Stopped;
    } finally {
      for (const hook of this.hooks) hook.remove();
      parent?.release(this);
    }
  }

  /** Drops the calls whose tools are still to run: nobody will say any more what came of them. */
  dropCalls(): void {
    for (const call of [...this.calls]) call.drop();
  }

  release(child: SessionState<S>): void {
    this.#children.delete(child);
  }
}
