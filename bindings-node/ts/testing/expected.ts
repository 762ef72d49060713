/** Failures of hooks that a test has expected. */

import type { Outcome, TraceEntry } from "../outcome.js";

const expected = new WeakMap<Outcome, Set<string>>();

/** Makes the failure of a hook an expected one. */
export function expectFailure(outcome: Outcome, { id }: TraceEntry): void {
  const hooks = expected.get(outcome) ?? new Set();
  expected.set(outcome, hooks.add(id));
}

/** Whether a test has expected it. */
export function isExpected(outcome: Outcome, { id }: TraceEntry): boolean {
  return expected.get(outcome)?.has(id) ?? false;
}
