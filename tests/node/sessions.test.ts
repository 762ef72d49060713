/** Sessions: what the vectors cannot say. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import {
  HookResponse,
  HookweaveError,
  Messages,
  SubagentBlockedError,
  ToolFailedError,
  ToolResult,
  type ApprovalRequest,
  type HookClient,
  type Session,
} from "hookweave";

import { hasTerminals, TerminalUser } from "./support/terminal-user.js";
import {
  atSomeScale,
  FOR_EVER,
  never,
  packageFolder,
  quietClient,
  runProgram,
  until,
} from "./support/tools.js";

const ASKING = { permissions: "ask" } as const;
const ls = { command: "ls" };

/** The names of the events that a session raises. */
function heard(client: HookClient): { session: Session; events: string[] } {
  const events: string[] = [];
  const session = client.session({
    onOutcome: ({ event }) => events.push(event.eventType),
  });
  return { session, events };
}

/** Whether a promise has settled. */
async function settled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol();
  const first = await Promise.race([promise.catch(() => undefined), sleep(20, open)]);
  return first !== open;
}

describe("cancelling", () => {
  test("ends the tool, and the call with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("the user pressed escape");
    const { session, events } = heard(quietClient());
    let seen: AbortSignal | null = null;
    const call = session.runTool(
      "Bash",
      ls,
      (_args, { signal }) => {
        seen = signal;
        return never();
      },
      { signal: controller.signal },
    );
    await until(() => seen !== null);
    controller.abort(reason);
    await assert.rejects(call, reason);
    assert.equal((seen as AbortSignal | null)?.reason, reason);
    assert.deepEqual(events, ["PreToolUse"]);
  });

  test("ends the question", async () => {
    const controller = new AbortController();
    let seen: AbortSignal | null = null;
    const session = quietClient().session({
      ...ASKING,
      approval: (_request, { signal }) => {
        seen = signal;
        return never();
      },
    });
    const call = session.runTool("Bash", ls, () => assert.fail("it ran"), {
      signal: controller.signal,
    });
    await until(() => seen !== null);
    controller.abort();
    await assert.rejects(call, { name: "AbortError" });
    assert.equal((seen as AbortSignal | null)?.aborted, true);
  });

  test("ends the model, the summary, a wait and hooks", async () => {
    const client = quietClient();
    client.registerModel(() => never());
    const session = client.session();
    const cancelled = async (begin: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
      const controller = new AbortController();
      const flow = begin(controller.signal);
      await sleep(10);
      controller.abort();
      await assert.rejects(flow, { name: "AbortError" });
    };
    await cancelled((signal) => session.generate("hi", { signal }));
    await cancelled((signal) => client.session().compact(() => never(), { signal }));
    client.registerHook("PreToolUse", {
      handler: () => ({ action: "retry", delay: FOR_EVER }),
      matcher: { tool: "Later" },
    });
    await cancelled((signal) => session.runTool("Later", {}, () => 1, { signal }));
    client.registerHook("Stop", () => never());
    await cancelled((signal) => session.stop({}, { signal }));
  });

  test("before it begins nothing is raised", async () => {
    const { session, events } = heard(quietClient());
    const signal = AbortSignal.abort(new Error("too late"));
    await assert.rejects(
      session.runTool("Bash", ls, () => 1, { signal }),
      /too late/,
    );
    assert.deepEqual(events, []);
  });

  test("a session's signal ends what is under way in it and below, and `end` still works", async () => {
    const controller = new AbortController();
    const events: string[] = [];
    const session = quietClient().session({
      signal: controller.signal,
      onOutcome: ({ event }) => events.push(event.eventType),
    });
    const child = await session.subagent("explore");
    const calls = [session, child].map((one) => one.runTool("Bash", ls, () => never()));
    await until(() => events.length === 3);
    controller.abort(new Error("shut down"));
    for (const call of calls) await assert.rejects(call, /shut down/);
    await assert.rejects(
      child.runTool("Bash", ls, () => 1),
      /shut down/,
    );
    assert.equal(session.closed, true);
    await session.end();
    assert.deepEqual(events.slice(3), ["SubagentStop", "SessionEnd"]);
  });

  test("a tool that fails because it was cancelled is no failed run", async () => {
    const controller = new AbortController();
    const { session, events } = heard(quietClient());
    const call = session.runTool(
      "Bash",
      ls,
      (_args, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            reject(new Error("killed"));
          });
        }),
      { signal: controller.signal },
    );
    await until(() => events.length === 1);
    controller.abort();
    await assert.rejects(call, { name: "AbortError" });
    assert.deepEqual(events, ["PreToolUse"]);
  });
});

