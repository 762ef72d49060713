/** An agent that may only read asks for more: once, for the whole session, or in vain. */

import { HookClient, HookResponse, type ApprovalRequest, type Session } from "hookweave";

// The person of this run: what they answer, in the order in which they are asked.
const answers = ["Allow once", "Allow always", "Deny"];

const client = new HookClient();

// Asks before the first write; "Allow always" then holds for every write of the session.
client.registerHook("PreToolUse", {
  name: "read-only",
  matcher: { tool: "Write" },
  handler: () => HookResponse.ask("The agent has only been reading. Let it write?", { remember: "tool" }),
  config: { failBehavior: "block" },
});

// A file with secrets is denied without a question, and no "Allow always" applies to it.
client.registerHook("PermissionRequest", {
  name: "secrets",
  matcher: { pathPattern: "**/.env*" },
  handler: () => HookResponse.block("files with secrets stay as they are"),
  config: { failBehavior: "block" },
});

// Scratch files need no question.
client.registerHook("PermissionRequest", {
  name: "scratch",
  matcher: { pathPattern: "/tmp/**" },
  handler: () => HookResponse.allow(),
});

// Says who let it pass: a person, what they said before, or a hook.
client.registerHook("PermissionGranted", ({ by }) => {
  console.log(`    granted by ${by}`);
});

/** Answers as the list says. */
function person(request: ApprovalRequest): string {
  const answer = answers.shift() ?? "Deny";
  console.log(`    ${request.prompt} ${answer}`);
  return answer;
}

/** Makes one call and says what became of it. */
async function attempt(session: Session, tool: string, path: string): Promise<void> {
  console.log(`${tool} ${path}`);
  const call = await session.runTool(tool, { file_path: path }, () => "done");
  console.log(call.ran ? `    ${call.output}` : `    refused by ${call.by}: ${call.reason}`);
}

// Two sessions: what is granted in the first says nothing about the second.
const permissions = { Read: "allow", Write: "ask", "*": "deny" } as const;
{
  await using session = client.session({ cwd: "/home/dev/shop", approval: person, permissions });
  await attempt(session, "Read", "src/app.py");
  await attempt(session, "Write", "/tmp/notes.md");
  await attempt(session, "Write", "src/app.py");
  await attempt(session, "Write", "src/app.py");
  await attempt(session, "Write", "src/other.py");
  await attempt(session, "Write", "src/.env");
  await attempt(session, "Delete", "src/app.py");
}
console.log("another session");
{
  await using session = client.session({ cwd: "/home/dev/shop", approval: person, permissions });
  await attempt(session, "Write", "src/app.py");
}
