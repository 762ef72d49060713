/** What asserts look at: outcomes of events, of tool calls and of whole generations, seen the same way. */

import { AssertionError } from "node:assert";

import { callNative } from "../native.js";
import { isOutcome, recordOf, type Outcome } from "../outcome.js";
import {
  isGeneration,
  isToolOutcome,
  type Generation,
  type ToolOutcome,
} from "../session-results.js";
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
  if (isOutcome(given)) return [given];
  if (isToolOutcome(given) || isGeneration(given)) return given.outcomes;
  const hint = given instanceof Promise ? ", not a promise: was `await` forgotten?" : "";
  throw new TypeError(`an Outcome, a ToolOutcome or a Generation is expected${hint}`);
}

/** What was decided, in a word. */
export function decisionOf(judged: Judged): string {
  outcomesOf(judged);
  return isGeneration(judged) ? judged.status : judged.decision;
}

/** Whether what the agent was about to do must not happen. */
export function isBlocked(judged: Judged): boolean {
  if (isToolOutcome(judged)) return ["block", "stop", "deny"].includes(judged.decision);
  if (isGeneration(judged)) return ["blocked", "stopped"].includes(judged.status);
  return judged.blocked;
}

/** Who decided. */
export function deciderOf(judged: Judged): string | null {
  if (isToolOutcome(judged)) return judged.by;
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
  outcomesOf(judged);
  return judged.describe();
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
    message: `${what}\n\n${judged.describe()}`,
    operator: assert.name,
    stackStartFn: assert,
    ...difference,
  });
}
