/** Plain values: what counts as a container, and copies that share nothing with their original. */

import { errorOf } from "./errors.js";

/** How deep containers may nest in a value that is copied; the engine's own limit, checked against it by a test. */
export const MAX_NESTING = 128;

/** Whether a value is an object literal or a record without prototype, of this realm or another. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || isObjectPrototype(prototype);
}

/** Another realm's `Object.prototype` ends its chain and says what it is. */
function isObjectPrototype(prototype: unknown): boolean {
  return (
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype as object, "hasOwnProperty")
  );
}

/** Whether a value is copied when a hook touches it; dates, maps, buffers and class instances are shared. */
export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && (Array.isArray(value) || isPlain(value));
}

/** A copy of a container and of the containers in it; throws `payload_too_deep`. */
export function copyContainer<T extends object>(container: T, levels: number = MAX_NESTING): T {
  if (levels === 0) {
    throw errorOf("payload_too_deep", `nested deeper than ${String(MAX_NESTING)} levels`);
  }
  if (Array.isArray(container)) {
    const source: readonly unknown[] = container;
    const copy: unknown[] = source.slice();
    for (let index = 0; index < copy.length; index++) {
      const item = copy[index];
      if (isContainer(item)) copy[index] = copyContainer(item, levels - 1);
    }
    return copy as T;
  }
  // Spreading defines properties, so that a field called `__proto__` stays a field.
  const copy: Record<string, unknown> = { ...(container as Record<string, unknown>) };
  for (const key of Object.keys(copy)) {
    const item = copy[key];
    if (isContainer(item)) setField(copy, key, copyContainer(item, levels - 1));
  }
  return copy as T;
}

/** Sets a field whatever it is called. */
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
