/** What a dispatch leaves behind: everything that its outcome is derived from. */

import { now, Times } from "./clock.js";
import type { Envelope, Fields, Scene } from "./event.js";
import { crossing, type NativeRun, type Reported, type Stand } from "./native.js";
import type { Plan } from "./plan.js";

/** The native side of a dispatch. */
export interface Loud {
  readonly run: NativeRun;
  /** Where it stands. */
  stand: Stand;
  /** The values that it knows by their place; the payload as it came is the first. */
  readonly values: unknown[];
}

/** A dispatch as far as its outcome needs it. */
export class Trail extends Times implements Scene {
  envelope: Envelope | null = null;
  /** Made once a hook has something to say, or when somebody asks for details. */
  loud: Loud | null = null;
  /** How many hooks have ended without having anything to say. */
  position = 0;

  constructor(
    readonly plan: Plan,
    readonly payload: Fields,
  ) {
    super(plan.calls.length);
  }

  /** When the dispatch began; if no hook has seen the event, when somebody first asks. */
  get began(): number {
    return this.plan.calls.length === 0 ? now() : this.at(0);
  }
}

/** Nanoseconds that each of the hooks took that have answered nothing. */
function quietTimes(trail: Trail): number[] {
  const took: number[] = [];
  for (let word = 1; word <= trail.position; word++) {
    took.push(trail.at(word) - trail.at(word - 1));
  }
  return took;
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
  trail.close(trail.position + 1);
  return (trail.loud = { run, stand, values });
}

/** The payload at the end of a dispatch. */
export function finalPayload({ loud, payload }: Trail): Fields {
  return loud === null ? payload : (loud.values[loud.stand.payload] as Fields);
}
