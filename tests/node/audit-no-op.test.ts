/** Quiet dispatches, of which the audit log is told the texts that it needs. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";

import { audit, HookClient, type AuditOptions, type AuditRecord } from "hookweave";

import { newLog, records } from "./support/logs.js";
import { PATIENCE } from "./support/tools.js";

function finished(file: string): AuditRecord[] {
  return records(file).filter(({ kind }) => kind === "hook_finished");
}

function quietClient(options: AuditOptions, hooks = ["guard"]): HookClient {
  const client = new HookClient({ audit: options });
  for (const name of hooks) client.registerHook("PreToolUse", { name, handler: () => undefined });
  return client;
}

interface Call {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly sessionId: string;
}

const call = (command: string): Call => ({
  tool: "Bash",
  args: { command },
  sessionId: "s1",
});

describe("quiet dispatches in the log", () => {
  it("say the same as those that the core reads itself", async () => {
    const payloads = [
      call("ls -la"),
      call("grüße 日本 👋"),
      call("\ud800 alone"),
      call("a\0b"),
      call("x ".repeat(3000)),
      call("y".repeat(2000)),
      call("z".repeat(32)),
      call("ü".repeat(33)),
      call(""),
      { ...call("ls"), toolUseId: "t-1", agentId: "agent" },
      { ...call("ls"), sessionId: "日本" },
      { tool: "Read", args: { file_path: "/x", path: "/y" }, sessionId: "s" },
      { tool: "Read", args: { notebook_path: "/x", paths: ["/a", "/b"] }, sessionId: "s" },
      { tool: "Read", args: { files: "/x" }, sessionId: "s" },
      { tool: "Odd", args: Object.create({ command: "inherited" }) as object, sessionId: "s" },
      { tool: "Odd", args: [] as object, sessionId: "s" },
      { tool: "Odd", args: {}, sessionId: "s".repeat(4200) },
    ];
    const [quick, exact] = [newLog(), newLog()];
    const [before, began] = [Date.now(), performance.now()];
    const names = ["guard", "töpfe"];
    const ours = quietClient({ file: quick, key: "k" }, names);
    const cores = quietClient({ file: exact, key: "k" }, names);
    // Where tools are defined the core reads every payload itself.
    cores.defineTool("sh", { sameAs: "Bash" });
    for (const client of [ours, cores]) {
      for (const payload of payloads) await client.dispatch("PreToolUse", payload as never);
      await client.close();
    }
    const recordsOf = (file: string): object[] =>
      finished(file).map(({ seq: _s, time, prev: _p, hash: _h, duration_us: took, ...rest }) => {
        assert.ok(Date.parse(time) >= before - 1 && Date.parse(time) <= Date.now() + 1, time);
        const most = (performance.now() - began) * 1000;
        assert.ok(typeof took === "number" && took >= 0 && took <= most, String(took));
        return rest;
      });
    assert.equal(recordsOf(quick).length, 2 * payloads.length);
    assert.deepEqual(recordsOf(quick), recordsOf(exact));
  });

  it("keep their order among all that is recorded", async () => {
    const file = newLog();
    const client = new HookClient({ audit: { file } });
    client.registerHook("PreToolUse", ({ args }) =>
      args["command"] === "loud" ? { action: "block", reason: "no" } : undefined,
    );
    const expected: string[] = [];
    for (let round = 0; round < 50; round++) {
      for (let quiet = 0; quiet < round % 4; quiet++) {
        await client.dispatch("PreToolUse", call("ls"));
        expected.push("continue");
      }
      if (round % 3 === 0) {
        await client.dispatch("PreToolUse", call("loud"));
        expected.push("block");
      } else {
        const hook = client.registerHook("Stop", () => undefined);
        client.unregisterHook(hook);
        expected.push("hook_registered", "hook_removed");
      }
      if (round % 10 === 0) client.flushAudit();
    }
    await client.close();
    const found = records(file).flatMap(({ kind, outcome }) =>
      kind === "hook_finished" ? [outcome] : kind.startsWith("hook_") ? [kind] : [],
    );
    assert.deepEqual(found.slice(1), expected);
    assert.equal(audit.verify(file).whole, true);
  });

  it("are all recorded, however many come at once and however little may wait", async () => {
    for (const [queue, count] of [
      [1, 300],
      [3, 300],
      [100, 5000],
      [1_000_000, 10_000],
    ] as const) {
      const file = newLog();
      const client = quietClient({ file, queue });
      for (let i = 0; i < count; i++) await client.dispatch("PreToolUse", call(`ls ${String(i)}`));
      assert.equal(client.flushAudit(PATIENCE), true);
      const { dispatch } = records(file).at(-1) as AuditRecord;
      assert.equal(dispatch, count, "what was dispatched before a flush is written after it");
      await client.close();
      assert.deepEqual([finished(file).length, audit.verify(file).whole], [count, true]);
    }
  });

  it("follow the level, and go to the file that is set when they happen", async () => {
    const [first, second] = [newLog(), newLog()];
    const client = quietClient({ file: first });
    const dispatches = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await client.dispatch("PreToolUse", call("ls"));
    };
    await dispatches(2);
    client.setHookAuditLevel("error");
    await dispatches(3);
    client.setHookAuditLevel("info");
    await dispatches(4);
    client.configureAudit({ file: second });
    await dispatches(5);
    await client.close();
    const kinds = records(first).map(({ kind }) => kind);
    const levels = kinds.filter((kind) => kind === "hook_finished" || kind === "audit_level");
    const [ran, level] = ["hook_finished", "audit_level"];
    assert.deepEqual(levels, [ran, ran, level, level, ran, ran, ran, ran]);
    assert.equal(finished(second).length, 5);
  });

  it("keep apart when a payload dispatches another event while it is read", async () => {
    const file = newLog();
    const client = quietClient({ file });
    await client.dispatch("PreToolUse", call("first"));
    const inner: Promise<unknown>[] = [];
    const payload = {
      get tool(): string {
        if (inner.length < 3) inner.push(client.dispatch("PreToolUse", call("i".repeat(20))));
        return "Outer";
      },
      args: { command: "o".repeat(30) },
    };
    await client.dispatch("PreToolUse", payload);
    await Promise.all(inner);
    const broken = {
      args: {},
      get tool(): string {
        throw new Error("not to be read");
      },
    };
    await client.dispatch("PreToolUse", broken).catch(() => undefined);
    await client.dispatch("PreToolUse", call("ls"));
    await client.close();
    const tools = finished(file).map(({ tool }) => tool);
    assert.deepEqual([inner.length > 0, tools.at(-1)], [true, "Bash"]);
    const counted = (wanted: string): number => tools.filter((tool) => tool === wanted).length;
    assert.deepEqual([counted("Outer"), counted("Bash")], [1, inner.length + 2]);
    assert.ok(!records(file).some(({ kind }) => kind === "audit_gap"));
  });

  it("are on their way before a tool can end the process", () => {
    for (const asleep of [false, true]) {
      const file = newLog();
      const script = `
        import { readFileSync } from "node:fs";
        import { HookClient } from "hookweave";
        const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
        const client = new HookClient({ audit: { file: ${JSON.stringify(file)} } });
        client.registerHook("PreToolUse", () => undefined);
        await client.dispatch("PreToolUse", { tool: "Read", args: {} });
        if (${String(asleep)}) wait(300);
        await client.dispatch("PreToolUse", { tool: "Bash", args: { command: "kill" } });
        // What a synchronous tool does: nothing else of this thread runs before the end.
        const written = () => readFileSync(${JSON.stringify(file)}, "utf8").split("hook_finished").length;
        for (let round = 0; round < ${String(PATIENCE / 10)} && written() < 3; round++) wait(10);
        process.kill(process.pid, "SIGKILL");
        wait(10_000);`;
      const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        cwd: import.meta.dirname,
      });
      if (process.platform !== "win32") assert.equal(signal, "SIGKILL");
      const tools = finished(file).map(({ tool }) => tool);
      assert.deepEqual(tools, ["Read", "Bash"]);
    }
  });
});
