/**
 * Mistakes that users make, and what they read then, in tests/mistakes/typescript.json.
 *
 * `UPDATE_GOLDEN=1` writes the file; read its difference. Each message names the thing, the place and the fix.
 */

// Everything here is used against its type.
/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access */
/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment */
/* eslint-disable @typescript-eslint/no-unsafe-argument */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, test } from "node:test";

import * as hookweave from "hookweave";
import { assertBlocked } from "hookweave/testing";
import ts from "typescript";

import { packageFolder } from "./support/tools.js";

const GOLDEN = path.join(packageFolder, "..", "tests", "mistakes", "typescript.json");
const folder = mkdtempSync(path.join(tmpdir(), "hookweave-mistakes-"));
after(() => {
  rmSync(folder, { recursive: true });
});

/** The public names without their types: the compiler would refuse most of what follows. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Untyped = any;
const { HookClient, HookResponse } = hookweave as Untyped;

const bash = { tool: "Bash", args: { command: "ls" } };

function quiet(options: object = {}): Untyped {
  return new HookClient({ logger: null, ...options });
}

function register(event: unknown, hook: unknown): () => unknown {
  return () => quiet().registerHook(event, hook);
}

const nothing = (): undefined => undefined;

function configured(config: object): () => unknown {
  return register("PreToolUse", { handler: nothing, config });
}

function matched(matcher: unknown): () => unknown {
  return register("PreToolUse", { handler: nothing, matcher });
}

/** The failure of a hook that answers so. */
function answered(answer: unknown): () => Promise<unknown> {
  return async () => {
    const client = quiet();
    client.registerHook("PreToolUse", { name: "guard", handler: () => answer });
    const [entry] = (await client.dispatch("PreToolUse", bash)).trace;
    throw entry.failure?.error ?? new Error(`taken as ${String(entry.action)}`);
  };
}

function dispatched(event: unknown, payload?: unknown, options?: unknown): () => Promise<unknown> {
  return () => quiet().dispatch(event, payload, options);
}

/** The reason of a call that an approver answers so. */
function approved(answer: unknown): () => Promise<unknown> {
  return async () => {
    const session = quiet().session({ approval: () => answer, permissions: "ask" });
    const call = await session.runTool("Bash", { command: "ls" }, () => "ran");
    throw new Error(`${String(call.decision)}: ${String(call.reason)}`);
  };
}

function file(name: string, text: string): string {
  const place = path.join(folder, name);
  writeFileSync(place, text);
  return place;
}

