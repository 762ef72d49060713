/** What is kept of one dispatch: everything that its outcome is derived from. */

import { AuditCoverage } from "./audit.js";
import { auditTexts } from "./audit-fields.js";
import { now } from "./clock.js";
import type { Envelope, EventScope, Fields } from "./event.js";
import { callNative, type DispatchStatus, type HookReport, type NativeDispatch } from "./native.js";
import type { Plan, PlanRuntime } from "./plan.js";

/** The native side of a dispatch. */
export interface DispatchDetails {
  readonly dispatch: NativeDispatch;
  status: DispatchStatus;
  /** The values that the native side refers to by their index; the first is the payload as the host gave it. */
  readonly values: unknown[];
}

/** One dispatch, as far as its outcome needs it. */
export class DispatchRecord<R extends PlanRuntime = PlanRuntime> implements EventScope {
  envelope: Envelope | null = null;
  unshown: string | null = null;
  /** `null` while every hook was a no-op and no caller has asked for details. */
  details: DispatchDetails | null = null;

  constructor(
    readonly plan: Plan<R>,
    readonly payload: Fields,
    /** When the dispatch began, and when each no-op hook ended; nanoseconds on `process.hrtime`'s clock. */
    readonly times: readonly number[],
  ) {}

  /** When the dispatch began; without hooks, the time of the first read. */
  get began(): number {
    return this.times[0] ?? now();
  }
}

/** How many nanoseconds each no-op hook took. */
function noOpDurations({ times }: DispatchRecord): number[] {
  return times.slice(1).map((end, hook) => end - (times[hook] ?? 0));
}

/** The native side of a dispatch that is over. */
export function detailsOf(record: DispatchRecord): DispatchDetails {
  // A dispatch of no-op hooks enters native code only when its details are read.
  return record.details ?? begin(record, [record.payload], []);
}

/** Begins the native side with the no-op hooks so far and the reports of the stage after them. */
export function begin(
  record: DispatchRecord,
  values: unknown[],
  reports: HookReport[],
): DispatchDetails {
  const { dispatch, status } = callNative(() =>
    record.plan.native.begin(values, noOpDurations(record), reports),
  );
  return (record.details = { dispatch, status, values });
}

/** The payload at the end of a dispatch. */
export function finalPayload({ details, payload }: DispatchRecord): Fields {
  return details === null ? payload : (details.values[details.status.payload] as Fields);
}

/** Writes a dispatch of no-op hooks to the audit log; blocks it when that fails and `required` is set. */
export function auditNoOp(record: DispatchRecord): void {
  const { native, runtime, auditFields } = record.plan;
  if (runtime.auditCoverage === AuditCoverage.Texts && auditFields !== null) {
    const texts = auditTexts(record.payload, auditFields);
    if (texts !== null) {
      native.auditTexts(texts, noOpDurations(record));
      return;
    }
  }
  const refused = callNative(() => native.auditNoOp(record.payload, noOpDurations(record)));
  if (refused === null) return;
  const details = detailsOf(record);
  details.status = details.dispatch.refuse(refused);
}