test("a hundred sessions of fifty calls each never mix", async () => {
  const client = quietClient();
  client.registerHook("PreToolUse", async (event) => {
    await sleep(Math.random() * 3);
    const marked = `${event.sessionId}:${String(event.args["n"])}`;
    return {
      action: event.args["n"] === 7 ? "ask" : "continue",
      modified: { args: { ...event.args, marked } },
      inject: marked,
    };
  });
  const asked = new Map<string, number>();
  const run = async (name: string): Promise<void> => {
    const context = new Messages();
    const session = client.session({
      sessionId: name,
      context,
      injectionBudget: 1e6,
      approval: ({ sessionId, args }) => {
        assert.equal(args?.["marked"], `${sessionId}:7`);
        asked.set(sessionId, (asked.get(sessionId) ?? 0) + 1);
        return "Allow once";
      },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        session.runTool("Work", { n }, async (args, { session: own }) => {
          await sleep(Math.random() * 3);
          assert.equal(own, session);
          return (args as { marked?: string }).marked;
        }),
      ),
    );
    for (const [n, outcome] of outcomes.entries()) {
      assert.equal(outcome.output, `${name}:${String(n)}`);
      assert.deepEqual(
        outcome.injected.map(({ content }) => content),
        [`${name}:${String(n)}`],
      );
      assert.equal(outcome.trace.length, 1);
    }
    assert.equal(context.messages.length, 50);
    assert.ok(context.messages.every(({ content }) => String(content).startsWith(`${name}:`)));
    await session.end();
  };
  await Promise.all(Array.from({ length: 100 }, (_, index) => run(`s${String(index)}`)));
  assert.equal(asked.size, 100);
  assert.ok([...asked.values()].every((count) => count === 1));
});

describe("what was approved", () => {
  const asksFirst = (client: HookClient): void => {
    client.registerHook("PreToolUse", () => ({ action: "ask" }));
  };

  test("is what runs, whatever the approver does to its copy", async () => {
    const client = quietClient();
    asksFirst(client);
    const session = client.session({
      approval: ({ args }) => {
        (args as { command: string }).command = "rm -rf /";
        return "Allow once";
      },
    });
    const outcome = await session.runTool("Bash", { command: "ls" }, ({ command }) => command);
    assert.equal(outcome.output, "ls");
  });

  test("is what runs, whatever the caller does to what it gave", async () => {
    const client = quietClient();
    asksFirst(client);
    const args = { command: "ls", more: ["a"] };
    const session = client.session({
      approval: () => {
        args.command = "rm -rf /";
        args.more.push("b");
        return "Allow once";
      },
    });
    const outcome = await session.runTool("Bash", args, (given) => JSON.stringify(given));
    assert.equal(outcome.output, '{"command":"ls","more":["a"]}');
  });

  test("is what was given when the call began, where nobody asks too", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () => sleep(10));
    const args = { command: "ls", more: ["a"] };
    const call = client.session().runTool("Bash", args, (given) => JSON.stringify(given));
    args.command = "rm -rf /";
    args.more.push("b");
    assert.equal((await call).output, '{"command":"ls","more":["a"]}');
  });

  test("is what runs, whatever a hook does to what it answered", async () => {
    const client = quietClient();
    const kept = { command: "ls -l", paths: ["/home"] };
    client.registerHook("PreToolUse", () => ({
      action: "ask",
      modified: { args: kept },
    }));
    client.registerHook("PermissionGranted", () => {
      kept.command = "rm -rf /";
      kept.paths.push("/");
    });
    const session = client.session({ approval: "allow" });
    const outcome = await session.runTool("Bash", ls, (args) => JSON.stringify(args));
    assert.equal(outcome.output, '{"command":"ls -l","paths":["/home"]}');
    assert.equal(kept.command, "rm -rf /");
  });

  test("is what runs again, whatever the tool did to it the first time", async () => {
    const client = quietClient();
    client.registerHook("PostToolUseFailure", () => ({ action: "retry" }));
    const seen: string[] = [];
    const outcome = await client.session().runTool("Bash", { command: "ls" }, (args) => {
      seen.push(args.command);
      args.command = "rm -rf /";
      if (seen.length < 3) throw new Error("again");
      return "done";
    });
    assert.deepEqual(seen, ["ls", "ls", "ls"]);
    assert.equal(outcome.attempts, 3);
    assert.deepEqual(outcome.args, { command: "ls" });
  });
});

