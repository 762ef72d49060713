/**
 * How deep the dispatch that is about to begin is nested in running hooks; the outermost one has depth 0.
 *
 * While a handler runs synchronously the depth is a number that is saved and restored. A handler that waits
 * and then dispatches cannot be distinguished from an unrelated caller that way; only when dispatches overlap, or once there are
 * hooks from files, depths are carried in an `AsyncLocalStorage` too, because that makes every promise of the process
 * dearer.
 */

import { AsyncLocalStorage } from "node:async_hooks";

/** The depth of a dispatch that the running handler would begin; 0 outside of handlers. */
let inside = 0;
/** Dispatches that wait for a handler. */
let waiting = 0;
/** Whether handlers are started inside the storage. */
let tracking = false;
/** Whether they always are: commands get their depth, and some do nothing unless it is 0. */
let exact = false;
/** The assumed depth of a dispatch without a carried one. */
let base = 0;
const carried = new AsyncLocalStorage<number>();

/** The depth of a dispatch that begins here. */
export function depthHere(): number {
  if (inside !== 0) return inside;
  return waiting === 0 ? 0 : overlapping();
}

/** The depth of the dispatch whose handler is being called. */
export function depthNow(): number {
  return inside === 0 ? 0 : inside - 1;
}

function overlapping(): number {
  if (!tracking) {
    tracking = true;
    // The waiting dispatch may or may not be the caller. If it is, the count is right; if not, one level too high.
    base = waiting === 1 ? 1 : 0;
  }
  return carried.getStore() ?? base;
}

/**
 * Calls a handler of a dispatch of this depth.
 *
 * Called without a receiver: a handler must not find the engine's records in `this`.
 */
export function callAt<E, C>(
  depth: number,
  handler: (event: E, context: C) => unknown,
  event: E,
  context: C,
): unknown {
  const before = inside;
  inside = depth + 1;
  try {
    // What a tracked handler does after a wait is known to be its doing.
    return tracking ? carried.run(inside, handler, event, context) : handler(event, context);
  } finally {
    inside = before;
  }
}

/** Carries depths from now on, however dispatches overlap. */
export function countExactly(): void {
  exact = true;
  if (waiting > 0) overlapping();
  tracking = true;
}

/** Notes that a dispatch waits. */
export function beginWait(): void {
  waiting++;
}

/** Notes that it waits no more. */
export function endWait(): void {
  waiting--;
  if (waiting === 0 && tracking) {
    base = 0;
    tracking = exact;
    if (!exact) carried.disable();
  }
}
