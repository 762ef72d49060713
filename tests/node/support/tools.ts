/** Small things that several tests need. */

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { HookClient, type ClientOptions } from "hookweave";

/** The package's folder; compiled tests lie in its build-tests. */
export const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** A client that logs no failures. */
export function quietClient(options: ClientOptions = {}): HookClient {
  return new HookClient({ logger: null, ...options });
}

export const bash = { tool: "Bash", args: { command: "ls" } } as const;

/** A promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Waits until a condition holds; the test's own timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

/** What a program did. */
export interface Finished {
  code: number | null;
  out: string;
  err: string;
  seconds: number;
}

/** Runs a program to its end. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; limit?: number } = {},
): Promise<Finished> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? packageFolder,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: options.limit ?? 30_000,
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (data: Buffer) => (out += data.toString()));
    child.stderr.on("data", (data: Buffer) => (err += data.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, out, err, seconds: (performance.now() - began) / 1000 });
    });
  });
}

/** Runs a module's text in a Node process of its own, inside the package, so that it can import `hookweave`. */
export function runModule(text: string, flags: readonly string[] = []): Promise<Finished> {
  return runProgram(process.execPath, [...flags, "--input-type=module", "--eval", text]);
}
