/** Timeouts, cancellation, and what keeps a process alive. */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { HookTimeoutError } from "hookweave";

import {
  atSomeScale,
  bash,
  FOR_EVER,
  never,
  PATIENCE,
  quietClient,
  runModule,
  until,
} from "./support/tools.js";

describe("timeouts", () => {
  test("the hook's signal fires with a TimeoutError, and the next hook runs", async () => {
    const client = quietClient();
    let signal: AbortSignal | undefined;
    let after = 0;
    client.registerHook("Stop", {
      name: "slow",
      handler: (_event, context) => {
        ({ signal } = context);
        assert.equal(signal.aborted, false);
        return never();
      },
      config: { timeout: 30 },
    });
    client.registerHook("Stop", () => {
      after++;
    });
    const outcome = await client.dispatch("Stop");
    assert.equal(after, 1);
    assert.equal((signal?.reason as Error).name, "TimeoutError");
    const failure = outcome.trace[0]?.failure;
    assert.ok(failure?.error instanceof HookTimeoutError);
    assert.equal(failure.kind, "timeout");
    assert.equal(outcome.trace[1]?.status, "ran");
  });

  test("a signal that is first looked at after the timeout has fired already", async () => {
    const client = quietClient({ defaultTimeout: 20 });
    let context: { signal: AbortSignal } | undefined;
    client.registerHook("Stop", (_event, given) => {
      context = given;
      return never();
    });
    await client.dispatch("Stop");
    assert.equal(context?.signal.aborted, true);
  });

  test(
    "many at once, each at its own time, and none waits for a longer one",
    {
      timeout: PATIENCE,
    },
    async (t) => {
      const client = quietClient();
      const stop = new AbortController();
      t.after(() => {
        stop.abort();
      });
      /** Whether a hook that waits for ever fails at its time. */
      const holds = async (timeout: number): Promise<boolean> => {
        const event = client.defineEvent(`Wait${String(timeout)}`);
        client.registerHook(event, { handler: () => never(), config: { timeout } });
        const { trace } = await client.dispatch(event, {}, { signal: stop.signal });
        return trace[0]?.failure?.kind === "timeout" && trace[0].duration >= timeout;
      };
      const long = holds(FOR_EVER);
      const together = await Promise.all([90, 30, 60].map(holds));
      // The timer is armed for the long one by now.
      await sleep(20);
      assert.deepEqual([...together, await holds(40)], [true, true, true, true]);
      stop.abort();
      await assert.rejects(long, { name: "AbortError" });
    },
  );

  test("hooks in parallel each have their own", async () => {
    const client = quietClient({ mode: "parallel" });
    client.registerHook("Stop", {
      name: "a",
      handler: () => never(),
      config: { timeout: 30 },
    });
    client.registerHook("Stop", {
      name: "b",
      handler: () => sleep(60, { action: "block" as const }),
    });
    const outcome = await client.dispatch("Stop");
    assert.deepEqual(
      outcome.trace.map(({ hook, status }) => [hook, status]),
      [
        ["a", "failed"],
        ["b", "ran"],
      ],
    );
    assert.equal(outcome.blocked, true);
  });

  /** Keeps the event loop from turning. */
  function block(ms: number): void {
    const began = performance.now();
    while (performance.now() - began < ms);
  }

  for (const mode of ["sequential", "parallel"] as const) {
    test(`hold by the clock while the event loop is blocked, ${mode}`, async () => {
      const client = quietClient({ mode });
      client.registerHook("PreToolUse", () => undefined);
      const config = { timeout: 40, failBehavior: "block" } as const;
      const late = client.registerHook("PreToolUse", {
        handler: async () => {
          // Before the loop looks at its timers again, however slow the machine is.
          setImmediate(() => {
            block(150);
          });
          await sleep(80);
          return { action: "allow" };
        },
        config,
      });
      const held = await client.dispatch("PreToolUse", bash);
      const failed = held.trace.find(({ status }) => status === "failed");
      assert.deepEqual([held.blocked, failed?.failure?.kind], [true, "timeout"]);
      assert.ok((failed?.duration ?? 0) >= 100, "the loop came to it late");
      client.unregisterHook(late);
      // One that blocks the loop itself cannot be interrupted.
      await atSomeScale(async (scale) => {
        const id = client.registerHook("PreToolUse", {
          handler: async () => {
            await sleep(5);
            block(80 * scale);
            return { action: "ask" };
          },
          config: { ...config, timeout: 40 * scale },
        });
        const counts = await client.dispatch("PreToolUse", bash);
        client.unregisterHook(id);
        const overran = counts.trace.filter((entry) => entry.overran);
        assert.deepEqual([counts.decision, overran.length], ["ask", 1]);
        assert.ok((overran[0]?.duration ?? 0) >= 80 * scale);
      });
    });

    test(`a guard holds when others block the loop and its wait is over, ${mode}`, async () => {
      const guard = {
        handler: async () => {
          await sleep(10);
          return { action: "block" } as const;
        },
        config: { timeout: 50, failBehavior: "block" },
      } as const;
      for (const turns of [0, 1, 2]) {
        const client = quietClient({ mode });
        client.registerHook("PreToolUse", () => undefined);
        client.registerHook("PreToolUse", guard);
        const dispatched = client.dispatch("PreToolUse", bash);
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        block(300);
        const { blocked, trace } = await dispatched;
        const entry = trace.find(({ status, action }) => status === "failed" || action === "block");
        assert.equal(blocked, true);
        // The loop decides whether the guard has begun before it is blocked, and whether its answer comes first.
        const isLate = (entry?.duration ?? 0) >= guard.config.timeout;
        assert.equal(entry?.overran, isLate && entry?.failure?.kind !== "timeout");
      }
    });
  }
});

