/** Commands from files: decisions, failures, order, time limits, cancellation, async context. */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { HookFailedError, HookTimeoutError, type HookClient, type LateAnswer } from "hookweave";

import { Folder, lives } from "./support/files.js";
import { atSomeScale, bash, PATIENCE, quietClient, until } from "./support/tools.js";

describe("what a command decides", () => {
  test("a guard blocks by its exit code, with its reason", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: ["echo 'not that' >&2; exit 2"] });
    const client = quietClient();
    const report = client.load(file);
    assert.deepEqual(report.problems, []);
    assert.equal(report.hooks.length, 1);
    assert.equal(report.found[0]?.dialect, "claude-code");
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(outcome.blocked, true);
    assert.equal(outcome.reason, "not that");
    assert.equal(outcome.trace[0]?.failure, null);
    const [info] = client.listHooks();
    assert.equal(info?.origin?.file, file);
    assert.equal(info.origin.place, "hooks.PreToolUse[0].hooks[0]");
    assert.equal(info.origin.dialect, "claude-code");
    assert.match(info.origin.runs, /not that/);
    await client.close(0);
  });

  test("it reads the event as its own system writes it", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: ["cat > seen.json"] });
    const client = quietClient({ projectDir: folder.path });
    client.load(file);
    const outcome = await client.dispatch("PreToolUse", {
      ...bash,
      sessionId: "s1",
      cwd: folder.path,
    });
    assert.equal(outcome.decision, "continue");
    const seen = JSON.parse(readFileSync(folder.at("seen.json"), "utf8")) as Record<
      string,
      unknown
    >;
    assert.equal(seen["hook_event_name"], "PreToolUse");
    assert.equal(seen["tool_name"], "Bash");
    assert.deepEqual(seen["tool_input"], { command: "ls" });
    assert.equal(seen["session_id"], "s1");
    await client.close(0);
  });

  test("what a getter of the payload throws keeps a gate shut", async (t) => {
    const client = quietClient();
    client.load(new Folder(t).settings({ PreToolUse: ["exit 0"] }));
    const args = {
      get command(): string {
        throw new Error("not for hooks");
      },
    };
    const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args });
    assert.equal(outcome.blocked, true);
    assert.equal(outcome.trace[0]?.failure?.kind, "not_started");
    assert.match(outcome.reason ?? "", /payload_not_json.*not for hooks/);
    await client.close(0);
  });

  test("functions and commands keep their order, each sees what the one before changed", async (t) => {
    const folder = new Folder(t);
    const answer = JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { command: "from the command" },
      },
    });
    const file = folder.settings({ PreToolUse: [`cat > seen.json; echo '${answer}'`] });
    const client = quietClient({ projectDir: folder.path });
    client.registerHook("PreToolUse", {
      name: "first",
      handler: () => ({ modified: { args: { command: "from the first" } } }),
      config: { priority: -1 },
    });
    client.load(file);
    const last: unknown[] = [];
    client.registerHook("PreToolUse", {
      name: "last",
      handler: async (event) => {
        await Promise.resolve();
        last.push(event.args["command"]);
      },
      config: { priority: 1 },
    });
    const outcome = await client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
    const seen = JSON.parse(readFileSync(folder.at("seen.json"), "utf8")) as {
      tool_input: unknown;
    };
    assert.deepEqual(seen.tool_input, { command: "from the first" });
    assert.deepEqual(last, ["from the command"]);
    assert.deepEqual(outcome.event.args, { command: "from the command" });
    assert.deepEqual(
      outcome.trace.map(({ status }) => status),
      ["ran", "ran", "ran"],
    );
    await client.close(0);
  });

  test("hooks of one settings file start together, and the strictest wins", async (t) => {
    const folder = new Folder(t);
    // Each waits until the other has begun.
    const meet = (own: string, other: string): string =>
      `touch ${own}; i=0; while [ ! -e ${other} ] && [ $i -lt 2400 ]; do sleep 0.05; i=$((i+1)); done; [ -e ${other} ]`;
    const file = folder.settings({
      PreToolUse: [
        `${meet("a", "b")} && echo '{"decision":"approve"}'`,
        `${meet("b", "a")} && { echo no >&2; exit 2; }`,
      ],
    });
    const client = quietClient({ projectDir: folder.path });
    client.load(file);
    const outcome = await client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
    assert.equal(outcome.decision, "block");
    assert.equal(outcome.reason, "no");
    assert.equal(outcome.votes.length, 2);
    await client.close(0);
  });
});

