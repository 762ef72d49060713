/** Asks a person before anything under production changes; everything else is written at once. */

import { HookClient, HookResponse, type ApprovalRequest } from "hookweave";

const client = new HookClient();
const files = new Map<string, string>();

// Wherever the folder lies, and however the path is written. Should the hook itself break, nothing is written.
client.registerHook("PreToolUse", {
  name: "production",
  matcher: { tool: "Write|Edit", pathPattern: "**/production/**" },
  // Asks, and gives the person a minute; silence is a no.
  handler: (event) => HookResponse.ask(`Write ${event.args.file_path}?`, { timeout: 60_000, default: "deny" }),
  config: { failBehavior: "block" },
});

// Changes what is written before the question: a person sees what will run, and that is what runs.
client.registerHook("PreToolUse", {
  matcher: { tool: "Write", pathPattern: "*.yaml" },
  handler: ({ args }) =>
    HookResponse.continue({ modified: { args: { ...args, content: `# by agent\n${args.content}` } } }),
  config: { priority: -10 },
});

/** Stands for the person on call, who lets the number of replicas change and nothing else. */
function onCall(request: ApprovalRequest): string {
  console.log(`    ${request.prompt}\n    ${request.shown}`);
  const answer = String(request.args?.content).includes("replicas") ? "Allow once" : "Deny";
  console.log(`    ${answer}`);
  return answer;
}

/** Stands for a tool that writes files. */
function write(args: { file_path: string; content: string }): string {
  files.set(args.file_path, args.content);
  return "written";
}

const CALLS = [
  { file_path: "staging/app.yaml", content: "debug: true" },
  { file_path: "production/app.yaml", content: "replicas: 4" },
  { file_path: "production/app.yaml", content: "debug: true" },
  { file_path: "staging/../production/db.yaml", content: "host: localhost" },
];

// Makes the calls; with `--terminal` it is you who is asked.
const approval = process.argv.includes("--terminal") ? "terminal" : onCall;
await using session = client.session({ cwd: "/srv/shop", approval });
await session.start();
for (const args of CALLS) {
  console.log(`Write ${args.file_path}`);
  const call = await session.runTool("Write", args, write);
  console.log(`    ${call.ran ? call.output : call.reason}`);
}
console.log("now there are", [...files.keys()].sort().join(", "));
