/** Right code compiles and wrong code does not: what is marked as an error must be one, or this file does not compile. */

import assert from "node:assert/strict";
import { test } from "node:test";

import type { HookClient } from "hookweave";
import {
  eventFromWire,
  HookResponse,
  type EventBase,
  type EventMap,
  type Handler,
  type HookEvent,
  type LoadReport,
  type Outcome,
  type ReloadReport,
} from "hookweave";

declare module "hookweave" {
  interface EventMap {
    Release: EventBase<"Release"> & { readonly version: string };
  }
}

/** Holds if two types are the same. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {
  // Only its type counts.
}

/** Never called: it is here to be compiled. */
async function rightAndWrong(client: HookClient): Promise<void> {
  // The event's type follows its name, and so does an alias's.
  client.registerHook("PreToolUse", (event) => {
    same<typeof event, EventMap["PreToolUse"]>(true);
    same<typeof event.eventType, "PreToolUse">(true);
    same<typeof event.args, Record<string, unknown>>(true);
    same<typeof event.command, string>(true);
    same<typeof event.paths, readonly string[]>(true);
    // @ts-expect-error: a misspelt field
    void event.arg;
    // @ts-expect-error: fields are read-only
    event.tool = "x";
  });
  client.registerHook("tool:pre", (event) => {
    same<typeof event, EventMap["PreToolUse"]>(true);
  });
  client.registerHook("GenerateEnd", (event) => {
    void event.response.toolCalls?.length;
    void event.response.usage?.["total_tokens"];
    // @ts-expect-error: the model's response has no args
    void event.args;
  });
  // @ts-expect-error: no such event
  client.registerHook("PreToolUs", () => undefined);

  // Answers are told apart by their action.
  client.registerHook("PreToolUse", async () => ({
    action: "block",
    reason: "no",
  }));
  client.registerHook("PreToolUse", () => ({ modified: { args: { a: 1 } } }));
  client.registerHook("PreToolUse", () => HookResponse.retry({ delay: 5 }));
  client.registerHook("PreToolUse", (event): HookResponse | undefined =>
    event.tool === "Bash" ? HookResponse.block("no") : undefined,
  );
  // @ts-expect-error: no such action
  client.registerHook("PreToolUse", () => ({ action: "deny" }));
  // @ts-expect-error: a bare boolean says nothing
  client.registerHook("PreToolUse", () => true);
  client.registerHook(
    "PreToolUse",
    // @ts-expect-error: a delay belongs to a retry
    (): HookResponse<"PreToolUse"> => ({ action: "block", delay: 5 }),
  );
  client.registerHook(
    "PreToolUse",
    // @ts-expect-error: a misspelt part, where the type of the answer is written
    (): HookResponse<"PreToolUse"> => ({ action: "block", raeson: "no" }),
  );
  // @ts-expect-error: the engine reads the command of the arguments
  void client.dispatch("PreToolUse", { tool: "Bash", args: {}, command: "ls" });
  // @ts-expect-error: args are an object
  client.registerHook("PreToolUse", () => ({ modified: { args: "ls" } }));
  client.registerHook(
    "PreToolUse",
    // @ts-expect-error: the tool cannot be modified
    (): HookResponse<"PreToolUse"> => ({ modified: { tool: "x" } }),
  );
  // @ts-expect-error: nothing of a session's start can be modified
  client.registerHook("SessionStart", () => ({ modified: { source: "x" } }));

  // Settings.
  client.registerHook("PreToolUse", {
    matcher: {
      tool: "Write",
      pathPattern: "*.env",
      args: { mode: { equals: 1 } },
    },
    handler: (event, { signal }) => {
      same<typeof signal, AbortSignal>(true);
      return {
        action: "continue",
        modified: { args: { ...event.args, timeout: 30000 } },
      };
    },
    config: {
      priority: 10,
      timeout: 3000,
      async: false,
      failBehavior: "block",
    },
  });
  client.registerHook("PreToolUse", {
    handler: () => undefined,
    matcher: { commandPattern: /^rm/i, args: { path: /x/, url: { regex: /y/ } } },
    priority: 10,
    timeout: null,
    detached: true,
  });
  client.registerHook("PreToolUse", {
    handler: () => undefined,
    // @ts-expect-error: a misspelt setting
    priorty: 1,
  });
  client.registerHook("PreToolUse", {
    handler: () => undefined,
    // @ts-expect-error: a glob is text
    matcher: { pathPattern: /x/ },
  });
  // @ts-expect-error: a handler is needed
  client.registerHook("PreToolUse", { matcher: { tool: "Write" } });
  client.registerHook("PreToolUse", {
    handler: () => undefined,
    // @ts-expect-error: a misspelt condition
    matcher: { tol: "Write" },
  });
  client.registerHook("PreToolUse", {
    handler: () => undefined,
    // @ts-expect-error: a misspelt setting
    config: { timeut: 1 },
  });
  client.registerHook(
    "PreToolUse",
    // @ts-expect-error: the handler of another event
    (event: HookEvent<"SessionStart">) => void event.source,
  );

  // Dispatching: what the event needs, what the engine fills in may be left out.
  const outcome = await client.dispatch("PreToolUse", {
    tool: "Bash",
    args: {},
    sessionId: undefined,
  });
  same<typeof outcome, Outcome<"PreToolUse">>(true);
  same<typeof outcome.event.args, Record<string, unknown>>(true);
  await client.dispatch("Stop");
  await client.dispatch("Stop", { turnCount: 1 }, { signal: new AbortController().signal });
  // @ts-expect-error: the tool is missing
  await client.dispatch("PreToolUse", { args: {} });
  // @ts-expect-error: a payload is needed
  await client.dispatch("PreToolUse");
  await client.dispatch("PreToolUse", {
    tool: "Bash",
    args: {},
    // @ts-expect-error: a misspelt field
    sesionId: "s",
  });
  // @ts-expect-error: an outcome decides, it is not asked to
  outcome.decision = "allow";

  // Events of the program's own.
  const deploy = client.defineEvent("Deploy", { gate: false });
  client.registerHook(deploy, (event) => {
    same<(typeof event)["target"], unknown>(true);
  });
  await client.dispatch(deploy, { target: "prod" });
  client.registerHook("deploy:start", (event) => void event["anything"]);
  // By declaration merging they have types too.
  client.registerHook("Release", (event) => {
    same<typeof event.version, string>(true);
  });

  // A handler can be typed apart.
  const handler: Handler<"PermissionRequest"> = ({ tool }) =>
    tool === "Read" ? HookResponse.allow() : null;
  client.registerHook("PermissionRequest", handler);

  // Any event, told apart by its type.
  const any = {} as HookEvent;
  if (any.eventType === "PreToolUse") void any.args;
  if (any.eventType === "Notification") void any.message;

  // Files of hooks.
  const loaded = client.load(new URL("file:///x"), { dialect: "claude-code", scope: "user" });
  same<typeof loaded, LoadReport>(true);
  void loaded.untrusted[0]?.approval.approvedAt.toFixed();
  // @ts-expect-error: no such dialect
  client.load("x", { dialect: "clod" });
  // @ts-expect-error: no such option
  client.load("x", { scop: "user" });
  // @ts-expect-error: reports are read-only
  loaded.hooks = [];
  client.discover(".", { sources: ["project", "cursor"], trust: "all", onUntrusted: "error" });
  // @ts-expect-error: trust is a word
  client.discover(".", { trust: true });
  same<Awaited<ReturnType<typeof client.reload>>, ReloadReport>(true);
  client.watch((report) => {
    same<typeof report, ReloadReport>(true);
  });
  client.trust.approve(loaded.untrusted);
  // @ts-expect-error: a fingerprint alone says nothing
  client.trust.approve("sha256:0");
  client.setJudge(async ({ prompt }, { signal }) => ({ ok: !signal.aborted && prompt !== "" }));
  // @ts-expect-error: a judge says whether it is ok
  client.setJudge(() => "yes");
  client.setToolCaller(({ server, tool, input }) => `${server} ${tool} ${String(input["x"])}`);
  client.onLateAnswer(({ hook, answer, wakes }) => {
    same<typeof hook, string>(true);
    same<typeof wakes, boolean>(true);
    void answer.reason;
  });
  void client.listHooks()[0]?.origin?.file.length;
  const wire = eventFromWire("gemini-cli", "{}");
  void (await client.dispatch(wire.name, wire.payload)).toWire("gemini-cli").exitCode.toFixed();
  if (wire.name === "PreToolUse") void wire.payload.args["x"];
  // @ts-expect-error: the payload of an unknown event has no args of a known type
  void wire.payload.args["x"];
}

test("the types hold what this file says of them", () => {
  assert.equal(typeof rightAndWrong, "function");
});
