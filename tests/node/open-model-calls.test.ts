/** Calls of the model in halves: what is said at the wrong time, and calls that are cancelled. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { newClient } from "./support/tools.js";

test("a call of the model is ended once and has an outcome then", async () => {
  const client = newClient();
  const session = client.session();
  const call = await session.beginModel("hi", { tools: ["Bash"] });
  assert.deepEqual([call.runs, call.request.prompt, call.request.tools], [true, "hi", ["Bash"]]);
  assert.throws(() => call.outcome, /the call of the model has no outcome: it is still to be made/);
  await call.answered({ text: "hello", usage: { totalTokens: 3 } });
  assert.deepEqual([call.runs, call.outcome.text, call.outcome.cause], [false, "hello", undefined]);
  const events = call.outcome.outcomes.map(({ event }) => event.eventType);
  assert.deepEqual(events, ["GenerateStart", "GenerateEnd"]);
  const again = /is not to be made; look at `runs` before/;
  await assert.rejects(call.answered("again"), again);
  await assert.rejects(call.failed(new Error("late")), again);
  client.registerHook("GenerateStart", () => ({ action: "block", reason: "no" }));
  const refused = await session.beginModel("hi");
  assert.deepEqual(
    [refused.runs, refused.outcome.status, refused.outcome.reason],
    [false, "blocked", "no"],
  );
  assert.throws(() => refused.request, /was refused and has no request/);
  assert.match(refused.outcome.describe(), /^call of the model: blocked: no\n/);
});

test("the error of the model is in the outcome", async () => {
  const session = newClient({ logger: null }).session();
  const cause = new Error("overloaded");
  const call = await session.beginModel("hi");
  await call.failed(cause);
  const { status, reason, cause: known } = call.outcome;
  assert.deepEqual([status, reason, known], ["failed", "overloaded", cause]);
});

test("a cancelled call rejects, and so does one after the end", async () => {
  const session = newClient().session();
  const controller = new AbortController();
  const call = await session.beginModel("hi", { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assert.rejects(call.answered("late"), /enough/);
  await session.end();
  await assert.rejects(session.beginModel("hi"), { code: "session_closed" });
});
