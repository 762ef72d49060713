/** What a dispatch leaves behind: everything that its outcome is derived from. */

import { Hears } from "./audit.js";
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
  const texts = crew.hears === Hears.Texts ? textsOf(trail) : null;
  if (texts !== null) {
    const { times } = trail;
    if (times.length === 2) native.auditCopiedOne(texts, (times[1] ?? 0) - (times[0] ?? 0));
    else native.auditCopied(texts, quietTimes(trail));
    return;
  }
  const refused = crossing(() => native.auditQuiet(trail.payload, quietTimes(trail)));
  if (refused === null) return;
  const loud = loudOf(trail);
  loud.stand = loud.run.refuse(refused);
}

/** What is looked at of a text; the core cuts it at a word's end. */
const LONGEST = 4097;

/** The texts that a record needs, each behind its tag; `null` where they are to be read natively. */
function textsOf({ plan, payload }: Trail): string | null {
  const places = plan.audited;
  if (places === null) return null;
  const args: unknown = payload["args"];
  if (args !== undefined && !isPlain(args)) return null;
  let texts = "";
  for (const [tag, name, within] of places) {
    const object = within === undefined ? payload : (args as Fields | undefined);
    const value: unknown = object?.[name as string];
    if (typeof value === "string") {
      if (!Object.hasOwn(object as Fields, name as string)) continue;
      // A text with a NUL would pass for several.
      if (value.includes("\0")) return null;
      texts += `${tag as string}${value.length > LONGEST ? value.slice(0, LONGEST) : value}\0`;
    } else if (value !== undefined && value !== null) {
      // A list of paths, or nothing that can be read: neither is worth being quick about.
      return null;
    }
  }
  return texts;
}

function isPlain(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}
