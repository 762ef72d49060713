/** An agent's connection to its groups, which is made again when it is lost. */

import { describe } from "./errors.js";
import type { NativeFleetAction, NativeFleetAgent } from "./native.js";
import { NatsEnd, type Log, type Server } from "./remote-nats-end.js";
import type { NatsEntry } from "./remote-nats-types.js";
import type { Arrivals, Channel } from "./remote-transport.js";

/** The status of a message that the server sends where nobody takes what was published. */
const NOBODY = 503;

export class NatsAgent extends NatsEnd<NativeFleetAgent> {
  readonly #arrivals = new Map<string, Arrivals>();
  readonly #accept: (channel: Channel) => Arrivals;
  readonly #connect: () => Promise<Server>;

  constructor(
    machine: NativeFleetAgent,
    accept: (channel: Channel) => Arrivals,
    connect: () => Promise<Server>,
    log: Log,
  ) {
    super(machine, log);
    this.#accept = accept;
    this.#connect = connect;
  }

  /** Connects for the first time; rejects where that fails. */
  async open(): Promise<void> {
    // It wants to connect, which is what follows.
    this.machine.actions();
    await this.#stand();
  }

  protected override do({ kind, group = "", message, text = "" }: NativeFleetAction): void {
    switch (kind) {
      case "connect":
        this.#stand().catch((error: unknown) => {
          this.#lost(describe(error));
        });
        break;
      case "open":
        this.#arrivals.set(group, this.#accept(this.#channel(group)));
        break;
      case "deliver":
        if (message !== undefined) this.#arrivals.get(group)?.message(message);
        break;
      case "lost": {
        const arrivals = this.#arrivals.get(group);
        this.#arrivals.delete(group);
        arrivals?.lost(text);
        break;
      }
    }
  }

  #channel(group: string): Channel {
    const end = (): void => {
      this.#arrivals.delete(group);
      this.machine.closed(group, this.clock.now());
      this.act();
    };
    return {
      send: (message) => {
        this.machine.sent(group, message, this.clock.now());
        // The agent hears of it after what it does now, as over any connection.
        queueMicrotask(() => {
          this.act();
        });
        return true;
      },
      end: () => {
        end();
        return Promise.resolve();
      },
      destroy: () => undefined,
    };
  }

  #lost(why: string): void {
    if (this.isOver) return;
    this.machine.lost(why, this.clock.now(), Math.floor(Math.random() * 2 ** 32));
    this.act();
  }

  async #stand(): Promise<void> {
    const server = await this.#connect();
    const { connection, bucket } = server;
    try {
      const inbox = `_INBOX.${crypto.randomUUID()}`;
      connection.subscribe(`${inbox}.*`, {
        callback: (_, { headers, subject, data }) => {
          if (headers?.code === NOBODY) this.machine.unanswered(subject);
          else this.machine.replied(subject, data, this.clock.now());
          this.act();
        },
      });
      const key = this.machine.keys();
      const watched = await bucket.watch({ key });
      // A bucket without workers has nothing to tell.
      const known = await bucket.keys(key);
      const isEmpty = (await known[Symbol.asyncIterator]().next()).done === true;
      known.stop();
      if (this.isOver) throw new Error("the agent closes");
      this.machine.connected(inbox, connection.info?.max_payload ?? 1024 * 1024);
      this.use(server, (why) => {
        this.#lost(why);
      });
      await new Promise<void>((resolve) => {
        const told = (): void => {
          this.machine.hasAll();
          this.act();
          resolve();
        };
        if (isEmpty) told();
        void this.#watch(watched, isEmpty ? null : told).then(resolve);
      });
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Tells the machine what the bucket has; `told` is called once when that is all. */
  async #watch(watched: AsyncIterable<NatsEntry>, told: (() => void) | null): Promise<void> {
    let last = told;
    for await (const { key, operation, value, isUpdate, delta } of watched) {
      this.machine.entry(key, operation === "PUT" ? value : undefined, this.clock.now());
      this.act();
      if (last !== null && (isUpdate || delta === 0)) {
        last();
        last = null;
      }
    }
  }
}
