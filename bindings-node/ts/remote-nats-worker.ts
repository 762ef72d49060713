/** A worker's connection to its group. */

import type { NativeFleetAction, NativeFleetWorker } from "./native.js";
import { NatsEnd, type Log, type Server } from "./remote-nats-end.js";
import type { Arrivals, Channel } from "./remote-transport.js";

export class NatsWorker extends NatsEnd<NativeFleetWorker> implements Channel {
  #arrivals: Arrivals | null;

  /** A worker that the server refuses has none. */
  constructor(machine: NativeFleetWorker, arrivals: Arrivals, log: Log, server: Server | null) {
    super(machine, log);
    this.#arrivals = arrivals;
    if (server === null) return;
    this.use(server, (why) => {
      const lost = this.#arrivals;
      this.#arrivals = null;
      this.stop();
      lost?.lost(why);
    });
  }

  send(message: Uint8Array): boolean {
    this.machine.sent(message, this.clock.now());
    this.act();
    return true;
  }

  async end(): Promise<void> {
    this.#arrivals = null;
    this.machine.end();
    this.act();
    await this.finish();
  }

  destroy(): void {
    this.#arrivals = null;
    this.stop();
  }

  protected override do({ kind, message }: NativeFleetAction): void {
    if (kind !== "deliver" || message === undefined) return;
    // The worker is told after what it sends, as over any connection.
    queueMicrotask(() => this.#arrivals?.message(message));
  }

  protected override called(isCall: boolean, reply: string, data: Uint8Array): void {
    if (isCall) this.machine.called(reply, data, this.clock.now());
    else this.machine.cancelled(reply);
    this.act();
  }

  protected override stored(): void {
    this.machine.stored();
    this.act();
  }
}
