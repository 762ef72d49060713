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

/** What a record of a dispatch needs; the same for all dispatches of a plan. */
export interface Audited {
  /** Where its texts are, in their order. */
  readonly places: readonly Place[];
  /** Those of them behind the usual ones; `null` where these are not the first. */
  readonly unusual: readonly Place[] | null;
  /** What each begins with where it is written down, padded with NULs; `null` where it cannot be written down. */
  readonly head: Int32Array | null;
}

/** What is looked at of a text; the core cuts it at a word's end. */
export const LONGEST = 4097;

/** Where the texts of nearly every event are. */
const USUAL =
  "ssessionId aagentId utoolUseId ttool largs.command pargs.file_path pargs.path " +
  "pargs.notebook_path pargs.paths pargs.files";

/** Half of a letter that takes two. */
const HALF = /\p{Surrogate}/u;

/** What was read before: events have the same places, and plans are made anew whenever a hook comes. */
const known = new Map<string, Pick<Audited, "places" | "unusual">>();

/** What a record of a plan's dispatches needs; `null` where that depends on the tool. */
export function auditedBy(native: NativePlan): Audited | null {
  const audited = native.audited();
  if (audited === null) return null;
  let where = known.get(audited.places);
  if (where === undefined) known.set(audited.places, (where = placesOf(audited.places)));
  return { ...where, head: audited.head === undefined ? null : padded(audited.head) };
}

function placesOf(text: string): Pick<Audited, "places" | "unusual"> {
  const names = text.split("\0");
  const places = names.map((name): Place => {
    const [tag = "", ...field] = name;
    const path = field.join("");
    const inArgs = path.startsWith(ARGS);
    return { tag, name: inArgs ? path.slice(ARGS.length) : path, inArgs };
  });
  const usual = USUAL.split(" ");
  const isUsual = usual.every((name, index) => names[index] === name);
  return { places, unusual: isUsual ? places.slice(usual.length) : null };
}

/** Stands before what is in the arguments of a tool. */
const ARGS = "args.";

/** A text's bytes in whole words, which are copied faster than bytes. */
function padded(text: string): Int32Array {
  const bytes = Buffer.from(text);
  const words = new Int32Array(2 * Math.ceil(bytes.length / 8));
  new Uint8Array(words.buffer).set(bytes);
  return words;
}

/** The text at a place, `undefined` when there is none, and `null` where the core has to read it. */
function textAt({ name }: Place, object: Fields | undefined): string | undefined | null {
  const value = object?.[name];
  if (value === undefined || value === null) return undefined;
  // A list of paths, or nothing that can be read: neither is worth being quick about.
  if (typeof value !== "string") return null;
  return Object.hasOwn(object as Fields, name) ? value : undefined;
}

/** The texts that a record needs, each behind its tag; `null` where they are to be read natively. */
export function textsOf(payload: Fields, { places }: Audited): string | null {
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
export function isCopied(text: string): boolean {
  return !text.includes("\0") && !HALF.test(text);
}

/** Whether a value is an object that inherits what every object does, and nothing else. */
export function isPlain(value: unknown): value is Fields {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
