/** What the OpenAI Agents SDK alone has: agents as tools, handoffs, clones, and tools that are no functions. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Agent, run, shellTool, tool, type AgentOptions } from "@openai/agents";
import { HookweaveRunner, StoppedError } from "hookweave/openai-agents";
import { z } from "zod";

import { Script, toolsOf } from "./agent-openai-agents.js";
import { DONE, LIMIT, REDACTED, SECRET, Seen, turn, World, type Turn } from "./world.js";

const LS = turn([["bash", { command: "ls" }]], "s");

/** An agent with the world's tools whose model is a script, and what it is given. */
function made(world: World, script: Turn[], more: Partial<AgentOptions> = {}) {
  const seen = new Seen();
  const tools = toolsOf(world);
  return {
    seen,
    agent: new Agent({ name: "main", model: new Script(script, seen), tools, ...more }),
  };
}

test("an agent in asTool without hooks is refused", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const tools = [made(world, [LS], { name: "helper" }).agent.asTool({ toolName: "task" })];
  const { agent } = made(world, [turn([["task", { input: "x" }]]), DONE], { tools });
  await assert.rejects(new HookweaveRunner(world.client).run(agent, "hi"), /task .* without hooks/);
  assert.deepEqual(world.ran, []);
});

test("what an agent hands off to and clones of it have hooks", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const hooks = new HookweaveRunner(world.client);
  const helper = made(world, [LS, DONE], { name: "helper" });
  const script = [turn([["transfer_to_helper", {}]]), DONE];
  const { agent } = made(world, script, { handoffs: [helper.agent] });
  assert.equal((await hooks.run(agent, "hi")).finalOutput, DONE);
  const clone = hooks.hooked(made(world, [LS, DONE]).agent).clone({ name: "other" });
  await run(clone, "hi");
  assert.deepEqual(world.ran, ["bash ls --safe", "bash ls --safe"]);
});

test("a tool that runs here and is no function is refused", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const shell = { run: () => Promise.resolve({ output: [] }) };
  const { agent, seen } = made(world, [DONE], { tools: [shellTool({ shell })] });
  const hooks = new HookweaveRunner(world.client);
  await assert.rejects(hooks.run(agent, "hi"), /shell of main is no function/);
  assert.deepEqual(seen.requests, []);
});

test("an agent has the hooks of one runner", { timeout: LIMIT }, async () => {
  const [one, two] = [new World(), new World()];
  const { agent } = made(one, [DONE]);
  new HookweaveRunner(one.client).hooked(agent);
  await assert.rejects(new HookweaveRunner(two.client).run(agent, "hi"), /another HookweaveRunner/);
});

test("a streamed result was judged", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const { agent } = made(world, [turn([["read", { path: "a" }]]), DONE]);
  const hooks = new HookweaveRunner(world.client);
  const result = await hooks.run(agent, "hi", { stream: true });
  let streamed = "";
  for await (const event of result) streamed += JSON.stringify(event);
  assert.ok(streamed.includes(REDACTED) && !streamed.includes(SECRET), streamed);
});

test("a stop of an agent with a schema for its output rejects", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const outputType = z.object({ answer: z.string() }) as unknown as "text";
  const { agent } = made(world, [turn([["bash", { command: "halt" }]]), DONE], { outputType });
  await assert.rejects(new HookweaveRunner(world.client).run(agent, "hi"), StoppedError);
});

test("prompts in parts are judged", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const hooks = new HookweaveRunner(world.client);
  const said = (text: string) => [
    { role: "user" as const, content: [{ type: "input_text" as const, text }] },
  ];
  const { agent, seen } = made(world, [DONE]);
  await assert.rejects(hooks.run(agent, said("evil things")), /not such prompts/);
  await hooks.run(agent, said("a draft"));
  assert.ok(seen.last.includes("a final") && !seen.last.includes("a draft"), seen.last);
});

test(
  "a subagent's question stops the run, and its answer goes on",
  { timeout: LIMIT },
  async () => {
    const world = new World().policy();
    const hooks = new HookweaveRunner(world.client, { approval: "interrupt" });
    const inner = [turn([["fetch", { url: "x" }]], "s"), "sub done"];
    const helper = hooks.hooked(made(world, inner, { name: "helper" }).agent);
    const tools = [helper.asTool({ toolName: "task" })];
    const { agent, seen } = made(world, [turn([["task", { input: "x" }]]), DONE], { tools });
    const { state, interruptions } = await hooks.run(agent, "hi");
    assert.deepEqual([interruptions.length, world.ran], [1, []]);
    for (const item of interruptions) state.approve(item);
    await hooks.run(agent, state);
    assert.deepEqual(world.ran, ["fetch x"]);
    assert.ok(seen.last.includes("sub done"), seen.last);
  },
);

test("failures of the SDK's own tools are texts", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const execute = (): never => {
    throw new RangeError("no luck");
  };
  const own = tool({ name: "own", description: "fails", parameters: z.object({}), execute });
  const { agent, seen } = made(world, [turn([["own", {}]]), DONE], { tools: [own] });
  await new HookweaveRunner(world.client).run(agent, "hi");
  assert.ok(seen.last.includes("An error occurred"), seen.last);
  // If this fails, the SDK shows failures: then hooks are to see them without a `tool` of the adapter.
  assert.deepEqual([world.count("PostToolUse"), world.count("PostToolUseFailure")], [1, 0]);
});
