/** What a dispatch leaves behind: everything that its outcome is derived from. */

import { Hears } from "./audit.js";
import { textsOf } from "./audited.js";
import { now } from "./clock.js";
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
export class Trail implements Scene {
  envelope: Envelope | null = null;
  unshown: string | null = null;
  /** Made once a hook has something to say, or when somebody asks for details. */
  loud: Loud | null = null;

  constructor(
    readonly plan: Plan,
    readonly payload: Fields,
    /** When the dispatch began and when each hook ended that had nothing to say, in nanoseconds. */
    readonly times: readonly number[],
  ) {}

  /** When the dispatch began; if no hook has seen the event, when somebody first asks. */
  get began(): number {
    return this.times[0] ?? now();
  }
}

/** Nanoseconds that each of the hooks took that have answered nothing. */
function quietTimes({ times }: Trail): number[] {
  return times.slice(1).map((end, hook) => end - (times[hook] ?? 0));
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

/** Records a dispatch in which no hook had anything to say; one that cannot be recorded and has to be is blocked. */
export function auditQuiet(trail: Trail): void {
  const { native, crew } = trail.plan;
  const audited = crew.hears === Hears.Texts ? trail.plan.audited : null;
  if (audited !== null) {
    const texts = textsOf(trail.payload, audited);
    if (texts !== null) {
      native.auditCopied(texts, quietTimes(trail));
      return;
    }
  }
  const refused = crossing(() => native.auditQuiet(trail.payload, quietTimes(trail)));
  if (refused === null) return;
  const loud = loudOf(trail);
  loud.stand = loud.run.refuse(refused);
}
