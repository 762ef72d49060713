/** The hooks that an event runs, as the driver walks through them. */

import type { Hears } from "./audit.js";
import { placesOf, type Place } from "./audited.js";
import type { Counts, EventCount } from "./counts.js";
import type { Fields } from "./event.js";
import type { NativePlan, Reported } from "./native.js";
import type { Outcome } from "./outcome.js";
import type { Tracing } from "./tracing.js";
import type { Trail } from "./trail.js";
import type { HookContext } from "./types.js";

/** A handler of any event; its type was checked where it was registered. */
export type AnyHandler = (event: never, context: HookContext) => unknown;

/** A registered hook, as the driver calls it. */
export interface Call {
  readonly id: string;
  /** The number by which the core knows it. */
  readonly number: number;
  readonly name: string;
  readonly handler: (event: object, context: HookContext) => unknown;
  /** Milliseconds; `Infinity` is without end. */
  readonly limit: number;
  readonly detached: boolean;
  /** The hook is claimed by one dispatch and runs only there. */
  readonly once: boolean;
  /** What it answers when nobody waits for it is to wake the model; only a hook from a file says so or not. */
  readonly wakes?: boolean;
  /** What it means that its time is over, for an event and at a depth; a failure of its own is thrown. */
  readonly late?: (event: object, depth: number) => unknown;
}

/** What a driver needs of the client whose hooks it runs. */
export interface Crew {
  /** Which dispatches are told to the audit log. */
  readonly hears: Hears;
  /** Whether dispatches are recorded for a replay, also those that no hook is asked about. */
  readonly recording: boolean;
  /** Where quiet dispatches are counted. */
  readonly counts: Counts;
  /** Who makes spans of dispatches. */
  readonly tracing: Tracing | null;
  /** The function and settings of a hook that a plan names by its number. */
  call(number: number): Call;
  /** Starts a hook that is not awaited. */
  detach(call: Call, dispatch: Trail, payload: Fields, depth: number, values: unknown[]): Reported;
  /** Takes note of an outcome in which hooks failed. */
  noteFailures(outcome: Outcome, told: readonly (readonly [number, number])[]): void;
  /** The working directory of events that name none; `null` where it was deleted. */
  directory(): string | null;
  /** Drops plans that were kept: a hook that runs only once has started. */
  forget(): void;
}

/** A plan of the core with the functions that it calls. */
export class Plan {
  /** Whether its hooks differ in their limits. */
  readonly uneven: boolean;
  /** The numbers by which the core knows its hooks. */
  readonly numbers: readonly number[];
  #audited: readonly Place[] | null | undefined;

  constructor(
    readonly crew: Crew,
    readonly native: NativePlan,
    /** The event's canonical name. */
    readonly event: string,
    readonly hasToolUseId: boolean,
    readonly calls: readonly Call[],
    /** Every hook is a stage of its own, awaited, and needs no claim. */
    readonly simple: boolean,
    readonly count: EventCount,
  ) {
    this.numbers = calls.map(({ number }) => number);
    this.uneven = calls.some(({ limit }) => limit !== calls[0]?.limit);
  }

  /** Where the texts are that a record of a dispatch needs; `null` where that depends on the tool. */
  get audited(): readonly Place[] | null {
    if (this.#audited === undefined) this.#audited = placesOf(this.native);
    return this.#audited;
  }
}