describe("failures", () => {
  test("an exit code that says so, a missing program, a server that is not there: each is of its kind", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({
      PreToolUse: ["echo broken >&2; exit 7"],
      PostToolUse: [{ type: "command", command: folder.at("missing"), args: ["x"] }],
      Stop: [{ type: "http", url: "http://127.0.0.1:9/hook" }],
    });
    const client = quietClient();
    const report = client.load(file);
    assert.equal(report.hooks.length, 3);
    const failures = [];
    failures.push((await client.dispatch("PreToolUse", bash)).trace[0]?.failure);
    failures.push(
      (await client.dispatch("PostToolUse", { ...bash, result: { success: true } })).trace[0]
        ?.failure,
    );
    failures.push((await client.dispatch("Stop")).trace[0]?.failure);
    assert.deepEqual(
      failures.map((failure) => failure?.kind),
      ["exited", "not_started", "unreachable"],
    );
    assert.match(failures[0]?.message ?? "", /broken/);
    const error = failures[0]?.error;
    assert.ok(error instanceof HookFailedError);
    assert.equal(error.code, "exited");
    assert.equal(error.cause, undefined, "the carrier of the failure is nobody's business");
    await client.close(0);
  });

  test("an answer that was going to restrict and cannot be read blocks the gate", async (t) => {
    const folder = new Folder(t);
    const file = folder.write("hooks.json", {
      hookweave: 1,
      hooks: [
        {
          event: "PreToolUse",
          command: `echo '{"action": "block", "raeson": "x"}'`,
          fail_behavior: "continue",
        },
      ],
    });
    const client = quietClient();
    const report = client.load(file, { dialect: "hookweave" });
    assert.deepEqual(report.problems, []);
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(outcome.trace[0]?.failure?.kind, "invalid_answer");
    assert.equal(outcome.blocked, true);
    await client.close(0);
  });

  test("an event without a JSON form does not get past a guard", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    client.load(folder.settings({ PreToolUse: ["exit 0"] }));
    let deep: unknown[] = [];
    for (let level = 0; level < 126; level++) deep = [deep];
    for (const odd of [Number.NaN, "\ud800", deep]) {
      const outcome = await client.dispatch("PreToolUse", {
        tool: "Bash",
        args: { command: "rm -rf /", odd },
      });
      const failure = outcome.trace[0]?.failure;
      assert.equal(outcome.blocked, true);
      assert.equal(failure?.kind, "not_started");
      assert.match(failure.message, /^payload_not_json: /);
    }
    await client.close(0);
  });

  test("a command that takes too long is killed with its children, and its file's limit counts", async (t) => {
    const folder = new Folder(t);
    await atSomeScale(async (scale) => {
      const [command, timeout] = ["sleep 600 & echo $! > pid; wait", 0.4 * scale];
      const file = folder.settings({ PreToolUse: [{ type: "command", command, timeout }] });
      const client = quietClient({ projectDir: folder.path, defaultTimeout: 20 });
      client.load(file);
      const outcome = await client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
      const failure = outcome.trace[0]?.failure;
      assert.equal(failure?.kind, "timeout");
      assert.ok(failure.error instanceof HookTimeoutError);
      assert.match(
        failure.message,
        new RegExp(`${String(timeout * 1000)} ?ms|${String(timeout)} ?s`),
      );
      const pid = Number(readFileSync(folder.at("pid"), "utf8"));
      await until(() => !lives(pid));
      await client.close(0);
    });
  });

  test("a hook that waits for its turn does not use up its time, and has not overrun", async (t) => {
    const folder = new Folder(t);
    await atSomeScale(async (scale) => {
      const command = `sleep ${String(0.15 * scale)}`;
      const file = folder.settings({ Stop: [{ type: "command", command, timeout: 0.5 * scale }] });
      const client = quietClient({ maxRunning: 1 });
      client.load(file);
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => client.dispatch("Stop")));
      for (const { trace } of outcomes) {
        assert.equal(trace[0]?.failure, null);
        assert.equal(trace[0].overran, false);
      }
      await client.close(0);
    });
  });
});

describe("ending early", () => {
  test("a dispatch that is cancelled kills its command", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: ["echo $$ > pid; sleep 600"] });
    const client = quietClient({ projectDir: folder.path });
    client.load(file);
    const stop = new AbortController();
    const payload = { ...bash, cwd: folder.path };
    const outcome = client.dispatch("PreToolUse", payload, { signal: stop.signal });
    await until(
      () => existsSync(folder.at("pid")) && readFileSync(folder.at("pid"), "utf8") !== "",
    );
    stop.abort(new Error("enough"));
    await assert.rejects(outcome, /enough/);
    const pid = Number(readFileSync(folder.at("pid"), "utf8"));
    await until(() => !lives(pid));
    await client.close(0);
  });

  test("closing kills what runs, and the dispatch that waits for it goes on to its end", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: ["echo $$ > pid; sleep 600"] });
    const client = quietClient({ projectDir: folder.path });
    client.load(file);
    const pending = client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
    await until(
      () => existsSync(folder.at("pid")) && readFileSync(folder.at("pid"), "utf8") !== "",
    );
    await client.close(0);
    const outcome = await pending;
    assert.equal(outcome.trace[0]?.status, "failed");
    const pid = Number(readFileSync(folder.at("pid"), "utf8"));
    await until(() => !lives(pid));
  });
});

