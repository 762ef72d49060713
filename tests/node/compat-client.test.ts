/** A3S's client: its types, and where its words are other than the engine's. */

import assert from "node:assert/strict";
import path from "node:path";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import type { HookEvent } from "hookweave";
import { A3sClient, type A3sOptions, type HookResponse } from "hookweave/compat/a3s";

import { Documented, examples } from "./support/documented.js";

/** Its audit log, which configurations switch on, goes to a logger that keeps nothing. */
function quiet(options: A3sOptions = {}): A3sClient {
  const nothing = (): void => undefined;
  return new A3sClient({ logger: { warn: nothing, error: nothing }, ...options });
}

const CHECKED = `
import type * as ours from "hookweave/compat/a3s";
import { A3sClient } from "hookweave/compat/a3s";
import type * as theirs from "./events-exported";

// What a hook is given is what the documentation says it is given.
export const pre = (event: ours.PreToolUseEvent): theirs.PreToolUseEvent => event;
export const post = (event: ours.PostToolUseEvent): theirs.PostToolUseEvent => event;
export const start = (event: ours.GenerateStartEvent): theirs.GenerateStartEvent => event;
export const end = (event: ours.GenerateEndEvent): theirs.GenerateEndEvent => event;
export const base = (event: ours.HookEvent): theirs.HookEvent => event;
// And every answer that it documents is taken.
export const answer = (response: theirs.HookResponse): ours.HookResponse => response;

const client = new A3sClient();
client.registerHook("ToolError", (event) => void (event.eventType satisfies "ToolError"));
client.registerHook("PreCompact", (event) => void (event.messages satisfies readonly unknown[] | undefined));
client.registerHook("tool:pre", () => ({ action: "ask", ask: "the engine's own names and answers are taken too" }));
// @ts-expect-error there is no such event
client.registerHook("PreToolUze", () => undefined);
// @ts-expect-error there is no such action
client.registerHook("PreToolUse", () => ({ action: "deny" }));
// @ts-expect-error the event has no result yet
client.registerHook("PreToolUse", async (event) => void event.result);
`;

