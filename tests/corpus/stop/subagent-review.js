#!/usr/bin/env node
// Sends a subagent back that did not say what it found.
const { readFileSync } = require("node:fs");
const { agent_type: type } = JSON.parse(readFileSync(0, "utf8"));
if (type === "reviewer") console.log(JSON.stringify({ decision: "block", reason: "List what you found" }));
