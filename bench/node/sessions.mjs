/** What a session adds to a tool that takes a millisecond. */

import { repeat, serve } from "./harness.mjs";
import { clientWith, silent } from "./subjects.mjs";

const ARGS = { command: "ls -la" };
const TOOL_NS = 1_000_000n;

/** Works for a millisecond: a timer would be less exact than what is measured. */
const work = async () => {
  const ends = process.hrtime.bigint() + TOOL_NS;
  while (process.hrtime.bigint() < ends);
  return "done";
};

const session = clientWith(silent, 10).session();

// A millisecond for each call would leave most of the code uncompiled, which no program is that runs for a while.
for (let call = 0; call < 10_000; call++) await session.runTool("Bash", ARGS, () => "done");

await serve(
  {
    "tool of 1 ms": repeat(() => work({ ...ARGS })),
    "tool of 1 ms in a session with 10 hooks": repeat(() => session.runTool("Bash", ARGS, work)),
  },
  {},
  100e6, // A hundred calls: after seconds of waiting for the other programs' turns the first calls of a sample are cold.
);
