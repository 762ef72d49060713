/**
 * Counts of no-op hook runs, for statistics: kept as numbers and passed to the core many runs at a time.
 *
 * With a native call per dispatch, one with one hook takes 1.9 µs instead of 0.3 µs; the bar is "Node, 1 async hook / bare
 * loop" of docs/BENCHMARKS.md.
 */

import { now } from "./clock.js";
import type { Logger } from "./logging.js";
import { callNative, type NativeClient } from "./native.js";
import type { CanonicalStats, HookWarning } from "./stats.js";

/** How often an event was dispatched since the last transfer to the core. */
export interface EventCount {
  dispatches: number;
  /** The number of dispatches at which the counts are transferred; set by the core. */
  until: number;
}

/** A dispatch whose hooks were all no-ops. */
interface NoOpDispatch {
  readonly plan: { readonly numbers: readonly number[]; readonly count: EventCount };
  /** When it began, and when each hook ended; nanoseconds. */
  readonly times: readonly number[];
}

/** A block begins with the number of its hooks and of its dispatches; the hooks' numbers and the times follow. */
const HEAD = 2;

/** Capacity at first and at most: a program may have a client for each request. */
const KEPT_FIRST = 64;
const KEPT = 4096;

/** The hooks of no block. */
const NONE: readonly number[] = [];

/** The first transfer of an event's counts; the core sets the later ones. */
const FIRST = 1;

/** The counts of a client that is switched off; they are never transferred. */
export const UNCOUNTED: EventCount = { dispatches: 0, until: Infinity };

/** Counts of one client; its fields are private by type only, since every dispatch comes by here. */
export class RunCounts {
  private readonly native: NativeClient;
  private readonly logger: Logger | null;
  private readonly events = new Map<string, EventCount>();
  private runs = new Float64Array(KEPT_FIRST);
  private length = 0;
  /** Where the current block begins, and the hooks of its dispatches. */
  private block = 0;
  private numbers = NONE;

  constructor(native: NativeClient, logger: Logger | null) {
    this.native = native;
    this.logger = logger;
  }

  /** The count of an event, by its canonical name. */
  of(event: string): EventCount {
    let count = this.events.get(event);
    if (count === undefined) this.events.set(event, (count = { dispatches: 0, until: FIRST }));
    return count;
  }

  /** Counts a dispatch whose hooks were all no-ops. */
  countNoOp({ plan: { numbers, count }, times }: NoOpDispatch): void {
    if (numbers !== this.numbers || this.length + times.length > this.runs.length)
      this.beginBlock(numbers);
    const { runs } = this;
    let at = this.length;
    for (const time of times) runs[at++] = time;
    this.length = at;
    if (++count.dispatches >= count.until) this.transfer();
  }

  /** Counts a dispatch without hooks. */
  countWithoutHooks(count: EventCount): void {
    if (++count.dispatches >= count.until) this.transfer();
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

  /** Grows the buffer, or transfers what it holds. */
  private makeRoom(needed: number): void {
    const { runs } = this;
    if (runs.length >= KEPT) this.transfer();
    if (this.length + needed <= runs.length) return;
    this.runs = new Float64Array(Math.max(Math.min(2 * runs.length, KEPT), this.length + needed));
    this.runs.set(runs.subarray(0, this.length));
  }

  /** Transfers everything and frees the buffer: the client was closed. */
  release(): void {
    this.transfer();
    this.runs = new Float64Array(0);
  }

  /** Writes the number of dispatches into the current block. */
  private endBlock(): void {
    const hooks = this.numbers.length;
    if (hooks === 0) return;
    this.runs[this.block + 1] = (this.length - this.block - HEAD - hooks) / (hooks + 1);
    this.numbers = NONE;
  }

  /** Passes everything to the core. */
  private transfer(): void {
    this.endBlock();
    const runs = this.runs.subarray(0, this.length);
    this.length = 0;
    const counted = [...this.events].filter(([, { dispatches }]) => dispatches > 0);
    const events = counted.map(([event]) => event);
    const dispatches = counted.map(([, count]) => count.dispatches);
    const { until, warningsDue } = this.native.count(now(), runs, events, dispatches);
    for (const [index, [, count]] of counted.entries()) {
      count.dispatches = 0;
      count.until = until[index] ?? FIRST;
    }
    if (warningsDue) this.logWarnings();
  }

  /** Logs warnings about hooks, each once. */
  logWarnings(): void {
    const warnings = JSON.parse(callNative(() => this.native.newWarnings())) as HookWarning[];
    for (const warning of warnings) {
      const { hook, event, reason, fix } = warning;
      this.logger?.warn(`hook ${hook} on ${event} ${reason}; ${fix}`, { ...warning });
    }
  }

  /** What each hook did so far, in the canonical form. */
  stats(reset: boolean): CanonicalStats {
    this.transfer();
    return JSON.parse(callNative(() => this.native.stats(reset))) as CanonicalStats;
  }
}
