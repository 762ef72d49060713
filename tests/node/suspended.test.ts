/** Calls whose questions are answered later, and control flow that goes through a call. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  ApprovalPending,
  ApprovalRequest,
  HookResponse,
  Suspended,
  type Approver,
} from "hookweave";

import { quietClient, until } from "./support/tools.js";

const ls = { command: "ls" };
const call = { toolUseId: "t1" };
const later: Approver = () => {
  throw new Suspended();
};

/** What a framework throws to leave a graph. */
class Interrupt extends Error {}

/** The question of a call that is put off. */
async function asked(args: Record<string, unknown> = ls): Promise<ApprovalRequest> {
  const session = quietClient().session({
    sessionId: "s1",
    permissions: "ask",
    approval: later,
  });
  const error: unknown = await session
    .runTool("Bash", args, () => 1, call)
    .catch((error: unknown) => error);
  assert.ok(error instanceof ApprovalPending);
  assert.equal(error.code, "approval_pending");
  return error.request;
}

describe("a question that is answered later", () => {
  test("is stored and answered by another client", async () => {
    const stored = JSON.stringify(await asked());
    const request = ApprovalRequest.from(JSON.parse(stored) as object);
    assert.deepEqual([request.toolUseId, request.args, request.timeout], ["t1", ls, 300_000]);
    assert.deepEqual(ApprovalRequest.from(request.toJSON()), request);
    const session = quietClient().session({
      sessionId: "s1",
      permissions: "ask",
      approval: later,
    });
    const answers = {
      [request.id]: { option: "Allow once", args: { command: "ls -l" } },
    };
    const outcome = await session.runTool("Bash", ls, ({ command }) => command, {
      ...call,
      answers,
    });
    assert.equal(outcome.output, "ls -l");
  });

  test("without a JSON form of its arguments is stored without them", async () => {
    const request = await asked({ f: () => 1 });
    assert.equal(request.toJSON()["args"], null);
  });

  test("is read whole or not at all", async () => {
    const { prompt: _, ...rest } = (await asked()).toJSON();
    assert.throws(() => ApprovalRequest.from(rest), {
      code: "invalid_payload",
      message: /`prompt` is missing/,
    });
  });

  test("is refused before any hook where the answer cannot be read", async () => {
    const session = quietClient().session({ permissions: "ask" });
    const answers = { x: { choice: "Deny" } as never };
    await assert.rejects(
      session.runTool("Bash", ls, () => 1, { answers }),
      {
        code: "invalid_option",
      },
    );
  });

  test("has an id of its own beside an equal one", async () => {
    const session = quietClient().session({
      permissions: "ask",
      approval: "pending",
    });
    const calls = [1, 2].map((given) => session.runTool("Bash", ls, () => given, call));
    await until(() => session.pending().length === 2);
    const [first, second] = session.pending().map(({ id }) => id) as [string, string];
    assert.equal(second, `${first}-2`);
    session.decide(second, "Deny");
    session.decide(first, "Allow once");
    const ran = (await Promise.all(calls)).map((outcome) => outcome.ran);
    assert.deepEqual(ran, [true, false]);
  });
});

describe("control flow", () => {
  test("of an approver goes through, and no hook is used up", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", {
      handler: () => HookResponse.ask("sure?"),
      once: true,
    });
    const answers = [new Interrupt("leave"), "Deny"];
    const approval: Approver = () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer ?? "Deny";
    };
    const session = client.session({ approval });
    const passes = [TypeError, Interrupt];
    await assert.rejects(
      session.runTool("Bash", ls, () => 1, { passes }),
      Interrupt,
    );
    const outcome = await session.runTool("Bash", ls, () => 1, { passes });
    assert.deepEqual([outcome.ran, outcome.by], [false, "user"]);
  });

  test("of a tool goes through, and nothing is used up", async () => {
    const client = quietClient();
    const heard: string[] = [];
    client.registerHook("PreToolUse", {
      handler: () => void heard.push("once"),
      once: true,
    });
    client.registerHook("PostToolUseFailure", () => void heard.push("failed"));
    client.registerHook("PreToolUse", {
      handler: () => HookResponse.block("too many"),
      matcher: { when: "session.tool_calls >= 1" },
    });
    const session = client.session();
    const passes = [Interrupt];
    const leave = (): never => {
      throw new Interrupt("leave");
    };
    await assert.rejects(session.runTool("Bash", ls, leave, { passes }), {
      message: "leave",
    });
    assert.equal((await session.runTool("Bash", ls, () => "done", { passes })).output, "done");
    assert.equal((await session.runTool("Bash", ls, () => "done")).reason, "too many");
    assert.deepEqual(heard, ["once", "once"]);
  });

  test("is what the caller says: any other error is a failure", async () => {
    const fail = (): never => {
      throw new TypeError("broken");
    };
    const outcome = await quietClient()
      .session()
      .runTool("Bash", ls, fail, { passes: [Interrupt] });
    assert.deepEqual([outcome.ran, outcome.ok, outcome.error?.message], [true, false, "broken"]);
  });

  test("by a signal uses up no hook", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", {
      handler: () => HookResponse.ask("sure?"),
      once: true,
    });
    const session = client.session({ approval: "pending" });
    const controller = new AbortController();
    const first = session.runTool("Bash", ls, () => 1, {
      signal: controller.signal,
    });
    await until(() => session.pending().length === 1);
    controller.abort(new Interrupt("stop"));
    await assert.rejects(first, Interrupt);
    const second = session.runTool("Bash", ls, () => 1);
    await until(() => session.pending().length === 1);
    session.decide(session.pending()[0]?.id ?? "", "Deny");
    assert.equal((await second).ran, false);
  });
});
