/** The clock that durations are measured with. */

// It needs no receiver.
// eslint-disable-next-line @typescript-eslint/unbound-method
const { bigint: clock } = process.hrtime;

// The clock gives a bigint, which is allocated on the heap. Written to a typed array and read back as two numbers it is not:
// a dispatch with ten hooks takes 1.05 µs instead of 1.24 µs. The bar is "Node, 10 async hooks / bare loop" of
// docs/BENCHMARKS.md.
const word = new BigUint64Array(1);
const halves = new Uint32Array(word.buffer);
/** Which half of a word is the low one. */
const low = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1;
const high = 1 - low;

/** The time on `process.hrtime`'s clock, as a plain number of nanoseconds. */
export function now(): number {
  word[0] = clock();
  return (halves[high] as number) * 0x1_0000_0000 + (halves[low] as number);
}
