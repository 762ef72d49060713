/** Values and errors of other realms, as test runners that isolate files by `node:vm` make them; listeners that throw. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runInNewContext } from "node:vm";

import type { Logger } from "hookweave";

import { bash, newClient, PATIENCE, quietClient, runModule } from "./support/tools.js";

/** Loads the package's own modules anew into a context, as such a runner does; the addon and the platform stay outside. */
const IN_A_REALM = `
  import { compileFunction, createContext, runInContext } from "node:vm";
  import { readFileSync } from "node:fs";
  import { createRequire } from "node:module";
  import { dirname } from "node:path";
  import { fileURLToPath } from "node:url";
  const context = createContext({
    process, console, URL, URLSearchParams, performance, setTimeout, clearTimeout, setInterval, clearInterval,
    setImmediate, clearImmediate, AbortController, AbortSignal, DOMException, TextDecoder, Buffer, WeakRef,
    structuredClone,
  });
  const load = (file) => {
    const outside = createRequire(file);
    const inside = (name) => (name.startsWith(".") ? load(outside.resolve(name)) : outside(name));
    const names = ["exports", "require", "module", "__filename", "__dirname"];
    const code = readFileSync(file, "utf8");
    const module = { exports: runInContext("({})", context) };
    const run = compileFunction(code, names, { parsingContext: context, filename: file });
    run(module.exports, inside, module, file, dirname(file));
    return module.exports;
  };
  const hookweave = load(fileURLToPath(import.meta.resolve("hookweave")));
`;

describe("in a realm of its own", () => {
  test("the package's errors keep their classes, and hooks fail as elsewhere", async () => {
    const done = await runModule(
      `${IN_A_REALM}
      const { HookClient, HookweaveError, InvalidOptionError, UnknownEventError } = hookweave;
      const client = new HookClient({ logger: null });
      const caught = (act) => { try { act(); } catch (error) { return error; } };
      const unknown = caught(() => client.registerHook("PreTool", () => undefined));
      console.log(unknown instanceof UnknownEventError, unknown instanceof HookweaveError, unknown.code);
      const option = caught(() => new HookClient({ mode: "sideways" }));
      console.log(option instanceof InvalidOptionError, option.code);
      client.registerHook("PreToolUse", {
        handler: () => { throw new TypeError("mine"); },
        config: { failBehavior: "block" },
      });
      const { reason, trace } = await client.dispatch("PreToolUse", { tool: "Bash", args: { list: [1] } });
      console.log(reason, trace[0].failure.kind);
      const circular = {}; circular.self = circular;
      client.registerHook("Stop", (event) => { event.metadata; });
      const deep = await client.dispatch("Stop", { metadata: circular });
      console.log(deep.trace[0].failure.message);
      await client.close();
      `,
    );
    assert.equal(done.code, 0, done.err);
    const [unknown, option, failure, deep] = done.out.split("\n");
    assert.equal(unknown, "true true unknown_event");
    assert.equal(option, "true invalid_option");
    assert.match(failure ?? "", /^hook .* failed: mine raised$/);
    assert.match(deep ?? "", /nested deeper than/);
  });

  test("what a hook of another realm throws, promises and answers counts", async () => {
    const client = quietClient({ failBehavior: "block" });
    const foreign = runInNewContext(`({
      throws: () => { throw new TypeError("mine"); },
      rejects: async () => { throw new RangeError("later"); },
      answers: async () => ({ action: "block", reason: "no" }),
    })`) as Record<string, () => undefined>;
    for (const [name, reason] of [
      ["throws", /failed: mine$/],
      ["rejects", /failed: later$/],
      ["answers", /^no$/],
    ] as const) {
      const id = client.registerHook("PreToolUse", foreign[name] as () => undefined);
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.match(outcome.reason ?? "", reason);
      client.unregisterHook(id);
    }
  });
});

describe("a logger that fails", () => {
  const failing: Record<string, () => unknown> = {
    throws: () => {
      throw new Error("the disk is full");
    },
    rejects: () => Promise.reject(new Error("the disk is full")),
  };

  for (const [name, fail] of Object.entries(failing)) {
    test(`and ${name} ends neither dispatches nor hooks that nobody waits for`, async (t) => {
      const warned = t.mock.method(process, "emitWarning", () => undefined);
      const logger = { debug: fail, info: fail, warn: fail, error: fail } as unknown as Logger;
      const client = newClient({ logger, audit: "info" });
      client.registerHook("PreToolUse", () => {
        throw new Error("mine");
      });
      client.registerHook("PreToolUse", {
        handler: () => Promise.reject(new Error("mine")),
        config: { async: true },
      });
      client.registerHook("PreToolUse", () => ({ action: "block", reason: "no" }));
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.equal(outcome.reason, "no");
      await client.drain();
      client.flushAudit(PATIENCE);
      await client.close();
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(warned.mock.callCount(), 1, "its owner hears of it, once");
      assert.match(String(warned.mock.calls[0]?.arguments[0]), /the disk is full/);
    });
  }

  test("does not end the process", async () => {
    const done = await runModule(`
      import { HookClient } from "hookweave";
      const logger = { warn: async () => { throw new Error("log"); }, error: () => { throw new Error("log"); } };
      const client = new HookClient({ logger });
      client.registerHook("Stop", { handler: async () => { throw new Error("hook"); }, config: { async: true } });
      client.registerHook("Stop", { handler: async () => ({ action: "block" }), config: { async: true } });
      client.onLateAnswer(async () => { throw new Error("listener"); });
      const session = client.session({ onOutcome: async () => { throw new Error("listener"); } });
      await session.start();
      await client.dispatch("Stop");
      await client.drain();
      await client.close();
      console.log("alive");
    `);
    assert.deepEqual({ code: done.code, out: done.out }, { code: 0, out: "alive\n" }, done.err);
  });
});
