/** Examples from A3S's documentation: compiled as their reader would, and run with what they leave out. */

import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { A3sClient } from "hookweave/compat/a3s";

import { packageFolder, runProgram } from "./tools.js";

/** What other systems document; compiled tests lie in bindings-node/build-tests/support. */
export const systems = fileURLToPath(new URL("../../../tests/compat/", import.meta.url));

/** A3S's examples. */
export const examples = path.join(systems, "a3s");

/** What the examples use without saying where it comes from. */
const AMBIENT = `
import type * as a3s from "hookweave/compat/a3s";
declare global {
  const client: a3s.A3sClient;
  const handler: a3s.HookHandler<"PreToolUse">;
  function calculateCost(model: a3s.ModelConfig, tokens: number): number;
  function showConfirmationDialog(dialog: { title: string; message: string; timeout: number }): Promise<boolean>;
  type PreToolUseEvent = a3s.PreToolUseEvent;
  type HookEventType = a3s.HookEventType;
  type ToolArgs = a3s.ToolArgs;
  type TokenUsage = a3s.TokenUsage;
  type ModelConfig = a3s.ModelConfig;
  type ToolCall = a3s.ToolCall;
  type ModifiedData = a3s.ModifiedData;
}
`;

const require = createRequire(import.meta.url);

/** A project in which the examples are compiled. */
export class Documented {
  readonly #folder = mkdtempSync(path.join(tmpdir(), "hookweave-a3s-"));

  constructor(names: readonly string[]) {
    this.write("package.json", `{ "private": true, "type": "commonjs" }`);
    this.write("ambient.d.ts", AMBIENT);
    for (const name of names) cpSync(path.join(examples, `${name}.ts`), this.#at(`${name}.ts`));
    mkdirSync(this.#at("node_modules"));
    symlinkSync(packageFolder, this.#at("node_modules/hookweave"), "junction");
  }

  #at(name: string): string {
    return path.join(this.#folder, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.#at(name), text);
  }

  /** Writes an example once more, this time with its types for others to use. */
  exporting(example: string, types: readonly string[], name: string): void {
    const text = readFileSync(this.#at(`${example}.ts`), "utf8");
    this.write(`${name}.ts`, `${text}\nexport type { ${types.join(", ")} };\n`);
  }

  /** Compiles files strictly; gives what the compiler complains about. */
  async compile(...names: string[]): Promise<string[]> {
    const compiler = path.join(packageFolder, "node_modules", "typescript", "bin", "tsc");
    const types = path.join(packageFolder, "node_modules", "@types");
    const flags =
      "--strict --target es2022 --lib es2023,esnext.disposable --module nodenext --moduleDetection force " +
      "--outDir out --rootDir . --pretty false --types node --typeRoots";
    const files = ["ambient.d.ts", ...names.map((name) => `${name}.ts`)];
    const { out, err } = await runProgram(
      process.execPath,
      [compiler, ...flags.split(" "), types, ...files],
      { cwd: this.#folder },
    );
    assert.equal(err, "");
    return out.split("\n").filter((line) => line !== "");
  }

  /** Runs a compiled example among the given names; gives the client that it has used. */
  run(name: string, given: Readonly<Record<string, unknown>>): A3sClient {
    const text = readFileSync(this.#at(`out/${name}.js`), "utf8");
    const names = { require, exports: {}, ...given };
    // The example is a script of its own: in a block, so that it may declare what it is given.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const run = new Function(...Object.keys(names), `{${text}\nreturn client;}`) as (
      ...values: unknown[]
    ) => A3sClient;
    return run(...Object.values(names));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