describe("questions", () => {
  test("wait to be decided, of subagents too", async () => {
    const session = quietClient().session({
      ...ASKING,
      approval: "pending",
      sessionId: "s",
    });
    const child = await session.subagent("explore", { agentId: "sub" });
    const first = session.runTool("Bash", { command: "a" }, () => 1);
    await until(() => session.pending().length === 1);
    const second = child.runTool("Bash", { command: "b" }, () => 2);
    await until(() => session.pending().length === 2);
    const [one, two] = child.pending() as [ApprovalRequest, ApprovalRequest];
    assert.deepEqual([one.agentId, two.agentId], [null, "sub"]);
    assert.deepEqual([one.shown, two.args], ['{"command":"a"}', { command: "b" }]);
    assert.equal(two.sessionId, "s");
    const code = { code: "unknown_approval", name: "UnknownApprovalError" };
    assert.throws(() => {
      session.decide("nobody", "Deny");
    }, code);
    assert.throws(() => {
      session.decide(one.id, "allow once");
    }, code);
    session.decide(two.id, { option: "Deny", reason: "Not today." });
    const denied = await second;
    assert.equal(denied.ran, false);
    assert.match(denied.reason ?? "", /^user denied: .*: Not today\.$/);
    assert.equal(await settled(first), false);
    session.decide(one.id, { option: "Allow once", args: { command: "c" } });
    const { output, args } = await first;
    assert.deepEqual([output, args], [1, { command: "c" }]);
    assert.deepEqual(session.pending(), []);
    assert.throws(() => {
      session.decide(one.id, "Allow once");
    }, code);
  });

  test("leave the queue when their time is over or nobody waits any more", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () => ({
      action: "ask",
      ask: { timeout: 20 },
    }));
    const session = client.session({ approval: "pending" });
    const late = await session.runTool("Bash", ls, () => 1);
    assert.deepEqual([late.ran, late.by], [false, "timeout"]);
    assert.deepEqual(session.pending(), []);
    const patient = quietClient().session({ ...ASKING, approval: "pending" });
    const controller = new AbortController();
    const call = patient.runTool("Bash", ls, () => 1, {
      signal: controller.signal,
    });
    await until(() => patient.pending().length === 1);
    controller.abort();
    await assert.rejects(call);
    assert.deepEqual(patient.pending(), []);
  });

  test("tell the approver that their time is over", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () => ({
      action: "ask",
      ask: { timeout: 20 },
    }));
    let why: unknown;
    const session = client.session({
      approval: (_request, { signal }) => {
        signal.addEventListener("abort", () => {
          why = signal.reason;
        });
        return never();
      },
    });
    assert.equal((await session.runTool("Bash", ls, () => 1)).by, "timeout");
    assert.equal((why as Error).name, "TimeoutError");
  });

  test("may have options of their own that allow", async () => {
    const client = quietClient();
    const ask = { options: ["Yes", "No"], grants: ["Yes"], timeout: 600_000 };
    client.registerHook("PreToolUse", () => HookResponse.ask("sure?", ask));
    let asked: ApprovalRequest | null = null;
    const session = client.session({
      approval: (request) => {
        asked = request;
        return "Yes";
      },
    });
    const outcome = await session.runTool("Bash", ls, () => 1);
    assert.equal(outcome.ran, true);
    assert.deepEqual(outcome.outcomes[0]?.asks[0]?.grants, ["Yes"]);
    const { options, granting, timeout } = asked as unknown as ApprovalRequest;
    assert.deepEqual([options, granting, timeout], [["Yes", "No"], ["Yes"], 600_000]);
  });

  test("an answer that is no text denies", async () => {
    const session = quietClient().session({
      ...ASKING,
      approval: (() => true) as never,
    });
    const outcome = await session.runTool("Bash", ls, () => 1);
    assert.equal(outcome.decision, "deny");
    assert.match(outcome.reason ?? "", /boolean/);
  });

  test("are denied unless somebody is asked, and can all be allowed", async () => {
    const client = quietClient();
    const denied = await client.session(ASKING).runTool("Bash", ls, () => 1);
    assert.equal(denied.decision, "deny");
    const allowed = client.session({ ...ASKING, approval: "allow" });
    assert.equal((await allowed.runTool("Bash", ls, () => 1)).output, 1);
  });
});

