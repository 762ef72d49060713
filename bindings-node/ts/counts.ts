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

/** How many hooks a dispatch had, and when it began. */
const HEAD = 2;

/** A hook's number, and when it ended. */
const PER_RUN = 2;

/** How many numbers are kept. */
const KEPT = 2048;

/** What the core first wants to hear of an event; from then on it says itself. */
const FIRST = 1;

/** The counts of a client that is switched off: nobody looks at them. */
export const UNCOUNTED: EventCount = { dispatches: 0, until: Infinity };

/** Counts of one client; its fields are private by type only, since every dispatch comes by here. */
export class Counts {
  private readonly native: NativeHooks;
  private readonly logger: Logger | null;
  private readonly events = new Map<string, EventCount>();
  private runs = new Float64Array(KEPT);
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
    const { numbers, count } = trail.plan;
    const hooks = numbers.length;
    const needed = HEAD + hooks * PER_RUN;
    if (this.length + needed > this.runs.length) this.makeRoom(needed);
    const { runs } = this;
    let at = this.length;
    runs[at++] = hooks;
    runs[at++] = times[0] as number;
    for (let place = 0; place < hooks; place++) {
      runs[at++] = numbers[place] as number;
      runs[at++] = times[place + 1] as number;
    }
    this.length = at;
    if (++count.dispatches >= count.until) this.tell();
  }

  /** A dispatch is over for which there were no hooks. */
  without(count: EventCount): void {
    if (++count.dispatches >= count.until) this.tell();
  }

  private makeRoom(needed: number): void {
    this.tell();
    if (needed > this.runs.length) this.runs = new Float64Array(needed);
  }

  /** Tells the core of all that is kept. */
  private tell(): void {
    const runs = this.runs.slice(0, this.length);
    this.length = 0;
    const counts = [...this.events].filter(([, { dispatches }]) => dispatches > 0);
    const events = counts.map(([event]) => event);
    const dispatches = counts.map(([, count]) => count.dispatches);
    const { until, look } = this.native.count(now(), runs, events, dispatches);
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
