/** The spans of a whole agent: its run, its model's calls, its tools, and the hooks that judged each of them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as api from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { HookResponse, type ModelResponse, type Session } from "hookweave";
import { instrument, type InstrumentOptions } from "hookweave/telemetry";

import { quietClient } from "./support/tools.js";

/** The tree of one run, which every language makes alike. Compiled tests lie in bindings-node/build-tests. */
const TREE = new URL("../../tests/spans/generate.json", import.meta.url);

api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

interface Node {
  name: string;
  kind?: string;
  status?: string;
  attributes: Record<string, unknown>;
  children?: Node[];
}

/** How a tool or a model fails. */
class Broken extends Error {
  override readonly name = "Broken";
}

/** Knows in which order spans began: times may be equal. */
class Order implements SpanProcessor {
  readonly begun: string[] = [];
  onStart(span: Span): void {
    this.begun.push(span.spanContext().spanId);
  }
  onEnd(): void {
    // Only the beginning matters.
  }
  forceFlush = (): Promise<void> => Promise.resolve();
  shutdown = (): Promise<void> => Promise.resolve();
}

function traced(options: InstrumentOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const order = new Order();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter), order],
  });
  const client = quietClient();
  instrument(client, { ...options, tracerProvider });
  /** The finished spans as trees; all that began have ended. */
  const trees = (): Node[] => {
    const spans = new Map(
      exporter.getFinishedSpans().map((span) => [span.spanContext().spanId, span]),
    );
    assert.deepEqual([...spans.keys()].sort(), [...order.begun].sort());
    const nodes = new Map(order.begun.map((id) => [id, nodeOf(spans.get(id) as ReadableSpan)]));
    const roots: Node[] = [];
    for (const [id, node] of nodes) {
      const parent = nodes.get(spans.get(id)?.parentSpanContext?.spanId ?? "");
      if (parent === undefined) roots.push(node);
      else (parent.children ??= []).push(node);
    }
    return roots;
  };
  return { client, tracerProvider, trees };
}

function nodeOf({ name, kind, status, attributes, events }: ReadableSpan): Node {
  const { "hook.id": _, ...rest } = attributes;
  const node: Node = { name, attributes: rest };
  if (kind !== api.SpanKind.INTERNAL) node.kind = api.SpanKind[kind];
  if (status.code !== api.SpanStatusCode.UNSET) node.status = api.SpanStatusCode[status.code];
  assert.deepEqual(events, [], "an exception's text may say anything");
  return node;
}

/** A tree without the empty lists of the file. */
function pruned({ children = [], ...node }: Node): Node {
  return children.length === 0 ? node : { ...node, children: children.map(pruned) };
}

function answers(...all: (string | ModelResponse | Error)[]): () => string | ModelResponse {
  return () => {
    const answer = all.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("no more");
    return answer;
  };
}

const call = (id: string, name: string, args: object = {}) => ({ id, name, args: { ...args } });

const generate = async (session: Session): Promise<string> => (await session.generate("go")).status;

await test("the whole tree of a run", async () => {
  const { client, trees } = traced();
  for (const [name, event] of [
    ["prompt", "UserPromptSubmit"],
    ["before", "GenerateStart"],
    ["after", "GenerateEnd"],
    ["post", "PostToolUse"],
    ["inner", "Notification"],
    ["stop", "Stop"],
  ] as const) {
    client.registerHook(event, { name, handler: () => undefined });
  }
  client.registerHook("PreToolUse", {
    name: "guard",
    handler: ({ tool }) =>
      tool === "Rm" ? HookResponse.block("not that secret") : HookResponse.allow(),
  });
  const add = async (args: Readonly<Record<string, unknown>>): Promise<number> => {
    await client.dispatch("Notification", { message: "adding", sessionId: "s1" });
    return Number(args["a"]) + Number(args["b"]);
  };
  client.registerTool("Add", add);
  client.registerTool("Rm", add);
  client.registerTool("Breaks", () => {
    throw new Broken("a secret in here");
  });
  const toolCalls = [call("c1", "Add", { a: 1, b: 2, token: "secret" }), call("c2", "Rm")];
  client.registerModel(
    answers(
      { text: "", toolCalls, usage: { inputTokens: 10, outputTokens: 5 } },
      { text: "", toolCalls: [call("c3", "Breaks"), call("c4", "Nowhere")] },
      { text: "a secret answer", usage: { prompt_tokens: 7, completion_tokens: 3 } },
    ),
  );
  const session = client.session({ sessionId: "s1", model: "m-1" });
  assert.equal((await session.generate("tell me the secret")).status, "done");
  const came = trees();
  assert.deepEqual(came, [pruned(JSON.parse(readFileSync(TREE, "utf8")) as Node)]);
  assert.ok(!JSON.stringify(came).includes("secret"));
});

