/** Testing help: asserts hold when they should, and what they say when they do not shows the whole decision. */

import assert, { AssertionError } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";

import { HookResponse, type CustomEventName, type Outcome } from "hookweave";
import {
  assertAllowed,
  assertAsked,
  assertBlocked,
  assertContinues,
  assertFailed,
  assertInjected,
  assertMatchesSnapshot,
  assertMessage,
  assertModified,
  assertNotSelected,
  assertObjected,
  assertRan,
  describe as described,
  dispatch,
  event,
  hookClient,
  hookSession,
  promptEvent,
  recordingTool,
  scriptedModel,
  toolCall,
  toolEvent,
  toolResultEvent,
  traceSnapshot,
  withHookClient,
  type Judged,
} from "hookweave/testing";

import { quietClient } from "./support/tools.js";

type Answer = HookResponse | undefined;

/** What comes of a Bash call that one hook, called `hook`, answers so. */
function judged(answer: Answer): Promise<Outcome<"PreToolUse">> {
  const client = quietClient();
  client.registerHook("PreToolUse", {
    name: "hook",
    handler: () => answer as unknown as undefined,
  });
  client.registerHook("PreToolUse", {
    name: "writes",
    matcher: { tool: "Write" },
    handler: () => undefined,
  });
  return dispatch(client, toolEvent("Bash", { command: "ls", timeout: 5 }));
}

const block = HookResponse.block("not here") as HookResponse;
const allow = HookResponse.allow() as HookResponse;
const ask = HookResponse.ask("really?") as HookResponse;
const change: HookResponse = { modified: { args: { command: "ls -l", timeout: 5 } } };
const answer: HookResponse = { message: "hello", inject: "a hint" };

