/** Workers, each with clients of its own, and hooks that come and go while dispatches run. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { audit, type HookClient } from "hookweave";

import { Folder } from "./support/files.js";
import { records } from "./support/logs.js";
import { bash, quietClient } from "./support/tools.js";

const WORKERS = 4;
const ROUNDS = 150;

/** What a worker does: a guard comes and goes again and again, and no dispatch may begin without it, or still with it. */
const WORK = `
  import { parentPort, workerData } from "node:worker_threads";
  import { HookClient } from "hookweave";
  const { rounds, file, settings, number } = workerData;
  const call = (i) => ({ tool: i % 2 ? "Bash" : "Read", args: { command: "ls " + i }, sessionId: "w" + number });
  const wrong = [];
  const expect = (what, got, wanted) => { if (got !== wanted) wrong.push(what + ": " + got); };
  let dispatched = 0;
  for (let round = 0; round < rounds; round++) {
    const client = new HookClient({ logger: null, defaultTimeout: null, maxHooksPerEvent: null, audit: { file } });
    client.registerHook("PreToolUse", () => undefined);
    const waiting = client.dispatch("PreToolUse", call(round));
    dispatched++;
    const guard = client.registerHook("PreToolUse", () => ({ action: "block", reason: "no" }));
    for (let i = 0; i < 4; i++) {
      expect("guarded", (await client.dispatch("PreToolUse", call(i))).blocked, true);
      dispatched++;
    }
    client.disableHook(guard);
    expect("disabled", (await client.dispatch("PreToolUse", call(1))).blocked, false);
    client.enableHook(guard);
    expect("enabled", (await client.dispatch("PreToolUse", call(1))).blocked, true);
    client.unregisterHook(guard);
    expect("removed", (await client.dispatch("PreToolUse", call(1))).blocked, false);
    dispatched += 3;
    await waiting;
    // Depth is the process's, and each worker's own: sixteen are fine here regardless of the others.
    let depth = 0;
    client.registerHook("Stop", async () => {
      depth++;
      if (depth < 16) await client.dispatch("Stop");
    });
    if (round % 20 === 0) {
      expect("depth", (await client.dispatch("Stop")).trace[0].status, "ran");
      expect("deepest", depth, 16);
      const commands = new HookClient({ logger: null });
      commands.load(settings);
      expect("command", (await commands.dispatch("PreToolUse", call(1))).blocked, true);
      await commands.close();
    }
    await client.close();
  }
  parentPort.postMessage({ wrong, dispatched });
`;

interface Told {
  readonly wrong: string[];
  readonly dispatched: number;
}

function run(workerData: object): Promise<Told> {
  const text = WORK.replace('"hookweave"', JSON.stringify(import.meta.resolve("hookweave")));
  return new Promise((resolve, reject) => {
    const file = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
    const worker = new Worker(file, { workerData });
    worker.on("message", resolve);
    worker.on("error", reject);
  });
}

describe("workers with clients of their own", () => {
  test("see every guard from its registration to its removal, and record all that they do", async (t) => {
    const folder = new Folder(t);
    const settings = folder.settings({ PreToolUse: ["exit 2"] });
    const workers = Array.from({ length: WORKERS }, (_, number) => ({
      number,
      rounds: ROUNDS,
      settings,
      file: folder.at(`log-${String(number)}.jsonl`),
    }));
    const results = await Promise.all(workers.map(run));
    for (const [number, { wrong, dispatched }] of results.entries()) {
      assert.deepEqual(wrong, []);
      const file = folder.at(`log-${String(number)}.jsonl`);
      assert.equal(audit.verify(file).whole, true);
      const about = records(file).filter(
        ({ kind, event }) => kind === "hook_finished" && event === "PreToolUse",
      );
      assert.ok(about.every(({ session }) => session === `w${String(number)}`));
      const blocked = about.filter(({ outcome }) => outcome === "block");
      assert.equal(blocked.length, 5 * ROUNDS, "each guard that ran is on record");
      assert.equal(about.length - blocked.length, dispatched, "and so is the hook before it");
    }
  });
});

