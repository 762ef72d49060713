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

  test("keep little for their counts, and nothing of it when they are closed", async () => {
    const done = await runModule(
      `
      import { HookClient } from "hookweave";
      const CLIENTS = 500;
      const turns = async () => {
        for (let i = 0; i < 5; i++) {
          gc();
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const held = async () => {
        await turns();
        return process.memoryUsage().arrayBuffers / CLIENTS;
      };
      const before = await held();
      const clients = Array.from({ length: CLIENTS }, () => new HookClient({ logger: null }));
      for (const client of clients) {
        client.registerHook("PreToolUse", () => undefined);
        await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      }
      const open = await held();
      for (const client of clients) await client.close();
      const closed = await held();
      console.log(JSON.stringify([open - before, closed - before]), clients.length);
      `,
      ["--expose-gc"],
    );
    assert.equal(done.code, 0, done.err);
    const [open, closed] = JSON.parse(done.out.split(" ")[0] ?? "") as [number, number];
    assert.ok(open < 4_000, `a client keeps ${String(open)} bytes for its counts`);
    assert.ok(closed < 100, `a closed client keeps ${String(closed)} of them`);
  });

  test("leave little of their native memory also where there is much room for objects", async () => {
    // Nothing else makes the collector look for them there: clients look small to it.
    const room = ["--min-semi-space-size=128", "--max-semi-space-size=128"];
    const done = await runModule(
      `
      import { HookClient } from "hookweave";
      const size = () => process.memoryUsage().rss / 1e6;
      const come = async (clients) => {
        for (let i = 0; i < clients; i++) {
          new HookClient({ logger: null });
          if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await come(200);
      gc();
      const before = size();
      let most = 0;
      for (let i = 0; i < 40; i++) {
        await come(500);
        most = Math.max(most, size() - before);
      }
      console.log(Math.round(most));
      `,
      ["--expose-gc", ...room],
    );
    assert.equal(done.code, 0, done.err);
    assert.ok(Number(done.out) < 100, `the process grew by ${done.out.trim()} MB`);
  });
});
