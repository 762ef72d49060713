/** Hooks in other processes: agents, workers, and what is between them. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { connect as connectSocket, createServer } from "node:net";
import { describe, test, type TestContext } from "node:test";

import { HookResponse, type HookClient } from "hookweave";

import { Folder } from "./support/files.js";
import { addressOf, dispatch, shown, ways, WorkerProcess } from "./support/remote.js";
import { never, newClient, quietClient, until } from "./support/tools.js";

/** A client that is closed after the test. */
function clientOf(t: TestContext): HookClient {
  const client = quietClient();
  t.after(() => client.close(0));
  return client;
}

/** Hooks of every kind. */
function register(client: HookClient): void {
  client.registerHook("PreToolUse", {
    name: "changes",
    matcher: { tool: "Bash" },
    handler: (event) => ({ modified: { args: { ...event.args, timeout: 5 } } }),
  });
  client.registerHook("PreToolUse", {
    name: "sees",
    priority: 5,
    handler: async (event, context) => {
      await Promise.resolve();
      const text = `${event.tool} ${JSON.stringify(event.args)} ${event.sessionId}`;
      return { inject: `${text} ${String(context.signal.aborted)}`, message: "looked" };
    },
  });
  client.registerHook("PreToolUse", {
    name: "throws",
    priority: 6,
    handler: () => {
      throw new TypeError("no luck");
    },
  });
  client.registerHook("PreToolUse", {
    name: "misspells",
    priority: 7,
    handler: () => ({ actoin: "continue" }) as object,
  });
  client.registerHook("PreToolUse", {
    name: "asks",
    priority: 8,
    matcher: { rule: "Bash(cp *)" },
    handler: () => HookResponse.ask("copy?", { timeout: 5000 }),
  });
  client.registerHook("PreToolUse", {
    name: "refuses",
    priority: 9,
    matcher: { rule: "Bash(rm *)" },
    handler: () => HookResponse.block("no"),
  });
}

