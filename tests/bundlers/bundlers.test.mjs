// The npm package as it is published, in the bundlers, frameworks and test runners that programs are built and tested with.
//
// Every project below uses the same program, which prints the reason of a hook. The settings beside it are those of
// docs/typescript.md.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const packageFolder = join(here, "..", "..", "bindings-node");
// Inside this folder, so that projects find the installed tools, and no bundler takes the package for a link.
const work = join(here, "work");
const skip = existsSync(join(here, "node_modules", "next"))
  ? false
  : "the bundlers are not installed: npm ci --prefix tests/bundlers";

const USE = `
const client = new HookClient();
client.registerHook("PreToolUse", () => HookResponse.block("no"));
const reason = async () => (await client.dispatch("PreToolUse", { tool: "Bash", args: {} })).reason;
`;
const MODULE = `import { HookClient, HookResponse } from "hookweave";${USE}console.log(await reason());\n`;
const COMMON = `const { HookClient, HookResponse } = require("hookweave");${USE}reason().then(console.log);\n`;

/** Runs a program to its end. */
function run(command, args, cwd, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NODE_ENV: undefined, NODE_OPTIONS: undefined, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 600_000,
    });
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

async function succeed(command, args, cwd, env) {
  const done = await run(command, args, cwd, env);
  assert.equal(done.code, 0, `${command} ${args.join(" ")}:\n${done.out}\n${done.err}`);
  return done;
}

const runNode = (args, cwd, env) => succeed(process.execPath, args, cwd, env);

/** A tool's program, by its package. */
function tool(name, file) {
  return join(here, "node_modules", name, file);
}