describe("asserts", () => {
  const holding: [Answer, (it: Judged) => unknown][] = [
    [block, (it) => assertBlocked(it)],
    [block, (it) => assertBlocked(it, { reason: "not", by: "hook" })],
    [block, (it) => assertBlocked(it, { reason: /^not here$/g })],
    [allow, (it) => assertAllowed(it, { by: "hook" })],
    [allow, (it) => assertContinues(it)],
    [undefined, (it) => assertContinues(it)],
    [ask, (it) => assertAsked(it, { prompt: "really", by: "hook" })],
    [change, (it) => assertModified(it)],
    [change, (it) => assertModified(it, { args: { command: "ls -l" } })],
    [answer, (it) => assertInjected(it, "hint", { by: "hook", role: "system" })],
    [answer, (it) => assertMessage(it, "hello", { by: "hook", level: "info" })],
    [undefined, (it) => assertRan(it, ["hook"])],
    [undefined, (it) => assertNotSelected(it, "writes", { why: "Bash" })],
  ];
  test("hold", async () => {
    for (const [answer, check] of holding) check(await judged(answer));
  });

  test("refuse options that nobody would look at", async () => {
    const misspelt = { resaon: "no root", wyh: "Bash" } as object;
    const asserts: ((it: Judged, options: object) => unknown)[] = [
      assertBlocked,
      assertAllowed,
      assertAsked,
      assertObjected,
      (it, options) => assertInjected(it, undefined, options),
      (it, options) => assertMessage(it, undefined, options),
      (it, options) => assertNotSelected(it, "writes", options),
      (it, options) => assertFailed(it, undefined, undefined, options),
    ];
    const it = await judged(block);
    for (const check of asserts) {
      assert.throws(
        () => check(it, misspelt),
        /^TypeError: assert\w+ takes .* in an object, not `resaon`$/,
      );
    }
    const text: object = "hook" as never;
    assert.throws(
      () => assertBlocked(it, text),
      /^TypeError: assertBlocked takes reason, by in an object, not 'hook'$/,
    );
  });

  const failing: [Answer, (it: Judged) => unknown, string][] = [
    [
      undefined,
      (it) => assertNotSelected(it, "wrties"),
      "`wrties` is not selected, but no hook of the event is called so",
    ],
    [undefined, assertBlocked, "expected to be blocked, but the decision is `continue`"],
    [
      block,
      (it) => assertBlocked(it, { reason: "there" }),
      "a reason with 'there', but it is 'not",
    ],
    [
      block,
      (it) => assertBlocked(it, { reason: /x+/ }),
      "expected a reason that fits /x+/, but it",
    ],
    [block, (it) => assertBlocked(it, { by: "other" }), "that `other` decides, but it was `hook`"],
    [undefined, assertAllowed, "expected to be allowed, but the decision is `continue`"],
    [block, assertContinues, "expected to continue, but the decision is `block`"],
    [ask, assertContinues, "expected to continue, but the decision is `ask`"],
    [allow, assertAsked, "expected that a person is asked, but none is"],
    [
      ask,
      (it) => assertAsked(it, { prompt: "what" }),
      "a question with 'what'; there is 'really?'",
    ],
    [undefined, assertModified, "expected that a hook changes the event, but none does"],
    [undefined, (it) => assertModified(it, { args: {} }), "args: expected {}, but no hook changed"],
    [
      change,
      (it) => assertModified(it, { args: { command: "w" } }),
      "args.command: expected 'w', came",
    ],
    [
      change,
      (it) => assertModified(it, { args: { cwd: "w" } }),
      "args.cwd: expected 'w', but it is not",
    ],
    [undefined, assertInjected, "expected context; there is none"],
    [
      answer,
      (it) => assertInjected(it, "x", { by: "other" }),
      "of `other` with 'x'; there is 'a hint' of",
    ],
    [
      answer,
      (it) => assertMessage(it, undefined, { level: "error" }),
      "of level error; there is none",
    ],
    [undefined, assertObjected, "expected an objection; there is none"],
    [
      undefined,
      (it) => assertRan(it, ["hook", "x"]),
      "expected [ 'hook', 'x' ]\n  ran      [ 'hook' ]",
    ],
    [undefined, (it) => assertNotSelected(it, "hook"), "that `hook` is not selected, but it was"],
    [undefined, (it) => assertNotSelected(it, "writes", { why: "path" }), "with 'path'; there is"],
    [undefined, assertFailed, "expected that a hook fails, but it did not"],
  ];
  for (const [answer, check, says] of failing) {
    test(`fail and show the decision: ${says}`, async () => {
      const outcome = await judged(answer);
      assert.throws(
        () => check(outcome),
        (error: unknown) => {
          assert.ok(error instanceof AssertionError);
          assert.ok(error.message.includes(says), error.message);
          // The whole decision: which hook, what it said, which one was not selected and why.
          assert.match(error.message, /^PreToolUse of Bash: /m);
          assert.match(error.message, /^ {2}hook +ran /m);
          assert.match(error.message, /not selected {2}tool `Bash` does not match `Write`/);
          // The stack begins at the test.
          assert.doesNotMatch(error.stack ?? "", /asserts\.js/);
          return true;
        },
      );
    });
  }

  test("give test runners both values to show the difference of", async () => {
    const outcome = await judged(change);
    assert.throws(() => assertModified(outcome, { args: { command: "w" } }), {
      actual: { args: { command: "ls -l", timeout: 5 } },
      expected: { args: { command: "w" } },
      operator: "assertModified",
    });
  });

  test("look at the order in which hooks ran", async () => {
    const client = quietClient();
    for (const name of ["first", "second"]) {
      client.registerHook("Stop", { name, handler: () => undefined });
    }
    const outcome = await dispatch(client, "Stop");
    assertRan(outcome, ["first", "second"]);
    assert.throws(() => assertRan(outcome, ["second", "first"]), /other hooks ran than expected/);
  });

  test("give a failure", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", { name: "broken", handler: broken });
    const outcome = await dispatch(client, toolEvent("Bash"));
    const failure = assertFailed(outcome, "broken", "raised", { message: "no disk" });
    assert.equal((failure.error.cause as Error).message, "no disk");
    assert.throws(
      () => assertFailed(outcome, undefined, "timeout"),
      /of kind `timeout`, but what failed is `broken` raised: /,
    );
    assert.throws(() => assertFailed(outcome, "other"), /expected that `other` fails/);
  });

  test("see objections to what has happened", async () => {
    const client = quietClient();
    client.registerHook("PostToolUse", () => HookResponse.block("too long"));
    const outcome = await dispatch(
      client,
      toolResultEvent("Bash", {}, { output: "x", exitCode: 1 }),
    );
    assert.equal(outcome.event.result.exitCode, 1);
    assertObjected(outcome, { reason: "long" });
    assert.throws(() => assertBlocked(outcome), /it cannot be blocked any more/);
  });

  test("say that an await was forgotten", () => {
    const running = judged(undefined);
    assert.throws(() => assertBlocked(running as never), /not a promise: was `await` forgotten/);
  });
});

function broken(): never {
  throw new Error("no disk");
}

