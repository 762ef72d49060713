/** The event that a handler is given looks like a plain object and cannot be used to change anything. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { HookweaveError, PayloadError, type HookEvent } from "hookweave";

import { bash, quietClient } from "./support/tools.js";

/** Gives the event of one dispatch to a function. */
async function withEvent(
  look: (event: HookEvent<"PreToolUse">) => void,
  payload: {
    tool: string;
    args: Record<string, unknown>;
    sessionId?: string;
    timestamp?: number;
  } = {
    tool: "Bash",
    args: { command: "ls", nested: { list: [1, 2] } },
    sessionId: "s1",
    timestamp: 5,
  },
): Promise<void> {
  const client = quietClient();
  let problem: unknown;
  client.registerHook("PreToolUse", (event) => {
    try {
      look(event);
    } catch (error) {
      problem = error;
    }
  });
  await client.dispatch("PreToolUse", payload);
  if (problem !== undefined) throw problem as Error;
}

describe("a plain object to look at", () => {
  test("destructuring, spreading and comparing", () =>
    withEvent((event) => {
      const { tool, args, ...rest } = event;
      assert.equal(tool, "Bash");
      assert.deepEqual(args, { command: "ls", nested: { list: [1, 2] } });
      assert.deepEqual(Object.keys(rest).sort(), [
        "cwd",
        "eventType",
        "metadata",
        "sessionId",
        "timestamp",
        "toolUseId",
      ]);
      assert.deepEqual(event.metadata, {});
      event.metadata["mine"] = 1;
      assert.deepStrictEqual({ ...event }, event);
      assert.equal(Object.getPrototypeOf(event), Object.prototype);
      assert.equal("tool" in event, true);
      assert.equal("toString" in event, true);
      assert.equal("nothing" in event, false);
      assert.equal(Object.hasOwn(event, "args"), true);
      assert.deepEqual(Object.entries(event).length, Object.keys(event).length);
    }));

  test("what the engine reads of a call is no field", () =>
    withEvent(
      (event) => {
        const { command, paths } = event;
        assert.deepEqual([command, paths], ["rm x", []]);
        assert.ok("command" in event && !Object.hasOwn(event, "command"));
        assert.ok(!("command" in { ...event }) && !("paths" in event.toJSON()));
      },
      { tool: "run_shell_command", args: { cmd: "rm x" } },
    ));

  test("JSON.stringify and printing", () =>
    withEvent((event) => {
      const parsed = JSON.parse(JSON.stringify(event)) as Record<string, unknown>;
      assert.deepEqual(parsed, { ...event });
      const printed = inspect(event, { breakLength: Infinity });
      assert.match(
        printed,
        /^\{ tool: 'Bash', args: \{ command: 'ls', nested: \{ list: \[Array\] \} \}/,
      );
      assert.equal(String(event), "[object Object]");
    }));

  test("its canonical text is in snake_case, and what is inside args keeps its own", () =>
    withEvent((event) => {
      const text = JSON.parse(event.toJson()) as Record<string, unknown>;
      assert.deepEqual(Object.keys(text), [
        "tool",
        "args",
        "session_id",
        "timestamp",
        "event_type",
        "tool_use_id",
        "cwd",
        "metadata",
      ]);
      assert.deepEqual(text["args"], {
        command: "ls",
        nested: { list: [1, 2] },
      });
    }));

  test("what has no JSON form is named", () =>
    withEvent(
      (event) => {
        assert.throws(
          () => event.toJson(),
          (error) =>
            error instanceof PayloadError &&
            error.code === "payload_not_json" &&
            /args\.when.*Date/.test(error.message),
        );
      },
      { tool: "Bash", args: { when: new Date() } },
    ));
});

describe("nothing to change", () => {
  test("assigning points at `modified`", () =>
    withEvent((event) => {
      const open = event as unknown as Record<string, unknown>;
      for (const change of [
        () => (open["args"] = {}),
        () => (open["fresh"] = 1),
        () => delete open["args"],
        () => Object.defineProperty(open, "args", { value: 1 }),
        () => Object.setPrototypeOf(open, null) as unknown,
      ]) {
        assert.throws(change, {
          name: "TypeError",
          message: /return \{ modified: \{ (args|fresh|__proto__): …/,
        });
      }
      assert.throws(() => Object.freeze(open), HookweaveError);
    }));

  test("a container is copied when it is touched, once for each hook", async () => {
    const client = quietClient();
    const payload = { tool: "Bash", args: { command: "ls", list: [{ x: 1 }] } };
    const given: unknown[] = [];
    for (let hook = 0; hook < 2; hook++) {
      client.registerHook("PreToolUse", (event) => {
        assert.equal(event.args, event.args);
        assert.deepEqual(event.args, { command: "ls", list: [{ x: 1 }] });
        given.push(event.args);
        (event.args["list"] as { x: number }[])[0] = { x: 2 };
        event.args["command"] = "rm";
      });
    }
    const outcome = await client.dispatch("PreToolUse", payload);
    assert.deepEqual(
      outcome.trace.map(({ status }) => status),
      ["ran", "ran"],
    );
    assert.notEqual(given[0], given[1]);
    assert.deepEqual(payload, {
      tool: "Bash",
      args: { command: "ls", list: [{ x: 1 }] },
    });
    assert.deepEqual(outcome.event.args, { command: "ls", list: [{ x: 1 }] });
    assert.deepEqual(outcome.modified, []);
  });

  test("what is no plain data is the hook's own too", () => {
    const when = new Date();
    const map = new Map([["a", 1]]);
    return withEvent(
      (event) => {
        assert.deepEqual(event.args["when"], when);
        assert.deepEqual(event.args["map"], map);
        assert.notEqual(event.args["when"], when);
        assert.notEqual(event.args["map"], map);
        assert.equal(event.args["map"], event.args["map"]);
      },
      { tool: "Bash", args: { when, map } },
    );
  });

  test("a copy that nests too deep is refused", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200; level++) deep = [deep];
    return withEvent(
      (event) => {
        assert.throws(() => event.args, { code: "payload_too_deep" });
      },
      { tool: "Bash", args: { deep } },
    );
  });

  test("a payload that contains itself is refused, not followed for ever", () => {
    const args: Record<string, unknown> = {};
    args["self"] = args;
    return withEvent(
      (event) => {
        assert.throws(() => event.args, { code: "payload_too_deep" });
        assert.throws(() => event.toJson(), { code: "payload_not_json" });
      },
      { tool: "Bash", args },
    );
  });
});

describe("what the engine fills in", () => {
  test("is the same for every hook and for the outcome", async () => {
    const client = quietClient();
    const seen: unknown[] = [];
    for (let hook = 0; hook < 3; hook++) {
      client.registerHook("PreToolUse", ({ sessionId, toolUseId, timestamp, eventType }) => {
        seen.push({ sessionId, toolUseId, timestamp, eventType });
        return hook === 1 ? { modified: { args: { command: "other" } } } : undefined;
      });
    }
    const before = Date.now();
    const { event } = await client.dispatch("PreToolUse", bash);
    const { sessionId, toolUseId, timestamp, eventType } = event;
    const filled = { sessionId, toolUseId, timestamp, eventType };
    assert.deepEqual(seen, [filled, filled, filled]);
    assert.match(sessionId, /^[0-9a-f-]{36}$/);
    assert.notEqual(sessionId, toolUseId);
    assert.ok(timestamp >= before - 1 && timestamp <= Date.now() + 1);
    assert.equal(eventType, "PreToolUse");
  });

  test("differs from one dispatch to the next", async () => {
    const client = quietClient();
    const first = await client.dispatch("PreToolUse", bash);
    const second = await client.dispatch("PreToolUse", bash);
    assert.notEqual(first.event.sessionId, second.event.sessionId);
  });

  test("gives way to what the host says, but for the type", () =>
    withEvent(
      (event) => {
        assert.equal(event.sessionId, "mine");
        assert.equal(event.timestamp, 7);
        assert.equal(event.eventType, "PreToolUse");
      },
      {
        tool: "Bash",
        args: {},
        sessionId: "mine",
        timestamp: 7,
        eventType: "Stop",
      } as never,
    ));

  test("an event can be raised again as it is", async () => {
    const client = quietClient();
    let later: HookEvent<"PermissionRequest"> | undefined;
    client.registerHook("PreToolUse", async (event) => {
      await client.dispatch("PermissionRequest", event);
    });
    client.registerHook("PermissionRequest", (event) => {
      later = event;
    });
    await client.dispatch("PreToolUse", { ...bash, sessionId: "s9" });
    assert.equal(later?.sessionId, "s9");
    assert.equal(later.eventType, "PermissionRequest");
  });
});
