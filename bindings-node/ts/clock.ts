/**
 * When hooks began and ended.
 *
 * The clock gives integers of 64 bits, which as values of the language are objects. They are kept in shared blocks of
 * bare words instead: a dispatch takes as many words as it has hooks, and one for its beginning.
 */

// It needs no receiver.
// eslint-disable-next-line @typescript-eslint/unbound-method
export const { bigint: clock } = process.hrtime;

const BLOCK = 1024;
let block = new BigUint64Array(BLOCK);
let used = 0;

/** The words of one dispatch: the time of its beginning, and the end of each hook. */
export interface Times {
  readonly times: BigUint64Array;
  /** Where its words begin. */
  readonly first: number;
}

/** Takes words out of a block; the place is that of the first. */
export function reserve(words: number): number {
  if (used + words > block.length) {
    block = new BigUint64Array(Math.max(BLOCK, words));
    used = 0;
  }
  const first = used;
  used += words;
  return first;
}

/** The block that words were last taken of. */
export function currentBlock(): BigUint64Array {
  return block;
}

/** The time in a word. */
export function timeAt({ times, first }: Times, word: number): bigint {
  return times[first + word] ?? 0n;
}
