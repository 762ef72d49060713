/** A process that ends inside a hook: the log names the hook. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { audit, type AuditRecord } from "hookweave";

import { LIMIT } from "./support/tools.js";

const PROGRAM = `
import { writeFileSync } from "node:fs";
import { HookClient } from ${JSON.stringify(import.meta.resolve("hookweave"))};

const [folder, kind] = process.argv.slice(1);
const client = new HookClient({ audit: { file: folder + "/audit.jsonl", level: "verbose" } });
client.registerHook("PreToolUse", { name: "harmless", handler: () => undefined });
const ends = () => {
  process.kill(process.pid, "SIGKILL");
  for (;;);
};
if (kind === "command") {
  writeFileSync(folder + "/deadly.sh", "kill -9 " + process.pid + "; sleep 5");
  const hook = { type: "command", command: "sh " + folder + "/deadly.sh" };
  writeFileSync(folder + "/hooks.json", JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
  client.load(folder + "/hooks.json", { dialect: "claude-code", strict: true });
} else {
  const handler = kind === "function" ? ends : () => Promise.resolve().then(ends);
  client.registerHook("PreToolUse", { name: "deadly", handler });
}
await client.dispatch("PreToolUse", { tool: "Bash", args: { command: "ls" }, sessionId: "s1" });
`;

for (const kind of ["function", "promise", "command"]) {
  await test(`the hook in which a process was killed is on record: ${kind}`, (context) => {
    const folder = mkdtempSync(join(tmpdir(), "hookweave-"));
    context.after(() => {
      rmSync(folder, { recursive: true });
    });
    const program = ["--input-type=module", "--eval", PROGRAM, folder, kind];
    const ended = spawnSync(process.execPath, program, { timeout: LIMIT, encoding: "utf8" });
    assert.equal(ended.signal, "SIGKILL", ended.stderr);
    const log = join(folder, "audit.jsonl");
    const records = readFileSync(log, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as AuditRecord);
    const last = records.at(-1);
    assert.deepEqual(
      [last?.kind, last?.event, last?.session],
      ["hook_started", "PreToolUse", "s1"],
    );
    const began = records.filter((record) => record.kind === "hook_started");
    // Hooks of files run before those of programs.
    assert.deepEqual(
      began.map(({ hook }) => hook?.replace(".sh", "")),
      kind === "command" ? ["deadly"] : ["harmless", "deadly"],
    );
    assert.ok(audit.verify(log).whole);
  });
}
