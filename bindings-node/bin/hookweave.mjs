#!/usr/bin/env node
// Starts the hookweave command that came with this package and becomes it, as far as Node can: its exit code, its signals.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

import { platformName } from "./platform.mjs";

const name = platformName();
const program = `hookweave.${name}${process.platform === "win32" ? ".exe" : ""}`;

/** Beside the addon in this package, or in the package of this system. */
function find() {
  const own = join(dirname(fileURLToPath(import.meta.url)), "..", "native", program);
  if (existsSync(own)) return own;
  try {
    const theirs = createRequire(import.meta.url).resolve(`@hookweave/native-${name}/package.json`);
    const beside = join(dirname(theirs), program);
    return existsSync(beside) ? beside : undefined;
  } catch {
    return undefined;
  }
}

const found = find();
if (found === undefined) {
  console.error(
    `error: the hookweave command for ${name} is not in this installation; ` +
      "install without --omit=optional, or run `cargo install hookweave-cli`",
  );
  process.exit(2);
}

const child = spawn(found, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends its signals to both; others are passed on. The command decides when it ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" && signal !== "SIGQUIT") child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`error: ${found} cannot be started: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? 2);
  // Ends as the command did, so that whoever started it sees the same.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1000);
});
