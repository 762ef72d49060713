/** Values that JSON lacks, as the vectors write them. */

import { isDeepStrictEqual } from "node:util";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = Record<string, Json>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name in camelCase. */
export function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The single `$name` of an escape, with what stands behind it. */
function escapeOf(value: Json): [string, Json] | null {
  if (!isObject(value)) return null;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length !== 1 || !first?.[0].startsWith("$")) return null;
  return first;
}

/** The value of this language that a vector's value stands for. */
export function decode(value: Json): unknown {
  const found = escapeOf(value);
  if (found !== null) return decodeEscape(...found);
  if (Array.isArray(value)) return value.map(decode);
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decode(item)]));
  }
  return value;
}

function decodeEscape(name: string, given: Json): unknown {
  switch (name) {
    case "$int": {
      const exact = BigInt(given as string);
      const small = Number(exact);
      return Number.isSafeInteger(small) ? small : exact;
    }
    case "$float":
      return { nan: NaN, inf: Infinity, "-inf": -Infinity }[given as string] ?? Number(given);
    case "$undefined":
      return undefined;
    case "$date":
      return new Date(given as string);
    case "$bytes":
      return new Uint8Array(Buffer.from(given as string, "hex"));
    case "$tuple":
      return (given as Json[]).map(decode);
    case "$surrogate":
      return `a${String.fromCharCode(Number.parseInt(given as string, 16))}b`;
    case "$repeat": {
      const [text, times] = given as [string, number];
      return text.repeat(times);
    }
    case "$joined":
      return (given as Json[]).map(decode).join("");
    case "$nested": {
      let nested: unknown = 1;
      for (let level = 0; level < (given as number); level++) nested = [nested];
      return nested;
    }
    case "$bigkey":
      return new Map([[1, "one"]]);
    default:
      throw new Error(`the vectors have a new escape, ${name}`);
  }
}

/** Why a value does not fit a pattern; null when it fits. */
export function misfit(pattern: Json, got: unknown, place: string): string | null {
  const bad = (): string => `${place}: expected ${JSON.stringify(pattern)}, got ${show(got)}`;
  if (isObject(pattern)) {
    const keys = Object.keys(pattern);
    if (keys.length === 1) {
      if ("$contains" in pattern) {
        const parts = [pattern["$contains"]].flat() as string[];
        // Messages name fields as this language spells them.
        const says = (part: string): boolean =>
          typeof got === "string" && (got.includes(part) || got.includes(camel(part)));
        return parts.every(says) ? null : bad();
      }
      if ("$absent" in pattern) return got === undefined ? null : bad();
      if ("$kind" in pattern) return typeof got === pattern["$kind"] && got !== "" ? null : bad();
    }
    if (escapeOf(pattern) !== null) return sameValue(decode(pattern), got) ? null : bad();
    if (got === undefined && keys.length === 0) return null;
    if (!isObject(got)) return bad();
    for (const key of keys) {
      const why = misfit(pattern[key] as Json, got[key], `${place}.${key}`);
      if (why !== null) return why;
    }
    return null;
  }
  if (Array.isArray(pattern)) {
    if (got === undefined && pattern.length === 0) return null;
    if (!Array.isArray(got) || got.length !== pattern.length) return bad();
    for (const [index, item] of pattern.entries()) {
      const why = misfit(item, got[index], `${place}[${String(index)}]`);
      if (why !== null) return why;
    }
    return null;
  }
  if (got === undefined && (pattern === null || pattern === false || pattern === 0)) return null;
  return sameValue(pattern, got) ? null : bad();
}

/** An integer as one of any size; anything else as it is. */
function exact(value: unknown): unknown {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value;
}

function sameValue(expected: unknown, got: unknown): boolean {
  if (typeof expected === "bigint" || typeof got === "bigint") {
    return exact(expected) === exact(got);
  }
  return isDeepStrictEqual(expected, got) || (expected === 0 && got === 0);
}

export function show(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? `${item.toString()}n` : item === undefined ? "undefined" : item,
  );
}

/** Sets `a.b.c` inside an object. */
export function setPath(root: unknown, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() as string;
  let place = root as Record<string, unknown>;
  for (const name of names) place = place[name] as Record<string, unknown>;
  place[last] = value;
}
