/** What MCP servers alone have: the client's user is asked, and results with structure. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  CallToolRequestSchema,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { HookResponse } from "hookweave";
import { Hookweave } from "hookweave/mcp";
import { z } from "zod";

import { connected, serverOf, textOf } from "./agent-mcp.js";
import { LIMIT, REDACTED, SECRET, World } from "./world.js";

const client = (capabilities = {}): Client =>
  new Client({ name: "script", version: "1" }, { capabilities });
const FETCH = { name: "fetch", arguments: { url: "x" } };

for (const [said, ran] of [
  [{ action: "accept", content: { decision: "Allow once" } }, ["fetch x"]],
  [{ action: "accept", content: { decision: "Deny" } }, []],
  [{ action: "decline" }, []],
  [{ action: "cancel" }, []],
] satisfies [ElicitResult, string[]][]) {
  test(`the client's user is asked: ${JSON.stringify(said)}`, { timeout: LIMIT }, async () => {
    const world = new World().policy();
    const server = serverOf(world, new Hookweave(world.client, { approval: "client" }));
    const asking = client({ elicitation: {} });
    const asked: string[] = [];
    asking.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return said;
    });
    const result = await (await connected(server, asking)).callTool(FETCH);
    assert.deepEqual(
      [world.ran, asked.length, result.isError === true],
      [ran, 1, ran.length === 0],
    );
    assert.ok(asked[0]?.startsWith("fetch x?"), asked[0]);
  });
}

test("a client that cannot ask its user gets no result", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const server = serverOf(world, new Hookweave(world.client, { approval: "client" }));
  const caller = await connected(server, client());
  await assert.rejects(caller.callTool(FETCH), /elicitation/);
  assert.deepEqual(world.ran, []);
});

test("structure that is no more the text's is not given", { timeout: LIMIT }, async () => {
  const world = new World().policy();
  const server = new Hookweave(world.client).around(new McpServer({ name: "s", version: "1" }));
  const outputSchema = { result: z.string() };
  server.registerTool("read", { outputSchema }, () => {
    const text = `token ${SECRET}`;
    return { content: [{ type: "text", text }], structuredContent: { result: text } };
  });
  const result = await (await connected(server, client())).callTool({ name: "read" });
  assert.deepEqual(result.structuredContent, { result: `token ${REDACTED}` });
  assert.ok(!JSON.stringify(result).includes(SECRET));
});

test("a server that has tools already is refused", () => {
  const world = new World();
  const server = serverOf(world, null);
  assert.throws(() => new Hookweave(world.client).around(server), /has tools already/);
});

test("a server without the SDK's tools has hooks too", { timeout: LIMIT }, async () => {
  const world = new World();
  world.client.registerHook("PreToolUse", () => HookResponse.block("not here"));
  const bare = new Server({ name: "s", version: "1" }, { capabilities: { tools: {} } });
  const server = new Hookweave(world.client).around(bare);
  const ran: string[] = [];
  const did = ({ params }: { params?: unknown }) => {
    ran.push(JSON.stringify(params));
    return { content: [] };
  };
  server.fallbackRequestHandler = (request) => Promise.resolve(did(request));
  const caller = await connected(server as unknown as McpServer, client());
  assert.equal(textOf(await caller.callTool({ name: "x" })), "not here");
  server.setRequestHandler(CallToolRequestSchema, did);
  assert.equal(textOf(await caller.callTool({ name: "x" })), "not here");
  assert.deepEqual(ran, []);
});

test("a call as a task is refused", { timeout: LIMIT }, async () => {
  const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
  const bare = new Server({ name: "s", version: "1" }, { capabilities });
  const server = new Hookweave(new World().client).around(bare);
  let ran = 0;
  server.setRequestHandler(CallToolRequestSchema, () => {
    ran += 1;
    return { content: [] };
  });
  const caller = await connected(server as unknown as McpServer, client());
  await assert.rejects(caller.callTool({ name: "bash", task: { ttl: 1000 } }), /is a task/);
  assert.equal(ran, 0);
});
