/** Hooks that cannot match must cost nothing: 50 and 10,000 registered, one of them for the event's tool. */

import { serve } from "./harness.mjs";
import { EVENT, PAYLOAD, dispatching, silent, unlimited } from "./subjects.mjs";

const LONG = `git log --oneline --decorate && ${"pytest -q tests/unit && ".repeat(28)}echo done`;

function among(total, matcher, command = "ls -la") {
  const client = unlimited();
  for (let i = 0; i < total - 1; i++)
    client.registerHook(EVENT, { name: `other${i}`, matcher: matcher(i), handler: silent });
  client.registerHook(EVENT, { matcher: { tool: "Bash" }, handler: silent });
  return dispatching(client, { ...PAYLOAD, args: { command } });
}

const byTool = (i) => ({ tool: `Tool${i}` });
const byCommand = (i) => ({ commandPattern: `\\bjob-${i}\\b` });

await serve({
  "50 hooks, other tools": among(50, byTool),
  "10,000 hooks, other tools": among(10_000, byTool),
  "10,000 hooks, command patterns": among(10_000, byCommand),
  "10,000 hooks, command patterns, 700-byte command": among(10_000, byCommand, LONG),
});
