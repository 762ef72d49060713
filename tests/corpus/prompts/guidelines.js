#!/usr/bin/env node
// Adds the project's rules to prompts about tests, in JSON.
const { readFileSync } = require("node:fs");
const { prompt } = JSON.parse(readFileSync(0, "utf8"));
if (prompt.includes("test")) {
  process.stdout.write(
    JSON.stringify({
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "Tests live in tests/." },
    }),
  );
}
