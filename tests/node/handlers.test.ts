/** What handlers may be and return: nothing of it crashes the process or leaks out of the dispatch. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import vm from "node:vm";

import { HookFailedError, HookResponse, InvalidAnswerError } from "hookweave";

import { bash, never, PATIENCE, quietClient, runModule } from "./support/tools.js";

describe("answers", () => {
  test("sync and async handlers are heard alike", async () => {
    for (const handler of [
      () => HookResponse.block("no"),
      () => Promise.resolve(HookResponse.block("no")),
      async () => {
        await sleep(1);
        return HookResponse.block("no");
      },
    ]) {
      const client = quietClient();
      client.registerHook("PreToolUse", handler);
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.equal(outcome.blocked, true);
      assert.equal(outcome.reason, "no");
    }
  });

  test("a handler is called without a receiver and with exactly an event and a context", async () => {
    const client = quietClient();
    const seen: unknown[] = [];
    client.registerHook("PreToolUse", function (this: unknown, ...given: unknown[]) {
      seen.push(this, given.length);
    });
    await client.dispatch("PreToolUse", bash);
    assert.deepEqual(seen, [undefined, 2]);
  });

  test("a promise of another realm is waited for", async () => {
    const client = quietClient();
    client.registerHook(
      "PreToolUse",
      () => vm.runInNewContext(`Promise.resolve({ action: "block" })`) as never,
    );
    assert.equal((await client.dispatch("PreToolUse", bash)).blocked, true);
  });

  test("an answer made in another realm is an object too", async () => {
    const client = quietClient();
    client.registerHook(
      "PreToolUse",
      () => vm.runInNewContext(`({ action: "block", reason: "x" })`) as never,
    );
    assert.equal((await client.dispatch("PreToolUse", bash)).reason, "x");
  });

  test("a record without a prototype is an answer", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () =>
      Object.assign(Object.create(null) as object, {
        action: "block" as const,
      }),
    );
    assert.equal((await client.dispatch("PreToolUse", bash)).blocked, true);
  });

  test("an answer whose getter throws is invalid", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () => ({
      get action(): "block" {
        throw new Error("gotcha");
      },
    }));
    const [entry] = (await client.dispatch("PreToolUse", bash)).trace;
    assert.ok(entry?.failure?.error instanceof InvalidAnswerError);
    assert.match(entry.failure.message, /gotcha/);
  });

  test("an instance of a class is no answer", async () => {
    class Verdict {
      action = "allow" as const;
    }
    const client = quietClient();
    client.registerHook("PreToolUse", () => new Verdict());
    const [entry] = (await client.dispatch("PreToolUse", bash)).trace;
    assert.ok(entry?.failure?.error instanceof InvalidAnswerError);
    assert.match(entry.failure.message, /Verdict/);
  });
});

/** A proxy that throws whatever is asked of it. */
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

class Decision {
  action = "block";
}

const unreadable: Readonly<Record<string, () => unknown>> = {
  "an instance": () => new Decision(),
  "an instance in a list": () => [new Decision()],
  "inherited fields": () => Object.create({ action: "block" }) as unknown,
  "inherited fields of a record": () =>
    Object.create(Object.create(null, { action: { value: "block" } }) as object) as unknown,
  "a hidden field": () => Object.defineProperty({}, "action", { value: "block" }),
  "a hidden field beside another": () =>
    Object.defineProperty({ reason: "no" }, "action", { value: "block" }),
  "a symbol for a key": () => ({ [Symbol("action")]: "block" }),
  "a proxy without fields": () =>
    new Proxy({}, { get: (_, key) => (key === "action" ? "block" : undefined) }),
  "a proxy of an instance": () => new Proxy(new Decision(), {}),
  "a proxy that cannot be listed": () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("no keys today");
        },
      },
    ),
  "a revoked proxy": revoked,
  "a revoked proxy in a list": () => [revoked()],
  "a getter that throws": () => ({
    get action() {
      throw new Error("no action today");
    },
  }),
  "a then that throws": () => ({
    get then() {
      throw new Error("no then today");
    },
  }),
  "a map": () => new Map([["action", "block"]]),
  "a set": () => new Set(["block"]),
  "an error": () => new Error("block"),
  "a function": () => HookResponse.block,
  "a function of a function": () => () => HookResponse.block(),
  "a symbol": () => Symbol("block"),
  bytes: () => Buffer.from("block"),
  "a generator": () =>
    (function* () {
      yield HookResponse.block();
    })(),
  "an async generator": () =>
    (async function* () {
      yield await Promise.resolve(HookResponse.block());
    })(),
  "a symbol for the action": () => ({ action: Symbol("block") }),
  "a map for the action": () => ({ action: new Map() }),
  "a function for the decision": () => ({ decision: () => "deny" }),
  "an instance for the output": () => ({ hookSpecificOutput: new Decision() }),
  "a map for a consent": () => ({ continue: new Map() }),
};

