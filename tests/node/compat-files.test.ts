/** The configuration files of other systems' documentation, as they stand there, with the programs that they call. */

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";

import type { ClientOptions, HookClient } from "hookweave";

import { Documented, systems as files } from "./support/documented.js";
import { Folder } from "./support/files.js";
import { atSomeScale, PATIENCE, quietClient, until } from "./support/tools.js";

const skip = process.platform === "win32" ? "the documented commands are written for sh" : false;

/** Notes what it is called with. */
const NOTING = `#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLS"\n`;

/** A home directory with the programs that the files call; their calls are noted. */
function home(t: TestContext): Folder {
  const folder = new Folder(t);
  const path = `${folder.at("bin")}:${process.env["PATH"] ?? ""}`;
  const given = { HOME: folder.path, CALLS: folder.at("calls"), PATH: path, HOOK_API_KEY: "key" };
  // Set one by one: commands inherit the process's environment, which the object stands for.
  for (const [name, value] of Object.entries(given)) {
    const before = process.env[name];
    process.env[name] = value;
    t.after(() => {
      if (before === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before;
    });
  }
  return folder;
}

/** The lines of a file; none when it is not there. */
function lines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

/** A client in a folder that logs no failures and reaches no server outside. */
function clientIn(folder: Folder, options: ClientOptions = {}): HookClient {
  const webhooks = { allowedUrls: [] };
  return quietClient({ projectDir: folder.path, webhooks, ...options });
}

describe("the files of Cocode's documentation", { skip }, () => {
  test("its hooks.toml: a command, a webhook, a note of each session", async (t) => {
    const folder = home(t);
    // The documented file leaves its script to the reader.
    folder.write(
      ".config/cocode/hooks/validate_bash.py",
      'import json, sys\nc = json.load(sys.stdin)\nif "reboot" in c["tool_input"]["command"]:\n    print(json.dumps({"Reject": {"reason": "not now"}}))\n',
    );
    folder.write("bin/python", '#!/bin/sh\nexec python3 "$@"\n');
    mkdirSync(folder.at(".cocode"));
    const file = folder.at(".config/cocode/hooks.toml");
    cpSync(`${files}cocode/hooks.toml`, file);

    await using client = clientIn(folder, { profile: "cocode" });
    const report = client.load(file);
    assert.deepEqual([report.hooks.length, report.problems], [3, []]);

    const cwd = folder.path;
    const run = (command: string) =>
      client.dispatch("PreToolUse", { tool: "Bash", args: { command }, cwd });
    assert.equal((await run("reboot now")).reason, "not now");
    assert.equal((await run("ls")).decision, "continue");

    for (let n = 0; n < 2; n += 1)
      await client.dispatch("SessionStart", { source: "startup", cwd });
    assert.deepEqual(lines(folder.at(".cocode/session.log")), ["Session started"], "once");

    const edited = { tool: "Edit", args: {}, result: {}, cwd };
    const [entry] = (await client.dispatch("PostToolUse", edited)).trace;
    assert.match(entry?.reason ?? entry?.failure?.message ?? "", /api\.example\.com/);
    assert.equal(
      (await client.dispatch("PostToolUse", { ...edited, tool: "Write" })).trace.length,
      0,
    );
  });

  test("validating commands", async (t) => {
    const folder = home(t);
    await using client = clientIn(folder);
    client.load(`${files}cocode/validate-bash.toml`);
    const run = (command: string) =>
      client.dispatch("PreToolUse", { tool: "Bash", args: { command } });
    for (const command of ["rm -rf /", "sudo rm x", ":(){:|:&};:"]) {
      assert.equal((await run(command)).reason, "Dangerous command blocked", command);
    }
    const outcome = await run("ls");
    assert.deepEqual([outcome.decision, outcome.trace[0]?.hook], ["continue", "validate-bash"]);
  });

  test("logging edits", async (t) => {
    const folder = home(t);
    mkdirSync(folder.at(".cocode"));
    await using client = clientIn(folder);
    client.load(`${files}cocode/log-edits.toml`);
    const edited = { args: {}, result: {}, cwd: folder.path };
    for (const tool of ["Edit", "Write"]) await client.dispatch("PostToolUse", { tool, ...edited });
    const [line, ...others] = lines(folder.at(".cocode/edits.log"));
    assert.match(line ?? "", /: File edited - Edit$/);
    assert.deepEqual(others, []);
  });

  test("telling a server of a session", async (t) => {
    const folder = home(t);
    await using client = clientIn(folder);
    client.load(`${files}cocode/session-notify.toml`);
    const [hook] = client.listHooks();
    assert.deepEqual(
      [hook?.name, hook?.event, hook?.once, hook?.origin?.runs, hook?.origin?.scope],
      [
        "session-notify",
        "SessionStart",
        true,
        "POST https://hooks.slack.com/services/xxx",
        "project",
      ],
    );
    const { hooks } = client.explain("SessionStart", { source: "startup" });
    assert.deepEqual(
      hooks.map(({ matched }) => matched),
      [true],
    );
    const outcome = await client.dispatch("SessionStart", { source: "startup" });
    assert.match(outcome.trace[0]?.reason ?? "", /hooks\.slack\.com/);
    assert.equal(outcome.blocked, false, "a session that has begun is not taken back");
  });
});

describe("files as Wingman documents them", { skip }, () => {
  let folder: Folder;
  let client: HookClient;
  const cwd = () => ({ cwd: folder.path });

  function open(t: TestContext): void {
    folder = home(t);
    for (const program of ["prettier", "npm"]) folder.write(`bin/${program}`, NOTING);
    cpSync(`${files}wingman/`, folder.at(".wingman/"), { recursive: true });
    client = clientIn(folder);
    t.after(() => client.close());
  }

  test("a dangerous command is blocked, every call is noted, and a failing hook stops no other", async (t) => {
    open(t);
    const report = client.load(folder.at(".wingman/wingman.config.json"));
    assert.deepEqual(
      [report.hooks.length, report.found[0]?.dialect, report.problems],
      [7, "wingman", []],
    );
    for (const command of ["rm -rf / --force", "dd if=/dev/zero of=x", ":(){ :|:& };:"]) {
      const args = { command };
      const { reason } = await client.dispatch("PreToolUse", { tool: "Bash", args, ...cwd() });
      assert.equal(reason, "Dangerous command blocked", command);
    }
    const args = { command: "ls" };
    const ls = { tool: "Bash", args, sessionId: "s-1", toolUseId: "call-1", ...cwd() };
    const outcome = await client.dispatch("PreToolUse", ls);
    assert.deepEqual(
      [outcome.decision, outcome.trace.map(({ status }) => status)],
      ["continue", ["ran", "ran", "failed"]],
    );
    assert.deepEqual(JSON.parse(lines(folder.at("audit.jsonl")).at(-1) ?? ""), {
      session_id: "s-1",
      cwd: folder.path,
      hook_event_name: "PreToolUse",
      tool_name: "command_execute",
      tool_input: args,
      tool_use_id: "call-1",
    });
  });

  test("are what its types say, and so is what a hook reads", async () => {
    const documented = new Documented([]);
    const types = readFileSync(`${files}wingman/types.ts`, "utf8");
    const config = readFileSync(`${files}wingman/wingman.config.json`, "utf8");
    const read = {
      session_id: "s",
      cwd: "/",
      hook_event_name: "PostToolUse",
      tool_name: "read_file",
    };
    const input = { ...read, tool_input: { file_path: "a" }, tool_use_id: "c", tool_output: "b" };
    documented.write(
      "checked.ts",
      `${types}
       export const configuration: { hooks: HooksConfig } = ${config};
       export const input: HookInput = ${JSON.stringify(input)};
       // @ts-expect-error there is no such event
       export const unknown: HooksConfig = { SessionStart: [] };`,
    );
    assert.deepEqual(await documented.compile("checked"), []);
    documented.remove();
  });

  test("a hook that is too slow is killed, and the call goes on", async (t) => {
    open(t);
    const file = folder.at(".wingman/wingman.config.json");
    const text = readFileSync(file, "utf8");
    await atSomeScale(async (scale) => {
      writeFileSync(file, text.replace(/"timeout": 1\b/, `"timeout": ${String(scale)}`));
      await using slow = clientIn(folder);
      slow.load(file);
      const outcome = await slow.dispatch("PreToolUse", { tool: "slow_tool", args: {}, ...cwd() });
      assert.equal(outcome.blocked, false);
      assert.equal(outcome.trace.at(-1)?.failure?.kind, "timeout");
      assert.deepEqual(lines(folder.at("slow.log")), ["began"]);
    });
  });

  test("what was written is formatted, and tests run at the end, without anybody waiting", async (t) => {
    open(t);
    client.load(folder.at(".wingman/wingman.config.json"));
    const result = { success: true, output: "written" };
    for (const [tool, file_path] of [
      ["Write", "a.ts"],
      ["Edit", "b.ts"],
      ["Read", "c.ts"],
    ] as const) {
      const done = { tool, args: { file_path }, result, ...cwd() };
      const { trace } = await client.dispatch("PostToolUse", done);
      assert.ok(
        trace.every(({ status }) => status === "detached"),
        tool,
      );
      assert.ok(await client.drain(PATIENCE));
    }
    assert.deepEqual(lines(folder.at("calls")), ["prettier --write a.ts", "prettier --write b.ts"]);
    const seen = JSON.parse(readFileSync(folder.at("after.json"), "utf8")) as object;
    assert.deepEqual(
      { ...seen, session_id: "", tool_use_id: "" },
      {
        session_id: "",
        cwd: folder.path,
        hook_event_name: "PostToolUse",
        tool_name: "read_file",
        tool_input: { file_path: "c.ts" },
        tool_use_id: "",
        tool_output: "written",
      },
    );
    assert.equal((await client.dispatch("Stop", cwd())).blocked, false);
    await until(() => lines(folder.at("calls")).length === 3);
    assert.equal(lines(folder.at("calls")).at(-1), "npm test");
  });

  test("an agent's own hooks come behind those of all agents", async (t) => {
    open(t);
    const report = client.discover(folder.path, {
      sources: ["wingman"],
      trust: "all",
      agent: "reviewer",
    });
    assert.deepEqual(
      report.found.map(({ hooks }) => hooks),
      [7, 1],
    );
    const write = { tool: "Write", args: { file_path: "a.ts" }, ...cwd() };
    assert.equal((await client.dispatch("PreToolUse", write)).reason, "a reviewer changes nothing");
    const dangerous = { tool: "Bash", args: { command: "rm -rf /" }, ...cwd() };
    assert.equal(
      (await client.dispatch("PreToolUse", dangerous)).reason,
      "Dangerous command blocked",
    );
    const { hooks } = client.explain("PreToolUse", write);
    assert.deepEqual(
      hooks.map(({ matched, scope }) => [matched, scope]),
      [
        [false, "managed"],
        [false, "project"],
        [true, "project"],
        [true, "project"],
        [false, "project"],
        [true, "agent"],
      ],
    );
  });
});
