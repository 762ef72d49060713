/** What clients leave in memory. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { runModule } from "./support/tools.js";

/** What a program begins with that counts memory when the collector has done all that it can. */
const START = `
  import { HookClient } from "hookweave";
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const collect = async () => {
    for (let i = 0; i < 5; i++) {
      gc();
      await turn();
    }
  };
`;

async function told(program: string, flags: readonly string[] = []): Promise<unknown> {
  const done = await runModule(`${START}${program}`, ["--expose-gc", ...flags]);
  assert.equal(done.code, 0, done.err);
  return JSON.parse(done.out);
}

describe("clients that come and go", () => {
  for (const [name, each] of [
    ["within one turn of the event loop", "await client.close();"],
    ["without being closed", "await turn();"],
  ] as const) {
    test(`${name} leave a process as large as it was`, async () => {
      // One that is not given back holds some twenty kilobytes, in every round. What else grows comes to rest.
      const quiet = await told(`
        const block = { matcher: { tool: "Bash" }, handler: () => ({ action: "block" }) };
        const CLIENTS = 500;
        const come = async () => {
          for (let i = 0; i < CLIENTS; i++) {
            const client = new HookClient({ logger: null });
            client.registerHook("PreToolUse", block);
            await client.dispatch("PreToolUse", { tool: "Bash", args: { command: "ls" } });
            await client.dispatch("PreToolUse", { tool: "Read", args: {} });
            ${each}
          }
          await collect();
          return process.memoryUsage().rss;
        };
        let quiet = 0;
        let before = await come();
        for (let round = 0; round < 30 && quiet < 5; round++) {
          const after = await come();
          if (after - before < CLIENTS * 5000) quiet++;
          before = after;
        }
        console.log(quiet);
      `);
      assert.equal(quiet, 5, "rounds in which the process did not grow");
    });
  }

  test("keep little for their counts, and nothing of it when they are closed", async () => {
    const [open, closed] = (await told(`
      const CLIENTS = 500;
      const held = async () => {
        await collect();
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
      let closed = await held();
      for (let round = 0; round < 20 && closed - before >= 100; round++) closed = await held();
      console.log(JSON.stringify([open - before, closed - before, clients.length]));
    `)) as [number, number];
    assert.ok(open < 4_000, `a client keeps ${String(open)} bytes for its counts`);
    assert.ok(closed < 100, `a closed client keeps ${String(closed)} of them`);
  });

  test("are collected also where there is much room for objects", async () => {
    // Nothing else makes the collector look for them there: clients look small to it.
    const room = ["--min-semi-space-size=128", "--max-semi-space-size=128"];
    const left = await told(
      `
      await collect();
      let left = 0;
      const registry = new FinalizationRegistry(() => left--);
      for (let i = 0; i < 20_000; i++) {
        registry.register(new HookClient({ logger: null }));
        left++;
        if (i % 50 === 0) await turn();
      }
      console.log(left);
      `,
      room,
    );
    assert.ok(Number(left) < 10_000, `${String(left)} of 20,000 are left`);
  });
});