describe("answers that cannot be read", () => {
  for (const [what, make] of Object.entries(unreadable)) {
    test(what, async () => {
      const later = async (): Promise<unknown> => {
        await sleep(1);
        return make();
      };
      for (const mode of ["sequential", "parallel"] as const) {
        for (const handler of [make, later]) {
          const client = quietClient({ mode });
          client.registerHook("PreToolUse", { handler: handler as never });
          client.registerHook("PreToolUse", () => undefined);
          client.registerHook("PostToolUse", { handler: handler as never });
          const outcome = await client.dispatch("PreToolUse", bash);
          const failure = outcome.trace[0]?.failure;
          // A promise asks what it is given for its `then`, and fails itself when that throws.
          const isRejected = handler === later && /revoked proxy$|then that throws/.test(what);
          assert.equal(failure?.kind, isRejected ? "raised" : "invalid_answer");
          assert.equal(outcome.blocked, !isRejected);
          const after = await client.dispatch("PostToolUse", {
            ...bash,
            result: { success: true },
          });
          assert.equal(after.trace[0]?.status, "failed");
        }
      }
    });
  }

  test("the message names the type and the fix", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () => new Decision() as never);
    const { reason } = await client.dispatch("PreToolUse", bash);
    assert.match(reason ?? "", /not an instance of Decision, .*; return a plain object/);
  });

  test("an object without fields is no answer", async () => {
    for (const answer of [{}, Object.create(null), vm.runInNewContext("({})")]) {
      const client = quietClient();
      client.registerHook("PreToolUse", () => answer as never);
      assert.equal((await client.dispatch("PreToolUse", bash)).trace[0]?.failure, null);
    }
  });

  test("a detached hook ends whatever it answers", async () => {
    for (const make of Object.values(unreadable)) {
      const client = quietClient({ maxDetached: 1 });
      client.registerHook("Stop", { handler: make as never, config: { detached: true } });
      await client.dispatch("Stop");
      await client.dispatch("Stop");
      assert.equal(await client.drain(PATIENCE), true);
    }
  });
});

describe("failures", () => {
  test("what a handler threw is the cause of its failure", async () => {
    const thrown = new TypeError("boom");
    for (const handler of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const client = quietClient();
      client.registerHook("PreToolUse", { name: "guard", handler });
      const [entry] = (await client.dispatch("PreToolUse", bash)).trace;
      const error = entry?.failure?.error;
      assert.ok(error instanceof HookFailedError);
      assert.equal(error.cause, thrown);
      assert.equal(error.hook, "guard");
      assert.equal(error.code, "raised");
      assert.equal(error.message, "boom");
    }
  });

  test("anything can be thrown", async () => {
    const hostile = new Proxy({}, { get: () => assert.fail("touched") });
    const throwing = (field: string): object =>
      Object.defineProperty(new Error("x"), field, {
        get() {
          throw new Error("hostile");
        },
      });
    const odd = ["message", "stack", "name", "cause", "code"].map(throwing);
    const text = { toString: () => throwing("message") };
    const inherits = Object.create(revoked()) as object;
    for (const thrown of [
      undefined,
      null,
      0,
      "text",
      Symbol("s"),
      { a: 1 },
      hostile,
      revoked(),
      inherits,
      text,
      ...odd,
    ]) {
      const client = quietClient({ failBehavior: "block" });
      client.registerHook("PreToolUse", () => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- what is not an error is the point
        throw thrown;
      });
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.equal(outcome.blocked, true, typeof thrown);
      assert.equal(outcome.trace[0]?.failure?.kind, "raised");
    }
  });

  test("failures are told to the logger, worse ones louder", async () => {
    const logged: [string, unknown][] = [];
    const client = quietClient({
      logger: {
        warn: (_message, { hook }) => logged.push(["warn", hook]),
        error: (_message, { hook }) => logged.push(["error", hook]),
      },
    });
    const boom = (): never => {
      throw new Error("boom");
    };
    client.registerHook("PreToolUse", { name: "open", handler: boom });
    client.registerHook("PreToolUse", {
      name: "closed",
      handler: boom,
      config: { failBehavior: "block" },
    });
    await client.dispatch("PreToolUse", bash);
    assert.deepEqual(logged, [
      ["warn", "open"],
      ["error", "closed"],
    ]);
  });
});

