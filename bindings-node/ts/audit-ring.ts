/**
 * Quiet dispatches on their way to the audit log, written into memory that the log's own thread reads.
 *
 * A call into native code costs more than all that is recorded of such a dispatch. That is called only when the log sleeps;
 * and a dispatch that is written here is on its way without the event loop coming to another turn: a tool may block this
 * thread or end the process next. How the memory is laid out stands with the core's `Ring`.
 */

import { isCopied, isPlain, LONGEST, type Audited, type Place } from "./audited.js";
import type { Fields } from "./event.js";
import type { NativeHooks } from "./native.js";
import type { Trail } from "./trail.js";

/** A word of the memory, in bytes. */
const WORD = 8;

/** Where numbers stand, in halves of words. */
const TAIL = 0;
const HEAD = 16;
const LIMIT = 18;
const ASLEEP = 20;

/** How many words are before those for dispatches. */
const FIRST = 16;

/** Stands where nothing follows up to the end of the memory. */
const SKIP = -1;

/** A dispatch that needs more words than this is told otherwise. */
const MOST = 512;

/** Texts up to this length are copied letter by letter; for longer ones a call into the platform is cheaper. */
const SHORT = 32;

/** What every object inherits: what an event inherits is no field of it. */
const INHERITED = Object.prototype as Fields;

/** Tags, as they are written down. */
const SESSION = "s".charCodeAt(0);
const AGENT = "a".charCodeAt(0);
const TOOL_USE_ID = "u".charCodeAt(0);
const TOOL = "t".charCodeAt(0);
const LOOKED = "l".charCodeAt(0);
const PATH = "p".charCodeAt(0);

/** The memory of one log; its fields are private by type only, since every recorded dispatch comes by here. */
export class AuditRing {
  private readonly marks: Int32Array;
  private readonly times: Float64Array;
  private readonly bytes: Buffer;
  /** How many words there are for dispatches: a power of two. */
  private readonly words: number;
  /** How many words were written so far, and how many are surely free. */
  private tail = 0;
  private free: number;
  private dispatches = 0;
  private writing = false;

  constructor(
    private readonly native: NativeHooks,
    memory: ArrayBuffer,
    /** What the log's clock is ahead of this one, in nanoseconds. */
    private readonly ahead: number,
  ) {
    this.marks = new Int32Array(memory);
    this.times = new Float64Array(memory);
    this.bytes = Buffer.from(memory);
    this.words = this.free = memory.byteLength / WORD - FIRST;
  }

  /** Writes a dispatch down in which no hook had anything to say; false when it has to be told otherwise. */
  take(trail: Trail, audited: Audited): boolean {
    // Both wrap: what counts is how far apart they are.
    const room = ((this.marks[LIMIT] as number) - this.dispatches) | 0;
    // A payload may run code of its own where it is read, and that may dispatch events.
    if (room <= 0 || this.writing) return false;
    this.writing = true;
    try {
      return this.writeDown(trail, audited);
    } finally {
      this.writing = false;
    }
  }

  private writeDown({ payload, times }: Trail, { head, unusual }: Audited): boolean {
    const { marks } = this;
    if (head === null || unusual === null || head.length / 2 + times.length >= MOST) return false;
    const at = this.begin();
    if (at === 0) return false;
    let word = at + 1;
    for (const time of times) this.times[word++] = time + this.ahead;
    const text = word * WORD;
    for (let i = 0; i < head.length; i++) marks[2 * word + i] = head[i] as number;
    const begin = text + head.length * (WORD / 2);
    const end = this.writeTexts(payload, unusual, begin, (at + MOST) * WORD);
    if (end === 0) return false;
    const length = Math.ceil(end / WORD) - at;
    marks[2 * at] = length;
    marks[2 * at + 1] = end - text;
    this.free -= length;
    this.dispatches = (this.dispatches + 1) | 0;
    this.tail = (this.tail + length) | 0;
    // First the one, then the other, as everybody sees it: the log says that it sleeps, and then looks here.
    Atomics.store(marks, TAIL, this.tail);
    if (Atomics.load(marks, ASLEEP) !== 0) this.native.wakeAudit();
    return true;
  }

