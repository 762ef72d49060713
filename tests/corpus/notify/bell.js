#!/usr/bin/env node
// Rings the terminal's bell through the agent.
process.stdin.resume().on("end", () => {
  console.log(JSON.stringify({ terminalSequence: "\u0007" }));
});
