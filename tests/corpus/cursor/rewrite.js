#!/usr/bin/env node
// Changes the input of a tool.
const { readFileSync } = require("node:fs");
const { tool_input: input } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ permission: "allow", updated_input: { ...input, command: "make check" } }));
