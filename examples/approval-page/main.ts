/** An agent whose calls wait for a person in a browser. */

import { parseArgs } from "node:util";
import { HookClient, HookResponse } from "hookweave";
import { ApprovalPage } from "./approval-page.js";

// What the agent wants to do, all at once. The second call was written to deceive the person who approves it.
const CALLS: [string, Record<string, string>][] = [
  ["Bash", { command: "npm run build && npm publish" }],
  ["Bash", { command: "echo ok </pre><script>document.title='owned'</script>\u202e \x1b[2K\r# fr- mr" }],
  ["Write", { file_path: "deploy/production.yaml", content: "replicas: 3\nimage: shop:1.4.0\n" }],
];

/** Asks about commands that publish or that are not understood, and about what goes to production. */
function policy(client: HookClient, timeout: number): void {
  client.registerHook("PreToolUse", {
    name: "commands",
    matcher: { rule: "Bash(npm publish *)" },
    handler: () => HookResponse.ask("May the agent run this command?", { timeout }),
    config: { failBehavior: "block" },
  });
  client.registerHook("PreToolUse", {
    name: "production",
    matcher: { pathPattern: "deploy/**" },
    handler: () => {
      const options = ["Allow once", "Allow always", "Not today", "Deny"];
      return HookResponse.ask("May the agent change production?", { options, timeout, remember: "tool" });
    },
    config: { failBehavior: "block" },
  });
}

// Serves the page until everything is decided.
const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    origin: { type: "string", multiple: true },
    seconds: { type: "string", default: "300" },
  },
});

const client = new HookClient();
policy(client, Number(values.seconds) * 1000);
const session = client.session({ sessionId: "shop", approval: "pending" });
await using page = await ApprovalPage.open(session, { port: Number(values.port), origins: values.origin ?? [] });
console.log(`Open ${page.link}`);
const outcomes = await Promise.all(CALLS.map(([tool, args]) => session.runTool(tool, args, () => "done")));
for (const [index, call] of outcomes.entries()) {
  console.log(`${CALLS[index]?.[0]}: ${call.ran ? String(call.output) : call.reason}`);
}