describe("the terminal", () => {
  const program = `
    import { HookClient } from "hookweave";
    const session = new HookClient({ logger: null }).session({ approval: "terminal", permissions: "ask" });
    const { ran, reason } = await session.runTool("Bash", { command: "ls" }, () => 1);
    console.log(JSON.stringify({ ran, reason }));`;
  const node = [process.execPath, "--input-type=module", "--eval"];

  test("denies where there is none", { skip: !existsSync("/usr/bin/setsid") }, async () => {
    const args = ["--wait", ...node, program];
    const { out } = await runProgram("/usr/bin/setsid", args, {
      cwd: packageFolder,
    });
    const { ran, reason } = JSON.parse(out) as {
      ran: boolean;
      reason: string;
    };
    assert.equal(ran, false);
    assert.match(reason, /there is no terminal to ask at/);
  });

  const asking = (pause: number, timeout: number): string => `
    import { HookClient } from "hookweave";
    const client = new HookClient({ logger: null });
    const ask = { prompt: "really?\\n 1 allow | Deny", timeout: ${String(timeout)} };
    client.registerHook("PreToolUse", () => ({ action: "ask", ask }));
    console.log("before");
    await new Promise((resolve) => setTimeout(resolve, ${String(pause)}));
    const { ran, by } = await client.session({ approval: "terminal" }).runTool("Bash", { command: "ls" }, () => 1);
    console.log(["outcome", ran, by].map(String).join(" "));`;
  const sits = {
    skip: hasTerminals ? false : "no program that gives a terminal",
  };
  const before = (pause = 0, timeout = FOR_EVER): TerminalUser =>
    new TerminalUser(asking(pause, timeout), packageFolder);

  test("asks, and counts the time down", sits, async () => {
    const person = before();
    await person.until("? for all; denied in");
    const left = (): Set<string> => new Set(person.screen.match(/denied in +\d+ (?=s: )/g));
    await until(() => left().size > 2);
    assert.match(person.screen, /question \| really\?\r\n {9}\| {2}1 allow \| Deny\r\n/);
    person.types("maybe\n");
    await person.until("That is no option.");
    person.types("1\n");
    await person.until("outcome true null");
    assert.equal(await person.leaves(), 0);
  });

  test("takes the question away when the time is over", sits, async () => {
    const person = before(0, 1500);
    await person.until("This question is over.");
    await person.until("outcome false timeout");
    assert.equal(await person.leaves(), 0);
  });

  for (const ahead of ["1\n", "1\n".repeat(50), "1"]) {
    test(
      `takes ${JSON.stringify(ahead.slice(0, 4))} that was typed ahead for no answer`,
      sits,
      async () => {
        await atSomeScale(async (scale) => {
          const person = before(500 * scale);
          await person.until("before");
          person.types(ahead);
          await person.until("? for all; denied in");
          person.types("\n");
          await person.until("Type a number from 1 to 3");
          person.types("3\n");
          await person.until("outcome false user");
          assert.equal(await person.leaves(), 0);
        });
      },
    );
  }

  test("takes lines that are pasted for no answer", sits, async () => {
    const person = before();
    await person.until("? for all; denied in");
    person.types("hello\n1\n2\n");
    await person.until("Several lines came at once.");
    person.types("deny\n");
    await person.until("outcome false user");
    assert.equal(await person.leaves(), 0);
  });

  test("denies at the end of the input", sits, async () => {
    const person = before();
    await person.until("? for all; denied in");
    person.types("\u0004");
    await person.until("outcome false host");
    assert.equal(await person.leaves(), 0);
  });

  test("is interrupted like any program", sits, async () => {
    const person = before();
    await person.until("? for all; denied in");
    person.types("\u0003");
    assert.equal(await person.leaves(), 130);
  });
});

describe("what nobody can be shown as JSON", () => {
  test("hides nothing beside it", async () => {
    const shown: (string | null)[] = [];
    const session = quietClient().session({
      ...ASKING,
      approval: (request) => {
        shown.push(request.shown);
        return "Allow always";
      },
    });
    for (const odd of [Number.NaN, "\ud800", [undefined], new Date(0)]) {
      const args = { command: "rm -rf /", odd };
      for (const again of [false, true]) {
        assert.equal((await session.runTool("Bash", args, () => again)).ran, true);
      }
    }
    // Each is asked about both times.
    assert.equal(shown.length, 8);
    for (const text of shown)
      assert.match(text ?? "", /^\{"command":"rm -rf \/","odd":\[?<[^>]+>\]?\}$/);
  });
});