/** What is wrong, and the program that does it; each throws or rejects. */
const AT_RUN_TIME: Readonly<Record<string, () => unknown>> = {
  "an event that is misspelt": register("PreToolUs", nothing),
  "an event in the spelling of Rust": register("pre_tool", nothing),
  "an event that is no name": register({ name: "PreToolUse" }, nothing),
  "a hook that is text": register("PreToolUse", "guard.sh"),
  "a hook without a handler": register("PreToolUse", { matcher: { tool: "Bash" } }),
  "a handler that is called instead of passed": register("PreToolUse", undefined),
  "a handler that is a generator": register("PreToolUse", function* () {
    yield { action: "block" };
  }),
  "a handler that is an async generator": register("PreToolUse", async function* () {
    yield { action: "block" };
  }),
  "a setting beside the handler and in config": register("PreToolUse", {
    handler: nothing,
    priority: 5,
    config: { priority: 5 },
  }),
  "a misspelt setting beside the handler": register("PreToolUse", {
    handler: nothing,
    priorty: 5,
  }),
  "settings as a third argument": () =>
    quiet().registerHook("PreToolUse", nothing, { priority: 5 }),
  "a guard with a third rule": () => quiet().guard("Bash(rm *)", "Bash(dd *)", "no"),
  "a question with two more texts": () => quiet().askBefore("Bash(rm *)", "Sure?", {}, "no"),
  "an unknown setting": configured({ prio: 5 }),
  "a setting with a value that is unknown": configured({ failBehavior: "deny" }),
  "a timeout that is text": configured({ timeout: "5s" }),
  "a timeout that is negative": configured({ timeout: -1 }),
  "a scope that is unknown": configured({ scope: "global" }),
  "a matcher that is text": matched("Bash"),
  "an unknown condition": matched({ tools: "Bash" }),
  "a regular expression that cannot be read": matched({ commandPattern: "rm (" }),
  "a RegExp object that the engine cannot read": matched({ commandPattern: /[^]rm/ }),
  "a RegExp object of sets": matched({ args: { path: new RegExp("[a--b]", "v") } }),
  "a RegExp object as a glob": matched({ pathPattern: /rm/ }),
  "a condition that the event cannot have": register("Stop", {
    handler: nothing,
    matcher: { tool: "Bash" },
  }),
  "an unknown option of the client": () => quiet({ profil: "default" }),
  "an option of the client with an unknown value": () => quiet({ mode: "paralel" }),
  "an unknown profile": () => quiet({ profile: "claude" }),
  "a logger that is text": () => new HookClient({ logger: "console" }),
  "an audit level that is unknown": () => new HookClient({ audit: "loud" }),
  "an unknown setting of the audit log": () => new HookClient({ audit: { fil: "x.jsonl" } }),
  "a dispatch of a misspelt event": dispatched("PreToolUs", bash),
  "a dispatch without a name": dispatched(bash),
  "a payload that is text": dispatched("PreToolUse", "Bash"),
  "an unknown option of a dispatch": dispatched("PreToolUse", bash, { timeout: 5 }),
  "a working directory that is no path": dispatched("PreToolUse", { ...bash, cwd: 5 }),
  "an answer that is true": answered(true),
  "an answer that is text": answered("block"),
  "false beside its reason": answered([false, "it is a secret"]),
  "an answer with an unknown action": answered({ action: "deny" }),
  "an answer with a misspelt part": answered({ action: "block", resaon: "no" }),
  "an answer that is the function that makes it": answered(HookResponse.block),
  "an answer with a field that hooks may not change": answered({ modified: { tool: "Read" } }),
  "an answer in the form of an agent's SDK": answered({
    hookSpecificOutput: { permissionDecision: "deny" },
  }),
  "an assert of an outcome that was not awaited": () => {
    assertBlocked(quiet().dispatch("PreToolUse", bash));
  },
  "a dispatch of a closed client": async () => {
    const client = quiet();
    await client.close();
    await client.dispatch("PreToolUse", bash);
  },
  "an id that no hook has": () => quiet().enableHook("hook-99"),
  "an unknown option of a session": () => quiet().session({ approvals: "deny" }),
  "an approval that is unknown": () => quiet().session({ approval: "ask" }),
  "a permission that is unknown": () => quiet().session({ permissions: { Bash: "yes" } }),
  "an approver that answers true": approved(true),
  "an approver that answers what is no option": approved("perhaps"),
  "a tool that is not registered": () => quiet().session().runTool("Bahs", {}),
  "an unknown option of a tool call": () =>
    quiet().session().runTool("Bash", {}, nothing, { toolUseID: "1" }),
  "a command line as the arguments of a tool": () => quiet().session().runTool("Bash", "ls"),
  "arguments of a tool without names": () => quiet().session().runTool("Bash", ["ls"]),
  "a tool that is a number": () => quiet().session().runTool(3, {}),
  "a tool without a name": () => quiet().session().runTool("", {}, nothing),
  "a model that is a name": () => quiet().registerModel("gpt"),
  "generate without a model": () => quiet().session().generate("hello"),
  "a file that is missing": () => quiet().load(path.join(folder, "settings.json")),
  "a file that is no JSON": () => quiet().load(file("hooks.json", "{ hooks: ")),
  "a dialect that is unknown": () => quiet().load(file("a.json", "{}"), { dialect: "claude" }),
  "a custom event without a colon": () => quiet().defineEvent("my event"),
};

