#!/usr/bin/env node
// Grants a request with a narrower input.
const { readFileSync } = require("node:fs");
const { tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
const decision = { behavior: "allow", updatedInput: { ...input, timeout: 1000 } };
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } }));
