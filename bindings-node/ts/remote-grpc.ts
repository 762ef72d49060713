/** Remote hooks over gRPC: the stream of the service's `HookStream` carries the messages as they are. */

import type * as Grpc from "@grpc/grpc-js";

import { createRequire } from "node:module";

import { codeFile } from "./code-file.js";
import { describe } from "./errors.js";
import { pems, refused } from "./remote-pems.js";
import { LAST_WORDS, MAX_UNWRITTEN } from "./remote-transport.js";
import type { Arrivals, Channel, Listening, Transport } from "./remote-transport.js";
import type { RemoteOptions } from "./remote-types.js";
import { within } from "./timers.js";

const STREAM = "/HookService/HookStream";

/** Beyond this, gRPC itself ends the stream; up to it the other side is told the limit. */
const HARD_LIMIT = 2;

const USUAL_LIMIT = 4 * 1024 * 1024;

const asIs = <T>(bytes: T): T => bytes;
const method = {
  path: STREAM,
  requestStream: true,
  responseStream: true,
  requestSerialize: asIs<Buffer>,
  requestDeserialize: asIs<Buffer>,
  responseSerialize: asIs<Buffer>,
  responseDeserialize: asIs<Buffer>,
} as const;

/** The program's gRPC; it is no part of this package. */
function load(address: string): typeof Grpc {
  try {
    // Not `import`: bundlers would want it of programs that do not use it.
    return createRequire(codeFile())("@grpc/grpc-js") as typeof Grpc;
  } catch (error) {
    const why = `gRPC needs the package \`@grpc/grpc-js\`: npm install @grpc/grpc-js (${describe(error)})`;
    throw refused(address, why, error);
  }
}

/** A host and a port that agents listen at. */
export class GrpcTransport implements Transport {
  readonly #grpc: typeof Grpc;
  readonly #options: RemoteOptions;
  readonly #limits: Readonly<Record<string, number>>;

  constructor(
    readonly address: string,
    readonly host: string,
    readonly isSecure: boolean,
    options: RemoteOptions,
  ) {
    this.#grpc = load(address);
    this.#options = options;
    this.#limits = {
      "grpc.max_receive_message_length": (options.maxMessage ?? USUAL_LIMIT) * HARD_LIMIT,
      "grpc.max_send_message_length": -1,
      // Each attempt is made when it is due, not when one before it has been forgotten.
      "grpc.use_local_subchannel_pool": 1,
    };
  }

  async check(): Promise<void> {
    await pems(this.address, this.#options.tls);
  }

  async listen(accept: (channel: Channel) => Arrivals): Promise<Listening> {
    const grpc = this.#grpc;
    const server = new grpc.Server(this.#limits);
    server.addService(
      { HookStream: method },
      {
        HookStream: (call: Grpc.ServerDuplexStream<Buffer, Buffer>) => {
          const cut = (): void => {
            if (!call.writableEnded) call.emit("error", { code: grpc.status.CANCELLED });
          };
          carry(call, accept(channelOf(call, "finish", cut)));
        },
      },
    );
    const credentials = await this.#serverCredentials(grpc);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(this.host, credentials, (error, bound) => {
        if (error === null) resolve(bound);
        else reject(refused(this.address, describe(error), error));
      });
    });
    return {
      address: this.address.replace(/:\d+$/, `:${String(port)}`),
      close: async () => {
        const ended = new Promise<void>((resolve) => {
          server.tryShutdown(() => {
            resolve();
          });
        });
        await within(LAST_WORDS, ended);
        server.forceShutdown();
      },
    };
  }

  async #serverCredentials(grpc: typeof Grpc): Promise<Grpc.ServerCredentials> {
    if (!this.isSecure) return grpc.ServerCredentials.createInsecure();
    const { ca, cert, key } = await pems(this.address, this.#options.tls);
    if (cert === null || key === null)
      throw refused(this.address, "grpcs needs tls.cert and tls.key");
    const pair = { cert_chain: cert, private_key: key };
    return grpc.ServerCredentials.createSsl(ca, [pair], ca !== null);
  }

  async connect(arrivals: Arrivals): Promise<Channel> {
    const grpc = this.#grpc;
    const { ca, cert, key } = await pems(this.address, this.#options.tls);
    const credentials = this.isSecure
      ? grpc.credentials.createSsl(ca, key, cert)
      : grpc.credentials.createInsecure();
    const client = new grpc.Client(this.host, credentials, this.#limits);
    const call = client.makeBidiStreamRequest(STREAM, asIs<Buffer>, asIs<Buffer>);
    call.on("status", () => {
      client.close();
    });
    carry(call, arrivals);
    // What was written has arrived when the agent has ended the call too.
    return channelOf(call, "status", () => {
      call.cancel();
      client.close();
    });
  }
}

type Stream = Grpc.ServerDuplexStream<Buffer, Buffer> | Grpc.ClientDuplexStream<Buffer, Buffer>;

/** Hands on what comes over a stream. */
function carry(stream: Stream, arrivals: Arrivals): void {
  let isLost = false;
  const lost = (why: string): void => {
    if (isLost) return;
    isLost = true;
    arrivals.lost(why);
  };
  stream.on("data", (bytes: Buffer) => {
    if (!isLost) arrivals.message(bytes);
  });
  stream.on("error", (error: Error) => {
    lost(describe(error));
  });
  stream.on("cancelled", () => {
    lost("the connection was closed");
  });
  stream.on("end", () => {
    stream.end();
    lost("the connection was closed");
  });
}

/** A stream's channel; `last` is the event after which nothing more is sent. */
function channelOf(stream: Stream, last: "finish" | "status", destroy: () => void): Channel {
  return {
    send: (message) => {
      if (stream.writableEnded || stream.destroyed) return true;
      stream.write(message as Buffer);
      return stream.writableLength <= MAX_UNWRITTEN;
    },
    end: () =>
      new Promise((resolve) => {
        stream.once(last, () => {
          resolve();
        });
        stream.once("error", () => {
          resolve();
        });
        stream.end();
      }),
    destroy,
  };
}