describe("subagents", () => {
  test("end with their parent, the latest first", async () => {
    const { session, events } = heard(quietClient());
    const first = await session.subagent("explore");
    const second = await first.subagent("explore");
    const call = second.runTool("Bash", ls, () => never());
    await until(() => events.includes("PreToolUse"));
    await session.end();
    await assert.rejects(call, { code: "session_closed" });
    assert.deepEqual(events, [
      "SubagentStart",
      "SubagentStart",
      "PreToolUse",
      "SubagentStop",
      "SubagentStop",
      "SessionEnd",
    ]);
    for (const one of [session, first, second]) {
      assert.equal(one.closed, true);
      await assert.rejects(
        one.runTool("Bash", ls, () => 1),
        {
          code: "session_closed",
          name: "SessionClosedError",
        },
      );
      await assert.rejects(one.subagent("explore"), { code: "session_closed" });
      await assert.rejects(one.dispatch("TaskCreated", { taskId: "1", taskSubject: "x" }), {
        code: "session_closed",
      });
    }
  });

  test("end once, at the end of the block that they are declared in", async () => {
    const { session, events } = heard(quietClient());
    {
      await using child = await session.subagent("explore");
      assert.notEqual(child.agentId, null);
      assert.equal(child.id, session.id);
      await child.end();
    }
    await session.end();
    await session.end();
    assert.deepEqual(events, ["SubagentStart", "SubagentStop", "SessionEnd"]);
  });

  test("that are refused say why, and are gone", async () => {
    const client = quietClient();
    client.registerHook("SubagentStart", () => ({
      action: "block",
      reason: "not now",
    }));
    const { session, events } = heard(client);
    await assert.rejects(session.subagent("explore"), (error: unknown) => {
      assert.ok(error instanceof SubagentBlockedError && error instanceof HookweaveError);
      assert.deepEqual([error.code, error.reason], ["subagent_blocked", "not now"]);
      return true;
    });
    await session.end();
    assert.deepEqual(events, ["SubagentStart", "SessionEnd"]);
  });

  test("may keep a conversation of their own", async () => {
    const client = quietClient();
    const context = new Messages();
    const session = client.session();
    const shared = await session.subagent("explore");
    const own = await session.subagent("explore", { context });
    await shared.submitPrompt("a");
    await own.submitPrompt("b");
    assert.equal(shared.context, session.context);
    assert.deepEqual(
      context.messages.map(({ content }) => content),
      ["b"],
    );
  });
});

describe("the end", () => {
  test("comes with the block", async () => {
    const { session, events } = heard(quietClient());
    {
      await using own = session;
      await own.start();
      await own.runTool("Bash", ls, () => 1);
    }
    assert.deepEqual(events, ["SessionStart", "PreToolUse", "PostToolUse", "SessionEnd"]);
  });

  test("cancels what is under way", async () => {
    const { session, events } = heard(quietClient());
    const call = session.runTool("Bash", ls, () => never());
    await until(() => events.length === 1);
    const ending = session.end("logout");
    await assert.rejects(call, { code: "session_closed" });
    await ending;
    assert.deepEqual(events, ["PreToolUse", "SessionEnd"]);
  });

  test("takes the session's own hooks along", async () => {
    const client = quietClient();
    const session = client.session();
    session.temporaryHook("PreToolUse", () => undefined);
    assert.equal(client.listHooks().length, 1);
    await session.end();
    assert.deepEqual(client.listHooks(), []);
  });

  test("is quiet when the client was closed before", async () => {
    const client = quietClient();
    const session = client.session();
    await client.close();
    await session.end();
    assert.throws(() => client.session(), { code: "client_closed" });
  });
});

describe("a session's own hook", () => {
  for (const id of ["plain", "s*", "[a-z]", "{a,b}", "a\\b?"]) {
    test(`hears the session ${id} and no other`, async () => {
      const client = quietClient();
      const session = client.session({ sessionId: id });
      using hook = session.temporaryHook("PreToolUse", {
        handler: () => ({ action: "block", reason: "here only" }),
        matcher: { tool: "Bash" },
      });
      void hook;
      const ran = async (one: Session, tool = "Bash"): Promise<boolean> =>
        (await one.runTool(tool, ls, () => 1)).ran;
      assert.equal(await ran(session), false);
      assert.equal(await ran(session, "Read"), true);
      for (const other of ["s1", "a", "b", "a\\bc", "plainer"]) {
        assert.equal(await ran(client.session({ sessionId: other })), true);
      }
      assert.equal(await ran(await session.subagent("explore")), false);
    });
  }

  test("cannot say which session it is for", () => {
    const session = quietClient().session();
    const hook = { handler: () => undefined, matcher: { session: "other" } };
    assert.throws(() => session.temporaryHook("PreToolUse", hook), {
      code: "invalid_matcher",
    });
    const odd = quietClient().session({ sessionId: "a|b" });
    assert.throws(() => odd.temporaryHook("PreToolUse", () => undefined), {
      code: "invalid_matcher",
    });
  });
});

