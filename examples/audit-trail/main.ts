/** Keeps a log of who did what and what became of it, in which nothing can be changed without being noticed. */

import { readFileSync, writeFileSync } from "node:fs";
import { audit, HookClient, type AuditRecord } from "hookweave";

const LOG = "audit.jsonl";

// Redacted: what a call was about is kept, secrets in it are blacked out. Required: what cannot be recorded is not done.
const client = new HookClient({ audit: { file: LOG, inputs: "redacted", required: true } });

// What is refused is in the log as well.
client.guard("Bash(sudo *)", "sudo is forbidden");

/** Stands for a tool that runs commands; there is no `make` on this machine. */
function bash(args: { command: string }): string {
  if (args.command.startsWith("make")) throw new Error("make: not found");
  return "done";
}

/** A session and its subagent at work; there is no approver for the deployment. */
async function work(): Promise<void> {
  await using session = client.session({ sessionId: "parcel-318", permissions: { Deploy: "ask" } });
  await session.start();
  await session.runTool("Bash", { command: "ls", api_key: "sk-1234567890abcdef" }, bash);
  await session.runTool("Bash", { command: "sudo make install" }, bash);
  await session.runTool("Deploy", { url: "https://shop.test" }, () => "deployed");
  await using reviewer = await session.subagent("reviewer", { agentId: "reviewer-1" });
  await reviewer.runTool("Bash", { command: "make test" }, bash);
}

/** Prints what one record of a tool call tells. */
function show({ agent = "main", tool, outcome, reason, details, input }: AuditRecord): void {
  const { args } = input?.payload as { args: object };
  const { by, error } = details as { by?: string; error?: string };
  const why = reason ?? error;
  console.log(`${agent}: ${tool} ${JSON.stringify(args)}`);
  console.log(`    ${outcome}${by ? ` by ${by}` : ""}${why ? `: ${why}` : ""}`);
}

await work();
client.flushAudit();
for (const line of readFileSync(LOG, "utf8").trimEnd().split("\n")) {
  const record = JSON.parse(line) as AuditRecord;
  if (record.kind === "tool_run") show(record);
}

// Kept in another place, it proves later that nothing is missing at the end.
const anchor = client.auditAnchor;
console.log(`the log is ${audit.verify(LOG, anchor).whole ? "whole" : "not whole"}`);
console.log("a change to the log hides the request for sudo");
writeFileSync(LOG, readFileSync(LOG, "utf8").replaceAll("sudo make install", "make install"));
const report = audit.verify(LOG, anchor);
const [problem] = report.problems;
console.log(`the log is ${report.whole ? "whole" : "not whole"}: record ${problem?.seq} was ${problem?.kind}`);
