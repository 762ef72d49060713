/** Fleets over NATS: workers and agents meet at a server; neither end connects to the other. */

import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";

import { codeFile } from "./code-file.js";
import { describe } from "./errors.js";
import { callNative, fleetBucket, NativeFleetAgent, NativeFleetWorker } from "./native.js";
import { NatsAgent } from "./remote-nats-agent.js";
import type { Log, Server } from "./remote-nats-end.js";
import type { NatsPackages, NatsTls } from "./remote-nats-types.js";
import { NatsWorker } from "./remote-nats-worker.js";
import { pems, refused } from "./remote-pems.js";
import type { Arrivals, Channel, Listening, Transport } from "./remote-transport.js";
import { LAST_WORDS } from "./remote-transport.js";
import type { RemoteOptions } from "./remote-types.js";
import { within } from "./timers.js";

/** Milliseconds for a connection to stand. */
const PATIENCE = 10_000;
const USUAL_KEEPALIVE = 15_000;
const USUAL_PAYLOAD = 1024 * 1024;

function load(address: string): NatsPackages {
  try {
    // Not `import`: bundlers would want it of programs that do not use it.
    const require = createRequire(codeFile());
    const nats = require("@nats-io/transport-node") as NatsPackages["nats"];
    return { nats, kv: require("@nats-io/kv") as NatsPackages["kv"] };
  } catch (error) {
    const packages = "@nats-io/transport-node @nats-io/jetstream @nats-io/kv";
    const why = `NATS needs more packages: npm install ${packages} (${describe(error)})`;
    throw refused(address, why, error);
  }
}

/** Where the server is, and who the program is to it. */
export interface NatsAddress {
  readonly address: string;
  readonly server: string;
  readonly user?: string;
  readonly pass?: string;
}

/** Groups at a server. */
export class NatsTransport implements Transport {
  readonly #packages: NatsPackages;
  readonly #at: NatsAddress;
  readonly #groups: readonly string[];
  readonly #options: RemoteOptions;
  readonly #log: Log;
  readonly #instance = randomBytes(8).toString("hex");
  readonly #epoch = Date.now();

  constructor(at: NatsAddress, groups: readonly string[], options: RemoteOptions, log: Log) {
    this.#packages = load(at.address);
    this.#at = at;
    this.#groups = groups;
    this.#options = options;
    this.#log = log;
  }

  async check(): Promise<void> {
    await pems(this.#at.address, this.#options.tls);
    // A group that may not be called so is said at once.
    this.#worker({ bucketTtl: 1, maxPayload: 1 });
  }

  /** Connects to the server and opens the bucket, which the first that needs it makes. */
  async #connect(): Promise<Server> {
    const { nats, kv } = this.#packages;
    const { token, tls, keepalive = USUAL_KEEPALIVE } = this.#options;
    const { server: servers, user, pass } = this.#at;
    const connection = await nats.connect({
      servers,
      ...(user === undefined ? {} : { user }),
      ...(pass === undefined ? {} : { pass }),
      ...(token === undefined ? {} : { token }),
      tls: tls === undefined ? null : await this.#tls(),
      reconnect: false,
      timeout: PATIENCE,
      pingInterval: keepalive,
      maxPingOut: 1,
    });
    try {
      const { name, ttl } = fleetBucket();
      const bucket = await new kv.Kvm(connection).create(name, { ttl, history: 1 });
      return { connection, bucket, ttl: (await bucket.status()).ttl || ttl };
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #tls(): Promise<NatsTls> {
    const { ca, cert, key } = await pems(this.#at.address, this.#options.tls);
    return {
      // The client checks a certificate for the names of servers alone: at an IP address it would take one of localhost.
      host: new URL(this.#at.server).hostname.replace(/^\[|\]$/g, ""),
      ...(ca === null ? {} : { ca: ca.toString() }),
      ...(cert === null ? {} : { cert: cert.toString() }),
      ...(key === null ? {} : { key: key.toString() }),
    };
  }

  #worker(server: { bucketTtl: number; maxPayload: number; refusal?: string }): NativeFleetWorker {
    const { inFlight, maxMessage, keepalive } = this.#options;
    const settings = {
      group: this.#groups[0] ?? "",
      instance: this.#instance,
      epoch: this.#epoch,
      ...(inFlight === undefined ? {} : { inFlight }),
      ...(maxMessage === undefined ? {} : { maxMessage }),
      ...(keepalive === undefined ? {} : { keepalive }),
      ...server,
    };
    return callNative(() => new NativeFleetWorker(settings));
  }

  async connect(arrivals: Arrivals): Promise<Channel> {
    let server: Server;
    try {
      server = await this.#connect();
    } catch (error) {
      if (!(error instanceof this.#packages.nats.errors.AuthorizationError)) throw error;
      const refusal = `${describe(error)}; give the worker a token or a user that the server knows`;
      const machine = this.#worker({ bucketTtl: 1, maxPayload: 1, refusal });
      return new NatsWorker(machine, arrivals, this.#log, null);
    }
    const maxPayload = server.connection.info?.max_payload ?? USUAL_PAYLOAD;
    const machine = this.#worker({ bucketTtl: server.ttl, maxPayload });
    return new NatsWorker(machine, arrivals, this.#log, server);
  }

  async listen(accept: (channel: Channel) => Arrivals): Promise<Listening> {
    const { token, keepalive, maxMessage } = this.#options;
    const settings = {
      groups: [...this.#groups],
      ...(token === undefined ? {} : { token }),
      ...(keepalive === undefined ? {} : { keepalive }),
      ...(maxMessage === undefined ? {} : { maxMessage }),
    };
    const machine = callNative(() => new NativeFleetAgent(settings));
    const agent = new NatsAgent(machine, accept, () => this.#connect(), this.#log);
    try {
      await agent.open();
    } catch (error) {
      agent.stop();
      throw refused(this.#at.address, describe(error), error);
    }
    return {
      address: this.#at.server,
      close: async () => {
        await within(LAST_WORDS, agent.finish());
        agent.stop();
      },
    };
  }
}