describe("tools", () => {
  test("that throw have failed, and the outcome keeps what they threw", async () => {
    const session = quietClient().session();
    const cause = new RangeError("disk full");
    const outcome = await session.runTool("Bash", ls, () => Promise.reject(cause));
    assert.ok(outcome.error instanceof ToolFailedError);
    assert.equal(outcome.error.message, "disk full");
    assert.equal(outcome.error.cause, cause);
    assert.equal(outcome.error.code, "tool_failed");
    const failed = await session.runTool(
      "Bash",
      ls,
      () => new ToolResult({ lines: 3 }, { success: false, exitCode: 2 }),
    );
    assert.equal(failed.error?.message, '{"lines":3}');
    assert.equal(Object.hasOwn(failed.error, "cause"), false);
    assert.equal(failed.result?.exitCode, 2);
    assert.deepEqual(failed.output, { lines: 3 });
  });

  test("are told about their call", async () => {
    const client = quietClient();
    client.registerHook("SessionStart", () => ({
      ext: { "claude-code": { env: { A: "1" } } },
    }));
    const session = client.session();
    assert.deepEqual((await session.start()).env, { A: "1" });
    client.registerTool("Bash", ({ command }, { tool, toolUseId, env, signal, session: own }) => {
      return [command, tool, toolUseId, env["A"], signal.aborted, own === session];
    });
    const { output } = await session.runTool("Bash", ls, { toolUseId: "t1" });
    assert.deepEqual(output, ["ls", "Bash", "t1", "1", false, true]);
  });

  test("that are not there are named", async () => {
    const client = quietClient();
    client.registerTool("Bash", () => 1);
    const session = client.session();
    const refused = { code: "unknown_tool", name: "UnknownToolError" };
    await assert.rejects(session.runTool("Bsah", ls), refused);
    await assert.rejects(client.executeTool("s", "Bsah", ls), /`Bsah`.*known are Bash/);
  });

  test("take plain arguments that do not nest without end", async () => {
    const session = quietClient().session();
    await assert.rejects(
      session.runTool("Bash", new Map() as never, () => 1),
      { code: "invalid_payload" },
    );
    const deep: Record<string, unknown> = {};
    let inner = deep;
    for (let level = 0; level < 200; level++) inner = inner["x"] = {};
    await assert.rejects(
      session.runTool("Bash", deep, () => 1),
      { code: "payload_too_deep" },
    );
  });

  test("may need a permission that sessions learn of later", async () => {
    const client = quietClient();
    const session = client.session();
    const child = await session.subagent("explore");
    client.registerTool("Bash", () => 1, { permission: "ask" });
    client.registerTool("mcp__*", () => 1, { permission: "deny" });
    for (const one of [session, child, client.session()]) {
      assert.equal((await one.runTool("Bash", ls)).decision, "deny");
      assert.equal((await one.runTool("mcp__files", ls, () => 2)).output, 2);
      assert.equal((await one.runTool("mcp__*", ls)).reason, "the host does not permit mcp__*");
    }
    assert.throws(
      () => {
        client.registerTool("Read", () => 1, { permission: "maybe" as never });
      },
      { code: "invalid_option" },
    );
    assert.throws(
      () => {
        client.registerTool("Bash|Read", () => 1, { permission: "deny" });
      },
      { code: "invalid_matcher", message: /no pattern can name `Bash\|Read`/ },
    );
    assert.equal((await session.runTool("Read", ls, () => 2)).output, 2);
  });

  test("have a schema that hooks keep to", async () => {
    const client = quietClient();
    const schema = {
      type: "object",
      properties: { command: { type: "string" } },
    };
    client.registerTool("Bash", ({ command }) => command, { schema });
    client.registerHook("PreToolUse", () => ({
      modified: { args: { command: 3 } },
    }));
    const outcome = await client.session().runTool("Bash", ls);
    assert.equal(outcome.decision, "block");
    assert.match(outcome.reason ?? "", /not what tool Bash takes by its schema/);
    assert.throws(
      () => {
        client.registerTool("Read", () => 1, { schema: { type: "no type" } });
      },
      { code: "invalid_tool_definition" },
    );
    await assert.rejects(client.session().runTool("Read", ls), {
      code: "unknown_tool",
    });
  });
});

