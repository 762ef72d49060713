/** What other code of the process has put on the prototypes of the language decides nothing. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { runModule } from "./support/tools.js";

/** Runs a module's text with the package loaded, and gives what it printed. */
async function printed(text: string): Promise<unknown> {
  const module = `
    import { HookClient, HookResponse, ToolResult } from "hookweave";
    const inherit = (fields) => Object.assign(Object.prototype, fields);
    const print = (value) => {
      for (const name of Object.keys(Object.prototype)) delete Object.prototype[name];
      console.log(JSON.stringify(value));
    };
    ${text}`;
  const { code, out, err } = await runModule(module);
  assert.equal(code, 0, err);
  return JSON.parse(out) as unknown;
}

describe("options that every object inherits", () => {
  test("an approver is none of a session", async () => {
    const seen = await printed(`
      const client = new HookClient({ logger: null });
      client.registerTool("Bash", () => "ran", { permission: "ask" });
      inherit({ approval: "allow" });
      const given = client.session({ permissions: "ask" });
      const sessions = [given, client.session(), await given.subagent("helper")];
      const ran = [];
      for (const session of sessions) ran.push((await session.runTool("Bash", {})).ran);
      ran.push((await client.executeTool("one", "Bash", {})).ran);
      print(ran);
      await client.close();`);
    assert.deepEqual(seen, [false, false, false, false]);
  });

  test("a permission is none of a tool, and a schema neither", async () => {
    const seen = await printed(`
      const client = new HookClient({ logger: null });
      inherit({ permission: "deny", schema: { required: ["x"] } });
      client.registerTool("Bash", () => "ran");
      const { ran } = await client.session().runTool("Bash", {});
      print(ran);
      await client.close();`);
    assert.equal(seen, true);
  });

  test("a hook has none of them", async () => {
    const seen = await printed(`
      const client = new HookClient({ logger: null });
      inherit({
        config: { enabled: false, priority: 7 }, matcher: { tool: "Other" }, name: "another",
        enabled: false, enforcement: "observe", once: true, async: true, detached: true, session: "another",
      });
      const block = () => HookResponse.block("no");
      client.registerHook("PreToolUse", { handler: block, name: "mine", config: {} });
      const session = client.session();
      session.temporaryHook("PreToolUse", { handler: block, name: "own", matcher: { tool: "Read" } });
      const outcomes = [
        await client.dispatch("PreToolUse", { tool: "Bash", args: {} }),
        await session.dispatch("PreToolUse", { tool: "Read", args: {} }),
      ];
      const [hook] = client.listHooks();
      print([outcomes.map(({ blocked }) => blocked), hook.priority, hook.name, hook.detached]);
      await client.close();`);
    assert.deepEqual(seen, [[true, true], 0, "mine", false]);
  });

  test("a client has none of them", async () => {
    const seen = await printed(`
      inherit({
        enforcement: "observe", enabled: false, profile: "shadow", logger: "none", audit: 3, projectDir: 4,
        failBehavior: "continue", shortCircuit: 5, mode: 6, reset: true, signal: AbortSignal.abort("inherited"),
      });
      const client = new HookClient({ logger: null });
      client.registerHook("PreToolUse", () => HookResponse.block("no"));
      const event = { tool: "Bash", args: {} };
      const { blocked } = await client.dispatch("PreToolUse", event, {});
      client.stats();
      const { runs } = client.stats().hooks[0];
      const session = client.session({});
      const { accepted } = await session.submitPrompt("hello", {});
      print([blocked, runs, accepted]);
      await client.close();`);
    assert.deepEqual(seen, [true, 1, true]);
  });

  test("a question, a result and a response have none of them", async () => {
    const seen = await printed(`
      inherit({
        options: ["Yes"], grants: ["Yes"], timeout: 1, default: "allow", remember: "tool", reason: "inherited",
        success: false, exitCode: 9, toolCalls: [{ name: "Bash", args: {} }], text: "inherited", toolUseId: "inherited",
        onText: 3,
      });
      const client = new HookClient({ logger: null });
      client.registerModel(() => ({ usage: { totalTokens: 1 } }));
      const generation = await client.session().generate("hello");
      const result = new ToolResult("fine");
      print([
        HookResponse.ask("Sure?"), { ...result }, generation.text, generation.tools.length,
      ]);
      await client.close();`);
    assert.deepEqual(seen, [
      { action: "ask", ask: { prompt: "Sure?" } },
      { success: true, output: "fine" },
      "",
      0,
    ]);
  });

  test("a tool is none of a payload without one", async () => {
    const seen = await printed(`
      const client = new HookClient({ logger: null });
      client.registerHook("PreToolUse", { handler: () => HookResponse.block("no"), matcher: { tool: "Bash" } });
      await client.dispatch("PreToolUse", { tool: "Read", args: {} });
      inherit({ tool: "Read" });
      const { code } = await client.dispatch("PreToolUse", { args: {} }).catch((error) => error);
      print(code ?? null);
      await client.close();`);
    assert.equal(seen, "invalid_payload");
  });

  test("the settings of a log count where they stand", async () => {
    const seen = await printed(`
      const records = [];
      inherit({ level: "off", callback: 3, log: "yes", file: "/nowhere/at/all" });
      const client = new HookClient({ logger: null, audit: { callback: (record) => { records.push(record); } } });
      client.registerHook("PreToolUse", () => HookResponse.block("no"));
      await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      client.flushAudit();
      print(records.some(({ outcome }) => outcome === "block"));
      await client.close();`);
    assert.equal(seen, true);
  });
});

test("guards decide with a replaced `push` of lists", async () => {
  for (const mode of ["sequential", "parallel", "concurrent"]) {
    const seen = await printed(`
      const client = new HookClient({ logger: null, mode: "${mode}" });
      client.registerHook("PreToolUse", async () => HookResponse.continue({ reason: "fine" }));
      client.registerHook("PreToolUse", async () => HookResponse.block("no"));
      const push = Array.prototype.push;
      Array.prototype.push = function () { return 1; };
      const { blocked } = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      const { ran } = await client.session().runTool("Bash", {}, () => "ran");
      Array.prototype.push = push;
      print([blocked, ran]);
      await client.close();`);
    assert.deepEqual(seen, [true, false], mode);
  }
});
