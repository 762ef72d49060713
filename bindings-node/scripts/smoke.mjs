// What every JavaScript runtime has to get right; run by Node, Bun and Deno.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";

import { HookClient, HookResponse, HookweaveError } from "../dist/index.js";

const client = new HookClient({ logger: null });
const storage = new AsyncLocalStorage();
const seen = [];

client.registerHook("PreToolUse", {
  name: "guard",
  matcher: { tool: "Bash", commandPattern: "rm -rf" },
  handler: () => HookResponse.block("dangerous"),
});
client.registerHook("PreToolUse", {
  name: "rewriter",
  matcher: { tool: "Write" },
  handler: async (event) => {
    await null;
    seen.push(storage.getStore());
    event.args.command = "this must not be seen";
    return { modified: { args: { ...event.args, command: "changed" } } };
  },
});
client.registerHook("Stop", {
  name: "hangs",
  handler: () => new Promise(() => {}),
  config: { timeout: 30, failBehavior: "block" },
});

const blocked = await client.dispatch("PreToolUse", {
  tool: "Bash",
  args: { command: "rm -rf /" },
});
assert.equal(blocked.blocked, true);
assert.equal(blocked.reason, "dangerous");

const payload = { tool: "Write", args: { path: "a.txt" } };
const modified = await storage.run("caller", () => client.dispatch("PreToolUse", payload));
assert.deepEqual({ ...modified.event.args }, { path: "a.txt", command: "changed" });
assert.deepEqual(payload, { tool: "Write", args: { path: "a.txt" } });
assert.deepEqual(seen, ["caller"]);

const stopped = await client.dispatch("Stop");
assert.equal(stopped.blocked, true);
assert.equal(stopped.trace[0].failure.kind, "timeout");
assert.equal(stopped.toJSON().event.event_type, "Stop");

const quiet = await client.dispatch("PreToolUse", { tool: "Read", args: {} });
assert.equal(quiet.decision, "continue");
assert.equal(quiet.unmatched.length, 2);
assert.throws(
  () => client.registerHook("PreToolUs", () => {}),
  (error) => error instanceof HookweaveError,
);

await client.close();
console.log("smoke: everything as expected");
