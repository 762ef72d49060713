/** A flow of a session: each reply gives the next effect. */

import type { KnownCall, Steps } from "./brief.js";
import type { Effect } from "./effects.js";
import type { NativeRun, NativeSession, NativeSpeaker, NativeToolCall } from "./native.js";

/** One activity of a session in the core, which knows it by a number. */
export class Flow {
  constructor(
    private readonly session: NativeSession,
    private readonly number: number,
    private readonly steps: Steps,
    /** The tool call that it is, if it is one. */
    private readonly call: KnownCall | null,
  ) {}

  /** Reads what is next, at once: what it leaves out is what the core told before. */
  private read(step: number | string): Effect {
    return this.steps.read(step, this.call);
  }

  begin(): Effect {
    return this.read(this.session.begin(this.number));
  }

  done(): Effect {
    return this.read(this.session.done(this.number));
  }

  failed(why: string): Effect {
    return this.read(this.session.failed(this.number, why));
  }

  /** No hook had anything to say. */
  nothingSaid(): Effect {
    return this.read(this.session.nothingSaid(this.number));
  }

  /** What hooks said, the number of the wanted value and the other wanted fields as JSON text. */
  dispatched(run: NativeRun, values: unknown[], value: number | undefined, fields: string): Effect {
    return this.read(this.session.dispatched(this.number, run, values, value, fields));
  }

  /** A copy of a value, its JSON text when it has one, and else what people are shown of it. */
  frozen(value: number, text: string | undefined, shown: string | undefined): Effect {
    return this.read(this.session.frozen(this.number, value, text, shown));
  }

  /** What a person chose. */
  chosen(option: string): Effect {
    return this.read(this.session.chosen(this.number, option));
  }

  timedOut(): Effect {
    return this.read(this.session.timedOut(this.number));
  }

  /** A tool has run, for so many milliseconds. */
  ran(result: number, error: string | undefined, duration: number): Effect {
    return this.read(this.session.ran(this.number, result, error, duration));
  }

  /** The model has answered; what it cost is JSON text. */
  responded(response: number, text: string, calls: NativeToolCall[], usage: string): Effect {
    return this.read(this.session.responded(this.number, response, text, calls, usage));
  }

  /** The conversation as it is: the number of the list that hooks see, and who says each message. */
  context(messages: number, speakers: NativeSpeaker[]): Effect {
    return this.read(this.session.context(this.number, messages, speakers));
  }

  text(text: string): Effect {
    return this.read(this.session.text(this.number, text));
  }

  /** Gives it up; one that has finished is no more. */
  release(): void {
    this.session.release(this.number);
  }
}
