/** Events with everything filled in that a test does not care about. */

import type { HookClient } from "../client.js";
import type { AliasMap, EventMap } from "../events.js";
import type { Canonical, EventName, Payload } from "../event-types.js";
import { catalogue } from "../native.js";
import type { Outcome } from "../outcome.js";

/** An event of a test, for `dispatch`. */
export type TestEvent<N extends EventName = EventName> = Payload<N> & { readonly eventType: N };

/** What every event of a test has. */
const COMMON = { sessionId: "test-session", timestamp: 0 } as const;

/** What required fields hold unless a test says otherwise. */
const FIELDS: Readonly<Record<string, unknown>> = {
  tool: "Bash",
  toolUseId: "test-call",
  agentId: "test-agent",
  agentType: "general",
  model: "test-model",
  trigger: "manual",
  reason: "other",
  source: "startup",
  result: { success: true, output: "", duration: 0 },
  response: { text: "", toolCalls: [], usage: null, duration: 0 },
};

/** What all others hold, by what they have to be. */
const KINDS: Readonly<Record<string, unknown>> = {
  string: "",
  number: 0,
  boolean: false,
  list: [],
  object: {},
  record: {},
};

/** An event of the catalogue by its name or alias; required fields that are not given get harmless values. */
export function event<N extends keyof EventMap | keyof AliasMap>(
  name: N,
  fields: Partial<Payload<N>> = {},
): TestEvent<Canonical<N>> {
  const known = catalogue().find((entry) => entry.name === name || entry.aliases.includes(name));
  if (known === undefined) {
    throw new TypeError(
      `no event of the catalogue is called \`${name}\`; give \`dispatch\` the name of a custom one`,
    );
  }
  const needed = known.fields.filter(({ optional }) => !optional);
  const filled = needed.map(({ name: field, kind }) => [field, FIELDS[field] ?? KINDS[kind] ?? ""]);
  return {
    ...COMMON,
    // What hooks change in one event must not show in another.
    ...structuredClone(Object.fromEntries(filled) as object),
    ...fields,
    eventType: known.name,
  } as unknown as TestEvent<Canonical<N>>;
}

/** A tool is about to run: `toolEvent("Bash", { command: "ls" })`. */
export function toolEvent(
  tool: string,
  args: Record<string, unknown> = {},
): TestEvent<"PreToolUse"> {
  return event("PreToolUse", { tool, args });
}

/** A tool has run: `toolResultEvent("Bash", { command: "ls" }, { output: "a.txt", exitCode: 0 })`. */
export function toolResultEvent(
  tool: string,
  args: Record<string, unknown> = {},
  result: Readonly<Record<string, unknown>> = {},
): TestEvent<"PostToolUse"> {
  const whole = { success: true, output: "", duration: 0, ...result };
  return event("PostToolUse", { tool, args, result: whole });
}

/** A prompt came in. */
export function promptEvent(prompt: string): TestEvent<"UserPromptSubmit"> {
  return event("UserPromptSubmit", { prompt });
}

/** Dispatches an event, or one by its name with what it lacks filled in. */
export function dispatch<N extends EventName>(
  client: HookClient,
  event: TestEvent<N>,
): Promise<Outcome<N>>;
export function dispatch<N extends EventName>(
  client: HookClient,
  event: N,
  fields?: Partial<Payload<N>>,
): Promise<Outcome<N>>;
export function dispatch(
  client: HookClient,
  given: TestEvent | string,
  fields: object = {},
): Promise<Outcome> {
  const { eventType, ...payload } = typeof given === "string" ? named(given, fields) : given;
  return client.dispatch(eventType, payload as Payload);
}

function named(name: string, fields: object): TestEvent {
  const isKnown = catalogue().some((entry) => entry.name === name || entry.aliases.includes(name));
  if (isKnown) return event(name as keyof EventMap, fields);
  return { ...COMMON, ...fields, eventType: name } as unknown as TestEvent;
}
