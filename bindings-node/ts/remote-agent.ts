/** A client as an agent: it takes workers, and their hooks are hooks of its own. */

import type { Engine } from "./engine.js";
import { describe } from "./errors.js";
import { callNative, NativeHub, type NativeHubAction } from "./native.js";
import { countExactly, depthNow } from "./nesting.js";
import { readCompletion, withJsonEvent, type JsonEvent } from "./outside-hooks.js";
import type { HookContext } from "./registration.js";
import { RemoteClock } from "./remote-clock.js";
import { logOf } from "./remote-log.js";
import type { Arrivals, Channel, Listening, Transport } from "./remote-transport.js";
import { LAST_WORDS } from "./remote-transport.js";
import type { ServeOptions, WorkerInfo } from "./remote-types.js";
import { within } from "./timers.js";
import { traceContext } from "./trace-context.js";

/** An agent's open address; `await using` closes it at the end of a block. */
export class ServingWorkers implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #hub: NativeHub;
  readonly #clock: RemoteClock;
  readonly #channels = new Map<number, Channel>();
  /** The client's ids of registrations. */
  readonly #hooks = new Map<number, string>();
  /** Who waits for calls. */
  readonly #calls = new Map<number, (completion: string) => void>();
  readonly #log: ReturnType<typeof logOf>;
  #listening: Listening | null = null;
  #closing: Promise<void> | null = null;
  #acting = false;
  #ending: Promise<void>[] = [];

  private constructor(engine: Engine, options: ServeOptions) {
    this.#engine = engine;
    this.#log = logOf(engine.logger);
    // The transport reads the others.
    const { tls: _tls, insecure: _insecure, groups: _groups, grants, ...bounds } = options;
    const { events, ...granted } = grants ?? {};
    this.#hub = callNative(
      () =>
        new NativeHub(engine.native, {
          ...bounds,
          grants: { ...granted, ...(events === undefined ? {} : { events: [...events] }) },
        }),
    );
    this.#clock = new RemoteClock((now) => {
      this.#hub.tick(now);
      this.#act();
    });
    // Its listener keeps the process alive.
    this.#clock.unref();
  }

  /** @internal */
  static async open(
    engine: Engine,
    transport: Transport,
    options: ServeOptions,
  ): Promise<ServingWorkers> {
    const serving = new ServingWorkers(engine, options);
    // The depth of an event goes with it, however dispatches overlap.
    countExactly();
    serving.#listening = await transport.listen(
      (channel) => serving.#accept(channel),
      (why) => {
        serving.#log("error", `no connection was accepted: ${why}`);
      },
    );
    return serving;
  }

  /** Where it listens, with the port that the system has chosen for port 0. */
  get address(): string {
    return this.#listening?.address ?? "";
  }

  get state(): "serving" | "closed" {
    return this.#closing === null ? "serving" : "closed";
  }

  /** The workers that are known, by name, those that are lost included. */
  get workers(): WorkerInfo[] {
    return this.#hub.workers();
  }

  /** Closes the address and every connection; the workers' hooks go, and calls on their way fail. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Closes it at the end of a block: `await using serving = await client.serve(…)`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#hub.close();
    this.#act();
    const left = [...this.#channels.values()];
    await this.#listening?.close();
    await within(LAST_WORDS, Promise.all(this.#ending));
    for (const channel of left) channel.destroy();
    this.#clock.stop();
  }

  #accept(channel: Channel): Arrivals {
    const connection = this.#hub.opened(this.#clock.now());
    this.#channels.set(connection, channel);
    this.#act();
    return {
      message: (bytes) => {
        this.#hub.receive(connection, bytes, this.#clock.now());
        this.#act();
      },
      unreadable: (why) => {
        this.#hub.unreadable(connection, why);
        this.#act();
      },
      lost: (why) => {
        this.#channels.delete(connection);
        this.#hub.lost(connection, why);
        this.#act();
      },
    };
  }

  /** Does what the hub wants, until it wants nothing more. */
  #act(): void {
    // What is done may lead to more, which the loop that runs finds.
    if (this.#acting) return;
    this.#acting = true;
    try {
      for (;;) {
        const actions = this.#hub.actions();
        if (actions.length === 0) break;
        for (const action of actions) this.#do(action);
      }
    } finally {
      this.#acting = false;
    }
    this.#clock.due(this.#hub.nextDeadline());
  }

  #do({ kind, number, message, text = "", level = "info" }: NativeHubAction): void {
    switch (kind) {
      case "send":
        if (message !== undefined) this.#send(number, message);
        break;
      case "close":
        this.#end(number);
        break;
      case "register":
        this.#register(number);
        break;
      case "unregister":
        this.#unregister(number);
        break;
      case "finished":
        this.#calls.get(number)?.(text);
        this.#calls.delete(number);
        break;
      case "log":
        this.#log(level, text);
        break;
    }
  }

  #send(connection: number, message: Uint8Array): void {
    const channel = this.#channels.get(connection);
    if (channel === undefined || channel.send(message)) return;
    this.#channels.delete(connection);
    channel.destroy();
    this.#hub.lost(connection, "it does not read what is sent");
  }

  #end(connection: number): void {
    const channel = this.#channels.get(connection);
    if (channel === undefined) return;
    this.#channels.delete(connection);
    const ended = within(LAST_WORDS, channel.end()).then(() => {
      channel.destroy();
      this.#ending = this.#ending.filter((other) => other !== ended);
    });
    this.#ending.push(ended);
  }

  #register(registration: number): void {
    let refusal: string | undefined;
    try {
      const { native } = this.#engine;
      const { hook, limit } = callNative(() => this.#hub.register(native, registration));
      this.#hooks.set(registration, hook.id);
      const handler = this.#handler(registration, limit);
      this.#engine.adopt([{ hook, wakes: false, handler }]);
    } catch (error) {
      refusal = describe(error);
    }
    this.#hub.registered(registration, refusal);
  }

  #unregister(registration: number): void {
    const id = this.#hooks.get(registration);
    if (id === undefined) return;
    this.#hooks.delete(registration);
    this.#engine.native.unregister(id);
    this.#engine.forgetPlans();
  }

  /** The handler of a worker's hook. */
  #handler(registration: number, limit: number | undefined) {
    return async (event: object, { signal }: HookContext): Promise<unknown> => {
      const depth = depthNow();
      const { parent, state } = traceContext();
      const given = event as JsonEvent;
      const sent = {
        name: given.eventType,
        depth,
        ...(limit === undefined ? {} : { limit }),
        ...(parent === undefined ? {} : { traceParent: parent }),
        ...(state === undefined ? {} : { traceState: state }),
      };
      const text = withJsonEvent(() => given.toJson());
      const completion = await new Promise<string>((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        const now = this.#clock.now();
        const call = withJsonEvent(() =>
          callNative(() => this.#hub.call(registration, { ...sent, event: text }, now)),
        );
        const cancel = (): void => {
          this.#calls.delete(call);
          this.#hub.cancel(call, this.#clock.now());
          this.#act();
          reject(signal.reason);
        };
        signal.addEventListener("abort", cancel, { once: true });
        this.#calls.set(call, (ended) => {
          signal.removeEventListener("abort", cancel);
          resolve(ended);
        });
        this.#act();
      });
      return readCompletion(given.eventType, completion);
    };
  }
}
