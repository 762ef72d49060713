/** Spans through OpenTelemetry, and the trace context that commands and webhooks are given. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace-base";
import { HookResponse } from "hookweave";
import { instrument, type InstrumentOptions } from "hookweave/telemetry";

import { newClient, quietClient } from "./support/tools.js";

const BASH = { tool: "Bash", args: { command: "ls" } };

api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

function traced(options: InstrumentOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  const client = quietClient();
  const instrumentation = instrument(client, { ...options, tracerProvider });
  const span = (name: string): ReadableSpan => {
    const found = exporter.getFinishedSpans().find((span) => span.name === name);
    assert.ok(found, `no span ${name}`);
    return found;
  };
  const isBelow = (child: string, parent: string): boolean =>
    span(child).parentSpanContext?.spanId === span(parent).spanContext().spanId;
  return { exporter, client, instrumentation, span, isBelow };
}

await test("a dispatch and its hooks", async () => {
  const { client, span, isBelow, exporter } = traced();
  client.registerHook("PreToolUse", {
    name: "broken",
    handler: () => {
      throw new Error("a secret in here");
    },
  });
  client.registerHook("PreToolUse", { name: "guard", handler: () => HookResponse.block("no") });
  await client.dispatch("PreToolUse", { ...BASH, sessionId: "s1" });
  assert.deepEqual(span("hook.dispatch").attributes, {
    "hook.event": "PreToolUse",
    "hook.decision": "block",
    "hook.blocked": true,
    "gen_ai.conversation.id": "s1",
    "gen_ai.tool.name": "Bash",
  });
  assert.ok(isBelow("hook guard", "hook.dispatch"));
  assert.equal(span("hook guard").attributes["hook.action"], "block");
  const { attributes, status } = span("hook broken");
  assert.deepEqual(
    [attributes["hook.failure.kind"], attributes["error.type"], attributes["hook.failure.became"]],
    ["raised", "raised", "continue"],
  );
  assert.equal(status.code, api.SpanStatusCode.ERROR);
  const exported = JSON.stringify(
    exporter.getFinishedSpans().map((span) => [span.name, span.attributes, span.status]),
  );
  assert.ok(!exported.includes("secret") && !exported.includes('"ls"'), exported);
});

await test("quiet hooks have spans, a dispatch without hooks has none, and an end ends it", async () => {
  const { client, instrumentation, exporter, isBelow } = traced();
  await client.dispatch("PreToolUse", BASH);
  assert.equal(exporter.getFinishedSpans().length, 0);
  client.registerHook("PreToolUse", { name: "quiet", handler: () => undefined });
  await client.dispatch("PreToolUse", BASH);
  assert.ok(isBelow("hook quiet", "hook.dispatch"));
  instrumentation.uninstrument();
  await client.dispatch("PreToolUse", BASH);
  assert.equal(exporter.getFinishedSpans().length, 2);
});

await test("a tool call of a session", async () => {
  const { client, span, isBelow } = traced({ recordContent: true });
  client.registerHook("PreToolUse", { name: "pre", handler: () => undefined });
  client.registerHook("PostToolUse", {
    name: "post",
    handler: async () => {
      await Promise.resolve();
    },
  });
  client.registerHook("Notification", { name: "inner", handler: () => undefined });
  const session = client.session();
  const args = { command: "ls", api_key: "k-1234567" };
  let active: api.Span | undefined;
  const outcome = await session.runTool(
    "Bash",
    args,
    async () => {
      active = api.trace.getActiveSpan();
      await client.dispatch("Notification", { message: "from the tool" });
      return { password: "hunter22" };
    },
    { toolUseId: "t1" },
  );
  assert.ok(outcome.ok);
  assert.equal(active?.spanContext().spanId, span("execute_tool Bash").spanContext().spanId);
  assert.deepEqual(span("execute_tool Bash").attributes, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "Bash",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": "t1",
    "gen_ai.conversation.id": session.id,
    "hook.decision": "continue",
    "gen_ai.tool.call.arguments": '{"command":"ls","api_key":"[redacted]"}',
    "gen_ai.tool.call.result": '{"password":"[redacted]"}',
  });
  assert.ok(isBelow("hook pre", "execute_tool Bash"));
  assert.ok(isBelow("hook post", "execute_tool Bash"));
  assert.ok(isBelow("hook.dispatch", "execute_tool Bash"));
  assert.ok(isBelow("hook inner", "hook.dispatch"));
  await session.end();
});

await test("a blocked and a failed tool call", async () => {
  const { client, span } = traced();
  client.registerHook("PreToolUse", {
    name: "guard",
    matcher: { tool: "Bash" },
    handler: () => HookResponse.block("no"),
  });
  const broken = (): never => {
    throw new RangeError("gone");
  };
  await using session = client.session();
  await session.runTool("Bash", {}, broken);
  await session.runTool("Read", {}, broken);
  const blocked = span("execute_tool Bash").attributes;
  assert.deepEqual(
    [blocked["error.type"], blocked["hook.decided_by"], blocked["hook.decision"]],
    ["blocked", "guard", "block"],
  );
  const failed = span("execute_tool Read");
  assert.equal(failed.attributes["error.type"], "RangeError");
  assert.equal(failed.status.code, api.SpanStatusCode.ERROR);
  assert.ok(!("gen_ai.tool.call.arguments" in failed.attributes));
});

await test("commands and webhooks are told the active span", async (context) => {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push(request.headers);
    response.end("{}");
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const folder = mkdtempSync(join(tmpdir(), "hookweave-"));
  context.after(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hook`;
  const command = `echo "$TRACEPARENT $TRACESTATE" > ${folder}/seen`;
  const hooks = [
    { type: "command", command },
    { type: "http", url },
  ];
  writeFileSync(join(folder, "hooks.json"), JSON.stringify({ hooks: { PreToolUse: [{ hooks }] } }));
  const client = newClient({ projectDir: folder });
  client.load(join(folder, "hooks.json"), { dialect: "claude-code" });
  const span = api.trace.wrapSpanContext({
    traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
    spanId: "00f067aa0ba902b7",
    traceFlags: 1,
    traceState: api.createTraceState("vendor=$HOME"),
  });
  await api.context.with(api.trace.setSpan(api.context.active(), span), () =>
    client.dispatch("PreToolUse", BASH),
  );
  const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  assert.equal(readFileSync(join(folder, "seen"), "utf8"), `${parent} vendor=$HOME\n`);
  assert.deepEqual([asked[0]?.["traceparent"], asked[0]?.["tracestate"]], [parent, "vendor=$HOME"]);
  await client.close();
});
