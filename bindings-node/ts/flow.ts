/** A flow of a session: each reply gives the next effect, as JSON text. */

import type { NativeRun, NativeSession, NativeToolCall } from "./native.js";

/** One activity of a session in the core, which knows it by a number. */
export class Flow {
  constructor(
    private readonly session: NativeSession,
    private readonly number: number,
  ) {}

  begin(): string {
    return this.session.begin(this.number);
  }

  done(): string {
    return this.session.done(this.number);
  }

  failed(why: string): string {
    return this.session.failed(this.number, why);
  }

  /** No hook had anything to say. */
  nothingSaid(): string {
    return this.session.nothingSaid(this.number);
  }

  /** What hooks said, the number of the wanted value and the other wanted fields as JSON text. */
  dispatched(run: NativeRun, values: unknown[], value: number | undefined, fields: string): string {
    return this.session.dispatched(this.number, run, values, value, fields);
  }

  /** A copy of a value, and its JSON text when it has one. */
  frozen(value: number, text: string | undefined): string {
    return this.session.frozen(this.number, value, text);
  }

  /** What a person chose. */
  chosen(option: string): string {
    return this.session.chosen(this.number, option);
  }

  timedOut(): string {
    return this.session.timedOut(this.number);
  }

  /** A tool has run, for so many milliseconds. */
  ran(result: number, error: string | undefined, duration: number): string {
    return this.session.ran(this.number, result, error, duration);
  }

  /** The model has answered; what it cost is JSON text. */
  responded(response: number, text: string, calls: NativeToolCall[], usage: string): string {
    return this.session.responded(this.number, response, text, calls, usage);
  }

  text(text: string): string {
    return this.session.text(this.number, text);
  }

  /** Nothing more is wanted of it. */
  release(): void {
    this.session.release(this.number);
  }
}
