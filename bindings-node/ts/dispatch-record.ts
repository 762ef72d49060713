/** What is kept of one dispatch: everything that its outcome is derived from. */

import { AuditCoverage } from "./audit.js";
import { auditTexts } from "./audit-fields.js";
import { now } from "./clock.js";
import type { Envelope, EventScope, Fields } from "./event.js";
import { callNative, type DispatchStatus, type HookReport, type NativeDispatch } from "./native.js";
import type { Plan, PlanRuntime } from "./plan.js";
import { copyForHost, setField } from "./values.js";

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
    /** As the host gave it; of a gate in copies once a hook is waited for, see `hold`. */
    public payload: Fields,
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

/** A value that the host can change, and the copy in its place. */
export type Held = ReadonlyMap<unknown, unknown>;

/**
 * Puts copies in the place of what the host could change while a hook of a gate is waited for: what was judged is what the
 * outcome gives back. A dispatch that waits for nothing but promises costs no copy: with one for each that is awaited, 1,500
 * objects that nobody reads take 0.5 ms (the bar "Node, 1,500 objects untouched" of docs/BENCHMARKS.md).
 */
export function hold(record: DispatchRecord): Held {
  const held = new Map<unknown, unknown>();
  if (!record.plan.gate) return held;
  try {
    holdPayload(record, held);
  } catch {
    // A field that throws when it is read gives nobody anything.
  }
  return held;
}

function holdPayload(record: DispatchRecord, held: Map<unknown, unknown>): void {
  const { details, payload: given } = record;
  const own = heldFields(given, held);
  held.set(given, own);
  if (details !== null) {
    const { values, status } = details;
    const current = values[status.payload] as Fields;
    if (current !== given) held.set(current, heldFields(current, held));
    values.forEach((value, place) => {
      values[place] = held.get(value) ?? value;
    });
  }
  record.payload = own;
}

/** A payload whose fields are copies. A field that cannot be copied stays: no hook and no reader of the outcome gets it either. */
function heldFields(payload: Fields, held: Map<unknown, unknown>): Fields {
  const own = Object.create(Object.getPrototypeOf(payload) as object | null) as Record<
    string,
    unknown
  >;
  for (const name of Object.keys(payload)) {
    const value = payload[name];
    if (!held.has(value)) held.set(value, copyIfPossible(value));
    setField(own, name, held.get(value));
  }
  return own;
}

function copyIfPossible(value: unknown): unknown {
  try {
    return copyForHost(value);
  } catch {
    return value;
  }
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
