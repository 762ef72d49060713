/** Small things that several tests need. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { HookClient, type ClientOptions } from "hookweave";

/** The package's folder; compiled tests lie in its build-tests. */
export const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** Whether everything runs, also what is slow or repeats something. */
export const all = process.env["HOOKWEAVE_TEST_ALL"] === "1";

/** Milliseconds that a test waits at most for what must come, however slow the machine is. */
export const PATIENCE = 120_000;

/** Milliseconds that a program of a test may run. */
export const LIMIT = 300_000;

/** Milliseconds that no test lasts: what waits so long in a program has to be ended. */
export const FOR_EVER = 900_000;

/** A client whose hooks may take any time. */
export function newClient(options: ClientOptions = {}): HookClient {
  return new HookClient({ defaultTimeout: null, ...options });
}

/** Such a client that logs no failures. */
export function quietClient(options: ClientOptions = {}): HookClient {
  return newClient({ logger: null, ...options });
}

export const bash = { tool: "Bash", args: { command: "ls" } } as const;

/** A promise that never settles. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Waits until a condition holds, and looks every so many milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, every = 5): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    assert.ok(performance.now() - began < PATIENCE, `waited in vain for ${String(condition)}`);
    await sleep(every);
  }
}

/** Tries what has times in it; where a busy machine is too slow for them, with longer ones. */
export async function atSomeScale(attempt: (scale: number) => Promise<void>): Promise<void> {
  for (const scale of [1, 10]) {
    try {
      await attempt(scale);
      return;
    } catch {
      // The last one tells.
    }
  }
  await attempt(100);
}

/** What a program did. */
export interface Finished {
  code: number | null;
  out: string;
  err: string;
}

/** Runs a program to its end; one that takes too long is ended and has no code. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? packageFolder,
      env: options.env ?? process.env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LIMIT,
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (data: Buffer) => (out += data.toString()));
    child.stderr.on("data", (data: Buffer) => (err += data.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      resolve({ code, out, err });
    });
  });
}

/** Runs a module's text in a Node process of its own, inside the package, so that it can import `hookweave`. */
export function runModule(text: string, flags: readonly string[] = []): Promise<Finished> {
  return runProgram(process.execPath, [...flags, "--input-type=module", "--eval", text]);
}
