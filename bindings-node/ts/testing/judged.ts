/** What asserts look at: outcomes of events, of tool calls and of whole generations, seen the same way. */

import { AssertionError } from "node:assert";

import { callNative } from "../native.js";
import { Outcome, recordOf } from "../outcome.js";
import { Generation, ToolOutcome } from "../session-results.js";
import { detailsOf } from "../dispatch-record.js";

/** A result that hooks judged: of an event, a tool call or a generation. */
export type Judged = Outcome | ToolOutcome | Generation;

/** A text that differs from run to run, and the name that replaces it; for a folder perhaps with the name below it. */
export interface Placeholder {
  readonly text: string;
  readonly name: string;
  readonly withChild: boolean;
}

/** The outcome of each event, in order. */
export function outcomesOf(judged: Judged): readonly Outcome[] {
  const given: unknown = judged;
  if (given instanceof Outcome) return [given];
  if (given instanceof ToolOutcome || given instanceof Generation) return given.outcomes;
  const hint = given instanceof Promise ? ", not a promise: was `await` forgotten?" : "";
  throw new TypeError(`an Outcome, a ToolOutcome or a Generation is expected${hint}`);
}

/** What was decided, in a word. */
export function decisionOf(judged: Judged): string {
  outcomesOf(judged);
  return judged instanceof Generation ? judged.status : judged.decision;
}

/** Whether what the agent was about to do must not happen. */
export function isBlocked(judged: Judged): boolean {
  if (judged instanceof ToolOutcome) return ["block", "stop", "deny"].includes(judged.decision);
  if (judged instanceof Generation) return ["blocked", "stopped"].includes(judged.status);
  return judged.blocked;
}

/** Who decided. */
export function deciderOf(judged: Judged): string | null {
  if (judged instanceof ToolOutcome) return judged.by;
  const deciders = outcomesOf(judged).map((outcome) => snapshotOf(outcome, [])["by"]);
  return deciders.filter((hook): hook is string => typeof hook === "string").at(-1) ?? null;
}

/** What hooks made of an event, without what differs from run to dispatch. */
export function snapshotOf(
  outcome: Outcome,
  placeholders: readonly Placeholder[],
): Record<string, unknown> {
  const { dispatch, values } = detailsOf(recordOf(outcome));
  return JSON.parse(callNative(() => dispatch.snapshot(values, [...placeholders]))) as Record<
    string,
    unknown
  >;
}

/** Describes who decided what and why, and the result of every hook, also of those that were not selected. */
export function describe(judged: Judged): string {
  const descriptions = outcomesOf(judged).map((outcome) => {
    const { dispatch, values } = detailsOf(recordOf(outcome));
    return callNative(() => dispatch.describe(values));
  });
  const events = descriptions.join("");
  if (judged instanceof Outcome) return events;
  return `${headOf(judged)}\n${events.replace(/^(?=.)/gm, "  ")}`;
}

function headOf(judged: ToolOutcome | Generation): string {
  const why = judged.reason === null ? "" : `: ${judged.reason}`;
  if (judged instanceof Generation) {
    return `generation: ${judged.status}${why}; model calls: ${String(judged.modelCalls)}`;
  }
  const often = judged.attempts > 1 ? `ran ${String(judged.attempts)} times` : "ran";
  const by = judged.by === null ? "" : ` by \`${judged.by}\``;
  const failed = judged.error === null ? "" : `; it failed: ${judged.error.message}`;
  return `call: ${judged.ran ? often : "did not run"}, ${judged.decision}${by}${why}${failed}`;
}

/** Two values whose difference test runners show beside the message. */
export interface Difference {
  readonly actual: unknown;
  readonly expected: unknown;
}

/** Throws what test runners take for a failed assert, with the whole decision in its message. */
export function fail(
  what: string,
  judged: Judged,
  assert: (...args: never[]) => unknown,
  difference?: Difference,
): never {
  throw new AssertionError({
    message: `${what}\n\n${describe(judged)}`,
    operator: assert.name,
    stackStartFn: assert,
    ...difference,
  });
}
