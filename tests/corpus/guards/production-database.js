#!/usr/bin/env node
// Asks before anything is done to a production database, and tells the user why.
const { readFileSync } = require("node:fs");
const { tool_name: tool, tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
if (tool === "Bash" && /psql.*prod/.test(input.command)) {
  console.log(
    JSON.stringify({
      systemMessage: "A command wants to reach the production database",
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "ask",
        permissionDecisionReason: "production database",
      },
    }),
  );
}
