/** What importing the package adds to a program, in processes of their own. */

import { execFileSync } from "node:child_process";

import { serve } from "./harness.mjs";

const PROGRAM = `
const began = process.hrtime.bigint();
await import(${JSON.stringify(import.meta.resolve("hookweave"))});
console.log(String(process.hrtime.bigint() - began));
`;

/** Starts processes, which measure the import alone. */
function importing(count) {
  let took = 0;
  for (let i = 0; i < count; i++) {
    took += Number(execFileSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], { encoding: "utf8" }));
  }
  return took;
}

// One process takes longer than a usual sample.
await serve({ "added to a program": importing }, {}, 100e6);
