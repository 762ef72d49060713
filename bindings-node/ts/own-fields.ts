/** What a program gives as options: only the fields of the object itself count, never what every object inherits. */

import { errorOf } from "./errors.js";

/**
 * The own fields of an object. Other code of the process may have added fields to `Object.prototype`, and one called
 * `approval` or `permission` must not become an option of everybody.
 */
export function ownFields<T extends object>(given: T | null | undefined): T {
  return { __proto__: null, ...given } as unknown as T;
}

/** The options of a method; refuses those that it does not have, beside `signal`, which `signalOf` reads. */
export function optionsOf<T extends object>(
  method: string,
  given: T | null | undefined,
  known: readonly string[] = [],
): T {
  const options = ownFields(given);
  const unknown = Object.keys(options).find((name) => name !== "signal" && !known.includes(name));
  if (unknown !== undefined) {
    const names = [...known, "signal"].join(", ");
    throw errorOf("invalid_option", `${method}: unknown option \`${unknown}\`; known are ${names}`);
  }
  return options;
}

/** The signal among options, which may be an `AbortController`, whose class has it. */
export function signalOf(
  given: { signal?: AbortSignal } | null | undefined,
): AbortSignal | undefined {
  const inherited = Object.hasOwn(Object.prototype, "signal");
  return inherited ? ownFields(given).signal : given?.signal;
}
