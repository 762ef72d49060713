/** Runs the hooks of an event. */

import type { Cancelling } from "./cancellation.js";
import { now } from "./clock.js";
import { auditNoOp, DispatchRecord } from "./dispatch-record.js";
import type { Fields } from "./event.js";
import { Dispatch } from "./fast-path.js";
import type { HookRuntime } from "./hook-runtime.js";
import { callNative, limits, refuseDepth } from "./native.js";
import { depthHere } from "./nesting.js";
import { Outcome } from "./outcome.js";
import type { Plan } from "./plan.js";

const { maxDepth } = limits();

/** The times of a dispatch without hooks. */
const NO_TIMES: readonly number[] = [];

/** Runs an event's hooks. */
export function dispatch(
  plan: Plan<HookRuntime>,
  payload: Fields,
  signal: Cancelling | undefined,
): Promise<Outcome> {
  // A promise is returned as it is.
  return Promise.resolve(dispatchNow(plan, payload, signal));
}

/** The same, without a promise where no hook has to be awaited. */
export function dispatchNow(
  plan: Plan<HookRuntime>,
  payload: Fields,
  signal: Cancelling | undefined,
): Outcome | Promise<Outcome> {
  const depth = depthHere();
  if (depth > maxDepth) callNative(() => refuseDepth(depth));
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  const hooks = plan.hooks.length;
  if (hooks === 0) {
    const { counts, recording } = plan.runtime;
    counts.countWithoutHooks(plan.count);
    const record = new DispatchRecord(plan, payload, NO_TIMES);
    if (recording) auditNoOp(record);
    return new Outcome(record);
  }
  const began = now();
  const times = new Array<number>(hooks + 1);
  times[0] = began;
  const record = new DispatchRecord(plan, payload, times);
  return new Dispatch(record, times, depth, signal ?? null).start();
}
