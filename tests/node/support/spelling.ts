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

/** The fields that the catalogue names for an event, in this language's spelling, and those whose fields it names too. */
function knownFields(event: string): { names: Set<string>; records: Set<string> } {
  const entry = catalogue.find(({ name, aliases }) => name === event || aliases.includes(event));
  const fields = entry?.fields ?? [];
  return {
    names: new Set([...common, ...fields.map(({ name }) => name)]),
    records: new Set(fields.filter(({ kind }) => kind === "record").map(({ name }) => name)),
  };
}

/** An object with its keys spelled otherwise; anything else as it is. */
function respelled(value: unknown, spell: (name: string) => string): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [spell(key), item]));
}

/** A name in snake_case. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Payload fields in this language's spelling; what is inside them stays, but for what the catalogue knows. */
export function localFields(event: string, fields: Json | undefined): unknown {
  const decoded = decode(fields ?? {});
  if (!isObject(decoded)) return decoded;
  const { names, records } = knownFields(event);
  return Object.fromEntries(
    Object.entries(decoded).map(([key, value]) => {
      const name = camel(key);
      return [names.has(name) ? name : key, records.has(name) ? respelled(value, camel) : value];
    }),
  );
}

/** The fields of an event by their canonical names, the values as they are, but for what the catalogue knows. */
export function canonicalView(event: Given): Record<string, unknown> {
  const { names, records } = knownFields(event["eventType"] as string);
  return Object.fromEntries(
    Object.keys(event).map((name) => [
      names.has(name) ? snake(name) : name,
      records.has(name) ? respelled(event[name], snake) : event[name],
    ]),
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
