/** Hooks that hang fail in time, also with fake timers of a test suite. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { bash, never, quietClient, runModule } from "./support/tools.js";

/** A client with a hook that hangs, which blocks when its time is over. */
function hanging(): ReturnType<typeof quietClient> {
  const client = quietClient();
  client.registerHook("PreToolUse", {
    handler: never,
    config: { timeout: 20, failBehavior: "block" },
  });
  return client;
}

describe("under fake timers", () => {
  test("a hook that hangs fails closed, and afterwards too", async (t) => {
    const client = hanging();
    t.mock.timers.enable({ apis: ["setTimeout", "setInterval", "setImmediate", "Date"] });
    const faked = await client.dispatch("PreToolUse", bash);
    assert.equal(faked.blocked, true);
    assert.match(faked.reason ?? "", /20 ms/);
    t.mock.timers.reset();
    for (let i = 0; i < 3; i++) {
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.equal(outcome.blocked, true);
    }
  });

  test("a hook that answers is waited for", async (t) => {
    const client = quietClient();
    client.registerHook("PreToolUse", async () => {
      await Promise.resolve();
      return { action: "block", reason: "no" };
    });
    t.mock.timers.enable();
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(outcome.reason, "no");
  });

  test("closing and the retries of a session wait by the clock", async (t) => {
    const client = quietClient();
    client.registerHook("PreToolUse", { handler: never, config: { async: true, timeout: null } });
    let tries = 0;
    client.registerHook("PreToolUse", () =>
      tries++ === 0 ? { action: "retry", delay: 5 } : undefined,
    );
    t.mock.timers.enable();
    const session = client.session({ permissions: "allow" });
    const outcome = await session.runTool("Read", { file_path: "/x" }, () => "text");
    assert.equal(outcome.ok, true);
    assert.equal(tries, 2);
    await client.close(20);
  });

  test("events carry the time of day that the tests have set", async (t) => {
    const client = quietClient();
    const seen: number[] = [];
    client.registerHook("Stop", (event) => {
      seen.push(event.timestamp);
    });
    t.mock.timers.enable({ apis: ["Date"], now: 86_400_000 });
    const began = performance.now();
    await client.dispatch("Stop");
    // The time since the dispatch began is taken off.
    const ago = 86_400_000 - (seen[0] ?? 0);
    assert.ok(ago >= 0 && ago <= performance.now() - began + 1, String(ago));
  });

  test("durations are measured by the clock", async (t) => {
    const client = quietClient();
    const session = client.session({ permissions: "allow" });
    const slow = async (): Promise<string> => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return "text";
    };
    const clock = performance.now.bind(performance);
    const began = clock();
    t.mock.method(performance, "now", () => 0);
    t.mock.method(process.hrtime, "bigint", () => 0n);
    t.mock.method(Date, "now", () => 0);
    const seen: unknown[] = [];
    client.registerHook("PostToolUse", ({ result }) => {
      seen.push(result.duration);
    });
    client.registerHook("GenerateEnd", ({ response }) => {
      seen.push((response as { duration?: number }).duration);
    });
    await session.runTool("Read", { file_path: "/x" }, slow);
    client.registerModel(slow);
    await session.generate("x");
    client.registerHook("Stop", async () => {
      await slow();
    });
    const outcome = await client.dispatch("Stop");
    seen.push(outcome.trace[0]?.duration);
    assert.equal(seen.length, 3);
    const took = clock() - began;
    for (const duration of seen) {
      assert.ok(typeof duration === "number" && duration >= 25 && duration <= took, String(seen));
    }
  });

  test("a program waits for its commands", async () => {
    const done = await runModule(`
      import { writeFileSync, mkdtempSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { join } from "node:path";
      import { HookClient } from "hookweave";
      const file = join(mkdtempSync(join(tmpdir(), "hookweave-")), "settings.json");
      const hooks = [{ type: "command", command: "sleep 0.2; exit 2" }];
      writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
      const client = new HookClient({ logger: null });
      client.load(file);
      for (const name of ["setTimeout", "setImmediate", "setInterval"]) globalThis[name] = () => 0;
      const { blocked } = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      console.log(blocked);
    `);
    assert.deepEqual({ code: done.code, out: done.out }, { code: 0, out: "true\n" }, done.err);
  });

  test("that were there first, the platform's own are found", async () => {
    const done = await runModule(`
      const fake = (real) => Object.assign(() => real, { clock: {} });
      for (const name of ["setTimeout", "setImmediate", "setInterval"]) globalThis[name] = fake(0);
      const { HookClient } = await import("hookweave");
      const client = new HookClient({ logger: null });
      client.registerHook("PreToolUse", {
        handler: () => new Promise(() => undefined),
        config: { timeout: 20, failBehavior: "block" },
      });
      const { blocked } = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      console.log(blocked);
    `);
    assert.deepEqual({ code: done.code, out: done.out }, { code: 0, out: "true\n" }, done.err);
  });
});