describe("a generation", () => {
  test("passes the model's text on piece by piece", async () => {
    const client = quietClient();
    client.registerModel(async ({ prompt, onText }) => {
      for (const piece of ["a", "b", "c"]) {
        await sleep(1);
        onText(piece);
      }
      return `answer to ${prompt}`;
    });
    const pieces: string[] = [];
    const generation = await client.session().generate("x", {
      onText: (text) => {
        pieces.push(text);
        if (text === "b") throw new Error("a listener that fails ends nothing");
      },
    });
    assert.deepEqual(pieces, ["a", "b", "c"]);
    assert.deepEqual([generation.status, generation.text], ["done", "answer to x"]);
  });

  test("keeps what the model threw", async () => {
    const client = quietClient();
    const cause = new Error("overloaded");
    client.registerModel(() => {
      throw cause;
    });
    const generation = await client.session().generate("x");
    assert.deepEqual([generation.status, generation.reason], ["failed", "overloaded"]);
    assert.equal(generation.cause, cause);
  });

  test("refuses answers that make no sense", async () => {
    const client = quietClient();
    const session = client.session();
    const why = async (answer: unknown): Promise<string | null> => {
      client.registerModel((() => answer) as never);
      const { status, reason } = await session.generate("x");
      assert.equal(status, "failed");
      return reason;
    };
    assert.match((await why(7)) ?? "", /the model answered 7/);
    assert.match((await why(null)) ?? "", /the model answered null/);
    const map = new Map([["text", "x"]]);
    assert.match((await why(map)) ?? "", /answered an instance of Map; an answer is a text/);
    for (const odd of [
      [{ text: "x" }],
      Object.create({ text: "x" }),
      new (class Response {
        text = "x";
      })(),
      (function* () {
        yield "x";
      })(),
      () => "x",
      Symbol("x"),
    ]) {
      assert.match((await why(odd)) ?? "", /the model answered .*; an answer is a text/);
    }
    assert.match((await why({ text: 7 })) ?? "", /`text` of .* is an integer; it must be a string/);
    assert.match((await why({ toolCalls: "x" })) ?? "", /`toolCalls` of .* must be a list/);
    assert.match(
      (await why({ toolCalls: [{ args: {} }] })) ?? "",
      /`toolCalls\[0\]\.name` of .* is missing/,
    );
    assert.match((await why({ toolCalls: [{ name: "Bash", args: "ls" }] })) ?? "", /of Bash/);
  });

  test("knows what hooks said of each call", async () => {
    const client = quietClient();
    client.registerTool("A", ({ n }) => n);
    client.registerHook("PreToolUse", {
      name: "guard",
      handler: () => undefined,
    });
    const answers = [
      {
        toolCalls: [
          { id: "same", name: "A", args: { n: 1 } },
          { id: "same", name: "A", args: { n: 2 } },
          { name: "B" },
        ],
        usage: { totalTokens: 90 },
      },
      "done",
    ];
    client.registerModel(() => answers.shift() ?? "");
    const warned: unknown[] = [];
    client.registerHook("ContextWarning", {
      name: "warned",
      handler: ({ usage }) => void warned.push(usage),
    });
    const generation = await client.session({ contextLimit: 100 }).generate("x");
    assert.deepEqual(
      generation.tools.map(({ output, trace, outcomes }) => [
        output,
        trace.map(({ hook }) => hook),
        outcomes.map(({ event }) => event.eventType),
      ]),
      [
        [1, ["guard"], ["ToolResolution", "PreToolUse", "PostToolUse"]],
        [2, ["guard"], ["ToolResolution", "PreToolUse", "PostToolUse"]],
        [null, [], ["ToolResolution"]],
      ],
    );
    assert.deepEqual(
      generation.trace.map(({ hook }) => hook),
      ["warned", "guard", "guard"],
    );
    assert.deepEqual(warned, [{ totalTokens: 90, total_tokens: 90 }]);
  });

  test("continues the conversation of an id, which the client keeps", async () => {
    const client = quietClient();
    await assert.rejects(client.generate("s", "x"), {
      code: "no_model",
      name: "NoModelError",
    });
    client.registerModel(({ messages, sessionId }) => `${sessionId} ${String(messages.length)}`);
    assert.equal((await client.generate("s", "x")).text, "s 1");
    globalThis.gc?.();
    await sleep(10);
    globalThis.gc?.();
    assert.equal((await client.generate("s", "y")).text, "s 3");
    const own = client.session({ sessionId: "own" });
    client.registerTool("Who", (_args, { session }) => session === own);
    assert.equal((await client.executeTool("own", "Who", {})).output, true);
    await own.end();
    assert.equal((await client.executeTool("own", "Who", {})).output, false);
  });
});