describe("cancellation", () => {
  test("rejects with the signal's reason, tells the hook, and runs nothing more", async () => {
    for (const mode of ["sequential", "parallel"] as const) {
      const client = quietClient({ mode });
      const signals: AbortSignal[] = [];
      let after = 0;
      for (let hook = 0; hook < 2; hook++) {
        client.registerHook("Stop", (_event, { signal }) => {
          signals.push(signal);
          return never();
        });
      }
      client.registerHook("Stop", {
        handler: () => {
          after++;
        },
        config: { priority: 1 },
      });
      const controller = new AbortController();
      const reason = new Error("enough");
      const dispatch = client.dispatch("Stop", {}, { signal: controller.signal });
      setTimeout(() => {
        controller.abort(reason);
      }, 10);
      await assert.rejects(dispatch, (error) => error === reason);
      assert.equal(signals.length, mode === "parallel" ? 2 : 1);
      for (const signal of signals) assert.equal(signal.reason, reason);
      await sleep(20);
      assert.equal(after, 0);
    }
  });

  test("before the first hook: none runs", async () => {
    const client = quietClient();
    client.registerHook("Stop", () => assert.fail("ran"));
    await assert.rejects(
      client.dispatch("Stop", {}, { signal: AbortSignal.abort("no") }),
      (e) => e === "no",
    );
  });

  test("from inside a hook, whether it then answers, waits or throws", async () => {
    for (const then of [
      () => ({ action: "block" as const }),
      () => undefined,
      () => sleep(1),
      () => never(),
    ]) {
      const client = quietClient();
      const controller = new AbortController();
      client.registerHook("Stop", () => {
        controller.abort("stopped");
        return then();
      });
      client.registerHook("Stop", () => assert.fail("ran"));
      await assert.rejects(
        client.dispatch("Stop", {}, { signal: controller.signal }),
        (e) => e === "stopped",
      );
    }
  });

  test("from inside a hook that then hangs: at once, and the hook is told", async () => {
    for (const earlier of [0, 1]) {
      const client = quietClient({ defaultTimeout: null });
      for (let hook = 0; hook < earlier; hook++) client.registerHook("Stop", () => sleep(1));
      const controller = new AbortController();
      let signal: AbortSignal | undefined;
      client.registerHook("Stop", (_event, context) => {
        ({ signal } = context);
        controller.abort("stopped");
        return never();
      });
      await assert.rejects(
        client.dispatch("Stop", {}, { signal: controller.signal }),
        (e) => e === "stopped",
      );
      assert.equal(signal?.reason, "stopped");
    }
  });

  test("a hook that is over is not told", async () => {
    const client = quietClient();
    const signals: AbortSignal[] = [];
    const controller = new AbortController();
    for (const then of [() => undefined, () => sleep(1), () => never()]) {
      client.registerHook("Stop", (_event, { signal }) => {
        signals.push(signal);
        return then();
      });
    }
    const dispatch = client.dispatch("Stop", {}, { signal: controller.signal });
    await until(() => signals.length === 3);
    controller.abort();
    await assert.rejects(dispatch, { name: "AbortError" });
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, false, true],
    );
  });

  test("after an answer of an earlier hook", async () => {
    const client = quietClient();
    client.registerHook("PreToolUse", () => ({
      modified: { args: { command: "x" } },
    }));
    let signal: AbortSignal | undefined;
    client.registerHook("PreToolUse", (_event, context) => {
      ({ signal } = context);
      return never();
    });
    const controller = new AbortController();
    const dispatch = client.dispatch("PreToolUse", bash, {
      signal: controller.signal,
    });
    await until(() => signal !== undefined);
    controller.abort();
    await assert.rejects(dispatch, { name: "AbortError" });
    assert.equal(signal?.aborted, true);
  });

  test("leaves no listener behind on the caller's signal", async () => {
    const client = quietClient();
    client.registerHook("Stop", () => sleep(1));
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await client.dispatch("Stop", {}, { signal });
    assert.equal(listeners, 0);
  });
});

