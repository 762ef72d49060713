/** What Claude Code alone has: it asks by itself, takes not every result, and lets refused subagents begin. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { HookInput, HookJSONOutput, Options } from "@anthropic-ai/claude-agent-sdk";
import { HookResponse } from "hookweave";
import { hooksOf, type Hooks } from "hookweave/claude-agent-sdk";

import { nameOf, PREFIX, runIn } from "./agent-claude-agent-sdk.js";
import { DONE, LIMIT, turn, World } from "./world.js";

const CALL = {
  session_id: "s",
  tool_use_id: "c0",
  tool_name: "Bash",
  tool_input: { command: "ls" },
};

/** What Claude Code is answered about an event. */
async function answered(
  hooks: Hooks,
  given: { hook_event_name: "PreToolUse" | "PostToolUse" | "SubagentStart" | "PreCompact" },
): Promise<HookJSONOutput> {
  const callback = hooks[given.hook_event_name]?.[0]?.hooks[0];
  const { signal } = new AbortController();
  return (await callback?.(given as unknown as HookInput, "c0", { signal })) ?? {};
}

for (const allows of [true, false]) {
  test(`Claude Code asks by canUseTool: ${allows}`, { timeout: LIMIT }, async () => {
    const world = new World().policy();
    const hooks = hooksOf(world.client, { approval: "claude", nameOf });
    const asked: string[] = [];
    const script = [turn([["fetch", { url: "u" }]]), DONE];
    const seen = await runIn(world, script, { hooks }, (name) => {
      asked.push(name);
      return Promise.resolve(
        allows ? { behavior: "allow" } : { behavior: "deny", message: "not today" },
      );
    });
    assert.deepEqual([seen.raised, asked], [null, [`${PREFIX}fetch`]]);
    assert.deepEqual(world.ran, allows ? ["fetch u"] : []);
    assert.equal(world.count("PostToolUse", "fetch"), Number(allows));
    assert.ok(seen.last.includes(allows ? "page u" : "not today"), seen.last);
  });
}

test("Claude Code blocks where hookweave fails", () => {
  const hooks: NonNullable<Options["hooks"]> = hooksOf(new World().client);
  const matchers = Object.values(hooks).flat();
  assert.ok(matchers.length > 0);
  assert.ok(matchers.every(({ onFailure }) => onFailure === "block"));
});

test("a result that Claude Code would not take ends the turn", async () => {
  const { client } = new World();
  client.registerHook("PostToolUse", ({ result }) => ({
    modified: { result: { ...result, output: "[redacted]" } },
  }));
  const tool_response = { stdout: "secret", stderr: "" };
  const given = { ...CALL, hook_event_name: "PostToolUse" as const, tool_response };
  const said = (await answered(hooksOf(client), given)) as Record<string, unknown>;
  assert.equal(said["continue"], false);
  assert.match(String(said["stopReason"]), /keep the fields stdout, stderr/);
});

test("a subagent that a hook refuses makes no call", async () => {
  const { client } = new World();
  client.registerHook("SubagentStart", () => HookResponse.block("no helpers"));
  const hooks = hooksOf(client);
  const agent = { ...CALL, agent_id: "a1", agent_type: "helper" };
  await answered(hooks, { ...agent, hook_event_name: "SubagentStart" });
  for (let time = 0; time < 2; time += 1) {
    const said = await answered(hooks, { ...agent, hook_event_name: "PreToolUse" });
    assert.match(JSON.stringify(said), /"permissionDecision":"deny".*no helpers/);
  }
});

test("any other event is answered in Claude Code's own words", async () => {
  const { client } = new World();
  client.registerHook("PreCompact", () => HookResponse.block("not now"));
  const given = { session_id: "s", trigger: "manual", custom_instructions: "" };
  const said = await answered(hooksOf(client), { ...given, hook_event_name: "PreCompact" });
  assert.match(JSON.stringify(said), /not now/);
});
