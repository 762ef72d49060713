/**
 * The timeouts of hooks: all deadlines share one timer.
 *
 * A hook that is awaited links itself into a list, and one `setImmediate` per turn of the event loop checks whether the list
 * is still in use; only then a timer is armed. Hooks that finish within the turn arm none. With a timer per hook, a dispatch
 * with one hook takes 0.57 µs instead of 0.3 µs; the bar is "Node, 1 async hook / bare loop" of docs/BENCHMARKS.md.
 */

import { nextTick } from "node:process";

import { now } from "./clock.js";
import { append } from "./lists.js";
import { clearTimeout, setImmediate, setTimeout } from "./timers.js";

/** A wait with a timeout. */
export interface Deadline {
  /** When the wait began, in nanoseconds on `process.hrtime`'s clock. */
  since: number;
  /** Timeout in milliseconds; `Infinity` is no limit. */
  limit: number;
  /** Whether the process must stay alive until the deadline. */
  readonly keepsAlive: boolean;
  /** Whether `holdPayload` was called since it was started: of the list, those before one that is held are held. */
  readonly isHeld: boolean;
  previous: Deadline | null;
  next: Deadline | null;
  /** Called at the timeout, after the deadline was taken off the list. */
  expire(): void;
  /** Called once the event loop is about to go on to other work while this waits. */
  holdPayload(): void;
}

let first: Deadline | null = null;
let last: Deadline | null = null;
let timer: NodeJS.Timeout | null = null;
let checking = false;
let holding = false;
const settled = Promise.resolve();
/** The shortest limit that the armed timer covers; a shorter one needs a new check. */
let shortest = Infinity;

/** Starts a deadline. */
export function startDeadline(deadline: Deadline): void {
  deadline.previous = last;
  deadline.next = null;
  if (last === null) first = deadline;
  else last.next = deadline;
  last = deadline;
  if (!holding) holdSoon();
  restartDeadline(deadline);
}

/** Starts a running deadline again, possibly with another limit. */
export function restartDeadline(deadline: Deadline): void {
  // While a timer is armed for limits at least as short, it fires before this wait is over.
  if (!checking && (timer === null || deadline.limit < shortest || deadline.limit === Infinity))
    checkSoon();
}

/** Stops a deadline. */
export function stopDeadline(deadline: Deadline): void {
  const { previous, next } = deadline;
  if (previous === null) first = next;
  else previous.next = next;
  if (next === null) last = previous;
  else next.previous = previous;
  deadline.previous = null;
  deadline.next = null;
  // Without deadlines the timer must not keep the process alive.
  if (timer !== null && !checking) checkSoon();
}

/**
 * Holds what still waits when the promises that are settled by now, and those that follow from them, have been gone through: a
 * tick that is asked for among them runs behind all of them, and before any other work.
 */
function holdSoon(): void {
  holding = true;
  nextTick(() => {
    // No fake timers stand in for it.
    void settled.then(() => {
      nextTick(() => {
        holding = false;
        // What was there before is held already.
        for (let deadline = last; deadline?.isHeld === false; deadline = deadline.previous)
          deadline.holdPayload();
      });
    });
  });
}

/** Checks the list after this turn of the event loop. */
function checkSoon(): void {
  checking = true;
  setImmediate(() => {
    checking = false;
    sweep();
  });
}

/** Ends what waited too long, and arms the timer for what waits on. */
function sweep(): void {
  if (timer !== null) {
    clearTimeout(timer);
    timer = null;
  }
  shortest = Infinity;
  const time = now();
  let soonest = Infinity;
  let keepsAlive = false;
  const over: Deadline[] = [];
  for (let deadline = first; deadline !== null; deadline = deadline.next) {
    if (deadline.limit === Infinity) continue;
    const left = deadline.limit - (time - deadline.since) / 1e6;
    if (left <= 0) {
      append(over, deadline);
      continue;
    }
    if (left < soonest) soonest = left;
    if (deadline.limit < shortest) shortest = deadline.limit;
    keepsAlive ||= deadline.keepsAlive;
  }
  if (soonest !== Infinity) {
    timer = setTimeout(sweep, Math.min(Math.ceil(soonest), MAX_TIMER));
    if (!keepsAlive) timer.unref();
  }
  for (const deadline of over) {
    // One that expired may have ended others.
    if (deadline.previous === null && deadline !== first) continue;
    stopDeadline(deadline);
    deadline.expire();
  }
}

/** Timers of the platform count in 31 bits. */
const MAX_TIMER = 2_147_483_647;
