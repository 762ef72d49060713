/** The size of a payload must not matter to hooks that live in Node. */

import { serve } from "./harness.mjs";
import { PAYLOAD, clientWith, dispatching, silent } from "./subjects.mjs";

const text = "x".repeat(100_000);
const objects = Array.from({ length: 1_500 }, (_, id) => ({ id, name: `file${id}.py`, lines: [1, 2, 3] }));

let seen = 0;
const reads = async (event) => {
  seen += event.args.command.length;
};

const withArgs = (args) => ({ ...PAYLOAD, args });

await serve({
  "small, read": dispatching(clientWith(reads, 1)),
  "100 KB string, read": dispatching(clientWith(reads, 1), withArgs({ command: text })),
  "small, untouched": dispatching(clientWith(silent, 1)),
  "1,500 objects, untouched": dispatching(clientWith(silent, 1), withArgs({ command: "ls", files: objects })),
});
