/** What a dispatch leaves behind: everything that its outcome is derived from. */

import type { Envelope, Fields, Scene } from "./event.js";
import { crossing, type NativeRun, type Reported, type Stand } from "./native.js";
import type { Plan } from "./plan.js";

/** Reads the clock that durations are measured with. */
export const clock: () => bigint = process.hrtime.bigint;

/** A dispatch as far as its outcome needs it. */
export class Trail implements Scene {
  envelope: Envelope | null = null;
  /** When each hook ended, while all of them answered nothing. */
  readonly ends: bigint[] = [];
  /** The native side of the dispatch; made once a hook has something to say, or when somebody asks for details. */
  run: NativeRun | null = null;
  /** Where the native side stands. */
  stand: Stand | null = null;
  /** The values that the native side knows by their place; the payload as it came is the first. */
  values: unknown[] | null = null;

  constructor(
    readonly plan: Plan,
    readonly payload: Fields,
    readonly began: bigint,
  ) {}
}

/** Nanoseconds that each of the hooks took that have answered nothing. */
export function quietTimes({ began, ends }: Trail): number[] {
  return ends.map((end, index) => Number(end - (ends[index - 1] ?? began)));
}

/** The values of a dispatch, ready for more. */
export function valuesOf(trail: Trail): unknown[] {
  return (trail.values ??= [trail.payload]);
}

/** The native side of a dispatch that is over. */
export function runOf(trail: Trail): NativeRun {
  if (trail.run !== null) return trail.run;
  // No hook said anything: the machine is told so only now, because somebody asks what it makes of that.
  return begin(trail, []);
}

/** Begins the native side: some hooks said nothing, the next ones said this. */
export function begin(trail: Trail, reports: Reported[]): NativeRun {
  const { run, stand } = crossing(() =>
    trail.plan.native.begin(valuesOf(trail), quietTimes(trail), reports),
  );
  trail.stand = stand;
  return (trail.run = run);
}

/** The payload at the end of a dispatch. */
export function finalPayload({ stand, values, payload }: Trail): Fields {
  return stand === null || values === null ? payload : (values[stand.payload] as Fields);
}