for (const way of ways) {
  describe(`remote hooks over ${way}`, () => {
    test("are hooks like any other", async (t) => {
      const [local, agent, worker] = [clientOf(t), clientOf(t), clientOf(t)];
      register(local);
      register(worker);
      const serving = await agent.serve(addressOf(way, new Folder(t)));
      const connection = await worker.connect(serving.address, { name: "w" });
      await connection.ready();
      for (const command of ["ls", "cp a b", "rm x"]) {
        const [there, here] = [await dispatch(agent, command), await dispatch(local, command)];
        assert.deepEqual(shown(there), shown(here), command);
      }
      assert.deepEqual([connection.state, serving.state], ["ready", "serving"]);
      assert.deepEqual(serving.workers, [{ name: "w", connected: true, lost: "", hooks: 6 }]);
      const listed = agent.listHooks();
      assert.ok(listed.every(({ worker, name }) => worker === "w" && name.startsWith("w/")));
      assert.equal(local.listHooks()[0]?.worker, null);
      // Hooks come, are switched and go while the worker is connected.
      const id = worker.registerHook("Stop", () => undefined);
      await until(() => agent.listHooks().length === 7);
      worker.disableHook(id);
      await until(() => agent.listHooks().length === 6);
      worker.enableHook(id);
      await until(() => agent.listHooks().length === 7);
      worker.unregisterHook(id);
      await until(() => agent.listHooks().length === 6);
      await connection.close();
      assert.deepEqual([connection.state, connection.reason], ["closed", "it left"]);
      await until(() => agent.listHooks().length === 0);
      await serving.close();
      assert.equal(serving.state, "closed");
    });

    test("block, change and ask from a process of their own", async (t) => {
      const agent = clientOf(t);
      const serving = await agent.serve(addressOf(way, new Folder(t)));
      const worker = new WorkerProcess(
        t,
        serving.address,
        `client.registerHook("PreToolUse", { name: "guard", handler: ({ args: { command } }) => {
          if (command === "rm") return HookResponse.block("not today");
          if (command === "cp") return HookResponse.ask("copy?");
          return { modified: { args: { command: command + " -l" } } };
        } });`,
      );
      await worker.said("ready");
      const [blocked, asked, changed] = await Promise.all(
        ["rm", "cp", "ls"].map((command) => dispatch(agent, command)),
      );
      assert.deepEqual([blocked?.blocked, blocked?.reason], [true, "not today"]);
      assert.deepEqual([asked?.decision, asked?.asks[0]?.prompt], ["ask", "copy?"]);
      assert.deepEqual({ ...changed?.event.args }, { command: "ls -l" });
    });

    test("of a worker that is killed in a call fail once, each by its own rule", async (t) => {
      const agent = clientOf(t);
      const serving = await agent.serve(addressOf(way, new Folder(t)));
      const hooks = `for (const failBehavior of ["continue", "block"]) {
        client.registerHook("PreToolUse", { name: failBehavior, failBehavior, timeout: null,
          matcher: { tool: "Bash", commandPattern: failBehavior },
          handler: ({ args }) => { console.log("got " + args.command); return new Promise(() => {}); } });
      }`;
      const worker = new WorkerProcess(t, serving.address, hooks);
      await worker.said("ready");
      const ended = ["continue", "block"].map((command) => dispatch(agent, command));
      await Promise.all(["continue", "block"].map((word) => worker.said(`got ${word}`)));
      await worker.kill();
      const outcomes = await Promise.all(ended);
      assert.deepEqual(
        outcomes.map(({ blocked, trace }) => [blocked, trace.length, trace[0]?.failure?.kind]),
        [
          [false, 1, "lost"],
          [true, 1, "lost"],
        ],
      );
      // Its hooks stay, and keep their gate shut until it is back.
      const without = await dispatch(agent, "block");
      assert.deepEqual([without.blocked, without.trace[0]?.failure?.kind], [true, "unreachable"]);
      assert.equal(serving.workers[0]?.connected, false);
      const next = new WorkerProcess(
        t,
        serving.address,
        hooks.replace("new Promise(() => {})", "{}"),
      );
      await next.said("ready");
      assert.equal((await dispatch(agent, "block")).blocked, false);
    });

    test("are back when their agent is", async (t) => {
      const worker = clientOf(t);
      const address = addressOf(way, new Folder(t));
      worker.registerHook("PreToolUse", () => HookResponse.block("here"));
      const first = clientOf(t);
      const serving = await first.serve(address);
      const connection = await worker.connect(serving.address, { name: "w" });
      await connection.ready();
      await serving.close();
      assert.deepEqual(first.listHooks(), []);
      assert.equal((await dispatch(first)).blocked, false);
      const second = clientOf(t);
      const again = await second.serve(serving.address);
      await until(() => second.listHooks().length === 1);
      assert.equal((await dispatch(second)).reason, "here");
      await again.close();
    });

    test("need the agent's token", async (t) => {
      const [agent, worker] = [clientOf(t), clientOf(t)];
      const file = new Folder(t).at("audit.jsonl");
      agent.configureAudit({ file });
      const serving = await agent.serve(addressOf(way, new Folder(t)), { token: "right" });
      for (const options of [{ token: "wrong" }, {}]) {
        const connection = await worker.connect(serving.address, { name: "w", ...options });
        await assert.rejects(connection.ready(), { code: "invalid_option", message: /token/ });
        assert.equal(connection.state, "closed");
      }
      const connection = await worker.connect(serving.address, { name: "w", token: "right" });
      await connection.ready();
      agent.flushAudit();
      const records = readFileSync(file, "utf8").trim().split("\n");
      const refusals = records
        .map((line) => JSON.parse(line) as { kind: string; details: unknown })
        .filter(({ kind }) => kind === "worker_refused")
        .map(({ details }) => details);
      const refusal = { worker: "unknown", code: "bad_token" };
      assert.deepEqual(refusals, [refusal, refusal]);
    });

    test("are cancelled with their dispatch, and at their timeout", async (t) => {
      const [agent, worker] = [clientOf(t), clientOf(t)];
      const reasons: string[] = [];
      worker.registerHook("PreToolUse", {
        timeout: null,
        matcher: { commandPattern: "cancelled" },
        handler: (_event, { signal }) => {
          signal.addEventListener("abort", () => reasons.push((signal.reason as Error).name));
          return never();
        },
      });
      worker.registerHook("PreToolUse", {
        timeout: 50,
        matcher: { commandPattern: "late" },
        handler: (_event, { signal }) => {
          signal.addEventListener("abort", () => reasons.push("late"));
          return never();
        },
      });
      const serving = await agent.serve(addressOf(way, new Folder(t)));
      const connection = await worker.connect(serving.address);
      await connection.ready();
      const stop = new AbortController();
      const payload = { tool: "Bash", args: { command: "cancelled" } };
      const ended = agent.dispatch("PreToolUse", payload, { signal: stop.signal });
      stop.abort(new Error("enough"));
      await assert.rejects(ended, /enough/);
      const late = await dispatch(agent, "late");
      assert.equal(late.trace[0]?.failure?.kind, "timeout");
      await until(() => reasons.length === 2);
      assert.deepEqual(reasons, ["AbortError", "late"]);
    });

    test("keep integers of any size, and may dispatch themselves", async (t) => {
      const [agent, worker] = [clientOf(t), clientOf(t)];
      const big = 2n ** 70n;
      const seen: unknown[] = [];
      worker.registerHook("PreToolUse", async (event) => {
        seen.push(event.args["big"]);
        await Promise.resolve();
        if (event.args["deep"] === true) return undefined;
        const inner = await worker.dispatch("PreToolUse", { tool: "Bash", args: { deep: true } });
        return { modified: { args: { big: big + 1n, inner: inner.trace.length } } };
      });
      const serving = await agent.serve(addressOf(way, new Folder(t)));
      const connection = await worker.connect(serving.address);
      await connection.ready();
      const outcome = await agent.dispatch("PreToolUse", { tool: "Bash", args: { big } });
      assert.deepEqual({ ...outcome.event.args }, { big: big + 1n, inner: 1 });
      assert.deepEqual(seen, [big, undefined]);
    });

    test("may do what the agent grants", async (t) => {
      const [agent, worker] = [clientOf(t), clientOf(t)];
      worker.registerHook("PreToolUse", () => HookResponse.allow());
      worker.registerHook("Stop", () => undefined);
      const grants = { events: ["PreToolUse"] };
      const serving = await agent.serve(addressOf(way, new Folder(t)), { grants });
      const connection = await worker.connect(serving.address);
      await connection.ready();
      assert.deepEqual(
        agent.listHooks().map(({ event }) => event),
        ["PreToolUse"],
      );
      assert.equal((await dispatch(agent)).decision, "continue");
    });

    test("take no message beyond the limit", async (t) => {
      const [agent, worker] = [clientOf(t), clientOf(t)];
      worker.registerHook("PreToolUse", (event) =>
        event.args["command"] === "answer" ? { inject: "x".repeat(9000) } : undefined,
      );
      const options = { maxMessage: 8000 };
      const serving = await agent.serve(addressOf(way, new Folder(t)), options);
      const connection = await worker.connect(serving.address);
      await connection.ready();
      for (const command of ["answer", "x".repeat(9000)]) {
        const { blocked, trace } = await dispatch(agent, command);
        assert.deepEqual([blocked, trace[0]?.status], [true, "failed"]);
      }
      assert.equal((await dispatch(agent)).blocked, false);
    });

    test("end with their clients", async (t) => {
      const [agent, worker] = [newClient({ logger: null }), newClient({ logger: null })];
      worker.registerHook("PreToolUse", () => undefined);
      const serving = await agent.serve(addressOf(way, new Folder(t)));
      const connection = await worker.connect(serving.address);
      await connection.ready();
      await worker.close();
      assert.equal(connection.state, "closed");
      await until(() => agent.listHooks().length === 0);
      await agent.close();
      assert.equal(serving.state, "closed");
      await assert.rejects(agent.serve(serving.address), { code: "client_closed" });
      await assert.rejects(worker.connect(serving.address), { code: "client_closed" });
    });
  });
}