/** A project with these files. */
function project(name, files) {
  const folder = join(work, name);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** What a bundle prints. */
async function printed(bundle) {
  const { out, err } = await runNode([bundle], dirname(bundle));
  assert.equal(err, "");
  return out.trim();
}

before(async () => {
  if (skip) return;
  rmSync(work, { recursive: true, force: true });
  // The command is not looked at here; a file stands in for it.
  const [addon] = readdirSync(join(packageFolder, "native")).filter((file) => file.endsWith(".node"));
  const name = addon.slice("hookweave.".length, -".node".length);
  const artifacts = project("artifacts", { [`hookweave.${name}`]: "" });
  linkSync(join(packageFolder, "native", addon), join(artifacts, addon));
  const staged = join(work, "packages");
  const script = join(packageFolder, "scripts", "stage-release.mjs");
  await runNode([script, artifacts, "--only", name, "--out", staged], work);
  cpSync(join(staged, "hookweave"), join(work, "node_modules", "hookweave"), { recursive: true });
  const scope = join(work, "node_modules", "@hookweave");
  cpSync(join(staged, name), join(scope, `native-${name}`), { recursive: true });
});

describe("bundlers", { skip }, () => {
  test("esbuild bundles it into modules and into CommonJS", async () => {
    const folder = project("esbuild", { "main.mjs": MODULE, "main.cjs": COMMON });
    const { build } = createRequire(import.meta.url)("esbuild");
    for (const [format, source] of [
      ["esm", "main.mjs"],
      ["cjs", "main.cjs"],
      ["esm", "main.cjs"],
    ]) {
      const outfile = join(folder, "out", `${source}.${format}.${format === "esm" ? "mjs" : "cjs"}`);
      // What esbuild's own documentation has for modules that hold CommonJS.
      const banner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
      const js = format === "esm" ? { banner: { js: banner } } : {};
      await build({
        entryPoints: [join(folder, source)],
        outfile,
        bundle: true,
        platform: "node",
        format,
        logLevel: "silent",
        ...js,
      });
      assert.equal(await printed(outfile), "no", outfile);
    }
  });

  test("a bundle that finds no installed package says what is missing and the line that helps", async (t) => {
    const folder = project("moved", { "main.mjs": MODULE });
    const { build } = createRequire(import.meta.url)("esbuild");
    const outfile = join(folder, "out.cjs");
    const source = MODULE.replace("console.log(await reason());", "reason().then(console.log);");
    writeFileSync(join(folder, "main.mjs"), source);
    await build({
      entryPoints: [join(folder, "main.mjs")],
      outfile,
      bundle: true,
      platform: "node",
      format: "cjs",
      logLevel: "silent",
    });
    // Out of reach of every node_modules.
    const away = join(process.env.TMPDIR ?? "/tmp", `hookweave-moved-${process.pid}`);
    mkdirSync(away);
    t.after(() => rmSync(away, { recursive: true }));
    renameSync(outfile, join(away, "out.cjs"));
    const { code, err } = await run(process.execPath, ["out.cjs"], away);
    assert.equal(code, 1);
    assert.match(err, /hookweave's addon cannot be loaded: the package was bundled into .*out\.cjs/);
    assert.match(err, /code: 'addon_not_loaded'/);
    for (const line of ["--external:hookweave", 'serverExternalPackages: ["hookweave"]'])
      assert.ok(err.includes(line), err);
    const inNext = await run(process.execPath, ["out.cjs"], away, { NEXT_RUNTIME: "nodejs" });
    assert.match(inNext.err, /: Next\.js: `serverExternalPackages: \["hookweave"\]` in next\.config\n/);
  });

  test("webpack bundles it, and leaves it outside", async () => {
    const folder = project("webpack", { "main.mjs": MODULE });
    const webpack = createRequire(import.meta.url)("webpack");
    for (const [name, externals] of [
      ["inside", {}],
      ["outside", { hookweave: "commonjs hookweave" }],
    ]) {
      const stats = await new Promise((resolve, reject) => {
        const output = { path: join(folder, name), filename: "main.cjs" };
        const settings = {
          mode: "production",
          target: "node20",
          context: folder,
          entry: "./main.mjs",
          output,
          externals,
        };
        webpack(settings, (error, stats) => (error ? reject(error) : resolve(stats)));
      });
      assert.equal(stats.hasErrors() || stats.hasWarnings(), false, stats.toString());
      assert.equal(await printed(join(folder, name, "main.cjs")), "no", name);
    }
  });

  test("Rollup bundles it with its plug-ins, and leaves it outside", async () => {
    const folder = project("rollup", { "main.mjs": MODULE });
    const { rollup } = await import(pathToFileURL(tool("rollup", "dist/es/rollup.js")).href);
    const { default: commonjs } = await import("@rollup/plugin-commonjs");
    const { default: resolve } = await import("@rollup/plugin-node-resolve");
    for (const [name, settings] of [
      ["inside", { plugins: [resolve(), commonjs()], external: /^node:/ }],
      ["outside", { external: ["hookweave"] }],
    ]) {
      const onwarn = (warning) => assert.fail(warning.message);
      const bundle = await rollup({ input: join(folder, "main.mjs"), onwarn, ...settings });
      await bundle.write({ file: join(folder, name, "main.mjs"), format: "es" });
      await bundle.close();
      assert.equal(await printed(join(folder, name, "main.mjs")), "no", name);
    }
  });

  test("Vite renders with it on the server: built, built into one file, and while it is developed", async () => {
    const folder = project("vite", {
      "main.mjs": MODULE,
      "rendered.mjs": MODULE.replace("console.log(await reason());", "export { reason };"),
    });
    const { build, createServer } = await import("vite");
    for (const [name, ssr] of [
      ["outside", {}],
      ["inside", { noExternal: true }],
    ]) {
      await build({
        root: folder,
        logLevel: "silent",
        ssr,
        build: { ssr: "main.mjs", outDir: name, target: "node20" },
      });
      const [file] = readdirSync(join(folder, name));
      assert.equal(await printed(join(folder, name, file)), "no", name);
    }
    const server = await createServer({
      root: folder,
      logLevel: "silent",
      server: { middlewareMode: true, ws: false },
      appType: "custom",
      optimizeDeps: { noDiscovery: true },
    });
    try {
      const { reason } = await server.ssrLoadModule("/rendered.mjs");
      assert.equal(await reason(), "no");
    } finally {
      await server.close();
    }
  });
});

describe("test runners", { skip }, () => {
  const tests = (head) => `${head}${USE}test("a hook", async () => { expect(await reason()).toBe("no"); });\n`;

  test("jest runs tests in CommonJS and in modules", async () => {
    const folder = project("jest", {
      "package.json": "{}",
      "common.test.js": tests('const { HookClient, HookResponse } = require("hookweave");'),
      "module.test.mjs": tests('import { HookClient, HookResponse } from "hookweave";'),
    });
    const match = ["--testMatch", "**/*.test.js", "**/*.test.mjs"];
    const args = ["--experimental-vm-modules", tool("jest", "bin/jest.js"), "--rootDir", folder, ...match];
    const { err } = await runNode(args, folder);
    assert.match(err, /Tests: +2 passed, 2 total/);
  });
});

describe("package managers", { skip }, () => {
  test("Yarn Plug'n'Play requires and imports it", async () => {
    const [native] = readdirSync(join(work, "node_modules", "@hookweave"));
    const packages = join(work, "packages");
    const manifest = {
      name: "user",
      private: true,
      dependencies: { hookweave: `file:${join(packages, "hookweave")}` },
      resolutions: { [`@hookweave/${native}`]: `file:${join(packages, native.slice("native-".length))}` },
    };
    const folder = project("yarn", {
      "package.json": JSON.stringify(manifest),
      "yarn.lock": "",
      ".yarnrc.yml": "nodeLinker: pnp\nenableGlobalCache: false\nenableTelemetry: false\nenableNetwork: false\n",
      "main.cjs": COMMON,
      "main.mjs": MODULE,
    });
    const yarn = tool("@yarnpkg/cli-dist", "bin/yarn.js");
    const env = { YARN_ENABLE_IMMUTABLE_INSTALLS: "false", CI: "" };
    await runNode([yarn, "install"], folder, env);
    for (const file of ["main.cjs", "main.mjs"]) {
      const { out } = await runNode([yarn, "node", file], folder, env);
      assert.equal(out.trim(), "no", file);
    }
  });
});

describe("types", { skip }, () => {
  const compiler = join(packageFolder, "node_modules", "typescript", "bin", "tsc");
  const text = `import { HookClient, HookResponse, type Outcome } from "hookweave";
    import { assertBlocked } from "hookweave/testing";
    export const judged = async (): Promise<Outcome<"PreToolUse">> => {
      const client = new HookClient();
      client.registerHook("PreToolUse", ({ tool }) => HookResponse.block(tool));
      const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      assertBlocked(outcome);
      return outcome;
    };\n`;

  test("compile without @types/node, in every way that modules are resolved", async () => {
    for (const [module, moduleResolution] of [
      ["nodenext", "nodenext"],
      ["node16", "node16"],
      ["preserve", "bundler"],
    ]) {
      const lib = ["es2023", "dom", "esnext.disposable"];
      const how = { module, moduleResolution, lib, target: "es2022" };
      const compilerOptions = { ...how, strict: true, noEmit: true, skipLibCheck: false, types: [] };
      const config = JSON.stringify({ compilerOptions, files: ["user.mts", "user.cts"] });
      const folder = project(`types-${module}`, { "user.mts": text, "user.cts": text, "tsconfig.json": config });
      await runNode([compiler, "--project", folder], folder);
    }
  });
});

// It takes as long as all others together.
const skipNext = skip || (process.env.HOOKWEAVE_TEST_ALL === "1" ? false : "Next.js: with `make test-all`");

describe("Next.js", { skip: skipNext, concurrency: true }, () => {
  const route = `import { HookClient, HookResponse } from "hookweave";${USE}
    export const dynamic = "force-dynamic";
    export async function GET() { return Response.json(await reason()); }\n`;
  const files = (config) => ({
    "package.json": "{}",
    "app/layout.js": "export default ({ children }) => <html><body>{children}</body></html>;\n",
    "app/hook/route.js": route,
    "next.config.mjs": `export default ${JSON.stringify(config)};\n`,
  });
  const next = tool("next", "dist/bin/next");
  const env = { NEXT_TELEMETRY_DISABLED: "1" };

  /** What the route answers. */
  async function served(folder) {
    const server = spawn(process.execPath, [next, "start", "--port", "0"], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    try {
      const address = await new Promise((resolve, reject) => {
        let text = "";
        const look = (data) => {
          text += data;
          const found = /http:\/\/localhost:\d+/.exec(text);
          if (found) resolve(found[0]);
        };
        server.stdout.on("data", look);
        server.stderr.on("data", look);
        server.on("close", () => reject(new Error(text)));
      });
      return await (await fetch(`${address}/hook`)).text();
    } finally {
      server.kill();
    }
  }

  // What a server without the installed packages gets, as with `output: "standalone"`.
  const traced = { outputFileTracingIncludes: { "/*": ["../node_modules/@hookweave/**/*"] } };
  for (const [name, args, config] of [
    ["with Turbopack, outside of the bundle", ["build"], { serverExternalPackages: ["hookweave"], ...traced }],
    ["with webpack, inside of it", ["build", "--webpack"], {}],
  ]) {
    test(name, async () => {
      const folder = project(`next-${args.length}`, files({ ...config, outputFileTracingRoot: here }));
      await runNode([next, ...args], folder, env);
      assert.equal(await served(folder), '"no"');
      if (config.serverExternalPackages === undefined) return;
      const trace = readFileSync(join(folder, ".next", "server", "app", "hook", "route.js.nft.json"), "utf8");
      assert.match(trace, /@hookweave\/native-[\w-]+\/hookweave\.[\w-]+\.node"/);
    });
  }
});
