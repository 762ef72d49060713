/** The examples of A3S's documentation, with another import path and nothing else. */

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ToolResult } from "hookweave";
import { A3sClient } from "hookweave/compat/a3s";

import { Documented } from "./support/documented.js";

const EXAMPLES = [
  "sdk",
  "errors",
  "audit",
  "per-hook",
  "security-policy",
  "auto-format",
  "cost-tracking",
  "permission-escalation",
];

function quiet(): A3sClient {
  return new A3sClient({ logger: null });
}

/** Gives a client a shell that notes the arguments of its calls, and a tool that writes nothing. */
function withTools(client: A3sClient): object[] {
  const calls: object[] = [];
  client.registerTool("Bash", (args) => {
    calls.push(args);
    return "done";
  });
  client.registerTool("Write", ({ fails }) => new ToolResult("", { success: fails !== true }));
  return calls;
}

describe("the examples of A3S's documentation", () => {
  let documented: Documented;
  let complaints: string[];

  before(async () => {
    documented = new Documented(EXAMPLES);
    complaints = await documented.compile(...EXAMPLES);
  });

  after(() => {
    documented.remove();
  });

  test("compile in a strict project", () => {
    // A file without an extension has none to look a formatter up by: the example's own oversight.
    assert.deepEqual(complaints, [
      "auto-format.ts(18,34): error TS2538: Type 'undefined' cannot be used as an index type.",
    ]);
  });

  test("the SDK's own", async () => {
    const logged: { url: string; body: unknown }[] = [];
    const client = documented.run("sdk", {
      handler: () => assert.fail("the hook was taken out again"),
      fetch: (url: string, { method, body }: { method: string; body: string }) => {
        assert.equal(method, "POST");
        logged.push({ url, body: JSON.parse(body) as unknown });
        return Promise.resolve();
      },
    });
    assert.deepEqual(
      client.listHooks().map(({ event, matcher }) => [event, { ...matcher }]),
      [
        ["PreToolUse", {}],
        ["PreToolUse", { tool: "Write", pathPattern: "*.env" }],
        ["PreToolUse", { tool: "Bash" }],
        ["PostToolUse", { tool: "Write", pathPattern: "*.rs" }],
        ["GenerateEnd", {}],
      ],
    );
    const calls = withTools(client);
    const session = client.session();

    for (const command of ["rm -rf / --no-preserve-root", ":(){ :|:& };:"]) {
      const { ran, reason } = await session.runTool("Bash", { command });
      assert.deepEqual([ran, reason], [false, "Dangerous command blocked by security policy"]);
    }
    await session.runTool("Bash", { command: "ls" });
    assert.deepEqual(calls.splice(0), [{ command: "ls", timeout: 30_000 }]);

    const secret = { file_path: "/srv/app/prod.env", content: "API_KEY=1" };
    const refused = await session.runTool("Write", secret);
    assert.equal(refused.reason, "Cannot write API keys to .env files");
    assert.ok((await session.runTool("Write", { ...secret, content: "DEBUG=1" })).ran);
    assert.ok((await session.runTool("Write", { ...secret, file_path: "notes.txt" })).ran);
    assert.deepEqual(calls, []);

    await session.runTool("Write", { file_path: "src/main.rs", content: "fn main(){}" });
    await session.runTool("Write", { file_path: "src/lib.rs", content: "", fails: true });
    assert.deepEqual(calls, [{ command: "rustfmt src/main.rs", timeout: 30_000 }]);

    client.registerModel(() => ({ text: "hello", usage: { total_tokens: 7 } }));
    await client.generate(session.id, "say hello");
    const body = { session: session.id, usage: { total_tokens: 7 } };
    assert.deepEqual(logged, [{ url: "https://metrics.example.com/log", body }]);
  });

  test("what a failing hook means", async () => {
    const client = documented.run("errors", { client: quiet() });
    const behaviors = client.listHooks().map(({ failBehavior }) => failBehavior);
    assert.deepEqual(behaviors, ["continue", "block"]);
    const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
    assert.equal(outcome.decision, "continue");
  });

  test("writing down what hooks do", async () => {
    const kinds: unknown[] = [];
    const log = (_: string, { kind }: Readonly<Record<string, unknown>>) => void kinds.push(kind);
    const client = documented.run("audit", {
      client: new A3sClient({ logger: { info: log, warn: log, error: log } }),
    });
    assert.equal(client.auditLevel, "verbose");
    kinds.length = 0;
    const call = { tool: "Bash", args: {} };
    const changes = client.registerHook("PreToolUse", () => ({
      action: "continue",
      modified: { args: { timeout: 1 } },
    }));
    await client.dispatch("PreToolUse", call);
    client.unregisterHook(changes);
    client.registerHook("PreToolUse", () => ({ action: "block", reason: "no" }));
    await client.dispatch("PreToolUse", call);
    assert.ok(client.flushAudit());
    assert.deepEqual(kinds, [
      "audit_opened",
      ...["hook_registered", "hook_started", "hook_finished", "modified", "hook_removed"],
      ...["hook_registered", "hook_started", "hook_finished", "blocked"],
    ]);
  });

  test("one hook's settings", async () => {
    const client = documented.run("per-hook", { client: quiet() });
    const [hook] = client.listHooks();
    assert.ok(hook);
    assert.deepEqual(
      [hook.priority, hook.timeout, hook.detached, hook.failBehavior],
      [10, 3000, false, "block"],
    );
    client.registerHook("PreToolUse", { handler: () => undefined, config: { priority: 5 } });
    const outcome = await client.dispatch("PreToolUse", { tool: "Bash", args: {} });
    assert.deepEqual(
      outcome.trace.map(({ id }) => id === hook.id),
      [false, true],
      "lower is earlier",
    );
  });

  test("a security policy", async () => {
    const client = documented.run("security-policy", { client: quiet() });
    const refused: Record<string, string> = {
      "rm -rf /var": "/rm\\s+-rf\\s+\\//",
      "mkfs.ext4 /dev/sda": "/mkfs\\./",
      "dd if=/dev/zero of=/dev/sda": "/dd\\s+if=.*of=\\/dev/",
      "cat x > /dev/sda": "/>\\s*\\/dev\\/sd/",
    };
    for (const [command, pattern] of Object.entries(refused)) {
      const { reason } = await client.dispatch("PreToolUse", { tool: "Bash", args: { command } });
      assert.equal(reason, `Blocked dangerous command matching ${pattern}`);
    }
    const harmless = { tool: "Bash", args: { command: "rm -rf build" } };
    assert.equal((await client.dispatch("PreToolUse", harmless)).blocked, false);
  });

  test("formatting what was written", async () => {
    const client = documented.run("auto-format", { client: quiet() });
    const calls = withTools(client);
    const session = client.session();
    for (const file_path of ["a.rs", "b.py", "c.ts", "d.js", "e.go", "f.txt", "Makefile"]) {
      await session.runTool("Write", { file_path });
    }
    await session.runTool("Write", { file_path: "broken.rs", fails: true });
    const commands = [
      'rustfmt "a.rs"',
      'black "b.py"',
      'prettier --write "c.ts"',
      'prettier --write "d.js"',
      'gofmt -w "e.go"',
    ];
    assert.deepEqual(
      calls,
      commands.map((command) => ({ command, timeout: 10_000 })),
    );
  });

  test("tracking the cost", async () => {
    const warnings: string[] = [];
    const models: unknown[] = [];
    const client = documented.run("cost-tracking", {
      client: quiet(),
      console: { warn: (text: string) => warnings.push(text) },
      calculateCost: (model: unknown, tokens: number) => {
        models.push(model);
        return tokens / 1000;
      },
    });
    client.registerModel(() => ({ text: "hello", usage: { total_tokens: 4000 } }));
    const session = client.session({ model: { name: "large" } });
    for (let turn = 0; turn < 3; turn += 1) await session.generate("go on");
    assert.deepEqual(warnings, ["Session cost exceeded $10: $12.00"]);
    assert.deepEqual(models[0], { name: "large" });
  });

  test("asking before what is sensitive", async () => {
    const dialogs: unknown[] = [];
    let confirmed = true;
    const client = documented.run("permission-escalation", {
      client: quiet(),
      showConfirmationDialog: (dialog: unknown) => {
        dialogs.push(dialog);
        return Promise.resolve(confirmed);
      },
    });
    const calls = withTools(client);
    client.registerTool("WebFetch", () => "a page");
    const session = client.session({ permissions: "ask" });
    assert.ok((await session.runTool("Bash", { command: "make" })).ran);
    assert.ok((await session.runTool("WebFetch", { url: "https://example.com" })).ran);
    confirmed = false;
    const denied = await session.runTool("Bash", { command: "make install" });
    assert.deepEqual([denied.ran, denied.reason], [false, "User denied permission"]);
    assert.deepEqual(calls, [{ command: "make" }]);
    assert.deepEqual(dialogs[0], {
      title: "Allow Bash?",
      message: 'The agent wants to execute: {"command":"make"}',
      timeout: 30_000,
    });
    assert.equal(dialogs.length, 2);
  });
});
