/** Agents and workers of the tests. */

import { spawn, type ChildProcess } from "node:child_process";
import type { TestContext } from "node:test";

import type { HookClient, Outcome } from "hookweave";

import type { Folder } from "./files.js";
import { bash, LIMIT, packageFolder, until } from "./tools.js";

/** The ways between agents and workers. */
export const ways =
  process.platform === "win32" ? (["grpc"] as const) : (["unix", "grpc"] as const);
export type Way = (typeof ways)[number];

/** An address that nobody listens at yet; of a port, the system chooses one. */
export function addressOf(way: Way, folder: Folder): string {
  return way === "unix" ? `unix://${folder.at("hooks.sock")}` : "grpc://127.0.0.1:0";
}

/** A worker in a process of its own. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  #out = "";

  /** `hooks` registers hooks at `client`; what it prints arrives in `said`. */
  constructor(t: TestContext, address: string, hooks: string, options = "{ name: 'w' }") {
    const text = `
      import { HookClient, HookResponse } from "hookweave";
      const client = new HookClient({ logger: null, defaultTimeout: null });
      ${hooks}
      const connection = await client.connect(${JSON.stringify(address)}, ${options});
      await connection.ready();
      console.log("ready");
    `;
    this.#child = spawn(process.execPath, ["--input-type=module", "--eval", text], {
      cwd: packageFolder,
      stdio: ["ignore", "pipe", "inherit"],
      timeout: LIMIT,
    });
    this.#child.stdout?.on("data", (data: Buffer) => (this.#out += data.toString()));
    t.after(() => this.#child.kill("SIGKILL"));
  }

  /** Waits until it has said a word. */
  said(word: string): Promise<void> {
    return until(() => this.#out.split("\n").includes(word));
  }

  async kill(): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }
}

/** Dispatches a call of Bash. */
export function dispatch(client: HookClient, command = "ls"): Promise<Outcome<"PreToolUse">> {
  return client.dispatch("PreToolUse", { ...bash, args: { command }, sessionId: "s" });
}

/** What an outcome says, without what differs between any two runs. */
export function shown(outcome: Outcome<"PreToolUse">): unknown {
  const { decision, reason, injections, messages, trace } = outcome;
  return {
    decision,
    reason,
    args: { ...outcome.event.args },
    injections: injections.map(({ content, role }) => ({ content, role })),
    messages: messages.map(({ text, level }) => ({ text, level })),
    asks: outcome.asks.map(({ prompt }) => prompt),
    trace: trace.map(({ hook, status, failure }) => ({
      hook: hook.split("/").at(-1),
      status,
      failure: failure && { kind: failure.kind, message: failure.message, became: failure.became },
    })),
  };
}