describe("what a host brings may fail", () => {
  test("and that is logged", async () => {
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    const client = quietClient({
      logger: { warn: log, error: log, info: log },
    });
    const fail = (): never => {
      throw new Error("broken");
    };
    client.registerHook("PreToolUse", () => ({
      message: "look",
      inject: "note",
      action: "ask",
    }));
    const session = client.session({
      onOutcome: fail,
      display: { showMessage: fail },
      context: { addMessage: () => Promise.reject(new Error("broken")) },
      approval: fail,
    });
    const outcome = await session.runTool("Bash", ls, () => 1);
    assert.match(outcome.reason ?? "", /the approval failed: broken/);
    const kinds = ["the display", "the context", "the approver", "a listener to outcomes"];
    for (const kind of kinds) assert.ok(logged.includes(`${kind} failed`), kind);
  });

  test("messages go to the log unless there is a display", async () => {
    const logged: [string, unknown][] = [];
    const client = quietClient({
      logger: {
        warn: (...entry) => logged.push(entry),
        error: (...entry) => logged.push(entry),
      },
    });
    client.registerHook("Stop", {
      name: "judge",
      handler: () => ({
        message: [{ text: "mind", level: "warning" }, "quiet"],
      }),
    });
    await client.session().stop();
    assert.deepEqual(logged, [["mind", { source: "judge" }]]);
  });
});

describe("options", () => {
  const wrong: [object, RegExp][] = [
    [{ colour: "red" }, /colour/],
    [{ maxRetries: -1 }, /maxRetries/],
    [{ permissions: "maybe" }, /allow, ask, deny/],
    [{ permissions: { Bash: 3 } }, /permissions/],
    [{ contextThreshold: 2 }, /contextThreshold/],
    [{ approval: "nobody" }, /approval/],
    [{ context: {} }, /addMessage/],
    [{ display: { showMessage: "x" } }, /showMessage/],
    [{ onOutcome: "x" }, /onOutcome/],
    ["s1" as unknown as object, /object/],
  ];
  for (const [options, message] of wrong) {
    test(`${JSON.stringify(options)} is refused`, () => {
      assert.throws(() => quietClient().session(options), {
        code: "invalid_option",
        message,
      });
    });
  }
});

test("sessions that nobody holds are collected", async () => {
  const client = quietClient();
  const gone = (): WeakRef<Session> => new WeakRef(client.session());
  const sessions = Array.from({ length: 20 }, gone);
  await until(() => {
    globalThis.gc?.();
    return sessions.every((one) => one.deref() === undefined);
  });
  client.registerTool("Bash", () => 1, { permission: "ask" });
});

test("a misspelt option of a session is compared with all of them", () => {
  assert.throws(() => quietClient().session({ approvals: "deny" } as never), {
    code: "invalid_option",
    message: /unknown field `approvals` \(did you mean `approval`\?\)/,
  });
  assert.throws(() => quietClient().session({ permissions: { Bash: "yes" } } as never), {
    code: "invalid_option",
    message: /^session: `permissions`: `yes` is no permission/,
  });
});

test("an approver may answer yes, and an answer that is no option names the options", async () => {
  const answers: unknown[] = ["y", true];
  const approval = (): string => answers.shift() as string;
  const session = quietClient().session({ ...ASKING, approval });
  assert.equal((await session.runTool("Bash", ls, () => "ran")).ran, true);
  const { ran, reason } = await session.runTool("Bash", ls, () => "ran");
  assert.equal(ran, false);
  assert.match(
    reason ?? "",
    /the approver gave a value of type boolean; it must give one of the options "Allow once"/,
  );
});

describe("approvals for later sessions", () => {
  test("what a person allowed always holds in another client", async (t) => {
    const state = mkdtempSync(join(tmpdir(), "approvals-"));
    t.after(() => {
      rmSync(state, { recursive: true });
    });
    const keepApprovals = join(state, "approvals.json");
    const asked: ApprovalRequest[] = [];
    const approval = (request: ApprovalRequest): string => {
      asked.push(request);
      return "Allow always";
    };
    const ask = async (args: Record<string, unknown>): Promise<void> => {
      const session = quietClient().session({
        ...ASKING,
        approval,
        keepApprovals,
      });
      const call = await session.runTool("Bash", args, () => "done");
      assert.ok(call.ran);
    };
    await ask(ls);
    await ask(ls);
    assert.deepEqual(
      asked.map(({ persistent }) => persistent),
      [true],
    );
    await ask({ command: "ls -l" });
    assert.equal(asked.length, 2);
    assert.equal(statSync(keepApprovals).mode & 0o777, 0o600);
    chmodSync(keepApprovals, 0o666);
    assert.throws(() => quietClient().session({ keepApprovals }), {
      code: "invalid_config",
    });
    assert.throws(() => quietClient().session({ keepApprovals: "here.json" }), {
      code: "invalid_option",
    });
  });
});
