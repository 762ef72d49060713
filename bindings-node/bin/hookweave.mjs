#!/usr/bin/env node
// Starts the hookweave command that came with this package and becomes it, as far as Node can: its exit code, its signals.
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

import { findCommand } from "./find.mjs";
import { platformName } from "./platform.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { program, error } = findCommand(root, platformName());
if (error !== undefined) {
  console.error(`error: ${error}`);
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends its signals to both; others are passed on. The command decides when it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" && signal !== "SIGQUIT") child.kill(signal);
  });
}
child.on("error", (why) => {
  console.error(`error: ${program} cannot be started: ${why.message}; ${mendOf(why)}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 2);
  // Ends as the command did, so that whoever started it sees the same.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1000);
});

/** The file is there, so it is its permissions, or a system for which it was not made. */
function mendOf({ code }) {
  if (code === "EACCES")
    return "make it executable, or install the package anew: `npm install --force hookweave`";
  return "it may be made for another system: install the package anew here, or run `cargo install hookweave-cli`";
}