describe("hooks that come and go", () => {
  /** A client that remembers plans for the event as such and for two tools. */
  async function warm(client: HookClient): Promise<void> {
    client.registerHook("PreToolUse", { matcher: { tool: "Bash" }, handler: () => undefined });
    for (const tool of ["Bash", "Read", "Bash"])
      await client.dispatch("PreToolUse", { ...bash, tool });
    await client.dispatch("Stop");
  }

  for (const matcher of [undefined, { tool: "Bash" }, { commandPattern: "^ls" }]) {
    test(`hold from the next dispatch on, with matcher ${JSON.stringify(matcher ?? {})}`, async () => {
      const client = quietClient({ maxHooksPerEvent: null, maxTotalHooks: null });
      await warm(client);
      const guard = { handler: () => ({ action: "block" as const }), ...(matcher && { matcher }) };
      const others: Promise<unknown>[] = [];
      for (let round = 0; round < 300; round++) {
        // Others are under way, some in the middle of a hook.
        if (round % 3 === 0) {
          const id = client.registerHook("PreToolUse", () => turn());
          others.push(client.dispatch("PreToolUse", bash));
          client.unregisterHook(id);
        }
        assert.equal((await client.dispatch("PreToolUse", bash)).blocked, false);
        const id = client.registerHook("PreToolUse", guard);
        const [one, other] = await Promise.all([
          client.dispatch("PreToolUse", bash),
          client.dispatch("tool:pre", bash as never),
        ]);
        assert.deepEqual([one.blocked, other.blocked], [true, true]);
        client.disableHook(id);
        assert.equal((await client.dispatch("PreToolUse", bash)).blocked, false);
        client.enableHook(id);
        const late = client.dispatch("PreToolUse", bash);
        client.unregisterHook(id);
        assert.equal((await late).blocked, true, "what has begun keeps its hooks");
        assert.equal((await client.dispatch("PreToolUse", bash)).blocked, false);
      }
      await Promise.all(others);
    });
  }

  test("hold in dispatches that hooks begin, whatever is remembered", async () => {
    const client = quietClient({ maxHooksPerEvent: null, maxTotalHooks: null });
    await warm(client);
    const seen: boolean[] = [];
    for (const waits of [false, true]) {
      const outer = client.registerHook("PreToolUse", async () => {
        if (waits) await turn();
        const inner = async (): Promise<void> => {
          seen.push((await client.dispatch("Stop")).blocked);
        };
        const custom = async (): Promise<void> => {
          seen.push((await client.dispatch("guard:me" as "Stop")).blocked);
        };
        await inner();
        const ids = (["Stop", "guard:me"] as const).map((event) =>
          client.registerHook(event as "Stop", () => ({ action: "block" })),
        );
        await Promise.all([inner(), custom()]);
        for (const id of ids) client.unregisterHook(id);
        await Promise.all([inner(), custom()]);
      });
      await client.dispatch("PreToolUse", bash);
      client.unregisterHook(outer);
    }
    const once = [false, true, true, false, false];
    assert.deepEqual(seen, [...once, ...once]);
  });

  test("hold while the client is switched off and on, and when tools and events are defined", async () => {
    const client = quietClient();
    await warm(client);
    client.registerHook("PreToolUse", {
      matcher: { tool: "Bash" },
      handler: () => ({ action: "block" }),
    });
    for (let round = 0; round < 20; round++) {
      client.enabled = false;
      assert.equal((await client.dispatch("PreToolUse", bash)).blocked, false);
      client.enabled = true;
      assert.equal((await client.dispatch("PreToolUse", bash)).blocked, true);
    }
    const shell = { tool: "ours", args: { command: "ls" } };
    assert.equal((await client.dispatch("PreToolUse", shell)).blocked, false);
    client.defineTool("ours", { sameAs: "Bash" });
    assert.equal((await client.dispatch("PreToolUse", shell)).blocked, true);
  });

  test("that run once run once, however many ask", async () => {
    const client = quietClient({ maxHooksPerEvent: null });
    await warm(client);
    for (let round = 0; round < 50; round++) {
      let runs = 0;
      client.registerHook("PreToolUse", {
        handler: async () => {
          runs++;
          await turn();
          return { action: "block" };
        },
        config: { once: true },
      });
      const asked = Array.from({ length: 8 }, () => client.dispatch("PreToolUse", bash));
      const blocked = (await Promise.all(asked)).filter((outcome) => outcome.blocked);
      assert.deepEqual([runs, blocked.length], [1, 1]);
    }
  });
});
