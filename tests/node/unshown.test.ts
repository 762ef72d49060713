/** What a hook cannot be shown, where no vector can say it: containers that stand in many places, and lists without items. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { HookClient } from "hookweave";

function shared(levels: number): Record<string, unknown> {
  let inner: Record<string, unknown> = { v: 1 };
  for (let level = 0; level < levels; level++) inner = { a: inner, b: inner };
  return inner;
}

const sparse: unknown[] = [];
sparse.length = 2 ** 32 - 1;

for (const [what, args] of [
  ["one container in many places", shared(20)],
  ["one container in very many places", shared(120)],
  ["a list without items", { sparse }],
] as const) {
  test(`${what} is bounded`, async () => {
    const client = new HookClient({ logger: null });
    client.registerHook("PreToolUse", (event) => {
      assert.throws(() => event.args, { code: "payload_too_large" });
      assert.equal(event.tool, "X", "other fields are shown");
    });
    const outcome = await client.dispatch("PreToolUse", { tool: "X", args });
    assert.equal(outcome.blocked, true);
    assert.equal(
      outcome.reason,
      "hooks cannot be shown the event: args: holds more than 1000000 values",
    );
    assert.equal(outcome.trace[0]?.status, "ran", "no hook is to blame");
  });
}

test("a wide payload is shown", async () => {
  const client = new HookClient({ logger: null, failBehavior: "block" });
  const rows = Array.from({ length: 100_000 }, (_, n) => ({ n }));
  client.registerHook("PreToolUse", ({ args }) => {
    assert.equal((args["rows"] as unknown[]).length, rows.length);
  });
  assert.equal((await client.dispatch("PreToolUse", { tool: "X", args: { rows } })).blocked, false);
});
