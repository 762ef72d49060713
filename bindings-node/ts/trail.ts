/** What a dispatch leaves behind: everything that its outcome is derived from. */

import type { Envelope, Fields, Scene } from "./event.js";
import { crossing, type NativeRun, type Reported, type Stand } from "./native.js";
import type { Plan } from "./plan.js";

/** Reads the clock that durations are measured with. */
// It needs no receiver.
// eslint-disable-next-line @typescript-eslint/unbound-method
export const { bigint: clock } = process.hrtime;

/** The native side of a dispatch. */
export interface Loud {
  readonly run: NativeRun;
  /** Where it stands. */
  stand: Stand;
  /** The values that it knows by their place; the payload as it came is the first. */
  readonly values: unknown[];
}

/** A dispatch as far as its outcome needs it. */
export class Trail implements Scene {
  envelope: Envelope | null = null;
  /** Made once a hook has something to say, or when somebody asks for details. */
  loud: Loud | null = null;

  constructor(
    readonly plan: Plan,
    readonly payload: Fields,
    readonly began: bigint,
    /** When each hook ended, while all of them answered nothing. */
    readonly ends: readonly (bigint | undefined)[],
  ) {}
}

/** Nanoseconds that each of the hooks took that have answered nothing. */
function quietTimes({ began, ends }: Trail): number[] {
  const times: number[] = [];
  let before = began;
  for (const end of ends) {
    if (end === undefined) break;
    times.push(Number(end - before));
    before = end;
  }
  return times;
}

/** The native side of a dispatch that is over. */
export function loudOf(trail: Trail): Loud {
  // If no hook said anything, the machine is told so only now, because somebody asks what it makes of that.
  return trail.loud ?? begin(trail, [trail.payload], []);
}

/** Begins the native side: some hooks said nothing, the next ones said this. */
export function begin(trail: Trail, values: unknown[], reports: Reported[]): Loud {
  const { run, stand } = crossing(() =>
    trail.plan.native.begin(values, quietTimes(trail), reports),
  );
  return (trail.loud = { run, stand, values });
}

/** The payload at the end of a dispatch. */
export function finalPayload({ loud, payload }: Trail): Fields {
  return loud === null ? payload : (loud.values[loud.stand.payload] as Fields);
}
