/** The plugins for OpenCode and pi, called as the agents call them; `make test-live` runs them in the agents. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

import { HookClient, HookResponse } from "hookweave";
import { hookweave as opencode, type OpenCodeHooks, type PluginOptions } from "hookweave/opencode";
import { hookweave as pi, type PiContext } from "hookweave/pi";

const directory = mkdtempSync(join(tmpdir(), "plugins-"));
after(() => {
  rmSync(directory, { recursive: true });
});

function policy(): HookClient {
  const client = new HookClient({ logger: null });
  client.guard("Bash(rm *)", "nothing is deleted");
  client.askBefore("Bash(git push*)", "push?");
  client.registerHook("PreToolUse", {
    matcher: { commandPattern: "^slow" },
    handler: () => ({ modified: { args: { command: "fast" } } }),
  });
  client.registerHook("PostToolUse", (event) => {
    if (!JSON.stringify(event.result.output).includes("secret")) return undefined;
    const result = { success: true, output: "withheld", duration: 0 };
    return { modified: { result }, inject: "keep it so" };
  });
  return client;
}

function inOpenCode(options: PluginOptions = { client: policy() }): Promise<OpenCodeHooks> {
  return opencode({ directory }, options);
}

const call = (
  callID: string,
  tool = "bash",
): { tool: string; sessionID: string; callID: string } => ({
  tool,
  sessionID: "s",
  callID,
});

test("OpenCode: the object that it holds gets the changed arguments, and loses the others", async () => {
  const hooks = await inOpenCode();
  const args = { command: "slow", timeout: 1 };
  await hooks["tool.execute.before"](call("1"), { args });
  assert.deepEqual(args, { command: "fast" });
});

test("OpenCode: a refused call throws the reason", async () => {
  const hooks = await inOpenCode();
  const refused = hooks["tool.execute.before"](call("1"), { args: { command: "rm x" } });
  await assert.rejects(refused, /nothing is deleted/);
});

test("OpenCode: a changed result keeps nothing else of the old one", async () => {
  const hooks = await inOpenCode();
  await hooks["tool.execute.before"](call("1"), { args: { command: "cat" } });
  const result = { title: "cat", output: "secret", metadata: { output: "secret" } };
  await hooks["tool.execute.after"](call("1"), result);
  assert.deepEqual(result, { title: "cat", output: "withheld\n\nkeep it so", metadata: {} });
});

test("OpenCode: so does one of an MCP server", async () => {
  const hooks = await inOpenCode();
  await hooks["tool.execute.before"](call("1", "db_read"), { args: {} });
  const content = [{ type: "text", text: "secret" }];
  const result = { content, structuredContent: { row: "secret" } };
  await hooks["tool.execute.after"](call("1", "db_read"), result);
  const told = ["withheld", "keep it so"].map((text) => ({ type: "text", text }));
  assert.deepEqual(result, { content: told });
});

test("OpenCode: the result of a call that was not judged is withheld", async () => {
  const hooks = await inOpenCode();
  const result = { output: "anything" };
  await assert.rejects(hooks["tool.execute.after"](call("1"), result), /not judged this call/);
});

test("OpenCode: hooks see a failure of which it tells afterwards", async () => {
  const client = policy();
  const seen: unknown[] = [];
  client.registerHook("PostToolUseFailure", (event) => void seen.push(event.error));
  const hooks = await inOpenCode({ client });
  await hooks["tool.execute.before"](call("1"), { args: { command: "ls" } });
  const state = { status: "error", error: "no such file" };
  const part = { type: "tool", sessionID: "s", callID: "1", state };
  await hooks.event({ event: { type: "message.part.updated", properties: { part } } });
  assert.deepEqual(seen, ["no such file"]);
});

test("OpenCode: what is asked is refused where nobody can answer, and runs where a program does", async () => {
  const push = { args: { command: "git push" } };
  const alone = await inOpenCode();
  await assert.rejects(alone["tool.execute.before"](call("1"), push), /push\?/);
  const answered = await inOpenCode({ client: policy(), approval: () => "Allow once" });
  await answered["tool.execute.before"](call("1"), push);
});

test("OpenCode: with hooks that nobody approved, everything is refused if so wanted", async () => {
  const file = join(directory, "hookweave.toml");
  const hook = '[[hooks]]\nname = "no"\nevent = "PreToolUse"\nblock = "no"\n';
  writeFileSync(file, `hookweave = 1\n${hook}`);
  const warned: string[] = [];
  const showToast = ({ body }: { body: { message: string } }): unknown => warned.push(body.message);
  const place = { directory, client: { tui: { showToast } } };
  const trustStore = join(directory, "trust.json");
  const ls = { args: { command: "ls" } };

  const strict = await opencode(place, { files: { onUntrusted: "error", trustStore } });
  await assert.rejects(strict["tool.execute.before"](call("1"), ls), /could not load its policy/);
  const usual = await opencode(place, { files: { trustStore } });
  await usual["tool.execute.before"](call("1"), ls);
  assert.match(warned.join("\n"), /refuses every prompt[^]*1 hook of this project/);
  rmSync(file);
});

/** pi, as far as the extension knows it. */
function inPi(
  options: PluginOptions,
  chosen?: string,
  sent: string[] = [],
): (event: string, given: object) => unknown {
  const handlers = new Map<string, (event: never, context: PiContext) => unknown>();
  pi(
    {
      on: (event, handler) => handlers.set(event, handler),
      sendMessage: ({ content }) => void sent.push(content),
    },
    options,
  );
  const context: PiContext = {
    cwd: directory,
    hasUI: chosen !== undefined,
    ui: { select: () => Promise.resolve(chosen), notify: () => undefined },
    sessionManager: { getSessionId: () => "s" },
  };
  return (event, given) => handlers.get(event)?.(given as never, context);
}

const toolCall = (command: string): { toolName: string; toolCallId: string; input: object } => ({
  toolName: "bash",
  toolCallId: "1",
  input: { command },
});

test("pi: a person is asked on its screen, and without one the call is refused", async () => {
  const push = toolCall("git push");
  assert.equal(await inPi({ client: policy() }, "Allow once")("tool_call", push), undefined);
  for (const chosen of ["Deny", undefined]) {
    const { block } = (await inPi({ client: policy() }, chosen)("tool_call", push)) as {
      block: boolean;
    };
    assert.equal(block, true);
  }
});

test("pi: a result that cannot be judged is withheld, not shown", async () => {
  const content = [{ type: "text", text: "secret" }];
  const event = { toolName: "bash", toolCallId: "unknown", content, isError: false };
  const told = JSON.stringify(await inPi({ client: policy() })("tool_result", event));
  assert.match(told, /withholds the result/);
  assert.doesNotMatch(told, /secret/);
});

test("pi: a prompt that a hook refuses goes no further", async () => {
  const client = policy();
  client.registerHook("UserPromptSubmit", () => HookResponse.block("not today"));
  const input = { text: "hello", source: "rpc" };
  assert.deepEqual(await inPi({ client }, "")("input", input), { action: "handled" });
});

test("pi: a hook keeps the agent at work, unless pi ends", async () => {
  const client = policy();
  client.registerHook("Stop", () => HookResponse.block("the tests are missing"));
  const sent: string[] = [];
  const tell = inPi({ client }, "", sent);
  await tell("input", { text: "hello" });
  await tell("agent_end", {});
  assert.equal(sent.length, 1);
  assert.match(sent[0] ?? "", /the tests are missing/);
  await Promise.all([tell("agent_end", {}), tell("session_shutdown", {})]);
  assert.equal(sent.length, 1);
});
