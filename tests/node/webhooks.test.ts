/** Webhooks from files against a server of our own, which runs on the very thread that waits for them. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test, type TestContext } from "node:test";

import type { HookClient } from "hookweave";

import { Folder } from "./support/files.js";
import { atSomeScale, bash, quietClient, until } from "./support/tools.js";

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server that is gone after the test; gives its address. */
async function serve(t: TestContext, answer: Answer): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (data: Buffer) => (body += data.toString()));
    request.on("end", () => {
      answer(request, response, body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
}

describe("webhooks", () => {
  test("the event is posted, the answer decides", async (t) => {
    const folder = new Folder(t);
    const seen: Record<string, unknown>[] = [];
    const url = await serve(t, (request, response, body) => {
      assert.equal(request.method, "POST");
      seen.push(JSON.parse(body) as Record<string, unknown>);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ decision: "block", reason: "the server says no" }));
    });
    const client = quietClient();
    client.load(folder.settings({ PreToolUse: [{ type: "http", url }] }));
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(outcome.reason, "the server says no");
    assert.equal(seen[0]?.["tool_name"], "Bash");
    await client.close(0);
  });

  test("a server that hangs is a timeout, and a cancelled dispatch hangs up", async (t) => {
    const folder = new Folder(t);
    let [waiting, asked] = [0, 0];
    const url = await serve(t, (request) => {
      [waiting, asked] = [waiting + 1, asked + 1];
      request.socket.on("close", () => waiting--);
    });
    const load = (timeout: number): HookClient => {
      const client = quietClient();
      client.load(folder.settings({ PreToolUse: [{ type: "http", url, timeout }] }));
      return client;
    };
    await atSomeScale(async (scale) => {
      const client = load(0.2 * scale);
      const outcome = await client.dispatch("PreToolUse", bash);
      assert.equal(outcome.trace[0]?.failure?.kind, "timeout");
      assert.ok(asked > 0, "the server was asked in time");
      await until(() => waiting === 0);
      await client.close(0);
    });
    const stop = new AbortController();
    const before = asked;
    const client = load(600);
    const cancelled = client.dispatch("PreToolUse", bash, { signal: stop.signal });
    await until(() => asked > before);
    stop.abort(new Error("enough"));
    await assert.rejects(cancelled, /enough/);
    await until(() => waiting === 0);
    await client.close(0);
  });

  test("an address that the client does not allow is not called", async (t) => {
    const folder = new Folder(t);
    let calls = 0;
    const url = await serve(t, (_request, response) => {
      calls++;
      response.end();
    });
    const client = quietClient({ webhooks: { allowedUrls: ["https://hooks.example.com/*"] } });
    client.load(folder.settings({ PreToolUse: [{ type: "http", url }] }));
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(outcome.trace[0]?.failure?.kind, "unreachable");
    assert.equal(calls, 0);
    await client.close(0);
  });

  test("function, command, webhook, function: each sees what the one before changed", async (t) => {
    const folder = new Folder(t);
    const url = await serve(t, (_request, response, body) => {
      const { args } = JSON.parse(body) as { args: { command: string } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ modified: { args: { command: `${args.command} webhook` } } }));
    });
    const client = quietClient();
    client.registerHook("PreToolUse", {
      handler: () => ({ modified: { args: { command: "function" } } }),
      config: { priority: -10 },
    });
    const answer = JSON.stringify({ modified: { args: { command: "function command" } } });
    const hooks = [
      { event: "PreToolUse", command: `grep -q '"function"' && echo '${answer}'` },
      { event: "PreToolUse", webhook: { url } },
    ];
    const report = client.load(folder.write("hookweave.json", { hookweave: 1, hooks }));
    assert.deepEqual(report.problems, []);
    let last: unknown;
    client.registerHook("PreToolUse", {
      handler: (event) => {
        last = event.args["command"];
      },
      config: { priority: 10 },
    });
    const outcome = await client.dispatch("PreToolUse", bash);
    assert.equal(last, "function command webhook", JSON.stringify(outcome.trace, null, 1));
    await client.close(0);
  });
});
