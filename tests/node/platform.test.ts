/** Worker threads, other runtimes, and tables that two layers must agree on. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";

import { HookClient } from "hookweave";

import { packageFolder, runModule, runProgram } from "./support/tools.js";

describe("worker threads", () => {
  test("each has clients of its own, at the same time", async () => {
    const text = `
      import { HookClient } from "hookweave";
      import { parentPort, workerData } from "node:worker_threads";
      const client = new HookClient({ logger: null });
      let runs = 0;
      client.registerHook("PreToolUse", async () => { runs++; });
      client.registerHook("PreToolUse", { matcher: { tool: "Bash" }, handler: () => ({ action: "block", reason: workerData }) });
      let reason;
      for (let round = 0; round < 300; round++) {
        ({ reason } = await client.dispatch("PreToolUse", { tool: round % 2 ? "Read" : "Bash", args: {} }));
      }
      parentPort.postMessage({ runs, reason: (await client.dispatch("PreToolUse", { tool: "Bash", args: {} })).reason });
    `;
    const file = new URL(
      `data:text/javascript,${encodeURIComponent(text.replace('"hookweave"', JSON.stringify(import.meta.resolve("hookweave"))))}`,
    );
    const results = await Promise.all(
      ["one", "two", "three"].map(
        (workerData) =>
          new Promise((resolve, reject) => {
            const worker = new Worker(file, { workerData });
            worker.on("message", resolve);
            worker.on("error", reject);
          }),
      ),
    );
    assert.deepEqual(results, [
      { runs: 300, reason: "one" },
      { runs: 300, reason: "two" },
      { runs: 300, reason: "three" },
    ]);
  });

  test("one that ends in the middle of a dispatch takes nothing with it", async () => {
    const { code, out, err } = await runModule(`
      import { Worker } from "node:worker_threads";
      for (let round = 0; round < 5; round++) {
        const worker = new Worker(\`
          import { parentPort } from "node:worker_threads";
          import { HookClient } from "hookweave";
          const client = new HookClient({ logger: null });
          client.registerHook("Stop", () => new Promise(() => {}));
          client.registerHook("Stop", { handler: () => new Promise(() => {}), config: { async: true } });
          client.dispatch("Stop");
          parentPort.postMessage("waiting");
        \`, { eval: true });
        await new Promise((resolve) => worker.on("message", resolve));
        await worker.terminate();
      }
      console.log("alive");
    `);
    assert.equal(err, "");
    assert.equal(out.trim(), "alive");
    assert.equal(code, 0);
  });
});

describe("other runtimes", () => {
  const installed = path.join(packageFolder, "runtimes", "node_modules", ".bin");
  for (const [name, args] of [
    ["bun", []],
    ["deno", ["run", "--allow-all", "--no-lock"]],
  ] as const) {
    const program = path.join(installed, name);
    const skip = existsSync(program)
      ? false
      : `not installed: npm install --prefix bindings-node/runtimes`;
    test(name, { skip }, async () => {
      const { code, out, err } = await runProgram(program, [...args, "scripts/smoke.mjs"]);
      assert.equal(code, 0, err);
      assert.match(out, /everything as expected/);
    });
  }

  test("this one", async () => {
    const { code, out, err } = await runProgram(process.execPath, ["scripts/smoke.mjs"]);
    assert.equal(code, 0, err);
    assert.match(out, /everything as expected/);
  });
});

describe("two layers, one table", () => {
  const [addon = ""] = readdirSync(path.join(packageFolder, "native")).filter((file) =>
    file.endsWith(".node"),
  );
  const native = createRequire(import.meta.url)(path.join(packageFolder, "native", addon)) as {
    limits(): { maxNesting: number };
    catalogue(): {
      fields: { name: string; canonical: string; kind: string }[];
    }[];
  };

  test("containers may nest as deep as the core says", async () => {
    const { maxNesting } = native.limits();
    const nest = (levels: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    const client = new HookClient({ logger: null });
    // `args` is the first level.
    client.registerHook("PreToolUse", () => ({
      modified: { args: { deep: nest(maxNesting - 1) } },
    }));
    client.registerHook("PreToolUse", (event) => void event.args);
    client.registerHook("PreToolUse", () => ({
      modified: { args: { deep: nest(maxNesting) } },
    }));
    const { trace } = await client.dispatch("PreToolUse", {
      tool: "Bash",
      args: {},
    });
    assert.deepEqual(
      trace.map(({ failure }) => failure?.kind),
      [undefined, undefined, "invalid_answer"],
    );
    assert.match(trace[2]?.failure?.message ?? "", /deeper than 128/);
  });

  test("names go over to the canonical spelling and back as the core spells them", () => {
    const names = native.catalogue().flatMap(({ fields }) => fields);
    assert.ok(names.length > 80);
    for (const { name, canonical } of names) {
      assert.equal(
        canonical.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
        name,
      );
      assert.equal(
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        canonical,
      );
    }
  });

  test("the catalogue is there as data", () => {
    const catalogue = new HookClient().catalogue();
    const tool = catalogue.find(({ name }) => name === "PreToolUse");
    assert.deepEqual(tool?.aliases, ["tool:pre", "pre_tool_use", "BeforeTool", "preToolUse"]);
    assert.equal(tool.gate, true);
    assert.deepEqual(
      tool.fields.find(({ name }) => name === "args"),
      { name: "args", kind: "object", optional: false, modifiable: true },
    );
  });
});
