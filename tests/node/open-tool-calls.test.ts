/** Tool calls in halves: calls that are left, and what hooks changed. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { ToolResult, type Session } from "hookweave";

import { newClient } from "./support/tools.js";

const LS = { command: "ls" };

test("both halves say what hooks changed", async () => {
  const client = newClient();
  client.registerHook("PreToolUse", () => ({ modified: { args: { command: "ls -l" } } }));
  client.registerHook("PostToolUse", () => ({ modified: { result: { output: "withheld" } } }));
  const call = await client.session().beginTool("Bash", LS, { toolUseId: "t1" });
  assert.deepEqual(
    [call.runs, call.tool, call.toolUseId, call.args],
    [true, "Bash", "t1", { command: "ls -l" }],
  );
  assert.ok(call.changed("args"));
  await call.succeeded(new ToolResult("secret", { exitCode: 0 }));
  assert.deepEqual(
    [call.runs, call.outcome.output, call.changed("output")],
    [false, "withheld", true],
  );
  const failing = await client.session().beginTool("Bash", LS);
  await failing.failed(new Error("no disk"));
  assert.deepEqual([failing.outcome.output, failing.changed("output")], ["no disk", false]);
  const events = call.outcome.outcomes.map(({ event }) => event.eventType);
  assert.deepEqual(events, ["PreToolUse", "PostToolUse"]);
});

test("a call is ended once and has an outcome then", async () => {
  const client = newClient();
  const session = client.session();
  const call = await session.beginTool("Bash", LS, { toolUseId: "t1" });
  assert.throws(() => call.outcome, /Bash \(call t1\) has no outcome: it is still to run/);
  await call.succeeded("done");
  const again = /Bash \(call t1\) is not to run; look at `runs` before/;
  await assert.rejects(call.succeeded("again"), again);
  await assert.rejects(call.failed(new Error("late")), again);
  client.registerHook("PreToolUse", () => ({ action: "block", reason: "no" }));
  const refused = await session.beginTool("Bash", LS);
  assert.deepEqual(
    [refused.runs, refused.outcome.reason, refused.changed("args")],
    [false, "no", false],
  );
  const noObject = "ls" as unknown as object;
  await assert.rejects(
    session.beginTool("Bash", noObject),
    /beginTool: `args` of Bash are a plain/,
  );
  await session.end();
  await assert.rejects(session.beginTool("Bash", LS), { code: "session_closed" });
});

const LEAVES: Record<string, (session: Session, abort: () => void) => Promise<unknown>> = {
  stop: (session) => session.stop(),
  end: (session) => session.end(),
  "its signal": (_, abort) => {
    abort();
    return Promise.resolve();
  },
};

for (const how of ["drop", ...Object.keys(LEAVES)]) {
  test(`a call that is left by ${how} counts as not begun`, async () => {
    const log = join(mkdtempSync(join(tmpdir(), "hookweave-")), "audit.jsonl");
    const client = newClient({ audit: { file: log } });
    const ran: string[] = [];
    client.registerHook("PreToolUse", { once: true, handler: () => void ran.push("once") });
    const session = client.session();
    const { signal, abort } = controller();
    const call = await session.beginTool("Bash", LS, { signal });
    if (how === "drop") call.drop();
    await LEAVES[how]?.(session, abort);
    assert.equal(call.runs, false);
    assert.throws(() => call.outcome, /was dropped/);
    call.drop();
    if (how !== "end") {
      await session.beginTool("Bash", LS);
      assert.deepEqual(ran, ["once", "once"]);
    }
    await client.close();
    const records = readFileSync(log, "utf8").trim().split("\n");
    const kinds = records.map((line) => JSON.parse(line) as { kind?: string; outcome?: string });
    const [first] = kinds.filter(({ kind }) => kind === "tool_run");
    assert.equal(first?.outcome, "dropped");
  });
}

function controller(): { signal: AbortSignal; abort: () => void } {
  const own = new AbortController();
  return {
    signal: own.signal,
    abort: () => {
      own.abort();
    },
  };
}
