/** The clock and the timer of one end of a connection. */

import { clearTimeout, elapsed, setTimeout } from "./timers.js";

/** Timers of the platform count in 31 bits. */
const LONGEST = 0x7fff_ffff;

/** Milliseconds since it began, and one timer at a time. */
export class RemoteClock {
  readonly #began = elapsed();
  readonly #ring: (now: number) => void;
  #timer: NodeJS.Timeout | null = null;
  #at = Infinity;
  #keepsAlive = true;

  constructor(ring: (now: number) => void) {
    this.#ring = ring;
  }

  now(): number {
    return Math.floor(elapsed() - this.#began);
  }

  /** It keeps no process alive. */
  unref(): void {
    this.#keepsAlive = false;
  }

  /** Rings at a time; a timer that rings earlier looks again then. */
  due(at: number | null | undefined): void {
    if (at === null || at === undefined || at >= this.#at) return;
    this.stop();
    this.#at = at;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        this.#at = Infinity;
        this.#ring(this.now());
      },
      Math.min(Math.max(at - this.now(), 1), LONGEST),
    );
    if (!this.#keepsAlive) this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#at = Infinity;
  }
}
