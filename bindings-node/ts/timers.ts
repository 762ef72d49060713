/**
 * The platform's timers, as they were when this module was loaded.
 *
 * Tests exchange the global ones for timers that stand still (`mock.timers`, `vi.useFakeTimers`). A hook that hangs must
 * fail all the same, then and afterwards: the engine never looks up a timer again. Only the
 * timestamps of events come from `Date`.
 */

import * as builtIn from "node:timers";

type Name =
  | "setTimeout"
  | "clearTimeout"
  | "setInterval"
  | "clearInterval"
  | "setImmediate"
  | "clearImmediate";

/** Fake timers that are there before this module is loaded stand in for the global ones, or for the module's, seldom for both. */
function genuine<N extends Name>(name: N): (typeof globalThis)[N] {
  const known = [builtIn[name], globalThis[name]] as (typeof globalThis)[N][];
  return known.find((timer) => !isFake(timer)) ?? globalThis[name];
}

/** Timers of sinon's have their clock with them, and those of Node's own mock are bound to it. */
function isFake(timer: object): boolean {
  return (
    "clock" in timer || (timer as { name?: unknown }).name?.toString().startsWith("bound ") === true
  );
}

export const setTimeout = genuine("setTimeout");
export const clearTimeout = genuine("clearTimeout");
export const setInterval = genuine("setInterval");
export const clearInterval = genuine("clearInterval");
export const setImmediate = genuine("setImmediate");

/** Milliseconds on a clock that only goes forward. */
export const elapsed: () => number = performance.now.bind(performance);

/** Lets the event loop come to its next turn. */
export function nextLoopTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Waits for a promise, but so many milliseconds at most. */
export async function within(limit: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limit);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
