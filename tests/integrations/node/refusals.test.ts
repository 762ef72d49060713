/** What one framework alone has: subagents without hooks. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { HumanMessage } from "@langchain/core/messages";
import { createDeepAgent } from "deepagents";
import { hookedSubagents, hookweaveMiddleware } from "hookweave/langchain";

import { Script, toolsOf } from "./agent-langchain.js";
import { DONE, LIMIT, Seen, turn, World } from "./world.js";

/** What the main agent is told of a subagent that runs one command. */
async function told(kind: string, hooked: boolean): Promise<{ world: World; seen: Seen }> {
  const [world, seen] = [new World().policy(), new Seen()];
  const hooks = hookweaveMiddleware(world.client);
  const inner = new Script([turn([["bash", { command: "ls" }]], "s"), "sub done"], new Seen());
  const helper = {
    name: "helper",
    description: "d",
    systemPrompt: "p",
    tools: toolsOf(world),
    model: inner,
  };
  const agent = createDeepAgent({
    model: new Script([turn([["task", { description: "look", subagent_type: kind }]]), DONE], seen),
    middleware: [hooks],
    subagents: hooked ? hookedSubagents(hooks, [helper]) : [helper],
  });
  await agent.invoke({ messages: [new HumanMessage("hi")] });
  await hooks.close();
  return { world, seen };
}

for (const kind of ["general-purpose", "helper"]) {
  test(`deepagents' subagent ${kind} without hooks is refused`, { timeout: LIMIT }, async () => {
    const { world, seen } = await told(kind, false);
    assert.deepEqual([seen.failed, world.ran, world.count("SubagentStart")], [{ c0: true }, [], 0]);
    assert.ok(seen.last.includes(`${kind} has no hooks`), seen.last);
  });
}

test("deepagents' subagent with hooks is judged", { timeout: LIMIT }, async () => {
  const { world, seen } = await told("helper", true);
  assert.deepEqual([world.ran, world.count("SubagentStart")], [["bash ls --safe"], 1]);
  assert.ok(seen.last.includes("sub done"), seen.last);
});

test("a compiled subagent cannot get hooks", () => {
  const compiled = { name: "helper", description: "d", runnable: {} };
  const hooks = hookweaveMiddleware(new World().client);
  assert.throws(() => hookedSubagents(hooks, [compiled]), /helper is compiled/);
});