  /** The word at which the next dispatch begins; 0 when there is no room. */
  private begin(): number {
    const { words } = this;
    const at = this.tail & (words - 1);
    const skipped = at + MOST > words ? words - at : 0;
    if (this.free < skipped + MOST) {
      this.free = words - ((this.tail - Atomics.load(this.marks, HEAD)) | 0);
      if (this.free < skipped + MOST) return 0;
    }
    if (skipped === 0) return FIRST + at;
    this.marks[2 * (FIRST + at) + 1] = SKIP;
    this.free -= skipped;
    this.tail = (this.tail + skipped) | 0;
    return FIRST;
  }

  /**
   * Writes the texts that a record needs; gives where they end, or 0 when they cannot be written here.
   *
   * Those that nearly every event has are read by names that stand in the code: compiled, such a name is found at once, and
   * one out of a list costs more than to write the text.
   */
  private writeTexts(
    payload: Fields,
    unusual: readonly Place[],
    begin: number,
    most: number,
  ): number {
    const args = payload["args"] as Fields | null | undefined;
    if (!isPlain(payload)) return 0;
    let at = this.field(SESSION, payload["sessionId"], INHERITED["sessionId"], begin, most);
    at = this.field(AGENT, payload["agentId"], INHERITED["agentId"], at, most);
    at = this.field(TOOL_USE_ID, payload["toolUseId"], INHERITED["toolUseId"], at, most);
    at = this.field(TOOL, payload["tool"], INHERITED["tool"], at, most);
    if (args !== undefined) {
      // Read first: compiled code knows the object then, and answers the question after its prototype by itself.
      const command: unknown = args?.["command"];
      if (!isPlain(args)) return 0;
      at = this.field(LOOKED, command, INHERITED["command"], at, most);
      at = this.field(PATH, args["file_path"], INHERITED["file_path"], at, most);
      at = this.field(PATH, args["path"], INHERITED["path"], at, most);
      at = this.field(PATH, args["notebook_path"], INHERITED["notebook_path"], at, most);
      at = this.field(PATH, args["paths"], INHERITED["paths"], at, most);
      at = this.field(PATH, args["files"], INHERITED["files"], at, most);
    }
    for (const { tag, name, inArgs } of unusual) {
      const value = inArgs ? args?.[name] : payload[name];
      at = this.field(tag.charCodeAt(0), value, INHERITED[name], at, most);
    }
    return at;
  }

  /** Writes a field behind its tag, if it is there; gives where it ends, or 0 as soon as one cannot be written here. */
  private field(tag: number, value: unknown, inherited: unknown, at: number, most: number): number {
    if (value === undefined || value === null || at === 0) return at;
    // A list of paths, or nothing that can be read, or not the event's own: the core sees to that.
    if (typeof value !== "string" || value === inherited || at + 1 >= most) return 0;
    this.bytes[at] = tag;
    return this.put(value, at + 1, most);
  }

  /** Writes a text and a NUL; gives where they end, or 0 when there is no room or the text is none to be copied. */
  private put(text: string, at: number, most: number): number {
    const { bytes } = this;
    const { length } = text;
    if (length <= SHORT && at + length < most) {
      let i = 0;
      for (; i < length; i++) {
        const letter = text.charCodeAt(i);
        if (letter === 0 || letter > 0x7f) break;
        bytes[at + i] = letter;
      }
      if (i === length) {
        bytes[at + length] = 0;
        return at + length + 1;
      }
    }
    const kept = length > LONGEST ? text.slice(0, LONGEST) : text;
    // A letter of the language has three bytes at most.
    if (3 * kept.length >= most - at || !isCopied(text)) return 0;
    const end = at + bytes.write(kept, at);
    bytes[end] = 0;
    return end + 1;
  }
}