/** What is wrong, and the line; the compiler says one thing about each. */
const AT_COMPILE_TIME: Readonly<Record<string, string>> = {
  "an event that is misspelt": `client.registerHook("PreToolUs", () => undefined);`,
  "a matcher with an unknown condition": `client.registerHook("PreToolUse", { handler: () => undefined, matcher: { tools: "Bash" } });`,
  "a matcher in Python's spelling": `client.registerHook("PreToolUse", { handler: () => undefined, matcher: { command_pattern: "rm" } });`,
  "a setting in Python's spelling": `client.registerHook("PreToolUse", { handler: () => undefined, config: { fail_behavior: "block" } });`,
  "a misspelt setting beside the handler": `client.registerHook("PreToolUse", { handler: () => undefined, priorty: 5 });`,
  "settings as a third argument": `client.registerHook("PreToolUse", () => undefined, { priority: 5 });`,
  "a timeout that is text": `client.registerHook("PreToolUse", { handler: () => undefined, config: { timeout: "5s" } });`,
  "an answer with an unknown action": `client.registerHook("PreToolUse", () => ({ action: "deny" }));`,
  "an answer that is true": `client.registerHook("PreToolUse", () => true);`,
  "a change of a field that hooks may not change": `client.registerHook("PreToolUse", () => HookResponse.continue({ modified: { tool: "Read" } }));`,
  "a field that the event lacks": `client.registerHook("PreToolUse", (event) => void event.result);`,
  "a field of the event in Python's spelling": `client.registerHook("PreToolUse", (event) => void event.tool_use_id);`,
  "an option of the client that is misspelt": `new HookClient({ failBehaviour: "block" });`,
  "a misspelt payload field": `void client.dispatch("PreToolUse", { tool: "Bash", arg: {} });`,
  "a payload field in Python's spelling": `void client.dispatch("PreToolUse", { tool: "Bash", args: {}, session_id: "s" });`,
  "a payload field that is missing": `void client.dispatch("PreToolUse", { args: {} });`,
  "an outcome that is not awaited": `if (client.dispatch("PreToolUse", { tool: "Bash", args: {} }).blocked) throw new Error();`,
  "an option of a session that is misspelt": `client.session({ approvals: "deny" });`,
  "an approval that is unknown": `client.session({ approval: "ask" });`,
  "a dialect that is unknown": `client.load("x", { dialect: "claude" });`,
};

interface Seen {
  readonly code?: string;
  readonly message: string;
}

async function caught(act: () => unknown): Promise<Seen> {
  try {
    await act();
  } catch (thrown) {
    const { code, message } = thrown as { code?: string; message: string };
    // Long lists grow with every option; their beginning is enough here.
    const shown = message
      .replaceAll(folder, "<folder>")
      .replace(/(known are( [\w-]+,){5}).+$/, "$1 …");
    return code === undefined ? { message: shown } : { code, message: shown };
  }
  return { message: "nothing is said" };
}

/** What the compiler says about each line. */
function compiled(lines: readonly string[]): string[][] {
  const head = `import { HookClient, HookResponse } from "hookweave";
    declare const client: HookClient; void [client, HookResponse];\n`;
  // Where the package's own name is found, as in its users' projects.
  const nameOf = (index: number): string =>
    path.join(packageFolder, `mistake-${String(index)}.mts`);
  const texts = new Map(lines.map((line, index) => [nameOf(index), `${head}${line}\n`]));
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  const getSourceFile = host.getSourceFile.bind(host);
  host.readFile = (name) => texts.get(name) ?? readFile(name);
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, how, ...rest) => {
    const text = texts.get(name);
    if (text === undefined) return getSourceFile(name, how, ...rest);
    return ts.createSourceFile(name, text, how);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return [...texts.keys()].map((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(
        ({ code, messageText }) =>
          `TS${String(code)}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      ),
  );
}

describe("what users read of their mistakes", () => {
  test("is what tests/mistakes/typescript.json has", async () => {
    const atRunTime: Record<string, Seen> = {};
    for (const [what, act] of Object.entries(AT_RUN_TIME)) atRunTime[what] = await caught(act);
    const names = Object.keys(AT_COMPILE_TIME);
    const diagnostics = compiled(Object.values(AT_COMPILE_TIME));
    const atCompileTime = Object.fromEntries(
      names.map((name, index) => [name, diagnostics[index]]),
    );
    const text = `${JSON.stringify({ "at run time": atRunTime, "at compile time": atCompileTime }, null, 2)}\n`;
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, text);
    assert.equal(text, readFileSync(GOLDEN, "utf8"), "UPDATE_GOLDEN=1 writes the file");
    for (const [name, said] of Object.entries(atCompileTime)) {
      assert.equal(said?.length, 1, `the compiler says one thing about ${name}`);
    }
    for (const [name, { message }] of Object.entries(atRunTime)) {
      assert.doesNotMatch(
        message,
        /nothing is said|\[object |is not a function|of undefined|cannot read/i,
        name,
      );
    }
  });
});
