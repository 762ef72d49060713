/** What hooks did that had nothing to say: kept in numbers, and told to the core many runs at a time. */

import { now } from "./clock.js";
import { crossing, type NativeHooks } from "./native.js";
import type { Trail } from "./trail.js";
import type { CanonicalStats, HookWarning } from "./stats.js";
import type { Logger } from "./types.js";

/** How often an event was dispatched since the core was last told. */
export interface EventCount {
  dispatches: number;
  /** At so many the core is told; it says when. */
  until: number;
}

/** The hook's number, the nanoseconds that it took, and when it ended. */
const PER_RUN = 3;

/** How many runs are kept. */
const RUNS = 512;

/** What the core first wants to hear of an event; from then on it says itself. */
const FIRST = 1;

/** The counts of a client that is switched off: nobody looks at them. */
export const UNCOUNTED: EventCount = { dispatches: 0, until: Infinity };

/** Counts of one client; its fields are private by type only, since every dispatch comes by here. */
export class Counts {
  private readonly native: NativeHooks;
  private readonly logger: Logger | null;
  private readonly events = new Map<string, EventCount>();
  private readonly runs = new Float64Array(RUNS * PER_RUN);
  private length = 0;

  constructor(native: NativeHooks, logger: Logger | null) {
    this.native = native;
    this.logger = logger;
  }

  /** The count of an event, by its canonical name. */
  of(event: string): EventCount {
    let count = this.events.get(event);
    if (count === undefined) this.events.set(event, (count = { dispatches: 0, until: FIRST }));
    return count;
  }

  /** A dispatch is over in which no hook had anything to say. */
  quiet(trail: Trail): void {
    const { times } = trail;
    const { calls, count } = trail.plan;
    const runs = this.runs;
    let at = this.length;
    let began = times[0] as number;
    for (let place = 0; place < calls.length;) {
      if (at === runs.length) {
        this.length = at;
        this.tell();
        at = 0;
      }
      runs[at] = (calls[place] as { number: number }).number;
      const ended = times[++place] as number;
      runs[at + 1] = ended - began;
      runs[at + 2] = began = ended;
      at += PER_RUN;
    }
    this.length = at;
    if (++count.dispatches >= count.until) this.tell();
  }

  /** A dispatch is over for which there were no hooks. */
  without(count: EventCount): void {
    if (++count.dispatches >= count.until) this.tell();
  }

  /** Tells the core of all that is kept. */
  private tell(): void {
    const runs = this.runs.slice(0, this.length);
    this.length = 0;
    const present = now();
    for (let at = 2; at < runs.length; at += PER_RUN) runs[at] = present - (runs[at] as number);
    const counts = [...this.events].filter(([, { dispatches }]) => dispatches > 0);
    const events = counts.map(([event]) => event);
    const dispatches = counts.map(([, count]) => count.dispatches);
    const { until, look } = this.native.count(runs, events, dispatches);
    for (const [index, [, count]] of counts.entries()) {
      count.dispatches = 0;
      count.until = until[index] ?? FIRST;
    }
    if (look) this.warn();
  }

  /** Tells the logger of hooks that a person should look at; of each once. */
  warn(): void {
    const warnings = JSON.parse(crossing(() => this.native.newWarnings())) as HookWarning[];
    for (const warning of warnings) {
      const { hook, event, reason, mend } = warning;
      this.logger?.warn(`hook ${hook} on ${event} ${reason}; ${mend}`, { ...warning });
    }
  }

  /** What each hook did so far, in the canonical form. */
  stats(reset: boolean): CanonicalStats {
    this.tell();
    return JSON.parse(crossing(() => this.native.stats(reset))) as CanonicalStats;
  }
}
