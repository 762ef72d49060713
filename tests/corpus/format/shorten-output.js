#!/usr/bin/env node
// Gives the model a short form of a long output.
const { readFileSync } = require("node:fs");
const { tool_response: output } = JSON.parse(readFileSync(0, "utf8"));
const text = typeof output === "string" ? output : output.stdout;
console.log(
  JSON.stringify({
    hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: `${text.length} characters` },
  }),
);