describe("events", () => {
  test("of the whole catalogue can be raised by name", async () => {
    const client = quietClient();
    for (const { name, fields } of client.catalogue()) {
      const outcome = await dispatch(client, name as CustomEventName);
      assert.equal(outcome.event.eventType, name);
      assert.equal(outcome.event.sessionId, "test-session");
      for (const field of fields) assert.ok(field.optional || field.name in outcome.event, name);
    }
  });

  test("have values of their own", () => {
    const first = event("PostToolUse") as unknown as { result: { output: string } };
    first.result.output = "changed";
    assert.equal(event("tool:post", { tool: "Edit" }).result.output, "");
    assert.equal(event("tool:post", { tool: "Edit" }).tool, "Edit");
    assert.equal(promptEvent("hi").prompt, "hi");
    assert.throws(() => event("Deploy" as "Stop"), /no event of the catalogue is called `Deploy`/);
  });

  test("may be custom", async () => {
    const client = quietClient();
    client.registerHook("deploy:start", (given) => HookResponse.block(String(given["where"])));
    const outcome = await dispatch(client, "deploy:start", { where: "production" });
    assertBlocked(outcome, { reason: "production" });
  });
});

describe("scripts", () => {
  test("run a whole agent", () =>
    withHookClient(async (client) => {
      client.registerHook("PreToolUse", {
        name: "asks",
        handler: () => HookResponse.ask("really?"),
      });
      client.registerHook("PostToolUse", {
        name: "tells",
        handler: () => answer as unknown as undefined,
      });
      const tool = recordingTool(
        (args: Record<string, unknown>) => `ran ${String(args["command"])}`,
      );
      const model = scriptedModel(toolCall("Bash", { command: "ls" }), () => "done");
      client.registerTool("Bash", tool);
      client.registerModel(model);
      const session = hookSession(client, { approvals: [true] });
      const generation = await session.generate("list");
      assert.deepEqual(tool.calls, [{ command: "ls" }]);
      assert.deepEqual([generation.text, model.unused, model.requests.length], ["done", 0, 2]);
      assertContinues(generation);
      assertInjected(generation, "hint", { by: "tells" });
      assertRan(generation, ["asks", "tells"]);
      const [call] = generation.tools;
      assert.ok(call !== undefined);
      assertAllowed(call);
      assertAsked(call, { prompt: "really?" });
      assert.match(described(call), /^call: ran, /);
      assert.match(described(generation), /^generation: done; model calls: 2\n {2}\S/);
      assert.throws(() => assertBlocked(generation), /the decision is `done`/);
      assert.equal(session.approver.requests[0]?.prompt, "really?");
    }));

  const asking = (approvals: (string | boolean)[], questions: number) =>
    withHookClient(async (client) => {
      client.registerHook("PreToolUse", () => HookResponse.ask("really?"));
      const session = hookSession(client, { approvals });
      for (let asked = 0; asked < questions; asked += 1) {
        assertBlocked(await session.runTool("Bash", {}, recordingTool()));
      }
    });

  test("that do not fit fail", async () => {
    await asking([false], 1);
    await assert.rejects(asking([], 1), /has 0 answers, and 1 question came:\n {2}1. really\?/);
    await assert.rejects(asking(["Deny"], 0), /has 1 answer, and 0 questions came$/);
    await assert.rejects(asking(["Perhaps"], 1), /answers "Perhaps" to `really\?`, whose options/);
  });

  test("fail as they are told, and when they are over", () =>
    withHookClient(async (client) => {
      client.registerModel(scriptedModel({ text: "first" }, new Error("no network")));
      const session = hookSession(client);
      assert.equal((await session.generate("a")).text, "first");
      assert.match((await session.generate("b")).reason ?? "", /no network/);
      assert.match((await session.generate("c")).reason ?? "", /for time 3, .* has 2 answers/);
      const call = await session.runTool("Bash", {}, recordingTool(new Error("no disk")));
      assert.equal(call.error?.message, "no disk");
    }));
});

