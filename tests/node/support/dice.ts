/** Random cases that follow from a seed: `HOOKWEAVE_SEED` chooses others. */

export const SEED = Number(process.env["HOOKWEAVE_SEED"] ?? 20261123);

/** Numbers from 0 to 1 that follow from a seed (mulberry32), and what can be made of them. */
export class Dice {
  #state: number;

  constructor(seed = SEED) {
    this.#state = seed;
  }

  roll(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    const state = this.#state;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to one below `end`. */
  below(end: number): number {
    return Math.floor(this.roll() * end);
  }

  coin(): boolean {
    return this.roll() < 0.5;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** The same items in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    const items = [...list];
    for (let at = items.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [items[at], items[other]] = [items[other] as T, items[at] as T];
    }
    return items;
  }
}
