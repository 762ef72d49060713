/** Writes down who did what, and what became of it: a line of JSON when a call is asked for, and one when it is over. */

import { appendFileSync, readFileSync } from "node:fs";
import { HookClient, HookResponse, type Session, type ToolOutcome } from "hookweave";

const TRAIL = "trail.jsonl";
// What a call is about. What it would write, or carries along, is no business of the trail's.
const ABOUT = ["command", "file_path", "url"];

const client = new HookClient();

/** Appends a line, and throws when it cannot. */
function note(session: string, agent: string | null | undefined, call: string, facts: object): void {
  const who = { at: Date.now(), session, agent: agent ?? "main", call };
  appendFileSync(TRAIL, JSON.stringify({ ...who, ...facts }) + "\n");
}

// Writes down what an agent is about to do.
client.registerHook("PreToolUse", {
  name: "asked",
  handler: ({ sessionId, agentId, toolUseId, tool, args }) => {
    const about = args[ABOUT.find((name) => name in args) ?? ""] ?? null;
    note(sessionId, agentId, toolUseId, { what: "asked", tool, about });
  },
  // Before all other hooks, so that what they refuse is there, too. Fail-closed: what cannot be written down is not done.
  config: { priority: -1000, failBehavior: "block" },
});

/** Makes a call and writes down what became of it, whoever refused it. */
async function audited(session: Session, tool: string, args: object, call: string): Promise<ToolOutcome> {
  const done = await session.runTool(tool, { ...args }, { toolUseId: call });
  const what = done.ok ? "done" : done.ran ? "failed" : "refused";
  const why = !done.ran ? { by: done.by, why: done.reason } : done.error ? { why: done.error.message } : {};
  note(session.id, session.agentId, call, { what, ...why });
  return done;
}

// What is refused is in the trail as well.
client.registerHook("PreToolUse", {
  name: "guard",
  matcher: { rule: "Bash(sudo *)" },
  handler: () => HookResponse.block("sudo is forbidden"),
  config: { failBehavior: "block" },
});

/** Stands for a tool that runs commands; there is no `make` on this machine. */
function bash(args: { command: string }): string {
  if (args.command.startsWith("make")) throw new Error("make: not found");
  return "ok";
}

// A session and its subagent at work.
client.registerTool("Bash", bash, { permission: "allow" });
client.registerTool("Deploy", () => "deployed", { permission: "ask" });
{
  await using session = client.session({ sessionId: "parcel-318", approval: "deny" });
  await audited(session, "Bash", { command: "ls", env: { API_KEY: "sk-1234" } }, "call-1");
  await audited(session, "Bash", { command: "sudo make install" }, "call-2");
  await audited(session, "Deploy", { url: "https://shop.test" }, "call-3");
  await using reviewer = await session.subagent("reviewer", { agentId: "reviewer-1" });
  await audited(reviewer, "Bash", { command: "make test" }, "call-4");
}
for (const line of readFileSync(TRAIL, "utf8").trimEnd().split("\n")) {
  console.log(line.replace(/"at":\d+/, '"at":…'));
}
