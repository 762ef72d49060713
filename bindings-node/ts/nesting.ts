/**
 * How deep the dispatch that is about to begin is nested in running hooks; the outermost one has depth 0.
 *
 * While a handler runs synchronously the depth is a number that is saved and restored. A handler that waits
 * and then dispatches cannot be distinguished from an unrelated caller that way; only when dispatches overlap, or once there are
 * hooks from files, depths are carried in an `AsyncLocalStorage` too, because that makes every promise of the process
 * dearer.
 */

import { AsyncLocalStorage } from "node:async_hooks";

import { sharedState } from "./copies.js";

interface Nesting {
  /** The depth of a dispatch that the running handler would begin; 0 outside of handlers. */
  inside: number;
  /** Dispatches that wait for a handler. */
  waiting: number;
  /** Whether handlers are started inside the storage. */
  tracking: boolean;
  /** Whether they always are: commands get their depth, and some do nothing unless it is 0. */
  exact: boolean;
  /** The assumed depth of a dispatch without a carried one. */
  base: number;
  readonly carried: AsyncLocalStorage<number>;
}

/** One for all copies of the package: hooks of one may dispatch events of another. */
const state = sharedState<Nesting>("nesting 1", () => ({
  inside: 0,
  waiting: 0,
  tracking: false,
  exact: false,
  base: 0,
  carried: new AsyncLocalStorage<number>(),
}));

/** The depth of a dispatch that begins here. */
export function depthHere(): number {
  if (state.inside !== 0) return state.inside;
  return state.waiting === 0 ? 0 : overlapping();
}

/** The depth of the dispatch whose handler is being called. */
export function depthNow(): number {
  return state.inside === 0 ? 0 : state.inside - 1;
}

function overlapping(): number {
  if (!state.tracking) {
    state.tracking = true;
    // The waiting dispatch may or may not be the caller. If it is, the count is right; if not, one level too high.
    state.base = state.waiting === 1 ? 1 : 0;
  }
  return state.carried.getStore() ?? state.base;
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
  const before = state.inside;
  state.inside = depth + 1;
  try {
    // What a tracked handler does after a wait is known to be its doing.
    return state.tracking
      ? state.carried.run(state.inside, handler, event, context)
      : handler(event, context);
  } finally {
    state.inside = before;
  }
}

/** Carries depths from now on, however dispatches overlap. */
export function countExactly(): void {
  state.exact = true;
  if (state.waiting > 0) overlapping();
  state.tracking = true;
}

/** Notes that a dispatch waits. */
export function beginWait(): void {
  state.waiting++;
}

/** Notes that it waits no more. */
export function endWait(): void {
  state.waiting--;
  if (state.waiting === 0 && state.tracking) {
    state.base = 0;
    state.tracking = state.exact;
    if (!state.exact) state.carried.disable();
  }
}
