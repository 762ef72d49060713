/** Audit logs of a file of tests, in a folder that goes with them. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

import type { AuditRecord } from "hookweave";

/** Where the logs are. */
export const folder = mkdtempSync(join(tmpdir(), "hookweave-audit-"));
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

let made = 0;

/** The path of a log that is not there yet. */
export function newLog(): string {
  return join(folder, `log-${String(made++)}.jsonl`);
}

/** The records of a log. */
export function records(file: string): AuditRecord[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as AuditRecord);
}