describe("questions to the host", () => {
  test("without anybody to answer, a prompt hook fails and says what to call", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    client.load(folder.settings({ PreToolUse: [{ type: "prompt", prompt: "Safe? $ARGUMENTS" }] }));
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(outcome.trace[0]?.failure?.kind, "not_started");
    assert.match(outcome.trace[0].failure.message, /judge/i);
    await client.close(0);
  });

  test("a judge answers, and may take its time, but not too long", async (t) => {
    const folder = new Folder(t);
    const asking = (timeout: number): HookClient => {
      const hook = { type: "prompt", prompt: "Safe? $ARGUMENTS", model: "m", timeout };
      const client = quietClient();
      client.load(folder.settings({ PreToolUse: [hook] }));
      return client;
    };
    const client = asking(600);
    const asked: unknown[] = [];
    client.setJudge(async (question) => {
      asked.push(question.kind, question.model);
      assert.match(question.prompt, /^Safe\? \{.*"ls"/);
      await sleep(1);
      return { ok: false, reason: "rather not" };
    });
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.deepEqual(asked, ["prompt", "m"]);
    assert.equal(outcome.blocked, true);
    assert.equal(outcome.reason, "rather not");
    let signal: AbortSignal | undefined;
    const hasty = asking(0.3);
    hasty.setJudge((_question, context) => {
      ({ signal } = context);
      return new Promise(() => undefined);
    });
    const late = await hasty.dispatch("PreToolUse", bash);
    await hasty.close(0);
    assert.equal(late.trace[0]?.failure?.kind, "timeout");
    assert.equal(signal?.aborted, true);
    client.setJudge(() => {
      throw new Error("no model");
    });
    const broken = await client.dispatch("PreToolUse", bash);
    assert.equal(broken.trace[0]?.failure?.kind, "raised");
    assert.equal((broken.trace[0].failure.error.cause as Error).message, "no model");
    await client.close(0);
  });

  test("a tool caller is given the tool and its filled input", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    client.load(
      folder.settings({
        PreToolUse: [
          {
            type: "mcp_tool",
            server: "guard",
            tool: "check",
            input: { command: "${tool_input.command}" },
          },
        ],
      }),
    );
    let asked: unknown;
    client.setToolCaller((question) => {
      asked = question;
      return JSON.stringify({ decision: "block", reason: "the tool says no" });
    });
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.deepEqual(asked, {
      kind: "mcp_tool",
      server: "guard",
      tool: "check",
      input: { command: "ls" },
    });
    assert.equal(outcome.reason, "the tool says no");
    await client.close(0);
  });
});

describe("beside the agent", () => {
  test("what a detached hook says late is told to whoever listens", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    client.load(
      folder.settings({
        PostToolUse: [
          { type: "command", command: "echo 'tests fail' >&2; exit 2", asyncRewake: true },
        ],
      }),
    );
    const late: LateAnswer[] = [];
    client.onLateAnswer((answer) => {
      late.push(answer);
    });
    const outcome = await client.dispatch("PostToolUse", { ...bash, result: { success: true } });
    assert.equal(outcome.trace[0]?.status, "detached");
    assert.equal(await client.drain(PATIENCE), true);
    assert.equal(late.length, 1);
    assert.equal(late[0]?.event, "PostToolUse");
    assert.equal(late[0].wakes, true);
    assert.match(JSON.stringify(late[0].answer), /tests fail/);
    await client.close(0);
  });
});

describe("async context", () => {
  test("hooks after a command, and the caller, keep theirs", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    client.load(folder.settings({ PreToolUse: ["exit 0"] }));
    const storage = new AsyncLocalStorage<number>();
    const seen: unknown[] = [];
    client.registerHook("PreToolUse", {
      handler: () => {
        seen.push(storage.getStore());
      },
      config: { priority: 5 },
    });
    const dispatches = [1, 2, 3].map((number) =>
      storage.run(number, async () => {
        await client.dispatch("PreToolUse", bash);
        return storage.getStore();
      }),
    );
    assert.deepEqual(await Promise.all(dispatches), [1, 2, 3]);
    assert.deepEqual(seen.sort(), [1, 2, 3]);
    await client.close(0);
  });

  test("a dispatch inside of a hook after a command counts its depth", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    client.load(folder.settings({ PreToolUse: ["echo $HOOKWEAVE_DEPTH >> depths"] }));
    client.registerHook("PostToolUse", async () => {
      await client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
    });
    await client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
    await client.dispatch("PostToolUse", { ...bash, result: { success: true } });
    assert.equal(readFileSync(folder.at("depths"), "utf8"), "0\n1\n");
    await client.close(0);
  });
});
