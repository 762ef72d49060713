/** What an audit log adds to a dispatch of one hook that says nothing. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { serve } from "./harness.mjs";
import { clientWith, EVENT, PAYLOAD, silent } from "./subjects.mjs";

const folder = mkdtempSync(join(tmpdir(), "hookweave-bench-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const [plain, audited] = [clientWith(silent, 1), clientWith(silent, 1)];
// What is measured is what a dispatch pays, not how long the writer takes for the records of a whole sample.
audited.configureAudit({ file: join(folder, "audit.jsonl"), queue: 1_000_000 });

/** Nanoseconds that so many dispatches take longer with a log than without. */
async function added(count) {
  const took = [];
  for (const client of [plain, audited]) {
    const began = process.hrtime.bigint();
    for (let i = 0; i < count; i++) await client.dispatch(EVENT, PAYLOAD);
    took.push(Number(process.hrtime.bigint() - began));
  }
  audited.flushAudit(60_000);
  return took[1] - took[0];
}

await serve({ "added to a dispatch by an audit log": added }, {}, 10e6);