describe("an address", () => {
  const refusals: [address: string, options: object, words: RegExp][] = [
    ["unix://relative", {}, /absolute path/],
    ["http://localhost:1", {}, /write `unix:\/\/`/],
    ["grpc://localhost:99999", {}, /a host and a port/],
    ["grpc://0.0.0.0:1", { token: "t" }, /not encrypted; write `grpcs:\/\/`, or set `insecure`/],
    [
      "grpc://0.0.0.0:1",
      { insecure: true },
      /every program that reaches it could register hooks; set a `token`/,
    ],
    ["grpcs://127.0.0.1:0", {}, /needs tls\.cert and tls\.key/],
    ["grpcs://127.0.0.1:0", { tls: { cert: "/nowhere", key: "/nowhere" } }, /ENOENT/],
    ["grpc://127.0.0.1:0", { tls: {} }, /tls needs `grpcs/],
    ["grpc://127.0.0.1:0", { token: "" }, /an empty token protects nothing/],
    ["grpc://127.0.0.1:0", { tokens: "t" }, /unknown option `tokens`; known are token, /],
    ["grpc://127.0.0.1:0", { grants: { alow: true } }, /serve\.grants: unknown option `alow`/],
    ["grpc://127.0.0.1:0", { inFlight: 0 }, /serve\.inFlight: must be an integer from 1/],
  ];
  for (const [address, options, message] of refusals) {
    test(`${address} with ${JSON.stringify(options)} is refused`, async (t) => {
      const client = clientOf(t);
      await assert.rejects(client.serve(address, options), { code: "invalid_option", message });
    });
  }

  test("of a name that no worker may have is refused", async (t) => {
    const options = { name: "a b" };
    await assert.rejects(clientOf(t).connect("grpc://127.0.0.1:1", options), {
      code: "invalid_option",
      message: /a worker's name/,
    });
  });

  const posix = { skip: process.platform === "win32" };

  test("that is a socket is for its user alone, and goes with its agent", posix, async (t) => {
    const folder = new Folder(t);
    const serving = await clientOf(t).serve(addressOf("unix", folder));
    assert.equal(statSync(folder.at("hooks.sock")).mode & 0o777, 0o600);
    const address = addressOf("unix", folder);
    await assert.rejects(clientOf(t).serve(address), {
      code: "invalid_option",
      message: /EADDRINUSE/,
    });
    await serving.close();
    assert.equal(existsSync(folder.at("hooks.sock")), false);
    const nowhere = "unix:///nowhere/hooks.sock";
    await assert.rejects(clientOf(t).serve(nowhere), { message: /choose a folder that exists/ });
  });

  test("that a killed agent left behind is taken", posix, async (t) => {
    const folder = new Folder(t);
    const address = addressOf("unix", folder);
    const child = new WorkerProcess(t, address, `await client.serve(${JSON.stringify(address)});`);
    await child.said("ready");
    await child.kill();
    assert.ok(existsSync(folder.at("hooks.sock")));
    const serving = await clientOf(t).serve(address);
    await serving.close();
  });

  test("that sends what is no message loses nothing of the others", posix, async (t) => {
    const [agent, worker] = [clientOf(t), clientOf(t)];
    worker.registerHook("PreToolUse", () => HookResponse.block("still here"));
    const folder = new Folder(t);
    const serving = await agent.serve(addressOf("unix", folder));
    const connection = await worker.connect(serving.address);
    await connection.ready();
    for (const bytes of [Buffer.alloc(4, 0xff), Buffer.from("GET / HTTP/1.1\r\n\r\n")]) {
      const socket = connectSocket({ path: folder.at("hooks.sock") });
      socket.end(bytes);
      socket.resume();
      await new Promise((resolve) => socket.once("close", resolve));
    }
    assert.equal((await dispatch(agent)).reason, "still here");
  });

  test("that nobody answers at is tried again", posix, async (t) => {
    const folder = new Folder(t);
    const worker = clientOf(t);
    const connection = await worker.connect(addressOf("unix", folder), { name: "w" });
    await until(() => connection.state === "waiting");
    let attempts = 0;
    const other = createServer((socket) => {
      attempts++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => other.listen(folder.at("hooks.sock"), resolve));
    chmodSync(folder.at("hooks.sock"), 0o600);
    await until(() => attempts > 1);
    await connection.close();
    assert.equal(connection.state, "closed");
    other.close();
  });
});