describe("async context", () => {
  test("handlers see the caller's, also after a wait, an answer and a timeout", async () => {
    const storage = new AsyncLocalStorage<string>();
    const client = quietClient({ defaultTimeout: 30 });
    const seen: unknown[] = [];
    const see = (): void => {
      seen.push(storage.getStore());
    };
    const steps: (() => unknown)[] = [
      () => undefined,
      () => sleep(5),
      () => ({ action: "continue" as const, reason: "said" }),
      () => sleep(5),
      () => never(),
      () => undefined,
    ];
    for (const step of steps) {
      client.registerHook("Stop", () => {
        see();
        return step() as undefined;
      });
    }
    // Another one arms the timer first, in another context.
    const other = quietClient({ defaultTimeout: 25 });
    other.registerHook("Stop", () => never());
    const both = [
      storage.run("other", () => other.dispatch("Stop")),
      storage.run("mine", () => client.dispatch("Stop")),
    ];
    await Promise.all(both);
    assert.deepEqual(
      seen,
      steps.map(() => "mine"),
    );
    assert.equal(storage.getStore(), undefined);
  });
});

describe("the process", () => {
  const program = (text: string): string => `
    import { HookClient } from "hookweave";
    import { setTimeout as sleep } from "node:timers/promises";
    const client = new HookClient({ logger: null });
    ${text}
  `;

  test("lives until a pending timeout while its dispatch waits", async () => {
    const { code, out } = await runModule(
      program(`
        client.registerHook("Stop", { handler: () => new Promise(() => {}), config: { timeout: 80 } });
        const { trace } = await client.dispatch("Stop");
        console.log(trace[0].failure.kind);
      `),
    );
    assert.equal(out.trim(), "timeout");
    assert.equal(code, 0);
  });

  test("is not kept alive by hooks, by dispatches that are over, or by detached hooks", async () => {
    const { code, out } = await runModule(
      program(`
        client.registerHook("Stop", { handler: () => sleep(5), config: { timeout: ${String(FOR_EVER)} } });
        client.registerHook("Stop", { handler: () => new Promise(() => {}), config: { async: true, timeout: ${String(FOR_EVER)} } });
        await client.dispatch("Stop");
        console.log("over");
      `),
    );
    assert.equal(out.trim(), "over");
    assert.equal(code, 0);
  });

  test("is not kept alive by a cancelled dispatch", async () => {
    const { code } = await runModule(
      program(`
        client.registerHook("Stop", { handler: () => new Promise(() => {}), config: { timeout: ${String(FOR_EVER)} } });
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 20);
        await client.dispatch("Stop", {}, { signal: controller.signal }).catch(() => {});
      `),
    );
    assert.equal(code, 0);
  });

  test("with a hook that waits for ever and no timeout, Node says so itself", async () => {
    const { code } = await runModule(
      program(`
        client.registerHook("Stop", { handler: () => new Promise(() => {}), config: { timeout: null } });
        await client.dispatch("Stop");
      `),
    );
    assert.equal(code, 13);
  });
});
