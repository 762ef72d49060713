/** What clients leave in memory. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { runModule } from "./support/tools.js";

/** Megabytes by which a process may grow; a client that is not given back holds some twenty kilobytes. */
const MOST = 40;

describe("clients that come and go", () => {
  for (const [name, each] of [
    ["within one turn of the event loop", "await client.close();"],
    ["without being closed", "await new Promise((resolve) => setImmediate(resolve));"],
  ] as const) {
    test(`${name} leave a process as large as it was`, async () => {
      const done = await runModule(`
        import { HookClient } from "hookweave";
        const size = () => process.memoryUsage().rss / 1e6;
        const block = { matcher: { tool: "Bash" }, handler: () => ({ action: "block" }) };
        const come = async (clients) => {
          for (let i = 0; i < clients; i++) {
            const client = new HookClient({ logger: null });
            client.registerHook("PreToolUse", block);
            await client.dispatch("PreToolUse", { tool: "Bash", args: { command: "ls" } });
            await client.dispatch("PreToolUse", { tool: "Read", args: {} });
            ${each}
          }
        };
        await come(4000);
        const before = size();
        await come(6000);
        console.log(Math.round(size() - before));
      `);
      assert.equal(done.code, 0, done.err);
      assert.ok(Number(done.out) < MOST, `the process grew by ${done.out.trim()} MB`);
    });
  }
});
