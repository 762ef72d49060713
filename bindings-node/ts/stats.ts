/** The statistics of a client's hooks. */

import type { Action } from "./response.js";
import type { FailureKind } from "./errors.js";

/** How long the runs of a hook took, in milliseconds: percentiles within 6.25 % of the true ones, `max` exactly. */
export interface Durations {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

/** The statistics of one hook. */
export interface HookStats {
  readonly hook: string;
  readonly id: string;
  readonly event: string;
  /** How often it was started, rechecks and detached runs too. */
  readonly runs: number;
  /** The runs by their decision; of failed ones by the effect of `failBehavior`. */
  readonly decisions: Readonly<Partial<Record<Action, number>>>;
  /** The runs that failed, by the kind of failure. */
  readonly failures: Readonly<Partial<Record<FailureKind, number>>>;
  /** The runs that changed the event. */
  readonly modifications: number;
  /** The runs in which it would have blocked the event, had it not observed. */
  readonly wouldBlock: number;
  /** How often it was selected and skipped. */
  readonly skipped: number;
  /** The runs that exceeded the timeout and could not be interrupted. */
  readonly overran: number;
  /** `null` when no run was waited for. */
  readonly duration: Durations | null;
  /** When a run last ended or, of a detached one, began. */
  readonly lastRun: Date | null;
  /** No dispatch has selected it. */
  readonly neverMatched: boolean;
}

/** A warning about a hook: the reason, and the fix. */
export interface HookWarning {
  readonly hook: string;
  readonly id: string;
  readonly event: string;
  readonly kind:
    "never_matched" | "unknown_tool" | "always_fails" | "slow" | "misspelled_field" | "observes";
  readonly reason: string;
  readonly fix: string;
}

/** The canonical form of one hook's statistics. */
export type CanonicalHookStats = Pick<
  HookStats,
  "hook" | "id" | "event" | "runs" | "decisions" | "failures"
> &
  Pick<HookStats, "modifications" | "skipped" | "overran"> & {
    readonly duration_us: Durations | null;
    readonly last_run: number | null;
    readonly never_matched: boolean;
    readonly would_block: number;
  };

/** The canonical form, the same in every language: `snake_case`, microseconds and milliseconds. */
export interface CanonicalStats {
  readonly hooks: readonly CanonicalHookStats[];
  readonly events: Readonly<Record<string, number>>;
  readonly warnings: readonly HookWarning[];
}

/** The statistics of all hooks of a client. */
export class Stats {
  readonly #canonical: CanonicalStats;

  /** In the order in which they run. */
  readonly hooks: readonly HookStats[];
  /** How often each event was dispatched, also without hooks. */
  readonly events: Readonly<Record<string, number>>;
  readonly warnings: readonly HookWarning[];

  /** @internal */
  constructor(canonical: CanonicalStats) {
    this.#canonical = canonical;
    this.hooks = canonical.hooks.map(fromCanonical);
    this.events = canonical.events;
    this.warnings = canonical.warnings;
  }

  /** The first hook of this name or id. */
  hook(name: string): HookStats | undefined {
    return this.hooks.find(({ hook, id }) => hook === name || id === name);
  }

  toJSON(): CanonicalStats {
    return structuredClone(this.#canonical);
  }
}

function fromCanonical({
  duration_us,
  last_run,
  never_matched,
  would_block,
  ...rest
}: CanonicalHookStats): HookStats {
  const milliseconds = ({ p50, p95, p99, max }: Durations): Durations => ({
    p50: p50 / 1000,
    p95: p95 / 1000,
    p99: p99 / 1000,
    max: max / 1000,
  });
  return {
    ...rest,
    duration: duration_us === null ? null : milliseconds(duration_us),
    lastRun: last_run === null ? null : new Date(last_run),
    neverMatched: never_matched,
    wouldBlock: would_block,
  };
}