await test("a model that fails and is called again", async () => {
  const { client, trees } = traced();
  client.registerModel(answers(new Broken("a secret"), new Broken("a secret")));
  const retries: { action: "retry" }[] = [{ action: "retry" }];
  client.registerHook("GenerateError", { name: "again", handler: () => retries.shift() });
  assert.equal(await generate(client.session()), "failed");
  const [run] = trees();
  assert.deepEqual(
    [run?.status, run?.attributes["error.type"], run?.attributes["hookweave.status"]],
    ["ERROR", "Broken", "failed"],
  );
  const calls = run?.children ?? [];
  assert.deepEqual(
    calls.map(({ name, status, attributes, children }) => [
      name,
      status,
      attributes["error.type"],
      children?.map((hook) => hook.name),
    ]),
    [
      ["chat", "ERROR", "Broken", ["hook again"]],
      ["chat", "ERROR", "Broken", ["hook again"]],
    ],
  );
});

for (const [event, name] of [
  ["UserPromptSubmit", "hook no"],
  ["GenerateStart", "chat"],
] as const) {
  await test(`a run that is blocked at ${event}`, async () => {
    const { client, trees } = traced();
    client.registerModel(answers("never"));
    client.registerHook(event, { name: "no", handler: () => ({ action: "block", reason: "no" }) });
    assert.equal(await generate(client.session()), "blocked");
    const [run] = trees();
    assert.equal(run?.attributes["error.type"], "blocked");
    assert.equal(run.attributes["hook.blocked"], true);
    assert.deepEqual(
      run.children?.map((child) => child.name),
      [name],
    );
    if (name === "chat") assert.equal(run.children[0]?.attributes["error.type"], "blocked");
  });
}

await test("a run that is cancelled ends its spans", async () => {
  const { client, trees } = traced();
  client.registerModel(answers({ text: "", toolCalls: [call("c1", "Hang")] }));
  const controller = new AbortController();
  client.registerTool("Hang", () => {
    setImmediate(() => {
      controller.abort(new Error("enough"));
    });
    return new Promise(() => undefined);
  });
  const running = client.session().generate("go", { signal: controller.signal });
  await assert.rejects(running, /enough/);
  const [run] = trees();
  const [chat, tool] = run?.children ?? [];
  assert.equal(chat?.status, undefined);
  for (const cut of [run, tool]) {
    assert.deepEqual([cut?.status, cut?.attributes["error.type"]], ["ERROR", "cancelled"]);
  }
});

await test("a subagent is below the tool that runs it", async () => {
  const { client, trees } = traced({ recordContent: true });
  client.registerModel(
    answers({ text: "", toolCalls: [call("c1", "Delegate", { api_key: "k" })] }, "sub", "done"),
  );
  client.registerTool("Delegate", async () => {
    await using child = await session.subagent("reviewer", { agentId: "a1" });
    return (await child.generate("look")).text;
  });
  const session = client.session({ sessionId: "s1" });
  assert.equal(await generate(session), "done");
  const [run] = trees();
  assert.deepEqual(
    run?.children?.map(({ name }) => name),
    ["chat", "execute_tool Delegate", "chat"],
  );
  const tool = run.children[1];
  assert.equal(tool?.attributes["gen_ai.tool.call.arguments"], '{"api_key":"[redacted]"}');
  assert.equal(tool.attributes["gen_ai.tool.call.result"], '"sub"');
  const [inner, ...others] = tool.children ?? [];
  assert.deepEqual(others, []);
  assert.equal(inner?.name, "invoke_agent reviewer");
  assert.equal(inner.attributes["gen_ai.agent.id"], "a1");
  assert.equal(inner.attributes["gen_ai.agent.name"], "reviewer");
  assert.equal(inner.children?.[0]?.attributes["gen_ai.agent.id"], "a1");
});

await test("prompts and stops of an agent of one's own are below the current span", async () => {
  const { client, tracerProvider, trees } = traced();
  for (const event of ["UserPromptSubmit", "Stop"] as const) {
    client.registerHook(event, { name: `on ${event}`, handler: () => undefined });
  }
  const session = client.session();
  await tracerProvider.getTracer("app").startActiveSpan("my agent", async (span) => {
    await session.submitPrompt("hello");
    await session.stop();
    span.end();
  });
  const [mine] = trees();
  assert.equal(mine?.name, "my agent");
  assert.deepEqual(
    mine.children?.map(({ name, children }) => [name, children?.map((hook) => hook.name)]),
    [
      ["hook.dispatch", ["hook on UserPromptSubmit"]],
      ["hook.dispatch", ["hook on Stop"]],
    ],
  );
});
