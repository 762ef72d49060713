/** What a dispatch would run, without running it. */

import type { Scope } from "./origin.js";
import type { Enforcement } from "./registration.js";

/** One hook, and whether an event would run it. */
export interface ExplainedHook {
  readonly hook: string;
  readonly id: string;
  /** Whether it would run. */
  readonly matched: boolean;
  /** Whether its `allow` would count. */
  readonly covers: boolean;
  /** The stage in which it would run, from 0. */
  readonly stage?: number;
  /** Why it would not run. */
  readonly why?: string;
  readonly priority: number;
  readonly scope: Scope;
  readonly mandatory: boolean;
  readonly detached: boolean;
  /** Whether what it decides would be acted on. */
  readonly enforcement: Enforcement;
}

/** What a dispatch would do if every hook continued. */
export interface Explanation {
  /** The event's canonical name. */
  readonly event: string;
  /** Whether a block would stop the action. */
  readonly gate: boolean;
  /** Every hook of the event, in order. */
  readonly hooks: readonly ExplainedHook[];
  /** As text for a person: which hooks would run, in order, and why not the others. */
  describe(): string;
  /** The same as `describe`. */
  toString(): string;
}

/**
 * An explanation of what the core gave. Its methods are no fields: it is listed and compared as its data.
 *
 * @internal
 */
export function explanationOf([made, text]: [object, string]): Explanation {
  const method = { value: () => text, enumerable: false };
  return Object.defineProperties(made, { describe: method, toString: method }) as Explanation;
}
