/** Statistics of hooks beyond the vectors: their form here, the logger, and what crosses nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { HookResponse } from "hookweave";

import { newClient } from "./support/tools.js";

const A_MINUTE = 60_000;
const BASH = { tool: "Bash", args: { command: "ls" } };
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

await test("what a program reads", async () => {
  const client = newClient();
  client.registerHook("PreToolUse", { name: "slow", handler: () => wait(20) });
  client.registerHook("PreToolUse", {
    name: "other",
    matcher: { tool: "Edit" },
    handler: () => undefined,
  });
  const before = Date.now();
  const began = performance.now();
  await client.dispatch("PreToolUse", BASH);
  const took = performance.now() - began;
  const stats = client.stats();
  const slow = stats.hook("slow");
  assert.ok(slow?.duration && slow.lastRun);
  assert.ok(
    slow.duration.p50 > 18 && slow.duration.p50 <= slow.duration.max,
    String(slow.duration.p50),
  );
  assert.ok(slow.duration.max <= took * 1.1, `${String(slow.duration.max)} of ${String(took)}`);
  // The wall clock is read after the clock of runs, and on a busy machine time passes between.
  assert.ok(Math.abs(slow.lastRun.getTime() - before) < A_MINUTE);
  const other = stats.hook("other");
  assert.deepEqual([other?.neverMatched, other?.duration, other?.lastRun], [true, null, null]);
  assert.deepEqual(stats.events, { PreToolUse: 1 });
  const canonical = JSON.parse(JSON.stringify(stats)) as { hooks: { never_matched: boolean }[] };
  assert.deepEqual(
    canonical.hooks.map((hook) => hook.never_matched),
    [false, true],
  );
  assert.equal(client.stats({ reset: true }).hook("slow")?.runs, 1);
  assert.equal(client.stats().hook("slow")?.runs, 0);
});

await test("more quiet runs than are kept, and answers between them", async () => {
  const client = newClient();
  let turn = 0;
  client.registerHook("PreToolUse", { name: "quiet", handler: () => undefined });
  client.registerHook("PreToolUse", {
    name: "now and then",
    handler: () => (++turn % 100 === 0 ? HookResponse.block("enough") : undefined),
  });
  for (let count = 0; count < 2000; count++) await client.dispatch("PreToolUse", BASH);
  for (let count = 0; count < 7; count++) await client.dispatch("Stop", {});
  const stats = client.stats();
  assert.equal(stats.hook("quiet")?.runs, 2000);
  assert.deepEqual(stats.hook("now and then")?.decisions, { block: 20, continue: 1980 });
  assert.deepEqual(stats.events, { PreToolUse: 2000, Stop: 7 });
});

await test("looking at an outcome counts nothing", async () => {
  const client = newClient();
  client.registerHook("PreToolUse", { name: "quiet", handler: () => undefined });
  const outcome = await client.dispatch("PreToolUse", BASH);
  assert.equal(outcome.trace.length, 1);
  assert.equal(outcome.toJSON().decision, "continue");
  const without = await client.dispatch("Stop", {});
  assert.equal(without.trace.length, 0);
  assert.equal(client.stats().hook("quiet")?.runs, 1);
  assert.deepEqual(client.stats().events, { PreToolUse: 1, Stop: 1 });
});

await test("a hook that fails again and again is told of more and more rarely", async () => {
  const logged: unknown[] = [];
  const shut: unknown[] = [];
  const logger = {
    warn: (message: string, details?: unknown) => {
      if (message.startsWith("hook failed")) logged.push((details as { times: number }).times);
    },
    error: (message: string) => void shut.push(message),
  };
  const client = newClient({ logger });
  const broken = (): never => {
    throw new Error("broken");
  };
  client.registerHook("PreToolUse", { name: "open", handler: broken });
  client.registerHook("Stop", {
    name: "closed",
    handler: broken,
    config: { failBehavior: "block" },
  });
  for (let count = 0; count < 250; count++) await client.dispatch("PreToolUse", BASH);
  assert.deepEqual(logged, [1, 10, 100]);
  for (let count = 0; count < 5; count++) await client.dispatch("Stop", {});
  assert.deepEqual(shut, Array(5).fill("hook failed, the action is blocked"));
});

await test("a hook does not wait for a warning", async () => {
  const seen: string[] = [];
  const logger = { warn: () => void seen.push("warned"), error: () => undefined };
  const client = newClient({ logger });
  client.registerHook("PreToolUse", { matcher: { rule: "Bash(rm *)" }, handler: () => undefined });
  client.registerHook("PreToolUse", () => void seen.push("hook"));
  await client.dispatch("PreToolUse", { tool: "jail", args: {} });
  assert.deepEqual(seen, ["hook", "warned"]);
});

await test("a warning reaches the logger once", async () => {
  const logged: string[] = [];
  const logger = { warn: (message: string) => void logged.push(message), error: () => undefined };
  const client = newClient({ logger });
  client.registerHook("PreToolUse", {
    name: "misspelt",
    matcher: { tool: "Bsh" },
    handler: () => undefined,
  });
  client.registerHook("PreToolUse", { name: "right", handler: () => undefined });
  for (let count = 0; count < 1100; count++) await client.dispatch("PreToolUse", BASH);
  assert.equal(logged.length, 1);
  assert.match(
    logged[0] ?? "",
    /^hook misspelt on PreToolUse ran in none of 128 dispatches; .*did you mean `Bash`/,
  );
  assert.deepEqual(
    client.stats().warnings.map(({ hook, kind }) => [hook, kind]),
    [["misspelt", "never_matched"]],
  );
});

await test("an event without hooks and hooks that always answer reach the logger too", async () => {
  const logged: string[] = [];
  const logger = { warn: (message: string) => void logged.push(message), error: () => undefined };
  const client = newClient({ logger });
  client.registerHook("Stop", { name: "odd", matcher: { session: "x" }, handler: () => undefined });
  for (let count = 0; count < 130; count++) await client.dispatch("Stop", {});
  client.registerHook("PreToolUse", {
    name: "unheard",
    matcher: { tool: "Nope" },
    handler: () => undefined,
  });
  client.registerHook("PreToolUse", { name: "blocks", handler: () => HookResponse.block("no") });
  for (let count = 0; count < 130; count++) await client.dispatch("PreToolUse", BASH);
  assert.deepEqual(
    logged.map((text) => text.split(" ")[1]),
    // Its session may come yet: only conditions on tools that never matched are reported.
    ["unheard"],
  );
});
