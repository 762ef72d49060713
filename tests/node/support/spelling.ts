/** How the vectors' names are spelled in this language, and back. */

import { HookClient } from "hookweave";

import { camel, decode, isObject, type Json, type JsonObject } from "./values.js";

/** What a handler is given, as the runner uses it. */
export interface Given {
  toJson(): string;
  readonly [field: string]: unknown;
}

export function camelKeys(object: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [camel(key), decode(value)]),
  );
}

const catalogue = new HookClient().catalogue();
const common = ["eventType", "sessionId", "timestamp", "cwd", "agentId", "metadata"];

/** The fields that the catalogue names for an event, in this language's spelling. */
export function knownFields(event: string): Set<string> {
  const entry = catalogue.find(({ name, aliases }) => name === event || aliases.includes(event));
  return new Set([...common, ...(entry?.fields ?? []).map(({ name }) => name)]);
}

/** Payload fields in this language's spelling; what is inside them stays. */
export function localFields(event: string, fields: Json | undefined): unknown {
  const decoded = decode(fields ?? {});
  if (!isObject(decoded)) return decoded;
  const known = knownFields(event);
  return Object.fromEntries(
    Object.entries(decoded).map(([name, value]) => [
      known.has(camel(name)) ? camel(name) : name,
      value,
    ]),
  );
}

/** The fields of an event by their canonical names, the values as they are. */
export function canonicalView(event: Given): Record<string, unknown> {
  const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);
  const known = knownFields(event["eventType"] as string);
  return Object.fromEntries(
    Object.keys(event).map((name) => [known.has(name) ? snake(name) : name, event[name]]),
  );
}

/** An answer in this language's spelling. */
export function answerOf(event: Given, canonical: JsonObject): Record<string, unknown> {
  const answer = camelKeys(canonical);
  if ("delayMs" in answer) {
    answer["delay"] = answer["delayMs"];
    delete answer["delayMs"];
  }
  if (isObject(answer["ask"]) && "timeout_ms" in answer["ask"]) {
    const { timeout_ms: timeout, ...ask } = answer["ask"];
    answer["ask"] = { ...ask, timeout };
  }
  if (canonical["modified"] !== undefined) {
    answer["modified"] = localFields(event["eventType"] as string, canonical["modified"]);
  }
  return answer;
}

/** Late answers as this language spells them. */
export function lateHere(patterns: Json): Json {
  return (patterns as JsonObject[]).map(({ answer, ...rest }) => ({
    ...rest,
    answer: camelKeys(answer as JsonObject) as JsonObject,
  }));
}
