/** Fleets: groups of workers at a NATS server, and what happens when one of them, or the server, goes. */

import assert from "node:assert/strict";
import { createServer, type AddressInfo } from "node:net";
import { describe, test, type TestContext } from "node:test";

import { HookResponse, type HookClient } from "hookweave";

import { expiredIdentity, identity } from "./support/certificates.js";
import { Folder } from "./support/files.js";
import { NatsServer, withoutServer } from "./support/nats-server.js";
import { dispatch, WorkerProcess } from "./support/remote.js";
import { quietClient, until } from "./support/tools.js";

/** A client that is closed after the test. */
function clientOf(t: TestContext): HookClient {
  const client = quietClient();
  t.after(() => client.close(0));
  return client;
}

/** A worker that says who it is. */
function workerNamed(t: TestContext, name: string): HookClient {
  const worker = clientOf(t);
  worker.registerHook("PreToolUse", {
    name: "who",
    failBehavior: "block",
    handler: () => HookResponse.block(name),
  });
  return worker;
}

const names = (client: HookClient): string[] => client.listHooks().map(({ name }) => name);
const group = "guards";
const groups = [group];
const WHO = `client.registerHook("PreToolUse", {
  name: "who", failBehavior: "block",
  handler: (event) => { console.log("runs"); return event.args.command === "wait" ? new Promise(() => {}) : HookResponse.block("other"); },
});`;

describe("fleets over NATS", { skip: withoutServer }, () => {
  test("an agent finds a group, whose workers share the calls until they leave", async (t) => {
    const server = await NatsServer.run(t, new Folder(t));
    const agent = clientOf(t);
    const serving = await agent.serve(server.address, { groups });
    assert.deepEqual(names(agent), []);
    const one = await workerNamed(t, "one").connect(server.address, { group });
    const two = await workerNamed(t, "two").connect(server.address, { group });
    await Promise.all([one.ready(), two.ready()]);
    await until(() => names(agent).length > 0);
    assert.deepEqual(names(agent), ["guards/who"]);
    assert.deepEqual(
      serving.workers.map(({ name, connected }) => ({ name, connected })),
      [{ name: group, connected: true }],
    );
    const seen = new Set<string | null | undefined>();
    while (seen.size < 2) seen.add((await dispatch(agent)).reason);
    assert.deepEqual([...seen].sort(), ["one", "two"]);
    await one.close();
    // Whoever left takes nothing new.
    for (let times = 0; times < 20; times++) assert.equal((await dispatch(agent)).reason, "two");
    await two.close();
    await until(() => names(agent).length === 0);
  });

  test("a worker that is killed in a call fails it, and another takes the next", async (t) => {
    const server = await NatsServer.run(t, new Folder(t));
    const first = new WorkerProcess(t, server.address, WHO, "{ group: 'guards' }");
    await first.said("ready");
    const agent = clientOf(t);
    await agent.serve(server.address, { groups, keepalive: 1000 });
    assert.deepEqual(names(agent), ["guards/who"]);
    const call = dispatch(agent, "wait");
    await first.said("runs");
    await first.kill();
    const { decision, trace } = await call;
    assert.deepEqual([decision, trace[0]?.failure?.kind], ["block", "lost"]);
    // Nobody is left, and the gate stays shut.
    const nobody = await dispatch(agent);
    assert.deepEqual([nobody.decision, nobody.trace[0]?.failure?.kind], ["block", "unreachable"]);
    const second = await workerNamed(t, "second").connect(server.address, {
      group,
    });
    await second.ready();
    await until(async () => (await dispatch(agent)).reason === "second");
  });

  test("a server that comes back has its workers again", async (t) => {
    const server = await NatsServer.run(t, new Folder(t));
    const agent = clientOf(t);
    const serving = await agent.serve(server.address, { groups });
    const connection = await workerNamed(t, "one").connect(server.address, {
      group,
    });
    await connection.ready();
    await until(() => names(agent).length > 0);
    await server.kill();
    await until(() => serving.workers[0]?.connected === false);
    assert.equal((await dispatch(agent)).decision, "block");
    await until(() => connection.state !== "ready");
    await server.start();
    await until(() => serving.workers[0]?.connected === true && connection.state === "ready");
    assert.equal((await dispatch(agent)).reason, "one");
  });

  test("a worker that leaves ends what it has", async (t) => {
    const server = await NatsServer.run(t, new Folder(t));
    const [agent, worker] = [clientOf(t), clientOf(t)];
    let [runs, go] = [false, (): void => undefined];
    const gone = new Promise<void>((resolve) => (go = resolve));
    worker.registerHook("PreToolUse", {
      name: "slow",
      failBehavior: "block",
      handler: async () => {
        runs = true;
        await gone;
        return HookResponse.block("done");
      },
    });
    await agent.serve(server.address, { groups });
    const connection = await worker.connect(server.address, { group });
    await connection.ready();
    await until(() => names(agent).length > 0);
    const call = dispatch(agent);
    await until(() => runs);
    const leaving = connection.close();
    await until(() => names(agent).length === 0);
    go();
    assert.equal((await call).reason, "done");
    await leaving;
  });

  test("only who knows the token of the server is taken", async (t) => {
    const more = 'authorization { token: "secret" }';
    const server = await NatsServer.run(t, new Folder(t), more);
    const agent = clientOf(t);
    await assert.rejects(agent.serve(server.address, { groups, token: "wrong" }), {
      code: "invalid_option",
      message: /Authorization/,
    });
    await agent.serve(server.address, { groups, token: "secret" });
    const wrong = await workerNamed(t, "one").connect(server.address, {
      group,
      token: "wrong",
    });
    await assert.rejects(wrong.ready(), /give the worker a token/);
    const right = await workerNamed(t, "two").connect(server.address, {
      group,
      token: "secret",
    });
    await right.ready();
    await until(() => names(agent).length > 0);
  });

  test("over TLS the server and its clients prove who they are", async (t) => {
    const folder = new Folder(t);
    const [ours, theirs, others] = [
      await identity(t, folder, "server"),
      await identity(t, folder, "client"),
      await identity(t, folder, "other"),
    ];
    if (ours === null || theirs === null || others === null) return;
    const more = `tls { cert_file: "${ours.cert}", key_file: "${ours.key}", ca_file: "${theirs.cert}", verify: true }`;
    const server = await NatsServer.run(t, folder, more);
    const address = `nats://localhost:${String(server.port)}`;
    for (const tls of [
      theirs,
      { ...theirs, ca: others.cert },
      { ca: ours.cert },
      { ...others, ca: ours.cert },
    ]) {
      await assert.rejects(clientOf(t).serve(address, { groups, tls }), { code: "invalid_option" });
      const stranger = await workerNamed(t, "one").connect(address, { group, tls });
      await until(() => stranger.state === "waiting");
      await stranger.close();
    }
    const tls = { ...theirs, ca: ours.cert };
    // Of another host than the certificate.
    await assert.rejects(clientOf(t).serve(server.address, { groups, tls }), /IP: 127\.0\.0\.1/);
    const agent = clientOf(t);
    await agent.serve(address, { groups, tls });
    const connection = await workerNamed(t, "in secret").connect(address, { group, tls });
    await connection.ready();
    await until(() => names(agent).length > 0);
    assert.equal((await dispatch(agent)).reason, "in secret");
  });

  test("an expired certificate is refused", async (t) => {
    const folder = new Folder(t);
    const made = await expiredIdentity(t, folder, "server");
    if (made === null) return;
    const more = `tls { cert_file: "${made.cert}", key_file: "${made.key}" }`;
    const server = await NatsServer.run(t, folder, more);
    const [address, tls] = [`nats://localhost:${String(server.port)}`, { ca: made.cert }];
    await assert.rejects(clientOf(t).serve(address, { groups, tls }), /expired/);
    const stranger = await workerNamed(t, "one").connect(address, { group, tls });
    await until(() => stranger.state === "waiting");
  });
});

