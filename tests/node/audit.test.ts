/** The audit log as Node programs use it. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";

import {
  audit,
  AuditError,
  ClientClosedError,
  HookClient,
  InvalidOptionError,
  type AuditRecord,
} from "hookweave";

import { folder, newLog, records } from "./support/logs.js";
import { PATIENCE } from "./support/tools.js";

const kinds = (file: string): string[] => records(file).map(({ kind }) => kind);
const call = { tool: "Bash", args: { command: "ls" }, sessionId: "s1" };

describe("the audit log", () => {
  it("records dispatches, quiet and loud, once each", async () => {
    const file = newLog();
    const client = new HookClient({ audit: { file } });
    client.registerHook("PreToolUse", () => undefined);
    await client.dispatch("PreToolUse", call);
    // Asking for details afterwards records nothing anew.
    assert.equal((await client.dispatch("PreToolUse", call)).trace.length, 1);
    client.registerHook("PreToolUse", () => ({
      action: "block",
      reason: "no",
    }));
    assert.equal((await client.dispatch("PreToolUse", call)).blocked, true);
    await client.close();
    const finished = records(file).filter(({ kind }) => kind === "hook_finished");
    assert.deepEqual(
      finished.map(({ dispatch, outcome }) => [dispatch, outcome]),
      [
        [1, "continue"],
        [2, "continue"],
        [3, "continue"],
        [3, "block"],
      ],
    );
    const digests = new Set(finished.map(({ input }) => input?.digest));
    assert.equal(digests.size, 1, "quiet or loud, the digest is the same");
    assert.equal(kinds(file).at(-1), "audit_closed");
    assert.equal(audit.verify(file).whole, true);
  });

  it("has one digest for every way that a payload can come", async () => {
    const digestOf = async (payload: object, tools = false): Promise<string | undefined> => {
      const file = newLog();
      const client = new HookClient({ audit: { file, key: "k" } });
      if (tools) client.defineTool("sh", { sameAs: "Bash" });
      client.registerHook("PreToolUse", () => undefined);
      await client.dispatch("PreToolUse", payload as typeof call);
      await client.close();
      return records(file).find(({ kind }) => kind === "hook_finished")?.input?.digest;
    };
    for (const args of [
      { command: "ls" },
      { command: "a\0b" },
      { file_path: "/x", path: "/y" },
      { paths: ["/x", "/y"] },
      { command: "x ".repeat(5000) },
      { command: 7 },
      {},
    ]) {
      const payload = { tool: "Bash", args, toolUseId: "t1", sessionId: "s" };
      // Where tools are defined the core reads the payload itself.
      assert.equal(await digestOf(payload), await digestOf(payload, true), JSON.stringify(args));
    }
  });

  it("calls back in order, and a callback that throws harms nothing", async () => {
    const [file, heard, logged] = [newLog(), [] as AuditRecord[], [] as string[]];
    const logger = {
      warn: (text: string) => logged.push(text),
      error: () => undefined,
    };
    const callback = (record: AuditRecord): void => {
      heard.push(record);
      if (record.seq === 2) throw new Error("no ears");
    };
    const client = new HookClient({ logger, audit: { file, callback } });
    client.registerHook("PreToolUse", () => undefined);
    await client.dispatch("PreToolUse", call);
    assert.equal(client.flushAudit(PATIENCE), true);
    assert.deepEqual(heard, records(file));
    assert.deepEqual(logged, ["the audit callback failed"]);
    await client.close();
  });

  it("outlives a callback that is async and fails", async () => {
    const logged: unknown[] = [];
    const logger = {
      warn: (text: string, details?: { seq?: number }) => logged.push([text, details?.seq]),
      error: () => undefined,
    };
    const callback = async (record: AuditRecord): Promise<void> => {
      await Promise.resolve();
      if (record.seq === 2) throw new Error("no ears");
    };
    const client = new HookClient({ logger, audit: { callback } });
    client.registerHook("PreToolUse", () => undefined);
    assert.equal(client.flushAudit(PATIENCE), true);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(logged, [["the audit callback failed", 2]]);
    await client.close();
  });

  it("calls back by itself, without being asked to", async () => {
    const first = new Promise<AuditRecord>((resolve) => {
      const callback = (record: AuditRecord): void => {
        if (record.kind === "hook_finished") resolve(record);
      };
      const client = new HookClient({ audit: { callback } });
      client.registerHook("PreToolUse", () => undefined);
      void client.dispatch("PreToolUse", call).then(async () => {
        await first;
        await client.close();
      });
    });
    // The log keeps no process alive, so something else has to.
    const alive = setInterval(() => undefined, 1000);
    assert.equal((await first).session, "s1");
    clearInterval(alive);
  });

  it("goes to a file where a path is given", async () => {
    const file = newLog();
    const client = new HookClient({ logger: null, audit: file as `${string}/${string}` });
    assert.equal(client.auditFile, file);
    assert.equal(client.auditLevel, "info");
    await client.close();
  });

  it("goes to the logger when only a level is given", async () => {
    const logged: object[] = [];
    const logger = {
      warn: () => undefined,
      error: () => undefined,
      info: (_: string, details?: object) => logged.push(details ?? {}),
    };
    const client = new HookClient({ logger });
    assert.deepEqual(
      [client.auditLevel, client.auditAnchor, client.auditFile],
      ["info", null, null],
    );
    client.setHookAuditLevel("verbose");
    client.registerHook("PreToolUse", () => undefined);
    await client.dispatch("PreToolUse", call);
    client.flushAudit(PATIENCE);
    assert.deepEqual(
      logged.map((details) => (details as AuditRecord).kind),
      ["audit_opened", "hook_registered", "hook_started", "hook_finished"],
    );
    client.setHookAuditLevel("off");
    await client.dispatch("PreToolUse", call);
    assert.throws(() => {
      client.setHookAuditLevel("loud" as "off");
    }, InvalidOptionError);
    await client.close();
    assert.throws(() => {
      client.setHookAuditLevel("info");
    }, ClientClosedError);
  });

  it("reaches the console where nobody gave a logger, and is refused where it could go nowhere", async (t) => {
    const logged: unknown[] = [];
    for (const level of ["warn", "error", "info", "log"] as const)
      t.mock.method(console, level, (_: string, details: AuditRecord) => logged.push(details.kind));
    const client = new HookClient();
    client.setHookAuditLevel("verbose");
    client.registerHook("PreToolUse", () => undefined);
    await client.dispatch("PreToolUse", call);
    client.flushAudit(PATIENCE);
    assert.deepEqual(logged, ["audit_opened", "hook_registered", "hook_started", "hook_finished"]);
    await client.close();
    const silent = new HookClient({ logger: null });
    const refused = { code: "invalid_option", message: /no logger.*`file` or a `callback`/ };
    assert.throws(() => {
      silent.setHookAuditLevel("verbose");
    }, refused);
    assert.throws(() => {
      silent.configureAudit({ log: true, file: newLog() });
    }, refused);
    assert.equal(silent.auditLevel, "info");
    silent.setHookAuditLevel("off");
    silent.configureAudit({ level: "verbose", callback: () => undefined });
    await silent.close();
  });

  it("records tool runs of sessions whether or not a hook ran", async () => {
    const file = newLog();
    const client = new HookClient({ audit: { file } });
    const session = client.session({ sessionId: "s7", permissions: "allow" });
    await session.runTool("Read", { file_path: "/x" }, () => "text");
    client.registerHook("PreToolUse", () => undefined);
    await session.runTool("Read", { file_path: "/x" }, () => "text");
    client.registerHook("PreToolUse", () => ({
      action: "block",
      reason: "no",
    }));
    await session.runTool("Read", { file_path: "/x" }, () => "text");
    await client.close();
    const runs = records(file).filter(({ kind }) => kind === "tool_run");
    assert.deepEqual(
      runs.map(({ tool, outcome, session }) => [tool, outcome, session]),
      [
        ["Read", "ok", "s7"],
        ["Read", "ok", "s7"],
        ["Read", "block", "s7"],
      ],
    );
    assert.ok(runs.every(({ input }) => input?.digest.length === 32));
  });

  it("refuses nonsense and files that it cannot write", () => {
    for (const wrong of [
      "loud",
      { levle: "info" },
      { callback: 7 },
      { log: 1 },
      { redact: { patterns: ["("] } },
    ])
      assert.throws(() => new HookClient({ audit: wrong as "off" }), InvalidOptionError);
    assert.throws(() => new HookClient({ audit: { file: folder } }), AuditError);
    assert.throws(() => audit.verify(join(folder, "none.jsonl")), {
      code: "audit_failed",
    });
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      ["no anchor", /`no anchor` is no anchor/],
      [5, /`5` is no anchor/],
      [{ seq: 1 }, /is no anchor/],
      ["0:" + "0".repeat(64), /the first record is number 1/],
    ];
    for (const [anchor, message] of wrong)
      assert.throws(
        () => audit.verify(newLog(), anchor as string),
        (error) => error instanceof InvalidOptionError && message.test(error.message),
      );
  });

  it("keeps its last anchor after it was closed, and an empty one proves nothing", async () => {
    const file = newLog();
    const client = new HookClient({ audit: { file } });
    await client.close();
    const { last, anchored } = audit.verify(file, client.auditAnchor);
    assert.deepEqual([anchored, last], [true, client.auditAnchor]);
    writeFileSync(file, "");
    assert.equal(audit.verify(file).whole, false);
  });

  it("is written to its end when the process exits, and finds what was changed", () => {
    const file = newLog();
    const script = `
      import { HookClient } from "hookweave";
      const client = new HookClient({ audit: { file: ${JSON.stringify(file)} } });
      client.registerHook("PreToolUse", () => undefined);
      for (let i = 0; i < 20; i++) await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      process.exit(0);`;
    execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
    });
    assert.deepEqual([kinds(file).length, kinds(file).at(-1)], [23, "audit_closed"]);
    const anchor = audit.verify(file).last;
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, [...lines.slice(0, 4), ...lines.slice(5)].join("\n"));
    const { whole, problems } = audit.verify(file, anchor);
    assert.deepEqual([whole, problems[0]?.kind, problems[0]?.seq], [false, "missing", 5]);
    writeFileSync(file, `${lines.slice(0, 4).join("\n")}\n`);
    assert.equal(audit.verify(file).whole, true);
    assert.equal(audit.verify(file, anchor).problems[0]?.kind, "truncated");
  });

  it("tells no decision before its record is in the file", async () => {
    const file = newLog();
    const client = new HookClient({ audit: { file, required: true, fsync: "record" } });
    client.registerHook("PreToolUse", () => undefined);
    const kinds = () => records(file).map(({ kind }) => kind);
    for (let number = 1; number <= 10; number++) {
      const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
      assert.equal(outcome.blocked, false);
      assert.equal(kinds().filter((kind) => kind === "hook_finished").length, number);
    }
    const session = client.session();
    let seen: unknown;
    const ran = await session.runTool("Other", {}, () => {
      seen = kinds().at(-1);
      return "text";
    });
    assert.deepEqual([ran.ok, seen, kinds().at(-1)], [true, "tool_started", "tool_run"]);
    await client.close();
  });

  const limited = process.platform === "win32" ? "a file's size is not limited there" : false;
  it("cannot be required where only a callback gets the records", async () => {
    const callback = (): void => {
      throw new Error("the collector is down");
    };
    const alone = [{ callback }, {}, { log: true }];
    for (const options of alone)
      assert.throws(() => new HookClient({ audit: { ...options, required: true } }), {
        name: "InvalidOptionError",
        message: /audit\.required: needs a `file`/,
      });
    const file = newLog();
    assert.throws(() => new HookClient({ audit: { file, required: true, level: "off" } }), {
      name: "InvalidOptionError",
      message: /audit\.required: no decision is recorded with the level `off`/,
    });
    const logger = { warn: () => undefined, error: () => undefined };
    const client = new HookClient({ logger, audit: { file, required: true, callback } });
    client.registerHook("PreToolUse", () => undefined);
    assert.equal((await client.dispatch("PreToolUse", call)).blocked, false);
    assert.equal(kinds(file).at(-1), "hook_finished");
    await client.close();
  });

  it("blocks what it cannot record when that is required", { skip: limited }, () => {
    const file = newLog();
    const script = `
      import { HookClient } from "hookweave";
      const client = new HookClient({ audit: { file: ${JSON.stringify(file)}, required: true } });
      client.registerHook("PreToolUse", () => undefined);
      let outcome;
      for (let i = 0; i < 100 && outcome?.blocked !== true; i++) {
        outcome = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
        client.flushAudit(20);
      }
      if (!outcome.blocked || !outcome.reason.startsWith("audit")) throw new Error(outcome.reason);
      if (outcome.decision !== "block" || client.auditTrouble === null) throw new Error("no trouble");
      const ran = await client.session({ permissions: "allow" }).runTool("Read", {}, () => "text");
      if (ran.ran) throw new Error("the tool ran");
      process.kill(process.pid, "SIGKILL");`;
    const small = `trap '' XFSZ; ulimit -f 8; "$0" --input-type=module -e "$1"; test $? = 137`;
    execFileSync("sh", ["-c", small, process.execPath, script], {
      cwd: import.meta.dirname,
    });
    assert.deepEqual(audit.verify(file).problems, []);
  });
});