describe("a client for a test", () => {
  const failing = (mayFail: boolean | string[] = false, expects = false) =>
    withHookClient(
      async (client) => {
        client.registerHook("PreToolUse", { name: "broken", handler: broken });
        const outcome = await dispatch(client, toolEvent("Bash"));
        if (expects) assertFailed(outcome, "broken");
      },
      { mayFail },
    );

  test("fails when a hook fails unexpectedly", async () => {
    await assert.rejects(failing(), (error: Error) => {
      assert.match(error.message, /^hooks failed unexpectedly: `broken`/);
      assert.match(error.message, /broken {2}failed {8}raised, so the action continues: .*no disk/);
      return true;
    });
    await failing(["broken"]);
    await failing(true);
    await failing(false, true);
  });

  test("hears of sessions and of the background", async () => {
    const late = { name: "late", handler: broken, config: { detached: true } };
    const inBackground = withHookClient(async (client) => {
      client.registerHook("PostToolUse", late);
      await hookSession(client).runTool("Bash", {}, recordingTool());
    });
    await assert.rejects(inBackground, /failed unexpectedly in the background: `late`: no disk/);
    const inSession = withHookClient(async (client) => {
      client.registerHook("PostToolUse", broken);
      await hookSession(client).runTool("Bash", {}, recordingTool());
    });
    await assert.rejects(inSession, /hooks failed unexpectedly: `broken`/);
  });

  test("says first what the test itself says", async () => {
    const body = withHookClient(async (client) => {
      client.registerHook("PreToolUse", broken);
      await dispatch(client, toolEvent("Bash"));
      throw new Error("of the test");
    });
    await assert.rejects(body, /of the test/);
  });

  test("is closed, also by the end of a block", async () => {
    const client = await withHookClient((given) => given);
    await assert.rejects(dispatch(client, toolEvent("Bash")), { code: "client_closed" });
    const other = hookClient();
    other.registerHook("PreToolUse", broken);
    await dispatch(other, toolEvent("Bash"));
    await assert.rejects(() => other[Symbol.asyncDispose](), /failed unexpectedly/);
    await assert.rejects(dispatch(other, toolEvent("Bash")), { code: "client_closed" });
  });

  test("loads files", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "hookweave-testing-"));
    const file = path.join(folder, "hookweave.json");
    const hook = { event: "Stop", command: "true", name: "tests" };
    writeFileSync(file, JSON.stringify({ hookweave: 1, hooks: [hook] }));
    await withHookClient(async (client) => assertRan(await dispatch(client, "Stop"), ["tests"]), {
      load: [file],
    });
    assert.throws(() => hookClient({ load: [path.join(folder, "missing.json")] }), {
      code: "invalid_config",
    });
    rmSync(folder, { recursive: true });
  });
});

describe("snapshots", () => {
  async function traced(): Promise<Outcome> {
    const folder = mkdtempSync(path.join(tmpdir(), "hookweave-testing-"));
    rmSync(folder, { recursive: true });
    const client = quietClient();
    client.registerHook("PreToolUse", {
      name: "g",
      handler: ({ sessionId }) => HookResponse.block(`${folder}/x of ${sessionId}`),
    });
    return client.dispatch("PreToolUse", { tool: "Bash", args: {} });
  }

  test("are plain data that stays the same, and the same in every language", async () => {
    const first = traceSnapshot(await traced(), { names: { "x of": "<what>" } });
    assert.deepEqual(first, traceSnapshot(await traced(), { names: { "x of": "<what>" } }));
    assert.deepEqual(first, {
      event: "PreToolUse",
      tool: "Bash",
      decision: "block",
      blocked: true,
      by: "g",
      reason: "<tmp>/<what> <session>",
      hooks: [{ hook: "g", status: "ran", action: "block", reason: "<tmp>/<what> <session>" }],
    });
  });

  test("spell the parts of results as every language does", async () => {
    const client = quietClient();
    client.registerHook("PostToolUse", () => ({
      modified: { result: { exitCode: 1, output: "x" } },
    }));
    const outcome = await dispatch(client, toolResultEvent("Bash"));
    const { modified } = traceSnapshot(outcome) as { modified: { result: object } };
    assert.ok("exit_code" in modified.result, JSON.stringify(modified));
  });

  test("are written when told, and compared otherwise", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "hookweave-testing-"));
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, "some.test.ts");
    const kept = path.join(folder, "hookweave-snapshots", "some.test", "name.json");
    const outcome = await traced();
    const check = () => assertMatchesSnapshot(outcome, "name", { file });
    assert.throws(check, /there is no snapshot .*name\.json; HOOKWEAVE_UPDATE=1 writes it/);
    process.env["HOOKWEAVE_UPDATE"] = "1";
    try {
      check();
    } finally {
      delete process.env["HOOKWEAVE_UPDATE"];
    }
    check();
    const changed = readFileSync(kept, "utf8").replace(`"by": "g"`, `"by": "other"`);
    writeFileSync(kept, changed);
    assert.throws(check, (error: AssertionError) => {
      assert.match(error.message, /^- {3}"by": "other",\n\+ {3}"by": "g",$/m);
      assert.match(error.message, /^PreToolUse of Bash: block by `g`/m);
      assert.equal(error.expected, changed);
      return true;
    });
    assert.equal(readFileSync(kept, "utf8"), changed);
    rmSync(folder, { recursive: true });
  });

  test("stand beside the test that calls", async () => {
    const outcome = await traced();
    const file = path.join("hookweave-snapshots", "testing.test", "missing.json");
    assert.throws(
      () => assertMatchesSnapshot(outcome, "missing"),
      (error: Error) => error.message.includes(path.join(import.meta.dirname, file)),
    );
    for (const name of ["../x", "a/b", "", ".hidden"]) {
      assert.throws(() => assertMatchesSnapshot(outcome, name), /is no name of a snapshot/);
    }
  });
});
