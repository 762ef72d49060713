/** The hooks that an event runs, as the driver walks through them. */

import type { NativePlan } from "./native.js";
import type { HookContext } from "./types.js";

/** A handler of any event; its type was checked where it was registered. */
export type AnyHandler = (event: never, context: HookContext) => unknown;

/** A registered hook, as the driver calls it. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly handler: (event: object, context: HookContext) => unknown;
  /** Milliseconds; `Infinity` is without end. */
  readonly limit: number;
  readonly detached: boolean;
  /** The hook is claimed by one dispatch and runs only there. */
  readonly once: boolean;
}

/** A plan of the core with the functions that it calls. */
export class Plan {
  constructor(
    readonly native: NativePlan,
    /** The event's canonical name. */
    readonly event: string,
    readonly hasToolUseId: boolean,
    readonly calls: readonly Call[],
    /** Every hook is a stage of its own, awaited, and needs no claim. */
    readonly simple: boolean,
  ) {}
}
