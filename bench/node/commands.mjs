/** Commands as hooks in Node, beside `child_process`: how long each takes, and for how long the main thread is busy with it. */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { HookClient } from "hookweave";
import { repeat, serve, version } from "./harness.mjs";
import { EVENT, PAYLOAD, dispatching } from "./subjects.mjs";

// Both are places below the directory that the benchmark runs in.
const ONE = "bench/hooks/hookweave.toml";
const FIFTY = "target/bench/fifty/.claude/settings.json";
const large = process.argv.includes("large");

/** What a program with a command and no engine does: JSON in, output and exit code out. */
const spawning = () =>
  new Promise((resolve, reject) => {
    const child = spawn("/usr/bin/true", [], { stdio: "pipe" });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.stdin.on("error", () => {}); // A program may end without reading.
    child.stdin.end(JSON.stringify(PAYLOAD));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output }));
  });

/**
 * Counts only the time that the main thread spent on a processor, as the system keeps it. Node's own count is of no use
 * here: a wait that a child's end interrupts is none to it. What a fork blocks the thread for is not counted.
 */
const busy = (run) => async (count) => {
  const before = onProcessor();
  await run(count);
  return onProcessor() - before;
};

const onProcessor = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]);

function loaded() {
  const client = new HookClient();
  client.load(ONE);
  return client;
}

const hook = dispatching(loaded());
const plain = repeat(spawning);
const ballast = large ? Buffer.alloc(2 ** 31, 1) : null;
await serve(
  {
    // Ours first and both in a row: after a fork every page that is written to is a fault, which the next one would pay.
    "hookweave, command true": hook,
    "hookweave, command true, main thread": busy(hook),
    "child_process.spawn, true": plain,
    "child_process.spawn, true, main thread": busy(plain),
    ...(large ? {} : { "loading 50 hooks": repeat(async () => new HookClient().load(FIFTY)) }),
  },
  { hookweave: await version("hookweave") },
  100e6, // Commands are slower and vary more.
);
// Held until the end.
ballast?.fill(0, 0, 1);
