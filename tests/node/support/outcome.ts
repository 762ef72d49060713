/** Holds an outcome against what its case expects. */

import type { Outcome } from "hookweave";

import { misfit, type Json, type JsonObject } from "./values.js";

/** What a runner compares apart from the canonical form. */
const apart = new Set([
  "ran",
  "runs",
  "hooks_left",
  "unmatched",
  "trace_of",
  "error",
  "cancelled",
  "explain",
  "saw",
  "requests",
  "late",
  "records",
  "stats",
  "to_wire",
]);

/** Why an outcome does not fit; null when it does. */
export function outcomeMisfit(
  expected: JsonObject,
  outcome: Outcome,
  place: string,
): string | null {
  const canonical = outcome.toJSON() as unknown as Record<string, unknown>;
  for (const [key, pattern] of Object.entries(expected)) {
    if (apart.has(key)) continue;
    const why = misfit(pattern, canonical[key], `${place}.${key}`);
    if (why !== null) return why;
  }
  const trace = canonical["trace"] as { hook: string }[];
  for (const [name, pattern] of Object.entries((expected["trace_of"] ?? {}) as JsonObject)) {
    const entry = trace.findLast(({ hook }) => hook === name);
    const why = misfit(pattern, entry, `${place}.trace_of.${name}`);
    if (why !== null) return why;
  }
  if (expected["unmatched"] !== undefined) {
    const patterns = (expected["unmatched"] as JsonObject[]).map(({ hook, why_contains: why }) => ({
      hook: hook as Json,
      ...(why === undefined ? {} : { why: { $contains: why } }),
    }));
    return misfit(patterns, outcome.unmatched, `${place}.unmatched`);
  }
  return null;
}
