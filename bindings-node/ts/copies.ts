/**
 * What several copies of this package in one process have in common.
 *
 * A package manager may install it twice, and test runners load it anew for each file. Copies recognise each other's
 * objects by keys of the process-wide registry of symbols.
 */

/** The version of the package; the build puts it in. */
declare const PACKAGE_VERSION: string;

/** A key of this name in all copies of the package's version: what lies behind it is no public interface. */
export function keyOf(name: string): symbol {
  return Symbol.for(`hookweave ${PACKAGE_VERSION}: ${name}`);
}

/** A value of the process, made by the copy that comes first. `key` names its form, too. */
export function sharedState<T extends object>(key: string, make: () => T): T {
  const holder = globalThis as unknown as Record<symbol, T | undefined>;
  return (holder[Symbol.for(`hookweave: ${key}`)] ??= make());
}

const KIND = keyOf("kind");

/** Marks what a class makes, so that other copies know it. */
export function markKind(made: { readonly prototype: object }, kind: string): void {
  Object.defineProperty(made.prototype, KIND, { value: kind });
}

/** Whether a value is of a marked class, whichever copy's. */
export function isOfKind(value: unknown, kind: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return (value as Record<symbol, unknown>)[KIND] === kind;
}
