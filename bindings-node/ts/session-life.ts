/** The inner side of a session: what is under way in it and its subagents, and how it ends. */

import type { PendingApprovals } from "./approvals.js";
import { Steps } from "./brief.js";
import { follow, type Cancellation } from "./cancelling.js";
import { errorOf } from "./errors.js";
import type { Model } from "./models.js";
import { Flow } from "./flow.js";
import type { NativeSession } from "./native.js";
import { FlowDriver, type Means, type Parts } from "./session-driver.js";
import { plainResult, type Stopped } from "./session-results.js";
import type { Session } from "./session.js";
import type { TemporaryHook } from "./temporary.js";

/** What a session needs of its client. */
export interface Home extends Parts {
  readonly pending: PendingApprovals;
  readonly model: () => Model | null;
  /** Whether events can be raised no more. */
  readonly closed: () => boolean;
  /** Registers a hook that is only for the conversation of this id. */
  readonly hook: (id: string, event: string, hook: unknown) => TemporaryHook;
}

/** A session's flows, subagents and hooks. */
export class Life {
  /** The session that this is the inner side of. */
  session!: Session;
  /** A subagent that was refused, or whose beginning failed, does not end either. */
  begun = true;
  readonly hooks = new Set<TemporaryHook>();
  /** An array: a set that much goes through leaves a chain of old tables that keeps young objects alive. */
  readonly #flows: Cancellation[] = [];
  readonly #children = new Set<Life>();
  /** Why nothing begins any more. */
  #over: { readonly reason: unknown } | null = null;
  #ending: Promise<Stopped> | null = null;
  readonly #steps: Steps;
  #unfollow: () => void = () => undefined;

  constructor(
    readonly native: NativeSession,
    readonly home: Home,
    readonly parent: Life | null,
  ) {
    this.#steps = new Steps(native);
  }

  /** Whether it has ended, or was cancelled. */
  get over(): boolean {
    return this.#over !== null;
  }

  /** Throws why nothing begins any more. */
  check(): void {
    if (this.#over !== null) throw this.#over.reason;
  }

  /** Takes a flow to its end; gives its result. */
  async flow(
    begin: (native: NativeSession) => number,
    signal: AbortSignal | undefined,
    means: Means = {},
  ): Promise<unknown> {
    const { result } = await this.drive(begin, signal, means);
    return result;
  }

  /** Takes a flow to its end; gives the driver with all that the result refers to. */
  async drive(
    begin: (native: NativeSession, driver: FlowDriver) => number,
    signal: AbortSignal | undefined,
    means: Means,
  ): Promise<FlowDriver> {
    this.check();
    return this.#drive(begin, signal, means);
  }

  async #drive(
    begin: (native: NativeSession, driver: FlowDriver) => number,
    signal: AbortSignal | undefined,
    means: Means,
  ): Promise<FlowDriver> {
    const { cancellation, release } = follow(signal);
    this.#flows.push(cancellation);
    try {
      cancellation.throwIfAborted();
      const { native } = this;
      const driver = new FlowDriver(this.session, this.home, means, cancellation);
      await driver.run(new Flow(native, begin(native, driver), this.#steps, means.call ?? null));
      return driver;
    } finally {
      this.#ended(cancellation);
      release();
    }
  }

  /** Does something that ends when the caller's signal fires or the session is over. */
  async during<R>(
    signal: AbortSignal | undefined,
    work: (cancellation: Cancellation) => Promise<R>,
  ): Promise<R> {
    this.check();
    const { cancellation, release } = follow(signal);
    this.#flows.push(cancellation);
    try {
      cancellation.throwIfAborted();
      return await work(cancellation);
    } finally {
      this.#ended(cancellation);
      release();
    }
  }

  /** A flow is under way no more. */
  #ended(cancellation: Cancellation): void {
    const place = this.#flows.lastIndexOf(cancellation);
    const last = this.#flows.pop();
    if (last !== undefined && last !== cancellation) this.#flows[place] = last;
  }

  /** Lets a signal cancel all that is under way. */
  obey(signal: AbortSignal | undefined): void {
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

  /** Takes a subagent in, until it has ended. */
  adopt(child: Life): void {
    this.#children.add(child);
    child.begun = false;
  }

  /** Cancels all that is under way here and below, and lets nothing begin. */
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
      if (!this.begun || this.home.closed()) return { goesOn: false, reason: null };
      const last = (): number => (parent === null ? native.end(reason) : native.stopSubagent());
      const { result } = await this.#drive(last, undefined, {});
      return plainResult(result) as Stopped;
    } finally {
      for (const hook of this.hooks) hook.remove();
      parent?.release(this);
    }
  }

  release(child: Life): void {
    this.#children.delete(child);
  }
}
