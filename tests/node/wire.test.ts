/** Events that other agents send to their hooks, and what they read from them. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { eventFromWire, HookResponse, WireEventError } from "hookweave";

import { quietClient } from "./support/tools.js";

const sent = {
  session_id: "s1",
  transcript_path: "/tmp/t.jsonl",
  cwd: "/project",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "rm -rf /", tool_use: 1 },
  tool_use_id: "t1",
};

describe("a policy inside of another agent", () => {
  test("its event becomes ours, our decision becomes its exit code", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", (event) =>
      String(event.args["command"]).startsWith("rm") ? HookResponse.block("not here") : undefined,
    );
    for (const data of [
      sent,
      JSON.stringify(sent),
      new TextEncoder().encode(JSON.stringify(sent)),
    ]) {
      const { name, payload } = eventFromWire("claude-code", data);
      assert.equal(name, "PreToolUse");
      assert.equal(payload["sessionId"], "s1");
      assert.equal(payload["toolUseId"], "t1");
      assert.deepEqual(payload["args"], { command: "rm -rf /", tool_use: 1 });
      const outcome = await client.dispatch(name, payload);
      const answer = outcome.toWire("claude-code");
      assert.deepEqual(answer.degraded, []);
      assert.match(answer.stdout + answer.stderr, /not here/);
      assert.ok(answer.exitCode === 2 || JSON.stringify(answer.stdout).includes("deny"));
    }
  });

  test("an event is dispatched as it is", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", {
      name: "guard",
      handler: ({ tool }) => HookResponse.block(tool),
    });
    const event = eventFromWire("claude-code", sent);
    const outcome = await client.dispatch(event);
    assert.equal(outcome.reason, "Bash");
  });

  test("an event without hooks answers nothing", async () => {
    const { name, payload } = eventFromWire("claude-code", sent);
    const answer = (await quietClient().dispatch(name, payload)).toWire("claude-code");
    assert.equal(answer.exitCode, 0);
    assert.equal(answer.stderr, "");
  });

  test("records inside of the payload are in this language's spelling", () => {
    const { payload } = eventFromWire("claude-code", {
      ...sent,
      hook_event_name: "PostToolUse",
      tool_response: { stdout: "x", stderr: "", exit_code: 3, interrupted: false },
    });
    const result = payload["result"] as Record<string, unknown>;
    assert.equal(typeof result["success"], "boolean");
    assert.ok(!("exit_code" in result));
  });

  test("integers of any size pass", () => {
    const text = JSON.stringify(sent).replace('"tool_use":1', '"tool_use":9007199254740993');
    const { payload } = eventFromWire("claude-code", text);
    assert.equal((payload["args"] as Record<string, unknown>)["tool_use"], 9007199254740993n);
  });

  test("what is no event of the dialect, and a dialect that is none, are refused", async () => {
    for (const data of ["", "[]", "{}", '{"hook_event_name": "Nope"}']) {
      assert.throws(() => eventFromWire("claude-code", data), {
        constructor: WireEventError,
        code: "invalid_wire_event",
      });
    }
    const wrong = "clod-code" as "claude-code";
    assert.throws(() => eventFromWire(wrong, sent), { code: "unknown_dialect" });
    const outcome = await quietClient().dispatch("Stop");
    assert.throws(() => outcome.toWire(wrong), { code: "unknown_dialect" });
  });
});
