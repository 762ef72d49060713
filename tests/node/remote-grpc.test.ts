/** The service of proto/hooks.proto as other programs see it: a worker without this package, and encryption. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";

import grpc from "@grpc/grpc-js";
import { HookResponse, type HookClient } from "hookweave";

import { expiredIdentity, identity } from "./support/certificates.js";
import { Folder } from "./support/files.js";
import { decodeFromAgent, encodeFromWorker } from "./support/remote-case.js";
import { dispatch } from "./support/remote.js";
import { quietClient, until } from "./support/tools.js";

type Message = Record<string, unknown>;

function clientOf(t: TestContext): HookClient {
  const client = quietClient();
  t.after(() => client.close(0));
  return client;
}

/** A worker that knows the service and nothing else of this package. */
class ForeignWorker {
  readonly got: Message[] = [];
  readonly #stream: grpc.ClientDuplexStream<Buffer, Message>;

  constructor(t: TestContext, address: string, answer: (event: Message) => Message) {
    const client = new grpc.Client(
      address.slice("grpc://".length),
      grpc.credentials.createInsecure(),
    );
    t.after(() => {
      client.close();
    });
    this.#stream = client.makeBidiStreamRequest<Buffer, Message>(
      "/HookService/HookStream",
      (bytes) => bytes,
      (bytes) => decodeFromAgent(bytes) as Message,
    );
    this.#stream.on("error", (error: Error) => this.got.push({ error: error.message }));
    this.#stream.on("data", (message: Message) => {
      this.got.push(message);
      if (message["dispatch_id"] !== undefined) {
        const { hook_id, dispatch_id } = message;
        this.send({ hook_id, dispatch_id, ...answer(message) });
      }
    });
    this.send({ hello: { version: 1, worker: "foreign", instance: "1" } });
  }

  send(message: Message): void {
    this.#stream.write(Buffer.from(encodeFromWorker(message)));
  }

  end(): void {
    this.#stream.end();
  }
}

describe("the gRPC service", () => {
  test("serves a worker that has only its messages", async (t) => {
    const agent = clientOf(t);
    const serving = await agent.serve("grpc://127.0.0.1:0");
    const answers: Message[] = [
      { action: 1, reason: "not today" },
      { modified: '{"args":{"command":"ls -l"}}' },
      {},
    ];
    const worker = new ForeignWorker(t, serving.address, () => answers.shift() ?? {});
    const config = { priority: 3, timeout_ms: 60_000 };
    const matcher = { tool: "Bash", command_pattern: "^l" };
    worker.send({ register: { event_type: "PreToolUse", hook_id: "h", matcher, config } });
    await until(() => worker.got.some((message) => "registered" in message));
    const [hook] = agent.listHooks();
    assert.deepEqual(
      [hook?.name, hook?.worker, hook?.priority, hook?.timeout, hook?.matcher],
      ["foreign/h", "foreign", 3, 60_000, { tool: "Bash", commandPattern: "^l" }],
    );
    assert.equal((await dispatch(agent)).reason, "not today");
    assert.deepEqual({ ...(await dispatch(agent)).event.args }, { command: "ls -l" });
    assert.equal((await dispatch(agent)).decision, "continue");
    // An event that does not match never leaves the process.
    assert.equal((await dispatch(agent, "pwd")).trace.length, 0);
    const events = worker.got.filter((message) => "dispatch_id" in message);
    const { event_type, session_id, payload } = events[0] ?? {};
    assert.deepEqual([events.length, event_type, session_id], [3, "PreToolUse", "s"]);
    assert.deepEqual((JSON.parse(payload as string) as Message)["args"], { command: "ls" });
    worker.send({ unregister: { hook_id: "h" } });
    await until(() => agent.listHooks().length === 0);
    worker.end();
    await until(() => serving.workers[0]?.connected === false);
  });

  test("tells a worker that sends too much the limit", async (t) => {
    const agent = clientOf(t);
    const serving = await agent.serve("grpc://127.0.0.1:0", { maxMessage: 8000 });
    const worker = new ForeignWorker(t, serving.address, () => ({}));
    worker.send({ hook_id: "x".repeat(9000) });
    await until(() => worker.got.some((message) => "refusal" in message));
    const other = new ForeignWorker(t, serving.address, () => ({}));
    other.send({ hook_id: "x".repeat(90_000) });
    await until(() => other.got.some((message) => "error" in message));
  });

  test("is encrypted, and knows its workers, with grpcs", async (t) => {
    const made = await identity(t, new Folder(t), "both");
    if (made === null) return;
    const { cert, key } = made;
    const [agent, worker] = [clientOf(t), clientOf(t)];
    worker.registerHook("PreToolUse", () => HookResponse.block("in secret"));
    const serving = await agent.serve("grpcs://localhost:0", { tls: { cert, key, ca: cert } });
    // Nothing of a stranger is taken: neither without a certificate, nor without encryption.
    for (const [address, tls] of [
      [serving.address, { ca: cert }],
      [serving.address.replace("grpcs", "grpc"), undefined],
    ] as const) {
      const stranger = await clientOf(t).connect(address, tls === undefined ? {} : { tls });
      await until(() => stranger.state === "waiting");
      await stranger.close();
    }
    assert.deepEqual(serving.workers, []);
    const tls = { ca: readFileSync(cert), cert, key };
    const connection = await worker.connect(serving.address, { name: "w", tls });
    await connection.ready();
    assert.equal((await dispatch(agent)).reason, "in secret");
  });

  test("refuses a certificate of another host or time", async (t) => {
    const folder = new Folder(t);
    for (const made of [
      await identity(t, folder, "elsewhere", "elsewhere.example"),
      await expiredIdentity(t, folder, "expired"),
    ]) {
      if (made === null) return;
      const [agent, worker] = [clientOf(t), clientOf(t)];
      worker.registerHook("PreToolUse", () => undefined);
      const serving = await agent.serve("grpcs://localhost:0", { tls: made });
      const connection = await worker.connect(serving.address, { tls: { ca: made.cert } });
      await until(() => connection.state === "waiting");
      assert.deepEqual([agent.listHooks(), serving.workers], [[], []]);
    }
  });
});
