/**
 * Deadlines of everything that waits, behind one timer.
 *
 * A timer per hook would cost more than most hooks. A waiting dispatch links itself into a list instead, and one
 * immediate per turn of the event loop looks whether anything in the list still waits; only then a timer is armed.
 * Hooks that finish within the turn never come near it.
 */

import { now } from "./clock.js";
import { clearTimeout, setImmediate, setTimeout } from "./timers.js";

/** Something that waits and must not wait for ever. */
export interface Waiting {
  /** When the wait began, in nanoseconds on `process.hrtime`'s clock. */
  since: number;
  /** Milliseconds that it may last; `Infinity` is without end. */
  limit: number;
  /** Whether the process must stay alive until the deadline. */
  readonly holds: boolean;
  previous: Waiting | null;
  next: Waiting | null;
  /** Called once the time is over, after it was taken off the list. */
  expire(): void;
}

let first: Waiting | null = null;
let last: Waiting | null = null;
let timer: NodeJS.Timeout | null = null;
let looking = false;
/** The shortest limit that the armed timer knows of; anything shorter has to be looked at. */
let shortest = Infinity;

/** Starts to watch. */
export function watch(waiting: Waiting): void {
  waiting.previous = last;
  waiting.next = null;
  if (last === null) first = waiting;
  else last.next = waiting;
  last = waiting;
  renew(waiting);
}

/** Notes that a watched wait has begun anew, with another limit perhaps. */
export function renew(waiting: Waiting): void {
  // While a timer is armed for limits at least as short, it fires before this wait is over.
  if (!looking && (timer === null || waiting.limit < shortest || waiting.limit === Infinity))
    look();
}

/** Stops to watch. */
export function unwatch(waiting: Waiting): void {
  const { previous, next } = waiting;
  if (previous === null) first = next;
  else previous.next = next;
  if (next === null) last = previous;
  else next.previous = previous;
  waiting.previous = null;
  waiting.next = null;
  // The last one to leave must not leave the process alive behind it.
  if (timer !== null && !looking) look();
}

/** Sees to the list once this turn of the event loop is over. */
function look(): void {
  looking = true;
  setImmediate(() => {
    looking = false;
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
  let holds = false;
  const over: Waiting[] = [];
  for (let waiting = first; waiting !== null; waiting = waiting.next) {
    if (waiting.limit === Infinity) continue;
    const left = waiting.limit - (time - waiting.since) / 1e6;
    if (left <= 0) {
      over.push(waiting);
      continue;
    }
    if (left < soonest) soonest = left;
    if (waiting.limit < shortest) shortest = waiting.limit;
    holds ||= waiting.holds;
  }
  if (soonest !== Infinity) {
    timer = setTimeout(sweep, Math.min(Math.ceil(soonest), MAX_TIMER));
    if (!holds) timer.unref();
  }
  for (const waiting of over) {
    // One that expired may have ended others.
    if (waiting.previous === null && waiting !== first) continue;
    unwatch(waiting);
    waiting.expire();
  }
}

/** Timers of the platform count in 31 bits. */
const MAX_TIMER = 2_147_483_647;
