/** What a running dispatch needs of the client whose hooks it runs. */

import type { DispatchRecord } from "./dispatch-record.js";
import type { Fields } from "./event.js";
import type { HookReport } from "./native.js";
import type { Outcome } from "./outcome.js";
import type { HookEntry, PlanRuntime } from "./plan.js";
import type { RunCounts } from "./run-counts.js";
import type { Tracing } from "./tracing.js";

export interface HookRuntime extends PlanRuntime {
  /** Whether dispatches are recorded for a replay, also those without hooks. */
  readonly recording: boolean;
  /** Counts dispatches of no-op hooks. */
  readonly counts: RunCounts;
  /** Makes spans of dispatches. */
  readonly tracing: Tracing | null;
  /** The hook of a number. */
  hook(number: number): HookEntry;
  /** Starts a detached hook. */
  detach(
    hook: HookEntry,
    record: DispatchRecord,
    payload: Fields,
    depth: number,
    values: unknown[],
  ): HookReport;
  /** Logs the failed hooks of an outcome, by their index in the trace and the number of failures so far. */
  logFailures(outcome: Outcome, failures: readonly (readonly [number, number])[]): void;
  /** Drops cached plans: a hook that runs only once has started. */
  forgetPlans(): void;
}
