/** One end of a fleet: a machine, its timer, and what it wants done at the server, one thing after the other. */

import { describe } from "./errors.js";
import type { NativeFleetAction } from "./native.js";
import { RemoteClock } from "./remote-clock.js";
import type { RemoteLevel } from "./remote-log.js";
import type { NatsBucket, NatsConnection, NatsSubscription } from "./remote-nats-types.js";

export type Log = (level: RemoteLevel, text: string) => void;

/** What both machines have. */
interface Machine {
  tick(now: number): void;
  nextDeadline(): number | null;
  actions(): NativeFleetAction[];
}

/** A connection to the server with the bucket of all workers. */
export interface Server {
  readonly connection: NatsConnection;
  readonly bucket: NatsBucket;
  /** Milliseconds that the bucket keeps an entry. */
  readonly ttl: number;
}

export abstract class NatsEnd<M extends Machine> {
  protected readonly machine: M;
  protected readonly clock: RemoteClock;
  readonly #log: Log;
  #server: Server | null = null;
  #subscriptions = new Map<string, NatsSubscription>();
  /** What is wanted at the server, in order; what is wanted of a connection that ended is not done. */
  #work: Promise<void> = Promise.resolve();
  #acting = false;
  #isOver = false;

  constructor(machine: M, log: Log) {
    this.machine = machine;
    this.#log = log;
    this.clock = new RemoteClock((now) => {
      this.machine.tick(now);
      this.act();
    });
  }

  /** Does what is not the server's. */
  protected abstract do(action: NativeFleetAction): void;
  /** Something came for a worker: a call, or that nobody waits for one. */
  protected called(_isCall: boolean, _reply: string, _data: Uint8Array): void {
    // An agent gets none.
  }
  /** The worker's entry was written. */
  protected stored(): void {
    // An agent writes none.
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Uses a connection until it ends, which `lost` is told. */
  protected use(server: Server, lost: (why: string) => void): void {
    this.#server = server;
    this.#subscriptions = new Map();
    void server.connection.closed().then((error) => {
      if (this.#server !== server) return;
      this.#server = null;
      lost(error instanceof Error ? describe(error) : "the server closed the connection");
    });
  }

  /** Does what the machine wants, until it wants nothing more. */
  act(): void {
    if (this.#acting) return;
    this.#acting = true;
    try {
      for (;;) {
        const actions = this.machine.actions();
        if (actions.length === 0) break;
        for (const action of actions) this.#do(action);
      }
    } finally {
      this.#acting = false;
    }
    if (!this.#isOver) this.clock.due(this.machine.nextDeadline());
  }

  #do(action: NativeFleetAction): void {
    const { kind, level = "info", text = "" } = action;
    if (kind === "log") {
      this.#log(level, text);
      return;
    }
    if (kind === "connect" || kind === "open" || kind === "deliver" || kind === "lost") {
      this.do(action);
      return;
    }
    const server = this.#server;
    if (server === null) return;
    if (kind === "publish") {
      this.#publish(server, action);
      return;
    }
    this.#work = this.#work
      .then(() => (this.#server === server ? this.#atServer(server, action) : undefined))
      .catch((error: unknown) => {
        this.#log("error", `the server did not do what was wanted: ${describe(error)}`);
        void server.connection.close();
      });
  }

  #publish({ connection }: Server, { subject = "", reply, message }: NativeFleetAction): void {
    if (connection.isClosed()) return;
    connection.publish(subject, message, reply === undefined ? {} : { reply });
  }

  async #atServer(
    { connection, bucket }: Server,
    { kind, subject = "", shared = false, message }: NativeFleetAction,
  ): Promise<void> {
    switch (kind) {
      case "subscribe":
        this.#subscribe(connection, subject, shared);
        break;
      case "unsubscribe":
        await this.#subscriptions.get(subject)?.drain();
        this.#subscriptions.delete(subject);
        break;
      case "put":
        // Whoever reads the entry may call at once.
        await connection.flush();
        await bucket.put(subject, message ?? new Uint8Array());
        this.stored();
        break;
      case "delete":
        await bucket.delete(subject);
        break;
      case "drain":
        await Promise.all(Array.from(this.#subscriptions.values(), (taken) => taken.drain()));
        this.#subscriptions.clear();
        break;
    }
  }

  #subscribe(connection: NatsConnection, subject: string, shared: boolean): void {
    const subscription = connection.subscribe(subject, {
      ...(shared ? { queue: "workers" } : {}),
      callback: (error, { reply, data }) => {
        if (error === null && reply !== undefined) this.called(shared, reply, data);
      },
    });
    this.#subscriptions.set(subject, subscription);
  }

  /** Ends it when all that is wanted is done. */
  async finish(): Promise<void> {
    await this.#work;
    const server = this.#server;
    this.#server = null;
    this.stop();
    if (server === null) return;
    await server.connection.flush().catch(() => undefined);
    await server.connection.close();
  }

  /** Ends it at once. */
  stop(): void {
    this.#isOver = true;
    this.clock.stop();
    const server = this.#server;
    this.#server = null;
    if (server !== null) void server.connection.close();
  }
}
