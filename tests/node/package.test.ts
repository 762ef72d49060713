/** The package as users get it: packed, installed into an empty folder, imported, required, compiled against. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { packageFolder, runProgram, type Finished } from "./support/tools.js";

const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Runs a program that must succeed. */
async function succeed(command: string, args: string[], cwd: string): Promise<Finished> {
  const finished = await runProgram(command, args, { cwd });
  assert.equal(finished.code, 0, `${command} ${args.join(" ")}:\n${finished.out}\n${finished.err}`);
  return finished;
}

describe("the packed package", () => {
  /** All that these tests make, and nothing else: it is removed at the end, also when half of it is missing. */
  let root: string;
  let folder: string;
  let files: string[];

  before(async () => {
    root = mkdtempSync(path.join(tmpdir(), "hookweave-pack-"));
    const packed = await succeed(
      npm,
      // Without the command, which takes minutes to build; nothing here runs it.
      ["pack", "--ignore-scripts", "--json", "--pack-destination", root],
      packageFolder,
    );
    const [entry] = JSON.parse(packed.out) as [{ filename: string; files: { path: string }[] }];
    files = entry.files.map((file) => file.path);
    folder = path.join(root, "user");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "package.json"), `{ "name": "user", "private": true }`);
    const install = [
      "install",
      "--offline",
      "--no-audit",
      "--no-fund",
      path.join(root, entry.filename),
    ];
    await succeed(npm, install, folder);
  });

  after(() => {
    rmSync(root, { recursive: true, force: true });
  });

  test("holds what it needs and nothing else", () => {
    for (const needed of [
      "dist/index.js",
      "dist/index.d.ts",
      "dist/index.js.map",
      "dist/index.d.ts.map",
    ]) {
      assert.ok(files.includes(needed), needed);
    }
    assert.ok(files.some((file) => /^native\/.*\.node$/.test(file)));
    for (const file of files) {
      assert.match(
        file,
        /^(bin|dist|ts|native)\/|^(package\.json|README\.md|LICENSE.*|THIRD-PARTY\.txt)$/,
        `${file} does not belong there`,
      );
    }
  });

  test("is imported", async () => {
    writeFileSync(
      path.join(folder, "main.mjs"),
      `import { HookClient } from "hookweave";
       const client = new HookClient();
       client.registerHook("PreToolUse", () => ({ action: "block", reason: "no" }));
       console.log((await client.dispatch("PreToolUse", { tool: "Bash", args: {} })).reason);`,
    );
    const { out, err } = await succeed(process.execPath, ["main.mjs"], folder);
    assert.equal(out.trim(), "no");
    assert.equal(err, "");
  });

  test("is required", async () => {
    writeFileSync(
      path.join(folder, "main.cjs"),
      `const { HookClient, HookResponse } = require("hookweave");
       const client = new HookClient();
       client.registerHook("PreToolUse", () => HookResponse.block("no"));
       client.dispatch("PreToolUse", { tool: "Bash", args: {} }).then(({ reason }) => console.log(reason));`,
    );
    const { out } = await succeed(process.execPath, ["main.cjs"], folder);
    assert.equal(out.trim(), "no");
  });

  test("is one, whether it is imported or required", async () => {
    const text = `const required = require("hookweave");
      import("hookweave").then((imported) => console.log(imported.HookClient === required.HookClient));`;
    writeFileSync(path.join(folder, "both.cjs"), text);
    // Also where Node cannot require modules, as before 20.19 and 22.12.
    for (const flags of [[], ["--no-experimental-require-module"]]) {
      const { out } = await succeed(process.execPath, [...flags, "both.cjs"], folder);
      assert.equal(out.trim(), "true");
    }
  });

  test("has another system's interface below its own name, imported and required", async () => {
    const use = `
       const client = new A3sClient();
       client.registerHook("PreToolUse", async () => ({ action: "block", reason: "no" }));
       client.dispatch("PreToolUse", { tool: "Bash", args: {} }).then(({ reason }) => console.log(reason));`;
    const ways = {
      "compat.mjs": `import { A3sClient } from "hookweave/compat/a3s";${use}`,
      "compat.cjs": `const { A3sClient } = require("hookweave/compat/a3s");${use}`,
    };
    for (const [file, text] of Object.entries(ways)) {
      writeFileSync(path.join(folder, file), text);
      const { out } = await succeed(process.execPath, [file], folder);
      assert.equal(out.trim(), "no", file);
    }
  });

  test("helps to test hooks, imported and required", async () => {
    const use = `
       withHookClient(async (client) => {
         client.registerHook("PreToolUse", () => ({ action: "block", reason: "no" }));
         const outcome = await dispatch(client, toolEvent("Bash", { command: "ls" }));
         assertBlocked(outcome, { reason: "no" });
         console.log(outcome.reason);
       });`;
    const names = "{ assertBlocked, dispatch, toolEvent, withHookClient }";
    const ways = {
      "testing.mjs": `import ${names} from "hookweave/testing";${use}`,
      "testing.cjs": `const ${names} = require("hookweave/testing");${use}`,
    };
    for (const [file, text] of Object.entries(ways)) {
      writeFileSync(path.join(folder, file), text);
      const { out } = await succeed(process.execPath, [file], folder);
      assert.equal(out.trim(), "no", file);
    }
  });

  test("compiles in a strict project, as a module and as CommonJS", async () => {
    for (const name of ["user.mts", "user.cts"]) {
      writeFileSync(
        path.join(folder, name),
        `import { HookClient, HookEvent, HookResponse } from "hookweave";
         const client: HookClient = new HookClient();
         client.registerHook("PreToolUse", (event: HookEvent<"PreToolUse">) => HookResponse.block(event.tool));
         import { A3sClient, type PreToolUseEvent } from "hookweave/compat/a3s";
         import { assertBlocked, toolEvent, withHookClient } from "hookweave/testing";
         const other: A3sClient = new A3sClient();
         export const tested = withHookClient(async (client) => {
           assertBlocked(await client.dispatch("PreToolUse", toolEvent("Bash")), { by: "guard" });
         });
         other.registerHook("PreToolUse", async ({ tool }: PreToolUseEvent) => ({ action: "block", reason: tool }));
         export { client, other };`,
      );
    }
    const compiler = path.join(packageFolder, "node_modules", "typescript", "bin", "tsc");
    const types = path.join(packageFolder, "node_modules", "@types");
    const flags =
      "--strict --noEmit --target es2022 --lib es2023,esnext.disposable --module nodenext";
    await succeed(
      process.execPath,
      [
        compiler,
        ...flags.split(" "),
        "--typeRoots",
        types,
        "--types",
        "node",
        "user.mts",
        "user.cts",
      ],
      folder,
    );
  });

  test("has source maps that lead to sources that ship", () => {
    const root = path.join(folder, "node_modules", "hookweave", "dist");
    for (const map of ["hookweave.js.map", "client.d.ts.map"]) {
      const { sources } = JSON.parse(readFileSync(path.join(root, map), "utf8")) as {
        sources: string[];
      };
      for (const source of sources) assert.ok(existsSync(path.join(root, source)), source);
    }
  });
});
