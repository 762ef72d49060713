/**
 * When hooks began and ended.
 *
 * The clock gives integers of 64 bits, which as values of the language are objects. While a dispatch runs they are
 * noted as bare words in one array that never moves, which is what makes noting them cheap; when it ends they are
 * copied out as plain numbers.
 */

// It needs no receiver.
// eslint-disable-next-line @typescript-eslint/unbound-method
const { bigint: clock } = process.hrtime;

/** Words of one slot: the beginning, and the end of each hook. */
const SLOT = 16;
/** Dispatches that can note their times in words at once; more of them keep numbers of their own. */
const SLOTS = 256;

const words = new BigUint64Array(SLOT * SLOTS);
const halves = new Uint32Array(words.buffer);
const free = Array.from({ length: SLOTS }, (_, slot) => slot * SLOT);
/** Which half of a word is the low one. */
const low = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1;
const high = 1 - low;

/** The time as a plain number of nanoseconds. */
export function now(): number {
  return Number(clock());
}

/** The times of one dispatch, in nanoseconds on `process.hrtime`'s clock. */
export class Times {
  /** The first word of its slot; negative without one. */
  private slot: number;
  /** Its times as numbers, when it has no slot. */
  private own: number[] | null = null;

  /** Notes the beginning, unless there are no hooks whose time could count. */
  constructor(hooks: number) {
    this.slot = hooks > 0 && hooks < SLOT && free.length > 0 ? (free.pop() as number) : -1;
    if (hooks > 0) this.note(0);
  }

  /** Notes that something ends now; beginnings and ends are noted in order. */
  note(index: number): void {
    if (this.slot >= 0) words[this.slot + index] = clock();
    else if (this.own === null) this.own = [now()];
    else this.own.push(now());
  }

  /** What was noted at a place. */
  at(index: number): number {
    if (this.slot < 0) return this.own?.[index] ?? 0;
    const half = 2 * (this.slot + index);
    return (halves[half + high] ?? 0) * 0x1_0000_0000 + (halves[half + low] ?? 0);
  }

  /** Copies what was noted, so that the slot can serve another dispatch. */
  close(count: number): void {
    if (this.slot < 0) return;
    // One hook is the usual case, and an array that grows takes room for many.
    const own = count === 2 ? [this.at(0), this.at(1)] : new Array<number>(count);
    if (count !== 2) for (let index = 0; index < count; index++) own[index] = this.at(index);
    this.own = own;
    free.push(this.slot);
    this.slot = -1;
  }
}
