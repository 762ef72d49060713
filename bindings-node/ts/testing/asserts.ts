/** Asserts about what hooks made of an event; their messages show the whole decision. */

import { isDeepStrictEqual, inspect } from "node:util";

import type { FailureKind } from "../errors.js";
import type { Failure, Outcome, TraceEntry } from "../outcome.js";
import { isToolOutcome } from "../session-results.js";
import { isPlain } from "../values.js";
import { expectFailure } from "./expected.js";
import { deciderOf, decisionOf, fail, isBlocked, outcomesOf, type Judged } from "./judged.js";

/** Part of a text, or a pattern that is found in it. */
export type Text = string | RegExp;

/** Why it was decided, and who decided it. */
export interface Decided {
  reason?: Text;
  by?: string;
}

type Assert = (...args: never[]) => unknown;

/** The action is blocked. */
export function assertBlocked(outcome: Judged, decided: Decided = {}): void {
  takes(decided, ["reason", "by"], assertBlocked);
  const decision = decisionOf(outcome);
  if (!isBlocked(outcome)) {
    fail(`expected to be blocked, but the decision is \`${decision}\``, outcome, assertBlocked);
  }
  checkDecided(outcome, decided, assertBlocked);
}

/** A hook or a person has allowed it; without any objection, use `assertContinues`. */
export function assertAllowed(outcome: Judged, decided: Decided = {}): void {
  takes(decided, ["reason", "by"], assertAllowed);
  const decision = decisionOf(outcome);
  const asked = isToolOutcome(outcome) && outcome.ran && decision === "ask";
  if (decision !== "allow" && !asked) {
    fail(`expected to be allowed, but the decision is \`${decision}\``, outcome, assertAllowed);
  }
  checkDecided(outcome, decided, assertAllowed);
}

/** The agent continues: no hook blocks it, asks a person or wants a retry. */
export function assertContinues(outcome: Judged): void {
  const decision = decisionOf(outcome);
  const goesOn = isToolOutcome(outcome)
    ? outcome.ran
    : ["continue", "allow", "skip", "done"].includes(decision);
  if (!goesOn) {
    fail(`expected to continue, but the decision is \`${decision}\``, outcome, assertContinues);
  }
}

/** A person is to be asked, or was. */
export function assertAsked(outcome: Judged, wanted: { prompt?: Text; by?: string } = {}): void {
  takes(wanted, ["prompt", "by"], assertAsked);
  const asked = outcomesOf(outcome).filter(({ decision }) => decision === "ask");
  if (asked.length === 0) {
    fail("expected that a person is asked, but none is", outcome, assertAsked);
  }
  const given = asked.flatMap(({ asks, reason }) =>
    asks.map(({ prompt, hook }): Given => [prompt ?? reason, hook]),
  );
  some("a question", given, wanted.prompt, wanted.by, outcome, assertAsked);
}

/** A hook objects to what has happened already and cannot be blocked any more. */
export function assertObjected(outcome: Judged, wanted: { reason?: Text } = {}): void {
  takes(wanted, ["reason"], assertObjected);
  const given = outcomesOf(outcome).flatMap(({ feedback }) =>
    feedback.map((text): Given => [text, null]),
  );
  some("an objection", given, wanted.reason, undefined, outcome, assertObjected);
}

/** Hooks changed these fields to these values; of an object, its given parts are looked at. Without any: some field. */
export function assertModified(
  outcome: Judged,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  const changed = new Map(
    outcomesOf(outcome).flatMap((each) => each.modified.map((name) => [name, each] as const)),
  );
  const names = Object.keys(fields);
  if (changed.size === 0 && names.length === 0) {
    fail("expected that a hook changes the event, but none does", outcome, assertModified);
  }
  const wrong: string[] = [];
  const actual: Record<string, unknown> = {};
  for (const name of names) {
    const event = changed.get(name)?.event as Readonly<Record<string, unknown>> | undefined;
    if (event === undefined) {
      wrong.push(`${name}: expected ${shown(fields[name])}, but no hook changed it`);
    } else {
      actual[name] = event[name];
      wrong.push(...differences(name, fields[name], event[name]));
    }
  }
  if (wrong.length === 0) return;
  const what = `the event was not changed as expected:\n  ${wrong.join("\n  ")}`;
  fail(what, outcome, assertModified, { actual, expected: fields });
}

/** A hook injects this context. */
export function assertInjected(
  outcome: Judged,
  text?: Text,
  wanted: { by?: string; role?: "system" | "user" | "assistant" } = {},
): void {
  takes(wanted, ["by", "role"], assertInjected);
  const { by, role } = wanted;
  const given = outcomesOf(outcome)
    .flatMap(({ injections }) => injections)
    .filter((part) => role === undefined || part.role === role);
  const kind = role === undefined ? "context" : `context as ${role}`;
  const texts = given.map(({ content, hook }): Given => [content, hook]);
  some(kind, texts, text, by, outcome, assertInjected);
}

/** A hook shows the user this. */
export function assertMessage(
  outcome: Judged,
  text?: Text,
  wanted: { by?: string; level?: "info" | "warning" | "error" } = {},
): void {
  takes(wanted, ["by", "level"], assertMessage);
  const { by, level } = wanted;
  const given = outcomesOf(outcome)
    .flatMap(({ messages }) => messages)
    .filter((part) => level === undefined || part.level === level);
  const kind = level === undefined ? "a message" : `a message of level ${level}`;
  const texts = given.map((part): Given => [part.text, part.hook]);
  some(kind, texts, text, by, outcome, assertMessage);
}

