#!/usr/bin/env node
// Adds context to a prompt, with a tag in it that Gemini escapes.
const { readFileSync } = require("node:fs");
const { prompt } = JSON.parse(readFileSync(0, "utf8"));
console.log(
  JSON.stringify({
    hookSpecificOutput: { hookEventName: "BeforeAgent", additionalContext: `<b>${prompt.length}</b> letters` },
  }),
);
