/** Plain values: what counts as a container, and copies that share nothing with their original. */

import { copyBuiltIn } from "./built-ins.js";
import { errorOf } from "./errors.js";
import { originalOf, isView, viewOf } from "./views.js";

/** How deep containers may nest in a value that is copied; the engine's own limit, checked against it by a test. */
export const MAX_NESTING = 128;

/** How many values a copy may have, one that stands in several places counted in each; the engine's own limit too. */
export const MAX_VALUES = 1_000_000;

/** How many more values the copy may have that is being made. */
let remaining = 0;

/** Whether a value is an object literal or a record without prototype, of this realm or another. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isObjectPrototype(prototype);
}

/** Whether a prototype is the `Object.prototype` of another realm. */
function isObjectPrototype(prototype: unknown): boolean {
  return (
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype as object, "hasOwnProperty")
  );
}

/** Whether a value is a list or a plain object. */
export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && (Array.isArray(value) || isPlain(value));
}

/** Gives the value that replaces an object that cannot be copied. */
type Replacement = (object: object) => unknown;

/**
 * A copy of a value for the host, as deep as there is anything in it that can be copied: lists, plain objects, and the
 * language's own values that can be changed in place. Any other object belongs to the host and is not copied.
 *
 * Throws `payload_too_deep` and `payload_too_large`.
 */
export function copyForHost(value: unknown): unknown {
  return isObject(value) ? copyWhole(value, MAX_NESTING, originalOf) : value;
}

/** The same for a hook, an approver and a tool: any other object is replaced by a view. */
export function copyForHook(value: unknown): unknown {
  return isObject(value) ? copyWhole(value, MAX_NESTING, viewOf) : value;
}

/**
 * The same for an answer of a hook. Objects that the hook could still change afterwards are refused, and so are values
 * that nest deeper than so many levels: throws `payload_too_deep`, `payload_too_large` and `invalid_answer`.
 */
export function copyFromHook(value: object, levels: number): unknown {
  return copyWhole(value, levels, handedOver);
}

/** A copy of a container and of what is in it; see `copyOf`. */
export function copyContainer<T extends object>(container: T): T {
  return copyWhole(container, MAX_NESTING, originalOf) as T;
}

function copyWhole(value: object, levels: number, other: Replacement): unknown {
  remaining = MAX_VALUES;
  return copyValue(value, levels, other);
}

/** Reserves room for so many values: a container that stands in many places must not use up all memory. */
function reserve(values: number): void {
  remaining -= values;
  if (remaining < 0)
    throw errorOf("payload_too_large", `holds more than ${String(MAX_VALUES)} values`);
}

/** Whether a value is an object or a function. */
export function isObject(value: unknown): value is object {
  return typeof value === "object" ? value !== null : typeof value === "function";
}

/** A function has nothing that others look at; what a hook was only shown goes back as what it is. */
function handedOver(object: object): unknown {
  if (isView(object) || typeof object === "function") return originalOf(object);
  throw errorOf(
    "invalid_answer",
    `${nameOf(object)} cannot be copied, and the hook could change it after others have looked at it; pass plain data`,
  );
}

/** What an object is, for messages. */
export function nameOf(object: object): string {
  if (typeof object === "function") return "a function";
  const { constructor } = object as { constructor?: unknown };
  const name: unknown = typeof constructor === "function" ? constructor.name : "";
  if (isPlain(object)) return "an object";
  if (Array.isArray(object)) return "a list";
  // A generator has no constructor, but a name.
  const tag = Object.prototype.toString.call(object).slice("[object ".length, -1);
  return `an instance of ${typeof name === "string" && name !== "" ? name : tag}`;
}

function copyValue(value: object, levels: number, other: Replacement): unknown {
  if (typeof value === "function") return other(value);
  if (levels === 0) {
    throw errorOf("payload_too_deep", `nested deeper than ${String(MAX_NESTING)} levels`);
  }
  if (Array.isArray(value)) return copyList(value, levels, other);
  if (isPlain(value)) return copyPlain(value, levels, other);
  const inner = (item: unknown): unknown => {
    reserve(1);
    return isObject(item) ? copyValue(item, levels - 1, other) : item;
  };
  return copyBuiltIn(value, inner) ?? other(value);
}

function copyList(list: readonly unknown[], levels: number, other: Replacement): unknown[] {
  reserve(list.length);
  // A class of lists may have a `slice` of its own.
  const copy: unknown[] = isUsual(list) ? list.slice() : Array.from(list);
  for (let index = 0; index < copy.length; index++) {
    const item = copy[index];
    if (isObject(item)) copy[index] = copyValue(item, levels - 1, other);
  }
  return copy;
}

function isUsual(list: readonly unknown[]): boolean {
  return Object.getPrototypeOf(list) === Array.prototype;
}

function copyPlain(
  object: Record<string, unknown>,
  levels: number,
  other: Replacement,
): Record<string, unknown> {
  // Spreading defines properties, so that a field called `__proto__` stays a field.
  const copy: Record<string | symbol, unknown> = { ...object };
  const keys = Object.keys(copy);
  reserve(keys.length);
  for (const key of keys) {
    const item = copy[key];
    if (isObject(item)) setField(copy, key, copyValue(item, levels - 1, other));
  }
  // Nothing but a program's own code looks at these, and it would share them.
  for (const key of Object.getOwnPropertySymbols(copy)) {
    const item = copy[key];
    if (isObject(item)) copy[key] = copyValue(item, levels - 1, other);
  }
  return copy;
}

/** Sets a field of any name: assigning to `__proto__` would change the prototype. */
export function setField(object: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}

/** Integers too large for a number: where they stand, and their digits. */
export type LargeIntegers = readonly (readonly [readonly (string | number)[], string])[];

/** Puts integers that are too large for a number where they belong. */
export function restoreLarge(value: unknown, large: LargeIntegers | undefined): void {
  for (const [place, digits] of large ?? []) {
    const last = place.at(-1);
    if (last === undefined) continue;
    const holder = place
      .slice(0, -1)
      .reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], value);
    setField(holder as object, String(last), BigInt(digits));
  }
}
