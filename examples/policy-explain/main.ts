/** Several hooks watch over one call: which of them look at it, in which order, and why the others do not. */

import { HookClient, HookResponse, type Outcome } from "hookweave";

const client = new HookClient();

// Sees every call first.
client.registerHook("PreToolUse", { name: "audit", handler: () => undefined, config: { priority: -100 } });

// Protects what others have fetched.
client.registerHook("PreToolUse", {
  name: "no-force",
  matcher: { rule: "Bash(git push --force*)" },
  handler: () => HookResponse.block("others have this history already; use git revert"),
  config: { failBehavior: "block" },
});

// Nothing leaves the machine unasked.
client.registerHook("PreToolUse", {
  name: "ask-before-push",
  matcher: { rule: "Bash(git push *)" },
  handler: () => HookResponse.ask("Publish these commits?"),
  config: { priority: 10 },
});

// Keeps files with secrets as they are.
client.registerHook("PreToolUse", {
  name: "protect-secrets",
  matcher: { pathPattern: "**/.env*" },
  handler: () => HookResponse.block("files with secrets stay as they are"),
  config: { failBehavior: "block" },
});

// Switched on before a release.
client.registerHook("PreToolUse", {
  name: "freeze",
  matcher: { tool: "Edit|Write" },
  handler: () => HookResponse.block("no changes before the release"),
  config: { enabled: false },
});

/** What each hook would make of a call; none of them is run. */
function explain(call: { tool: string; args: Record<string, string> }): void {
  for (const { priority, hook, matched, why } of client.explain("PreToolUse", call).hooks) {
    console.log(`  ${String(priority).padStart(4)}  ${hook.padEnd(17)}${matched ? "looks at it" : String(why)}`);
  }
}

/** What came of it, and what each hook that ran had to say. */
function decided(outcome: Outcome): void {
  console.log(`  ${outcome.decision}: ${outcome.reason ?? String(outcome.asks[0]?.prompt)}`);
  for (const { hook, status, why, action } of outcome.trace) console.log(`    ${hook} ${status}: ${why ?? action}`);
}

// Three calls.
const calls: [string, Record<string, string>][] = [
  ["Bash", { command: "cd shop && git push --force origin main" }],
  ["Bash", { command: "git push origin main" }],
  ["Write", { file_path: "src/../.env.local", content: "KEY=1" }],
];
for (const [tool, args] of calls) {
  console.log(`${tool} ${args["command"] ?? args["file_path"]}`);
  explain({ tool, args });
  decided(await client.dispatch("PreToolUse", { tool, args }));
}
