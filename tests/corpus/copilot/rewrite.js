#!/usr/bin/env node
// Changes the arguments of a call; they come as JSON or as text that holds JSON.
const { readFileSync } = require("node:fs");
const { toolArgs } = JSON.parse(readFileSync(0, "utf8"));
const args = typeof toolArgs === "string" ? JSON.parse(toolArgs) : toolArgs;
console.log(JSON.stringify({ modifiedArgs: { ...args, command: `nice ${args.command}` } }));
