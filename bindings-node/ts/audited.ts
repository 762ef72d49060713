/** What a record of a quiet dispatch needs, and where it is found. */

import type { Fields } from "./event.js";
import type { NativePlan } from "./native.js";

/** Where a text is that a record needs. */
export interface Place {
  /** One letter that says which text it is. */
  readonly tag: string;
  readonly name: string;
  readonly inArgs: boolean;
}

/** What is looked at of a text; the core cuts it at a word's end. */
const LONGEST = 4097;

/** Half of a letter that takes two. */
const HALF = /\p{Surrogate}/u;

/** What was read before: events have the same places, and plans are made anew whenever a hook comes. */
const known = new Map<string, readonly Place[]>();

/** Where the texts are that a record of a plan's dispatches needs, in their order; `null` where that depends on the tool. */
export function placesOf(native: NativePlan): readonly Place[] | null {
  const text = native.audited();
  if (text === null) return null;
  let places = known.get(text);
  if (places === undefined) known.set(text, (places = text.split("\0").map(placeOf)));
  return places;
}

function placeOf(text: string): Place {
  const [tag = "", ...field] = text;
  const path = field.join("");
  const inArgs = path.startsWith(ARGS);
  return { tag, name: inArgs ? path.slice(ARGS.length) : path, inArgs };
}

/** Stands before what is in the arguments of a tool. */
const ARGS = "args.";

/** The text at a place, `undefined` when there is none, and `null` where the core has to read it. */
function textAt({ name }: Place, object: Fields | undefined): string | undefined | null {
  const value = object?.[name];
  if (value === undefined || value === null) return undefined;
  // A list of paths, or nothing that can be read: neither is worth being quick about.
  if (typeof value !== "string") return null;
  return Object.hasOwn(object as Fields, name) ? value : undefined;
}

/** The texts that a record needs, each behind its tag; `null` where they are to be read natively. */
export function textsOf(payload: Fields, places: readonly Place[]): string | null {
  const args: unknown = payload["args"];
  if (args !== undefined && !isPlain(args)) return null;
  let texts = "";
  for (const place of places) {
    const text = textAt(place, place.inArgs ? args : payload);
    if (text === undefined) continue;
    if (text === null || !isCopied(text)) return null;
    texts += `${place.tag}${text.length > LONGEST ? text.slice(0, LONGEST) : text}\0`;
  }
  return texts;
}

/** Whether a text reads the same as a copy: one with a NUL would pass for several, and half of a pair for another letter. */
function isCopied(text: string): boolean {
  return !text.includes("\0") && !HALF.test(text);
}

/** Whether a value is an object that inherits what every object does, and nothing else. */
function isPlain(value: unknown): value is Fields {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