test("a server without TLS hears no secret", async (t) => {
  const heard: Buffer[] = [];
  const plain = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      heard.push(data);
      if (data.includes("PING")) socket.write("PONG\r\n");
    });
    const info = { server_id: "x", version: "2.11.0", max_payload: 1 << 20, auth_required: true };
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  });
  await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
  t.after(() => plain.close());
  const address = `127.0.0.1:${String((plain.address() as AddressInfo).port)}`;
  for (const [secret, options] of [
    ["", { token: "secret" }],
    ["user:secret@", {}],
  ] as const) {
    const serving = clientOf(t).serve(`nats://${secret}${address}`, {
      groups,
      tls: {},
      ...options,
    });
    await assert.rejects(serving, /encrypt|TLS/i);
  }
  assert.ok(!Buffer.concat(heard).includes("secret"));
});

test("what cannot be a fleet is refused", async (t) => {
  const client = clientOf(t);
  for (const [address, options, why] of [
    ["nats://127.0.0.1:4222", {}, /found by their groups/],
    ["nats://127.0.0.1:4222", { group: "a b" }, /a group's name/],
    ["nats://127.0.0.1:4222", { group: "a", name: "b" }, /leave it out/],
    ["nats://", { group: "a" }, /a host and a port/],
    ["nats://example.org", { group: "a" }, /not encrypted/],
    ["unix:///tmp/x", { group: "a" }, /need `nats:/],
  ] as const) {
    await assert.rejects(client.connect(address, options), {
      code: "invalid_option",
      message: why,
    });
  }
});
