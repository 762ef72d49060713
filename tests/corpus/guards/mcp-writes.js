#!/usr/bin/env node
// Denies every MCP tool that writes.
const chunks = [];
process.stdin.on("data", (chunk) => chunks.push(chunk));
process.stdin.on("end", () => {
  const { tool_name: name } = JSON.parse(Buffer.concat(chunks).toString());
  const [, server, tool] = name.split("__");
  if (/^(create|delete|update|write)/.test(tool)) {
    console.error(`${server} may only be read`);
    process.exitCode = 2;
  }
});
