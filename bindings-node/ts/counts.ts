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

/** How many hooks and how many dispatches a block has; its hooks' numbers follow, then the times of each dispatch. */
const HEAD = 2;

/** How many numbers are kept at first, and at most: a program may have a client for each request. */
const KEPT_FIRST = 64;
const KEPT = 4096;

/** The hooks of no block. */
const NONE: readonly number[] = [];

/** What the core first wants to hear of an event; from then on it says itself. */
const FIRST = 1;

/** The counts of a client that is switched off: nobody looks at them. */
export const UNCOUNTED: EventCount = { dispatches: 0, until: Infinity };

/** Counts of one client; its fields are private by type only, since every dispatch comes by here. */
export class Counts {
  private readonly native: NativeHooks;
  private readonly logger: Logger | null;
  private readonly events = new Map<string, EventCount>();
  private runs = new Float64Array(KEPT_FIRST);
  private length = 0;
  /** Where the block begins that is being filled, and which hooks its dispatches ran. */
  private block = 0;
  private numbers = NONE;

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
  quiet({ plan: { numbers, count }, times }: Trail): void {
    if (numbers !== this.numbers || this.length + times.length > this.runs.length)
      this.beginBlock(numbers);
    const { runs } = this;
    let at = this.length;
    for (const time of times) runs[at++] = time;
    this.length = at;
    if (++count.dispatches >= count.until) this.tell();
  }

  /** A dispatch is over for which there were no hooks. */
  without(count: EventCount): void {
    if (++count.dispatches >= count.until) this.tell();
  }

  /** Begins a block of dispatches that run these hooks. */
  private beginBlock(numbers: readonly number[]): void {
    const needed = HEAD + numbers.length + numbers.length + 1;
    if (this.length + needed > this.runs.length) this.makeRoom(needed);
    this.endBlock();
    this.numbers = numbers;
    this.block = this.length;
    this.runs[this.length] = numbers.length;
    this.length += HEAD;
    for (const number of numbers) this.runs[this.length++] = number;
  }

  /** Keeps more, or tells the core of what is kept. */
  private makeRoom(needed: number): void {
    const { runs } = this;
    if (runs.length >= KEPT) this.tell();
    if (this.length + needed <= runs.length) return;
    this.runs = new Float64Array(Math.max(Math.min(2 * runs.length, KEPT), this.length + needed));
    this.runs.set(runs.subarray(0, this.length));
  }

  /** Tells the core of what is kept, and keeps no memory for more: the client was closed. */
  release(): void {
    this.tell();
    this.runs = new Float64Array(0);
  }

  /** Writes down how many dispatches the block has that is being filled. */
  private endBlock(): void {
    const hooks = this.numbers.length;
    if (hooks === 0) return;
    this.runs[this.block + 1] = (this.length - this.block - HEAD - hooks) / (hooks + 1);
    this.numbers = NONE;
  }

  /** Tells the core of all that is kept. */
  private tell(): void {
    this.endBlock();
    const runs = this.runs.subarray(0, this.length);
    this.length = 0;
    const told = [...this.events].filter(([, { dispatches }]) => dispatches > 0);
    const events = told.map(([event]) => event);
    const dispatches = told.map(([, count]) => count.dispatches);
    const { until, look } = this.native.count(now(), runs, events, dispatches);
    for (const [index, [, count]] of told.entries()) {
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