/** Just these hooks ran, in this order; those that failed or were not awaited count too. */
export function assertRan(outcome: Judged, hooks: readonly string[]): void {
  const ran = traceOf(outcome).filter(({ status }) =>
    ["ran", "failed", "detached"].includes(status),
  );
  const came = ran.map(({ hook }) => hook);
  if (isDeepStrictEqual(came, [...hooks])) return;
  const what = `other hooks ran than expected:\n  expected ${shown(hooks)}\n  ran      ${shown(came)}`;
  fail(what, outcome, assertRan, { actual: came, expected: hooks });
}

/** The event is not for this hook; `why` is part of the condition that keeps it out. */
export function assertNotSelected(
  outcome: Judged,
  hook: string,
  wanted: { why?: Text } = {},
): void {
  takes(wanted, ["why"], assertNotSelected);
  if (traceOf(outcome).some((entry) => entry.hook === hook)) {
    fail(`expected that \`${hook}\` is not selected, but it was`, outcome, assertNotSelected);
  }
  const others = outcomesOf(outcome).flatMap(({ unmatched }) => unmatched);
  if (!others.some((other) => other.hook === hook)) {
    const what = `expected that \`${hook}\` is not selected, but no hook of the event is called so`;
    fail(what, outcome, assertNotSelected);
  }
  const given = others.map((other): Given => [other.why, other.hook]);
  some("a condition", given, wanted.why, hook, outcome, assertNotSelected);
}

/** A hook failed; gives how. The failure then counts as expected by a `WatchedClient`. */
export function assertFailed(
  outcome: Judged,
  hook?: string,
  kind?: FailureKind,
  wanted: { message?: Text } = {},
): Failure {
  takes(wanted, ["message"], assertFailed);
  const { message } = wanted;
  const failures = outcomesOf(outcome).flatMap((each) =>
    each.trace.flatMap((entry) =>
      entry.failure !== null && (hook === undefined || entry.hook === hook)
        ? [{ each, entry, failure: entry.failure }]
        : [],
    ),
  );
  const who = hook === undefined ? "a hook" : `\`${hook}\``;
  if (failures.length === 0) {
    fail(`expected that ${who} fails, but it did not`, outcome, assertFailed);
  }
  const found = failures.find(
    ({ failure }) =>
      (kind === undefined || failure.kind === kind) && fits(failure.message, message),
  );
  if (found === undefined) {
    const came = failures.map(
      ({ entry, failure }) => `\`${entry.hook}\` ${failure.kind}: ${failure.message}`,
    );
    const sought = `${kind === undefined ? "" : ` of kind \`${kind}\``}${withText(message)}`;
    fail(
      `expected a failure${sought}, but what failed is ${came.join("; ")}`,
      outcome,
      assertFailed,
    );
  }
  expectFailure(found.each, found.entry);
  return found.failure;
}

/** Refuses misspelled options: the assert would ignore them. */
function takes(options: object, known: readonly string[], assert: Assert): void {
  const given: unknown = options;
  const takesThese = `${assert.name} takes ${known.join(", ")} in an object`;
  if (!isPlain(given)) throw new TypeError(`${takesThese}, not ${shown(given)}`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new TypeError(`${takesThese}, not \`${unknown}\``);
}

function traceOf(outcome: Judged): TraceEntry[] {
  return outcomesOf(outcome).flatMap((each: Outcome) => each.trace);
}

function checkDecided(outcome: Judged, { reason, by }: Decided, assert: Assert): void {
  const decider = deciderOf(outcome);
  if (by !== undefined && decider !== by) {
    const came = decider === null ? "none" : `\`${decider}\``;
    fail(`expected that \`${by}\` decides, but it was ${came}`, outcome, assert);
  }
  if (!fits(outcome.reason, reason)) {
    fail(
      `expected a reason${withText(reason)}, but it is ${shown(outcome.reason)}`,
      outcome,
      assert,
    );
  }
}

/** A text, and the hook that it is of. */
type Given = readonly [text: string | null, hook: string | null];

/** Some of the given texts has to fit. */
function some(
  kind: string,
  given: readonly Given[],
  text: Text | undefined,
  by: string | undefined,
  outcome: Judged,
  assert: Assert,
): void {
  if (given.some(([came, hook]) => fits(came, text) && (by === undefined || by === hook))) return;
  const wanted = `${kind}${by === undefined ? "" : ` of \`${by}\``}${withText(text)}`;
  const came = given.map(
    ([part, hook]) => `${shown(part)}${hook === null ? "" : ` of \`${hook}\``}`,
  );
  fail(`expected ${wanted}; there is ${came.join(", ") || "none"}`, outcome, assert);
}

function fits(came: string | null, text: Text | undefined): boolean {
  if (text === undefined) return true;
  if (came === null) return false;
  // A pattern that remembers where it was must not be asked twice.
  return typeof text === "string" ? came.includes(text) : came.search(text) !== -1;
}

function withText(text: Text | undefined): string {
  if (text === undefined) return "";
  return typeof text === "string" ? ` with ${shown(text)}` : ` that fits ${String(text)}`;
}

function shown(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: Infinity });
}

/** What of the expected value is otherwise. */
function differences(path: string, expected: unknown, came: unknown): string[] {
  if (isPlain(expected) && isPlain(came)) {
    return Object.entries(expected).flatMap(([name, part]) =>
      Object.hasOwn(came, name)
        ? differences(`${path}.${name}`, part, came[name])
        : [`${path}.${name}: expected ${shown(part)}, but it is not there`],
    );
  }
  if (isDeepStrictEqual(expected, came)) return [];
  return [`${path}: expected ${shown(expected)}, came ${shown(came)}`];
}