describe("A3S's client", () => {
  test("has the types that its documentation has", async () => {
    const documented = new Documented(["events"]);
    const names = [
      "HookEvent",
      "PreToolUseEvent",
      "PostToolUseEvent",
      "GenerateStartEvent",
      "GenerateEndEvent",
      "HookResponse",
    ];
    documented.exporting("events", names, "events-exported");
    documented.write("checked.ts", CHECKED);
    assert.deepEqual(await documented.compile("checked", "events-exported"), []);
    documented.remove();
  });

  test("runs the hooks of an event together, and takes ten of one", async () => {
    const client = quiet();
    const seen: unknown[] = [];
    const look = ({ args }: HookEvent<"PreToolUse">) => {
      seen.push(args["n"]);
      return { action: "continue", modified: { args: { n: 2 } } } as const;
    };
    client.registerHook("PreToolUse", look);
    client.registerHook("PreToolUse", look);
    await client.dispatch("PreToolUse", { tool: "Bash", args: { n: 1 } });
    assert.deepEqual(seen, [1, 1]);
    for (let n = 2; n < 10; n += 1) client.registerHook("PreToolUse", () => undefined);
    assert.throws(() => client.registerHook("PreToolUse", () => undefined), {
      code: "too_many_hooks",
    });
  });

  test("reads answers as A3S means them, as in every language", async () => {
    const shapes: [unknown, string, number][] = [
      [{ action: "retry", delay: 500 }, "retry", 500],
      [{ action: "retry", delay_ms: 500 }, "retry", 500],
      [{ action: "RETRY" }, "retry", 0],
      [{ action: "block", reason: "no" }, "block", 0],
      [{ action: 1, reason: "no" }, "block", 0],
      [{ action: "deny" }, "block", 0],
      [{ action: "escalate" }, "ask", 0],
      [{ action: "block", reason: new Date() }, "block", 0],
      [{ action: "skip" }, "continue", 0],
      [{ action: "continue" }, "continue", 0],
      [{ modified: { args: { command: "ls" } } }, "continue", 0],
      [{ action: "continue", modifed: {} }, "continue", 0],
      [{ action: "ask", ask: "Sure?" }, "ask", 0],
      [undefined, "continue", 0],
    ];
    for (const [answer, decision, delay] of shapes) {
      for (const handler of [() => answer, () => Promise.resolve(answer)]) {
        const client = quiet();
        client.registerHook("PreToolUse", handler as () => undefined);
        const outcome = await client.dispatch("PreToolUse", {
          tool: "Bash",
          args: {},
        });
        assert.deepEqual([outcome.decision, outcome.delay], [decision, delay], inspect(answer));
      }
    }
  });

  test("calls a failed tool's event as A3S does", async () => {
    const client = quiet();
    const seen: unknown[] = [];
    client.registerHook("ToolError", function retry(event) {
      const { eventType, tool } = event;
      seen.push(eventType, tool, { ...event }.eventType, "eventType" in event);
      seen.push((JSON.parse(JSON.stringify(event)) as { eventType: string }).eventType);
      seen.push(inspect(event).includes("eventType: 'ToolError'"));
      return { action: "retry", delay: 1 };
    });
    assert.equal(client.listHooks()[0]?.name, "retry");
    const failing = { tool: "Bash", args: {}, error: "no" };
    const outcome = await client.dispatch("ToolError", failing);
    assert.deepEqual(seen, ["ToolError", "Bash", "ToolError", true, "ToolError", true]);
    assert.deepEqual([outcome.decision, outcome.delay], ["retry", 1]);
    await client.withHook(
      "ToolError",
      ({ eventType }) => void seen.push(eventType),
      () => client.dispatch("ToolError", failing),
    );
    assert.equal(seen.at(-1), "ToolError");
  });

  test("registers the names of a3s-code", async () => {
    const client = quiet();
    const heard: unknown[] = [];
    for (const name of ["pre_compact", "post_compact", "post_response"] as const) {
      client.registerHook(name, (event) => void heard.push(event.eventType));
    }
    await client.dispatch("PreCompact", { trigger: "auto" });
    await client.dispatch("PostCompact", { trigger: "auto" });
    await client.dispatch("Stop", {});
    assert.deepEqual(heard, ["PreCompact", "PostCompact", "Stop"]);
  });

  test("takes a tool as a whole name", async () => {
    const client = quiet();
    const block: HookResponse = { action: "block", reason: "no" };
    client.registerHook("PreToolUse", {
      matcher: { tool: "mcp__*" },
      handler: () => block,
    });
    for (const [tool, blocked] of [
      ["mcp__*", true],
      ["mcp__db__query", false],
    ] as const) {
      assert.equal(
        (await client.dispatch("PreToolUse", { tool, args: {} })).blocked,
        blocked,
        tool,
      );
    }
    const list = { matcher: { tool: "Write|Edit" }, handler: () => block };
    assert.throws(() => client.registerHook("PreToolUse", list), {
      code: "invalid_matcher",
    });
  });

  test("has the defaults of a configuration, from a file or as it is", () => {
    const hooks = {
      maxHooksPerEvent: 1,
      defaultTimeout: 250,
      failBehavior: "block",
      auditLevel: "error",
    };
    for (const config of [path.join(examples, "hooks.json"), { hooks }]) {
      const client = quiet({ config });
      client.registerHook("PreToolUse", () => undefined);
      const [{ timeout, failBehavior } = { timeout: 0, failBehavior: "" }] = client.listHooks();
      const second = () => client.registerHook("PreToolUse", () => undefined);
      if (typeof config === "string") {
        assert.deepEqual([timeout, failBehavior, client.auditLevel], [5000, "continue", "info"]);
        assert.ok(second());
      } else {
        assert.deepEqual([timeout, failBehavior, client.auditLevel], [250, "block", "error"]);
        assert.throws(second, { code: "too_many_hooks" });
      }
    }
    const given = quiet({
      config: { hooks },
      defaultTimeout: 7,
      maxHooksPerEvent: null,
    });
    given.registerHook("Stop", () => undefined);
    assert.equal(given.listHooks()[0]?.timeout, 7);
    const wrong = { hooks: { maxHooksPerEvent: "many" } };
    assert.throws(() => quiet({ config: wrong }), { code: "invalid_config" });
  });

  test("a hook written for arguments that are a text fails, and says so", async () => {
    // The picture in A3S's overview has it so; arguments are an object there too.
    const client = quiet();
    client.registerHook("PreToolUse", async (event) => {
      const args = event.args as unknown as string;
      if (event.tool === "Bash" && args.includes("rm -rf"))
        return { action: "block", reason: "Dangerous command" };
      return { action: "continue" };
    });
    const outcome = await client.dispatch("PreToolUse", {
      tool: "Bash",
      args: { command: "rm -rf /" },
    });
    assert.match(outcome.trace[0]?.failure?.message ?? "", /includes is not a function/);
  });
});
