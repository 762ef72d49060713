/** Remote hooks over Unix sockets: each message behind its length. */

import { chmod, lstat, unlink } from "node:fs/promises";
import type * as Net from "node:net";
import type { Server, Socket } from "node:net";

import { codeOf, describe, errorOf } from "./errors.js";
import { NativeFrames } from "./native.js";
import { MAX_UNWRITTEN } from "./remote-transport.js";
import type { Arrivals, Channel, Listening, Transport } from "./remote-transport.js";

/** Loaded when it is needed: most programs connect to nothing. */
const net = (): Promise<typeof Net> => import("node:net");

/** The bytes of a length. */
const LENGTH = 4;

/** A path that agents listen at. */
export class UnixTransport implements Transport {
  readonly #address: string;
  readonly #path: string;
  readonly #maxMessage: number | undefined;

  constructor(address: string, path: string, maxMessage: number | undefined) {
    this.#address = address;
    this.#path = path;
    this.#maxMessage = maxMessage;
  }

  async listen(
    accept: (channel: Channel) => Arrivals,
    failed: (why: string) => void,
  ): Promise<Listening> {
    const { createServer } = await net();
    const server = createServer((socket) => {
      carry(socket, accept(channelOf(socket)), this.#maxMessage);
    });
    try {
      await this.#bind(server);
      await chmod(this.#path, 0o600);
    } catch (error) {
      server.close();
      const why = `${describe(error)}; choose a folder that exists and is yours`;
      throw errorOf("invalid_option", `the address \`${this.#address}\` cannot be used: ${why}`, {
        cause: error,
      });
    }
    server.on("error", (error) => {
      failed(describe(error));
    });
    return {
      address: this.#address,
      close: () => {
        // Its callback would wait for connections, which their channels end.
        server.close();
        return Promise.resolve();
      },
    };
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  async #bind(server: Server): Promise<void> {
    try {
      await listen(server, this.#path);
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE" || !(await isLeftBehind(this.#path))) throw error;
      await unlink(this.#path);
      await listen(server, this.#path);
    }
  }

  async connect(arrivals: Arrivals): Promise<Channel> {
    const { uid } = await lstat(this.#path);
    const own = process.geteuid?.();
    if (uid !== 0 && uid !== own) {
      throw new Error(
        "another user's process listens there; run the agent as the worker's user, or as root",
      );
    }
    const socket = await opened(this.#path);
    carry(socket, arrivals, this.#maxMessage);
    return channelOf(socket);
  }
}

/** Binds a socket for this user alone: the mode is there before anybody can connect. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const mask = maskOthers();
    try {
      server.listen({ path }, () => {
        server.off("error", reject);
        resolve();
      });
    } finally {
      if (mask !== null) process.umask(mask);
    }
  });
}

/** Files that are made now are for this user alone; `null` in a thread, which cannot set that of its process. */
function maskOthers(): number | null {
  try {
    return process.umask(0o177);
  } catch {
    return null;
  }
}

/** Whether a path is a socket that a process left behind when it was killed. */
async function isLeftBehind(path: string): Promise<boolean> {
  if (!(await lstat(path)).isSocket()) return false;
  try {
    (await opened(path)).destroy();
    return false;
  } catch (error) {
    return codeOf(error) === "ECONNREFUSED";
  }
}

async function opened(path: string): Promise<Socket> {
  const { connect } = await net();
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Hands on what comes over a socket. */
function carry(socket: Socket, arrivals: Arrivals, maxMessage: number | undefined): void {
  const frames = new NativeFrames(maxMessage);
  let why = "the connection was closed";
  const read = (chunk: Buffer): void => {
    const { messages, refusal } = frames.push(chunk);
    for (const message of messages) arrivals.message(message);
    if (refusal === undefined) return;
    socket.off("data", read);
    socket.resume();
    arrivals.unreadable(refusal);
  };
  socket.on("data", read);
  socket.on("error", (error) => {
    why = describe(error);
  });
  socket.on("close", () => {
    arrivals.lost(why);
  });
}

function channelOf(socket: Socket): Channel {
  return {
    send: (message) => {
      const framed = Buffer.allocUnsafe(LENGTH + message.length);
      framed.writeUInt32BE(message.length);
      framed.set(message, LENGTH);
      socket.write(framed);
      return socket.writableLength <= MAX_UNWRITTEN;
    },
    end: () =>
      new Promise((resolve) => {
        socket.once("close", () => {
          resolve();
        });
        socket.end(() => socket.destroy());
        if (socket.destroyed) resolve();
      }),
    destroy: () => {
      socket.destroy();
    },
  };
}
