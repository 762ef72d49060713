/**
 * The texts of an event that its audit record needs, copied into one string.
 *
 * Read here, because the native side makes a native call per property: with it a dispatch with a log takes 3.4 µs longer,
 * without it 1.1 µs. The bar is "Node, added to a dispatch by an audit log" of docs/BENCHMARKS.md.
 */

import type { Fields } from "./event.js";
import type { NativePlan } from "./native.js";

/** A field whose text the record needs. */
export interface AuditField {
  /** One letter that identifies the field for the native side. */
  readonly tag: string;
  readonly name: string;
  readonly inArgs: boolean;
}

/** How much of a text is copied; the core cuts it at a word boundary. */
const MAX_LENGTH = 4097;

/** An unpaired surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Fields by their native text: events share them, and plans are rebuilt whenever a hook changes. */
const known = new Map<string, readonly AuditField[]>();

/** The fields that records of a plan's dispatches need, in order; `null` where they depend on the tool. */
export function auditFieldsOf(native: NativePlan): readonly AuditField[] | null {
  const text = native.auditFields();
  if (text === null) return null;
  let fields = known.get(text);
  if (fields === undefined) known.set(text, (fields = text.split("\0").map(fieldOf)));
  return fields;
}

function fieldOf(text: string): AuditField {
  const [tag = "", ...rest] = text;
  const path = rest.join("");
  const inArgs = path.startsWith(ARGS);
  return { tag, name: inArgs ? path.slice(ARGS.length) : path, inArgs };
}

/** The prefix of fields within the tool's arguments. */
const ARGS = "args.";

/** The text of a field; `undefined` when it is missing, `null` where the core has to read it. */
function textAt({ name }: AuditField, object: Fields | undefined): string | undefined | null {
  const value = object?.[name];
  if (value === undefined || value === null) return undefined;
  // A list of paths, or no text: rare, so that the native side reads it.
  if (typeof value !== "string") return null;
  return Object.hasOwn(object as Fields, name) ? value : undefined;
}

/** The texts that a record needs, each after its tag; `null` where the native side has to read them. */
export function auditTexts(payload: Fields, fields: readonly AuditField[]): string | null {
  const args: unknown = payload["args"];
  if (args !== undefined && !isPlain(args)) return null;
  let texts = "";
  for (const field of fields) {
    const text = textAt(field, field.inArgs ? args : payload);
    if (text === undefined) continue;
    if (text === null || !isCopyable(text)) return null;
    texts += `${field.tag}${text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text}\0`;
  }
  return texts;
}

/** Whether a copy of a text reads the same: a NUL would split it, and an unpaired surrogate would be replaced. */
function isCopyable(text: string): boolean {
  return !text.includes("\0") && !LONE_SURROGATE.test(text);
}

/** Whether a value is an object literal of this realm. */
function isPlain(value: unknown): value is Fields {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
