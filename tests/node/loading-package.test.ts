/** What an import of the package loads, and what it says where its addon cannot be loaded; several copies in one process. */

import assert from "node:assert/strict";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test, type TestContext } from "node:test";

import { packageFolder, runModule, runProgram } from "./support/tools.js";

const [ADDON = ""] = readdirSync(path.join(packageFolder, "native")).filter((file) =>
  file.endsWith(".node"),
);

/** Of the compiled modules, which programs cannot import. */
const { causeOf } = (await import(new URL("../build/addon.js", import.meta.url).href)) as {
  causeOf: (file: string, error: unknown) => string;
};

/** A folder with copies of the package, below `node_modules`, without addons. */
function copies(t: TestContext, ...names: string[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hookweave-copies-"));
  t.after(() => {
    rmSync(folder, { recursive: true });
  });
  for (const name of names) {
    const copy = path.join(folder, "node_modules", name);
    mkdirSync(path.join(copy, "native"), { recursive: true });
    cpSync(path.join(packageFolder, "package.json"), path.join(copy, "package.json"));
    cpSync(path.join(packageFolder, "dist"), path.join(copy, "dist"), { recursive: true });
  }
  return folder;
}

function addonOf(folder: string, name: string): string {
  return path.join(folder, "node_modules", name, "native", ADDON);
}

/** What a program prints that imports the package. */
async function imported(folder: string): Promise<string> {
  const text = `await import("hookweave").then(() => console.log("loaded"), (error) => console.log(error.code, error.message));`;
  const { out, err } = await runProgram(process.execPath, ["--input-type=module", "--eval", text], {
    cwd: folder,
  });
  return `${out}${err}`;
}

test("an import reads two files and the addon, and asks for nothing else that is installed", async () => {
  const text = `
    import { createRequire } from "node:module";
    import { relative } from "node:path";
    import { writeSync } from "node:fs";
    const require = createRequire(process.cwd() + "/main.js");
    await import("hookweave");
    const files = Object.keys(require.cache).map((file) => relative(process.cwd(), file)).join(" ");
    const heavy = ["child_process", "http", "https", "net", "tls", "worker_threads", "inspector", "readline"];
    const loaded = heavy.filter((name) => process.moduleLoadList.includes("NativeModule " + name)).join(" ");
    // Not the console, which loads some of them for a pipe.
    writeSync(1, files + "\\n" + loaded);`;
  const { out, err } = await runModule(text);
  assert.equal(err, "");
  const [files = "", builtIn] = out.split("\n");
  const addon = path.join("native", ADDON);
  assert.deepEqual(files.split(" ").sort(), ["dist/hookweave.js", "dist/index.js", addon].sort());
  assert.equal(builtIn, "");
});

describe("an addon that cannot be loaded", () => {
  test("because its package is missing", async (t) => {
    const printed = await imported(copies(t, "hookweave"));
    assert.match(
      printed,
      /^addon_not_loaded hookweave's addon cannot be loaded: the hookweave addon for [\w-]+ is not in this installation: the package @hookweave\/native-[\w-]+ is missing, as after --omit=optional .*; run `npm install @hookweave\/native-[\w-]+@\d/,
    );
  });

  test("because it is damaged, or made for another system", async (t) => {
    const folder = copies(t, "hookweave");
    writeFileSync(
      addonOf(folder, "hookweave"),
      "not a program, but long enough to be looked at ".repeat(99),
    );
    const said = await imported(folder);
    assert.match(said, /^addon_not_loaded .*\.node is (made for another system|damaged)/);
    assert.match(said, /npm (ci|install)/);
  });

  test("because it is of another version", async (t) => {
    const folder = copies(t, "hookweave");
    cpSync(path.join(packageFolder, "native", ADDON), addonOf(folder, "hookweave"));
    assert.equal(await imported(folder), "loaded\n");
    const file = path.join(folder, "node_modules", "hookweave", "dist", "hookweave.js");
    const { version } = JSON.parse(
      readFileSync(path.join(packageFolder, "package.json"), "utf8"),
    ) as { version: string };
    const code = readFileSync(file, "utf8");
    writeFileSync(file, code.replaceAll(JSON.stringify(version), '"9.9.9"'));
    const said = await imported(folder);
    const versions = `is of version ${version}, and the package's code of 9.9.9: both must be of one version`;
    assert.ok(said.startsWith("addon_not_loaded ") && said.includes(versions), said);
  });

  for (const [what, text, words] of [
    [
      "an older system",
      "/lib/libc.so.6: version `GLIBC_2.38' not found (required by x)",
      /needs glibc 2\.38 or later, and this system has \d/,
    ],
    [
      "another C library",
      "Error loading shared library ld-linux-x86-64.so.2: No such file",
      /another C library .* `npm ci`/,
    ],
    [
      "another processor",
      "dlopen(x): incompatible architecture (have 'x86_64', need 'arm64')",
      /made for another system than .* `npm ci`/,
    ],
    ["a file system without programs", "x: failed to map segment from shared object", /`noexec`/],
    ["missing rights", "x: cannot open shared object file: Permission denied", /permissions/],
    [
      "a Node without addons",
      "Cannot load native addon because loading addons is disabled.",
      /--allow-addons/,
    ],
    ["an unknown cause", "the moon is full", /the moon is full; install the package again/],
  ] as const) {
    test(`because of ${what}`, () => {
      assert.match(causeOf("/p/x.node", new Error(text)), words);
    });
  }
});

describe("two copies in one process", () => {
  const load = `
    import { createRequire } from "node:module";
    const require = createRequire(process.cwd() + "/main.js");
    const [one, two] = ["hookweave", "other"].map((name) => require("./node_modules/" + name + "/dist/index.js"));
    const { assertBlocked } = require("./node_modules/other/dist/testing/index.js");
    const payload = { tool: "Bash", args: {} };`;

  async function run(t: TestContext, text: string): Promise<string> {
    const folder = copies(t, "hookweave", "other");
    for (const name of ["hookweave", "other"])
      cpSync(path.join(packageFolder, "native", ADDON), addonOf(folder, name));
    const args = ["--input-type=module", "--eval", `${load}${text}`];
    const { out, err } = await runProgram(process.execPath, args, { cwd: folder });
    assert.equal(err, "");
    return out;
  }

  test("have one limit of depth", async (t) => {
    const out = await run(
      t,
      `
      const clients = [one, two].map(({ HookClient }) => new HookClient({ logger: null, defaultTimeout: null }));
      let deepest = 0;
      let code = null;
      clients.forEach((client, index) => {
        client.registerHook("PreToolUse", async () => {
          deepest++;
          await clients[1 - index].dispatch("PreToolUse", payload).catch((error) => { code ??= error.code; });
        });
      });
      await clients[0].dispatch("PreToolUse", payload);
      console.log(deepest, code);`,
    );
    assert.equal(out, "17 nested_too_deep\n");
  });

  test("accept each other's outcomes and results", async (t) => {
    const out = await run(
      t,
      `
      const client = new one.HookClient({ logger: null });
      client.registerHook("PreToolUse", () => two.HookResponse.block("no"));
      const outcome = await client.dispatch("PreToolUse", payload);
      assertBlocked(outcome, { reason: "no" });
      const other = new one.HookClient({ logger: null });
      const session = other.session();
      other.registerTool("Read", () => new two.ToolResult("text", { exitCode: 3 }));
      const call = await session.runTool("Read", {});
      console.log(outcome.decision, JSON.stringify(call.result.exitCode), call.output);`,
    );
    assert.equal(out, "block 3 text\n");
  });
});
