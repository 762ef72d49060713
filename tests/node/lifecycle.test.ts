/** Temporary hooks, hooks that run once, detached hooks. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { HookClient } from "hookweave";

import { bash, never, PATIENCE, quietClient } from "./support/tools.js";

describe("temporary hooks", () => {
  const left = (client: HookClient): number => client.listHooks().length;

  test("`using` and `await using` remove them, also when the block throws", async () => {
    const client = quietClient();
    {
      using hook = client.temporaryHook("Stop", () => undefined);
      assert.equal(client.listHooks()[0]?.id, hook.id);
      assert.equal(client.listHooks()[0]?.temporary, true);
    }
    assert.equal(left(client), 0);
    {
      await using hook = client.temporaryHook("Stop", () => undefined);
      assert.equal(client.listHooks()[0]?.id, hook.id);
    }
    assert.equal(left(client), 0);
    assert.throws(() => {
      using _hook = client.temporaryHook("Stop", () => undefined);
      throw new Error("body");
    }, /body/);
    assert.equal(left(client), 0);
  });

  test("withHook gives what the body gives, or throws what it throws", async () => {
    const client = quietClient();
    const seen: string[] = [];
    const handler = (event: { tool: string }): undefined => {
      seen.push(event.tool);
      return undefined;
    };
    const result = await client.withHook("PreToolUse", handler, async () => {
      await client.dispatch("PreToolUse", bash);
      return 42;
    });
    assert.equal(result, 42);
    await assert.rejects(
      client.withHook("PreToolUse", { handler, matcher: { tool: "Bash" } }, () => {
        throw new Error("body");
      }),
      /body/,
    );
    await client.dispatch("PreToolUse", bash);
    assert.deepEqual(seen, ["Bash"]);
    assert.equal(left(client), 0);
  });

  test("removing twice does no harm", () => {
    const client = quietClient();
    const hook = client.temporaryHook("Stop", () => undefined);
    hook.remove();
    hook.remove();
    assert.equal(left(client), 0);
  });
});

describe("once", () => {
  test("of many dispatches at once, one runs the hook", async () => {
    const client = quietClient();
    let runs = 0;
    client.registerHook("Stop", () => sleep(5));
    client.registerHook("Stop", {
      name: "once",
      handler: async () => {
        runs++;
        await sleep(5);
      },
      config: { once: true },
    });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => client.dispatch("Stop")));
    assert.equal(runs, 1);
    const ran = outcomes.filter(({ trace }) =>
      trace.some(({ hook, status }) => hook === "once" && status === "ran"),
    );
    assert.equal(ran.length, 1);
    assert.equal(client.listHooks().length, 1);
  });

  test("a cancelled dispatch that never got there leaves the hook for the next", async () => {
    const client = quietClient();
    let runs = 0;
    const slow = client.registerHook("Stop", () => never());
    client.registerHook("Stop", {
      handler: () => {
        runs++;
      },
      config: { once: true },
    });
    const controller = new AbortController();
    const dispatch = client.dispatch("Stop", {}, { signal: controller.signal });
    controller.abort();
    await assert.rejects(dispatch);
    client.unregisterHook(slow);
    await client.dispatch("Stop");
    await client.dispatch("Stop");
    assert.equal(runs, 1);
  });
});

describe("detached", () => {
  test("is not waited for; drain waits", async () => {
    const client = quietClient();
    let done = false;
    let go: () => void = () => assert.fail("the hook has not begun");
    client.registerHook("Stop", {
      handler: async () => {
        await new Promise<void>((resolve) => (go = resolve));
        done = true;
      },
      config: { async: true },
    });
    const outcome = await client.dispatch("Stop");
    assert.equal(done, false);
    assert.equal(outcome.trace[0]?.status, "detached");
    assert.equal(await client.drain(5), false);
    go();
    assert.equal(await client.drain(), true);
    assert.equal(done, true);
    assert.equal(await client.drain(), true);
  });

  test("has a copy of the event that the host may go on with", async () => {
    const client = quietClient();
    let seen: unknown;
    client.registerHook("PreToolUse", {
      handler: async (event) => {
        await sleep(10);
        seen = event.args;
      },
      config: { detached: true },
    });
    const payload = { tool: "Bash", args: { command: "ls" } };
    await client.dispatch("PreToolUse", payload);
    payload.args.command = "changed";
    await client.drain();
    assert.deepEqual(seen, { command: "ls" });
  });

  test("its failure is told and its timeout holds", async () => {
    const logged: unknown[] = [];
    const client = quietClient({
      defaultTimeout: 90,
      logger: {
        warn: (_message, { hook }) => logged.push(hook),
        error: () => assert.fail(),
      },
    });
    const config = { async: true };
    let signal: AbortSignal | undefined;
    client.registerHook("Stop", {
      name: "throws",
      handler: () => Promise.reject(new Error("x")),
      config,
    });
    client.registerHook("Stop", {
      name: "hangs",
      handler: (_event, context) => {
        ({ signal } = context);
        return never();
      },
      config,
    });
    client.registerHook("Stop", {
      name: "throws at once",
      handler: () => {
        throw new Error("y");
      },
      config,
    });
    await client.dispatch("Stop");
    assert.equal(await client.drain(PATIENCE), true);
    assert.deepEqual(logged.sort(), ["hangs", "throws", "throws at once"]);
    assert.equal(signal?.aborted, true);
  });

  test("only so many run at once, the others wait their turn", async () => {
    const client = quietClient({ maxDetached: 2 });
    let running = 0;
    let most = 0;
    let runs = 0;
    client.registerHook("Stop", {
      handler: async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
        runs++;
      },
      config: { async: true },
    });
    for (let count = 0; count < 7; count++) await client.dispatch("Stop");
    await client.drain();
    assert.equal(most, 2);
    assert.equal(runs, 7);
  });

  test("closing waits with a bound, then tells the hooks", async () => {
    const client = quietClient({ defaultTimeout: null });
    let signal: AbortSignal | undefined;
    client.registerHook("Stop", {
      handler: (_event, context) => {
        ({ signal } = context);
        return never();
      },
      config: { async: true },
    });
    await client.dispatch("Stop");
    await client.close(20);
    assert.equal((signal?.reason as Error).name, "AbortError");
  });

  test("a closed client takes nothing in", async () => {
    const client = quietClient();
    const session = client.session();
    await client.close();
    const refused: [string, () => unknown][] = [
      ["register hooks", () => client.registerHook("Stop", () => undefined)],
      ["register hooks", () => client.temporaryHook("Stop", () => undefined)],
      ["explain events", () => client.explain("Stop", {})],
      ["define events", () => client.defineEvent("deploy:late")],
      [
        "define tools",
        () => {
          client.defineTool("LateShell", { sameAs: "Bash" });
        },
      ],
      ["load hooks from files", () => client.load("no-such-file.json")],
      ["load hooks from files", () => client.discover()],
      [
        "watch files",
        () => {
          client.watch();
        },
      ],
      ["open sessions", () => client.session()],
      [
        "register tools",
        () => {
          client.registerTool("Bash", () => "ran");
        },
      ],
      [
        "configure its audit log",
        () => {
          client.configureAudit("info");
        },
      ],
      [
        "configure its audit log",
        () => {
          client.setHookAuditLevel("info");
        },
      ],
    ];
    for (const [what, deed] of refused) {
      const message = `this client was closed and can no longer ${what}; make another one`;
      assert.throws(deed, { code: "client_closed", message });
    }
    for (const [what, deed] of [
      ["dispatch events", client.dispatch("Stop")],
      ["reload files", client.reload()],
      ["dispatch events", session.runTool("Bash", {}, () => "ran")],
      ["open sessions", client.generate("one", "hello")],
    ] as [string, Promise<unknown>][]) {
      const message = `this client was closed and can no longer ${what}; make another one`;
      await assert.rejects(deed, { code: "client_closed", message });
    }
    assert.deepEqual(client.listHooks(), []);
  });

  test("`await using` closes a client", async () => {
    let done = false;
    {
      await using client = quietClient();
      client.registerHook("Stop", {
        handler: async () => {
          await sleep(10);
          done = true;
        },
        config: { async: true },
      });
      await client.dispatch("Stop");
    }
    assert.equal(done, true);
  });
});

describe("re-entrance", () => {
  test("hooks that a hook registers or removes count from the next dispatch on", async () => {
    const client = quietClient();
    const ran: string[] = [];
    client.registerHook("Stop", () => {
      ran.push("first");
      client.unregisterHook(second);
      client.registerHook("Stop", () => {
        ran.push("third");
      });
    });
    const second = client.registerHook("Stop", () => {
      ran.push("second");
    });
    await client.dispatch("Stop");
    assert.deepEqual(ran, ["first", "second"]);
    await client.dispatch("Stop");
    assert.deepEqual(ran, ["first", "second", "first", "third"]);
  });

  test("a hook removed while a dispatch waits is still there for it", async () => {
    const client = quietClient();
    let ran = false;
    client.registerHook("PreToolUse", async () => {
      await sleep(10);
      return { modified: { args: { command: "rm" } } };
    });
    const id = client.registerHook("PreToolUse", {
      matcher: { commandPattern: "rm" },
      handler: () => {
        ran = true;
      },
    });
    const dispatch = client.dispatch("PreToolUse", bash);
    client.unregisterHook(id);
    client.registerHook("Stop", () => undefined);
    await dispatch;
    assert.equal(ran, true);
  });

  test("an event inside a hook has hooks and an outcome of its own", async () => {
    const client = quietClient();
    const inner: unknown[] = [];
    client.registerHook("PreToolUse", async () => {
      const outcome = await client.dispatch("Notification", {
        message: "hello",
      });
      inner.push(outcome.injections);
    });
    client.registerHook("Notification", {
      name: "notes",
      handler: () => ({ inject: "noted" }),
    });
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.deepEqual(outcome.injections, []);
    assert.deepEqual(inner, [
      [{ hook: "notes", content: "noted", role: "system", ephemeral: false }],
    ]);
  });
});

test("two clients know nothing of each other", async () => {
  const [a, b] = [quietClient(), quietClient()];
  let runs = 0;
  a.registerHook("Stop", () => {
    runs++;
  });
  await b.dispatch("Stop");
  assert.equal(runs, 0);
});
