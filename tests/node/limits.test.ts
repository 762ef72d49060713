// Commands in a process whose surroundings are against them, each in a process of its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test, type TestContext } from "node:test";

import { Folder } from "./support/files.js";
import { LIMIT } from "./support/tools.js";

const START = `
import { HookClient } from "hookweave";
const client = new HookClient();
client.load(process.env.GUARDS);
const dispatch = () => client.dispatch("PreToolUse", { tool: "Bash", args: { command: "ls" } });
`;

/** Runs a program behind the beginning of a shell's line; gives what it prints. */
function play(line: string, program: string, file: string): Promise<string> {
  const shell = `${line} "$0" --input-type=module --eval "$1"`;
  return new Promise((resolve, reject) => {
    const environment = { ...process.env, GUARDS: file };
    const given = ["-c", shell, process.execPath, START + program];
    execFile("sh", given, { env: environment, timeout: LIMIT }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr, { cause: error }));
      else resolve(stdout.trim());
    });
  });
}

describe(
  "commands",
  { skip: process.platform !== "linux" && "the limits are those of Linux" },
  () => {
    const guards = (t: TestContext): string =>
      new Folder(t).settings({ PreToolUse: [{ type: "command", command: "sleep 0.05; exit 2" }] });

    test("tell how they ended where SIGCHLD is ignored", async (t) => {
      const program = `
      const outcomes = await Promise.all([1, 2, 3, 4, 5].map(dispatch));
      console.log(outcomes.map((outcome) => outcome.decision).join(" "));
    `;
      const printed = await play("exec env --ignore-signal=CHLD", program, guards(t));
      assert.equal(printed, "block block block block block");
    });

    test("wait for descriptors", async (t) => {
      const program = `
      const outcomes = await Promise.all(Array.from({ length: 40 }, dispatch));
      console.log([...new Set(outcomes.map((outcome) => outcome.decision))].join(" "));
    `;
      assert.equal(await play("ulimit -n 64; exec", program, guards(t)), "block");
    });
  },
);