describe("foreign thenables", () => {
  const cases: Record<string, { thenable: unknown; status: string; blocked: boolean }> = {
    "a throwing `then` getter": {
      thenable: {
        get then() {
          throw new Error("getter");
        },
      },
      status: "failed",
      blocked: true,
    },
    "a throwing `then`": {
      thenable: {
        then() {
          throw new Error("then");
        },
      },
      status: "failed",
      blocked: false,
    },
    "resolving at once": {
      thenable: {
        then(resolve: (value: unknown) => void) {
          resolve({ action: "block" });
        },
      },
      status: "ran",
      blocked: true,
    },
    "resolving twice": {
      thenable: {
        then(resolve: (value: unknown) => void) {
          resolve({ action: "block" });
          resolve({ action: "allow" });
          throw new Error("and throwing");
        },
      },
      status: "ran",
      blocked: true,
    },
    "resolving with another thenable": {
      thenable: {
        then(resolve: (value: unknown) => void) {
          resolve(Promise.resolve({ action: "block" }));
        },
      },
      status: "ran",
      blocked: true,
    },
    "never settling": {
      thenable: {
        then() {
          return undefined;
        },
      },
      status: "failed",
      blocked: false,
    },
    "a function with a `then`": {
      thenable: Object.assign(() => undefined, {
        then(resolve: (value: unknown) => void) {
          resolve({ action: "block" });
        },
      }),
      status: "ran",
      blocked: true,
    },
    "a promise that pretends": {
      thenable: Object.assign(Promise.resolve({ action: "block" }), {
        then() {
          throw new Error("not asked");
        },
      }),
      status: "ran",
      blocked: true,
    },
  };
  for (const [name, { thenable, status, blocked }] of Object.entries(cases)) {
    test(name, async () => {
      const client = quietClient();
      let after = 0;
      const config = name === "never settling" ? { timeout: 20 } : {};
      client.registerHook("PreToolUse", { handler: () => thenable as never, config });
      client.registerHook("PreToolUse", () => {
        after++;
      });
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.equal(outcome.trace[0]?.status, status);
      assert.equal(outcome.blocked, blocked);
      assert.equal(after, blocked ? 0 : 1);
    });
  }
});

test("late answers and late rejections are not heard, and crash nothing", async () => {
  const { code, out, err } = await runModule(`
    import { HookClient } from "hookweave";
    process.on("unhandledRejection", (e) => { console.log("unhandled", e); process.exitCode = 3; });
    const client = new HookClient({ defaultTimeout: 20, logger: null });
    let goOn;
    const late = new Promise((resolve) => { goOn = resolve; });
    client.registerHook("Stop", async () => { await late; throw new Error("late"); });
    client.registerHook("Stop", async () => { await late; return { action: "block" }; });
    client.registerHook("Stop", ({}, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))));
    const outcome = await client.dispatch("Stop");
    const controller = new AbortController();
    const cancelled = client.dispatch("Stop", {}, { signal: controller.signal });
    controller.abort();
    await cancelled.catch(() => {});
    goOn();
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    console.log(outcome.decision, outcome.trace.map(({ failure }) => failure?.kind).join());
  `);
  assert.equal(err, "");
  assert.equal(out.trim(), "continue timeout,timeout,timeout");
  assert.equal(code, 0);
});

test("an answer is taken as it was when it was given", async () => {
  const client = quietClient();
  const args = { command: "safe", list: [1] };
  client.registerHook("PreToolUse", () => ({ modified: { args } }));
  client.registerHook("PreToolUse", () => {
    args.command = "changed";
    args.list.push(2);
  });
  const outcome = await client.dispatch("PreToolUse", bash);
  assert.deepEqual(outcome.event.args, { command: "safe", list: [1] });
  assert.deepEqual(outcome.modified, ["args"]);
});

test("a field called __proto__ stays a field", async () => {
  const client = quietClient();
  const args = JSON.parse(`{"__proto__": {"polluted": true}, "a": 1}`) as Record<string, unknown>;
  client.registerHook("PreToolUse", (event) => ({
    modified: { args: event.args },
  }));
  const { event } = await client.dispatch("PreToolUse", { tool: "Bash", args });
  assert.equal(Object.getPrototypeOf(event.args), Object.prototype);
  assert.deepEqual(Object.keys(event.args), ["__proto__", "a"]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("a hook that hangs without a timeout waits on", async () => {
  const client = quietClient({ defaultTimeout: null });
  client.registerHook("Stop", () => never());
  const outcome = await Promise.race([client.dispatch("Stop"), sleep(60, "waiting")]);
  assert.equal(outcome, "waiting");
});
