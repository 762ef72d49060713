/** What an outcome tells, in this language's spelling and in the canonical form. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { HookResponse } from "hookweave";

import { bash, quietClient } from "./support/tools.js";

test("everything that hooks give is kept, in order", async () => {
  const client = quietClient();
  client.registerHook("PreToolUse", {
    name: "a",
    handler: () =>
      HookResponse.continue({
        modified: { args: { command: "ls --safe" } },
        inject: ["one", { content: "two", role: "user", ephemeral: true }],
        message: "hello",
        suppressOutput: true,
      }),
  });
  client.registerHook("PreToolUse", {
    name: "b",
    handler: () =>
      HookResponse.ask("sure?", {
        reason: "risky",
        timeout: 1500,
        options: ["yes", "no"],
        default: "allow",
      }),
  });
  client.registerHook("PreToolUse", {
    name: "c",
    handler: () => ({
      modified: { args: { command: "ls -l" } },
      ext: { dialect: { key: 1 } },
    }),
  });
  const outcome = await client.dispatch("PreToolUse", bash);
  assert.equal(outcome.decision, "ask");
  assert.equal(outcome.blocked, false);
  assert.equal(outcome.reason, "risky");
  assert.deepEqual(outcome.event.args, { command: "ls -l" });
  assert.deepEqual(outcome.modified, ["args"]);
  assert.deepEqual(outcome.injections, [
    { hook: "a", content: "one", role: "system", ephemeral: false },
    { hook: "a", content: "two", role: "user", ephemeral: true },
  ]);
  assert.deepEqual(outcome.messages, [{ hook: "a", text: "hello", level: "info" }]);
  assert.deepEqual(outcome.asks, [
    {
      hook: "b",
      prompt: "sure?",
      options: ["yes", "no"],
      timeout: 1500,
      default: "allow",
    },
  ]);
  assert.deepEqual(outcome.ext, { dialect: { key: 1 } });
  assert.equal(outcome.suppressOutput, true);
  assert.deepEqual(outcome.votes, [{ hook: "b", action: "ask", reason: "risky" }]);
  assert.deepEqual(outcome.trace[2]?.overrode, [{ field: "args", hook: "a" }]);
  assert.ok(outcome.trace.every(({ duration }) => duration >= 0));
  assert.ok(outcome.duration > 0);
});

test("the canonical form is the same as in the other languages", async () => {
  const client = quietClient();
  client.registerHook("GenerateStart", {
    name: "a",
    handler: () => ({
      modified: { systemPrompt: "be kind" },
      ask: { prompt: "ok?", timeout: 10 },
    }),
  });
  const outcome = await client.dispatch("GenerateStart", {
    prompt: "hi",
    systemPrompt: "be brief",
    model: "m",
    tools: [],
    sessionId: "s",
    timestamp: 1,
    metadata: { camelCase: 1 },
  });
  const { trace, ...canonical } = JSON.parse(JSON.stringify(outcome)) as Record<string, unknown>;
  assert.deepEqual(canonical, {
    event: {
      prompt: "hi",
      model: "m",
      tools: [],
      session_id: "s",
      timestamp: 1,
      metadata: { camelCase: 1 },
      system_prompt: "be kind",
      event_type: "GenerateStart",
      cwd: process.cwd(),
    },
    decision: "ask",
    blocked: false,
    reason: null,
    modified: ["system_prompt"],
    original: { system_prompt: "be brief" },
    votes: [{ hook: "a", action: "ask", reason: null }],
    injections: [],
    messages: [],
    asks: [
      {
        hook: "a",
        prompt: "ok?",
        options: ["Allow once", "Allow always", "Deny"],
        timeout_ms: 10,
        default: "deny",
      },
    ],
    feedback: [],
    delay_ms: 0,
    suppress_output: false,
    ext: {},
  });
  assert.equal((trace as unknown[]).length, 1);
});

test("the fields of records are spelled like the catalogue's, those of usage and args are not", async () => {
  const client = quietClient();
  client.registerHook("GenerateEnd", (event) => {
    const text = JSON.parse(event.toJson()) as { response: unknown };
    assert.deepEqual(text.response, {
      text: "hi",
      tool_calls: [{ toolName: "x" }],
      usage: { totalTokens: 3 },
    });
  });
  const outcome = await client.dispatch("GenerateEnd", {
    prompt: "p",
    model: "m",
    response: {
      text: "hi",
      toolCalls: [{ toolName: "x" }],
      usage: { totalTokens: 3 },
    },
  });
  assert.equal(outcome.trace[0]?.failure, null);
  assert.equal(outcome.event.response.toolCalls?.length, 1);
});

test("a retry says for how long, feedback why", async () => {
  const client = quietClient();
  client.registerHook("PostToolUseFailure", () => HookResponse.retry({ delay: 250 }));
  client.registerHook("PostToolUseFailure", () => HookResponse.block("do not do that"));
  const outcome = await client.dispatch("PostToolUseFailure", {
    tool: "Bash",
    args: {},
    error: "x",
  });
  assert.equal(outcome.delay, 250);
  assert.equal(outcome.blocked, false);
  assert.deepEqual(outcome.feedback, ["do not do that"]);
});

test("what was derived is derived from the hooks as they were", async () => {
  const client = quietClient();
  const id = client.registerHook("PreToolUse", {
    name: "writes",
    matcher: { tool: "Write" },
    handler: () => null,
  });
  const outcome = await client.dispatch("PreToolUse", bash);
  client.unregisterHook(id);
  client.registerHook("PreToolUse", { name: "late", handler: () => null });
  assert.deepEqual(
    outcome.unmatched.map(({ hook }) => hook),
    ["writes"],
  );
  assert.deepEqual(outcome.trace, []);
});

test("an outcome's event cannot be used to change it", async () => {
  const client = quietClient();
  const outcome = await client.dispatch("PreToolUse", {
    tool: "Bash",
    args: { list: [1] },
  });
  const copy = outcome.event.toJSON() as { args: { list: number[] } };
  copy.args.list.push(2);
  assert.deepEqual(outcome.event.args, { list: [1] });
  const canonical = outcome.toJSON() as unknown as {
    event: { args: { list: number[] } };
  };
  canonical.event.args.list.push(3);
  assert.deepEqual(outcome.event.args, { list: [1] });
});

test("a handler that holds the thread too long has overrun", async () => {
  const client = quietClient({ defaultTimeout: 10 });
  client.registerHook("Stop", () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30);
  });
  const [entry] = (await client.dispatch("Stop")).trace;
  assert.equal(entry?.overran, true);
  assert.ok(entry.duration >= 25);
});

test("printing shows the decision, not the machinery", async () => {
  const client = quietClient();
  client.registerHook("PreToolUse", {
    name: "guard",
    handler: () => HookResponse.block("no"),
  });
  const printed = inspect(await client.dispatch("PreToolUse", bash));
  assert.match(printed, /^Outcome \{\s+decision: 'block'/);
  assert.match(printed, /guard: ran, block/);
  assert.doesNotMatch(printed, /trail|native/i);
});

test("an explanation is data, and text where one is wanted", () => {
  const client = quietClient();
  client.registerHook("PreToolUse", { name: "a", mandatory: true, handler: () => undefined });
  client.registerHook("PreToolUse", {
    name: "other",
    matcher: { tool: "Read" },
    handler: () => undefined,
  });
  const explanation = client.explain("PreToolUse", bash);
  assert.match(
    String(explanation),
    /^PreToolUse \(a gate\), if every hook continues:\n {2}a {6}runs in stage 1, mandatory\n {2}other {2}does not run: /,
  );
  assert.equal(explanation.describe(), String(explanation));
  assert.deepEqual(Object.keys(explanation), ["event", "gate", "hooks"]);
  assert.match(String(client.explain("Stop", {})), /^Stop .*: the event has no hooks$/);
});

test("explaining runs nothing", () => {
  const client = quietClient();
  client.registerHook("PreToolUse", {
    name: "a",
    handler: () => assert.fail("ran"),
  });
  client.registerHook("PreToolUse", {
    name: "b",
    matcher: { tool: "Read" },
    handler: () => assert.fail("ran"),
  });
  const { event, gate, hooks } = client.explain("tool:pre", bash);
  assert.equal(event, "PreToolUse");
  assert.equal(gate, true);
  assert.deepEqual(
    hooks.map(({ hook, matched }) => [hook, matched]),
    [
      ["a", true],
      ["b", false],
    ],
  );
  assert.match(hooks[1]?.why ?? "", /Read/);
});

test("as text it says who decided what, and a tool's call what became of it", async () => {
  const client = quietClient();
  client.registerHook("PreToolUse", { name: "guard", handler: () => HookResponse.block("no") });
  const outcome = await client.dispatch("PreToolUse", bash);
  assert.match(String(outcome), /^PreToolUse of Bash: block by `guard`: no\n/);
  assert.equal(outcome.describe(), String(outcome));
  const call = await client.session().runTool("Bash", { command: "ls" }, () => "ran");
  assert.match(String(call), /^call: did not run, block by `guard`: no\n {2}PreToolUse of Bash/);
});

test("a structured clone is refused, and names what can be cloned", async () => {
  const outcome = await quietClient().dispatch("PreToolUse", bash);
  assert.throws(() => structuredClone(outcome), {
    name: "DataCloneError",
    message: /clone outcome\.toJSON\(\)/,
  });
  assert.equal(structuredClone(outcome.toJSON()).decision, "continue");
});
