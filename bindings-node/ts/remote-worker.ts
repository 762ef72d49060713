/** A client as a worker: an agent runs its hooks, wherever the agent is. */

import { basename, extname } from "node:path";

import type { Engine } from "./engine.js";
import { describe, errorOf } from "./errors.js";
import { timeoutReason } from "./hook-report.js";
import { callNative, NativeWorkerEnd, type NativeWorkerAction } from "./native.js";
import { countExactly } from "./nesting.js";
import { RemoteClock } from "./remote-clock.js";
import { logOf } from "./remote-log.js";
import { OfferedRun } from "./remote-run.js";
import type { Channel, Transport } from "./remote-transport.js";
import { LAST_WORDS } from "./remote-transport.js";
import type { ConnectOptions, RemoteState } from "./remote-types.js";
import { within } from "./timers.js";

/** A hook that runs for the agent. */
interface Running {
  readonly run: OfferedRun;
  readonly since: number;
  /** When the agent waits no longer. */
  readonly until: number;
}

/** A client's connection to its agent, made again when it is lost; `await using` leaves the agent at the end of a block. */
export class WorkerConnection implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #transport: Transport;
  readonly #end: NativeWorkerEnd;
  readonly #clock: RemoteClock;
  readonly #running = new Map<bigint, Running>();
  readonly #log: ReturnType<typeof logOf>;
  /** Hooks that are not offered: each is said once. */
  readonly #refused = new Set<string>();
  readonly #changed: () => void;
  #channel: Channel | null = null;
  /** Of the connection that stands: what comes of an earlier one does not count. */
  #number = 0;
  #state: RemoteState = "connecting";
  #reason: string | null = null;
  #waiting: (() => void)[] = [];
  #ended: Promise<void> = Promise.resolve();
  #acting = false;
  #offering = false;

  private constructor(
    engine: Engine,
    readonly address: string,
    transport: Transport,
    options: ConnectOptions,
  ) {
    this.#engine = engine;
    this.#transport = transport;
    this.#log = logOf(engine.logger);
    // The transport reads the others.
    const {
      tls: _tls,
      insecure: _insecure,
      group,
      name = group ?? programName(),
      ...bounds
    } = options;
    this.#end = callNative(() => new NativeWorkerEnd({ ...bounds, name }));
    this.#clock = new RemoteClock((now) => {
      this.#end.tick(now, random());
      this.#act();
    });
    // The depth of an event comes with it, however handlers overlap.
    countExactly();
    this.#changed = () => {
      this.#offerSoon();
    };
    engine.watchers.add(this.#changed);
    this.#offer();
    this.#act();
  }

  /** @internal */
  static open(
    engine: Engine,
    address: string,
    transport: Transport,
    options: ConnectOptions,
  ): WorkerConnection {
    return new WorkerConnection(engine, address, transport, options);
  }

  /** How the worker stands with its agent. */
  get state(): RemoteState {
    return this.#state;
  }

  /** Why it is closed; `null` until then. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Waits until the client's hooks are in force at the agent; rejects with `invalid_option` where it ended before. */
  async ready(): Promise<void> {
    await this.#until((state) => state === "ready" || state === "closed");
    if (this.#state !== "closed") return;
    const why = `the address \`${this.address}\` cannot be used: ${this.#reason ?? "it was closed"}`;
    throw errorOf("invalid_option", why);
  }

  /** Leaves the agent: the hooks go at once, and handlers that run end first, in so many milliseconds at most. */
  async close(timeout?: number): Promise<void> {
    this.#end.leave();
    this.#act();
    const closed = this.#until((state) => state === "closed");
    await (timeout === undefined ? closed : within(timeout, closed));
    if (this.#state !== "closed") {
      const reason = new DOMException("the worker was closed", "AbortError");
      for (const { run } of this.#running.values()) run.cancel(reason);
      this.#running.clear();
      this.#number++;
      this.#channel?.destroy();
      this.#end.lost("the worker was closed", this.#clock.now(), random());
      this.#act();
    }
    await within(LAST_WORDS, this.#ended);
    this.#channel?.destroy();
  }

  /** Leaves the agent at the end of a block: `await using connection = await client.connect(…)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #until(holds: (state: RemoteState) => boolean): Promise<void> {
    while (!holds(this.#state)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #offerSoon(): void {
    if (this.#offering) return;
    this.#offering = true;
    queueMicrotask(() => {
      this.#offering = false;
      if (this.#state === "closed") return;
      this.#offer();
      this.#act();
    });
  }

  #offer(): void {
    const { offers, refused } = this.#engine.native.offers();
    for (const why of refused) {
      if (!this.#refused.has(why)) this.#log("warning", why);
      this.#refused.add(why);
    }
    callNative(() => {
      this.#end.offer(offers, this.#clock.now());
    });
  }

  /** Does what the machine wants, until it wants nothing more. */
  #act(): void {
    if (this.#acting) return;
    this.#acting = true;
    try {
      for (;;) {
        const actions = this.#end.actions();
        if (actions.length === 0) break;
        for (const action of actions) this.#do(action);
      }
    } finally {
      this.#acting = false;
    }
    if (this.#state !== "closed") this.#clock.due(this.#end.nextDeadline());
  }

  #do(action: NativeWorkerAction): void {
    const { kind, message, text = "", dispatch, state, level = "info" } = action;
    switch (kind) {
      case "connect":
        void this.#connect();
        break;
      case "send":
        if (message !== undefined) this.#send(message);
        break;
      case "close":
        this.#endChannel();
        break;
      case "run":
        this.#run(action);
        break;
      case "cancel":
        if (dispatch !== undefined) this.#cancel(dispatch);
        break;
      case "state":
        if (state !== undefined) this.#enter(state, text);
        break;
      case "log":
        this.#log(level, text);
        break;
    }
  }

  async #connect(): Promise<void> {
    const number = ++this.#number;
    const lost = (why: string): void => {
      if (number !== this.#number) return;
      this.#number++;
      this.#channel = null;
      this.#end.lost(why, this.#clock.now(), random());
      this.#act();
    };
    try {
      const channel = await this.#transport.connect({
        message: (bytes) => {
          if (number !== this.#number) return;
          this.#end.receive(bytes, this.#clock.now(), random());
          this.#act();
        },
        unreadable: (why) => {
          this.#channel?.destroy();
          lost(why);
        },
        lost,
      });
      if (number !== this.#number) {
        channel.destroy();
        return;
      }
      this.#channel = channel;
      this.#end.opened(this.#clock.now());
      this.#act();
    } catch (error) {
      lost(describe(error));
    }
  }

  #send(message: Uint8Array): void {
    const channel = this.#channel;
    if (channel === null || channel.send(message)) return;
    this.#number++;
    this.#channel = null;
    channel.destroy();
    this.#end.lost("the agent does not read what is sent", this.#clock.now(), random());
  }

  #endChannel(): void {
    const channel = this.#channel;
    this.#number++;
    this.#channel = null;
    if (channel === null) return;
    this.#ended = within(LAST_WORDS, channel.end()).then(() => {
      channel.destroy();
    });
  }

  #run(action: NativeWorkerAction): void {
    const { dispatch, hook = "", text = "{}", depth = 0, traceParent, traceState, at } = action;
    if (dispatch === undefined) return;
    const run = new OfferedRun(this.#engine, (completion) => {
      this.#running.delete(dispatch);
      callNative(() => {
        this.#end.answered(dispatch, completion);
      });
      this.#act();
    });
    this.#running.set(dispatch, { run, since: this.#clock.now(), until: at ?? Infinity });
    const place = {
      ...(traceParent === undefined ? {} : { parent: traceParent }),
      ...(traceState === undefined ? {} : { state: traceState }),
    };
    run.start({ hook, text, depth, ...place });
  }

  #cancel(dispatch: bigint): void {
    const running = this.#running.get(dispatch);
    if (running === undefined) return;
    this.#running.delete(dispatch);
    const { run, since, until } = running;
    const isLate = this.#clock.now() >= until;
    run.cancel(
      isLate
        ? timeoutReason(until - since)
        : new DOMException("the agent does not wait any longer", "AbortError"),
    );
  }

  #enter(state: RemoteState, reason: string): void {
    this.#state = state;
    if (state === "ready") this.#log("info", "the agent has the worker's hooks");
    if (state === "closed") {
      this.#reason = reason;
      this.#clock.stop();
      this.#engine.watchers.delete(this.#changed);
    }
    for (const go of this.#waiting.splice(0)) go();
  }
}

/** A number that no other worker draws at the same time. */
function random(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

/** The name of the program's file, as far as a worker may be called so. */
function programName(): string {
  const file = process.argv[1] ?? process.execPath;
  const name = basename(file, extname(file)).replace(/[^A-Za-z0-9._-]/g, "");
  return name.slice(0, 64) || "worker";
}
