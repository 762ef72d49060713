/** A flow of a session in the core: the result of each effect gives the next effect. */

import type { NativeDispatch, NativeSession, NativeSpeaker, NativeToolCall } from "./native.js";
import { readEffect, type Effect } from "./session-effects.js";

/** One flow, known by a number: no native object is created and collected for each tool call. */
export class Flow {
  constructor(
    private readonly session: NativeSession,
    private readonly number: number,
  ) {}

  begin(): Effect {
    return readEffect(this.session.begin(this.number));
  }

  done(): Effect {
    return readEffect(this.session.done(this.number));
  }

  failed(why: string): Effect {
    return readEffect(this.session.failed(this.number, why));
  }

  /** Every hook was a no-op. */
  noOpDispatched(): Effect {
    return readEffect(this.session.noOpDispatched(this.number));
  }

  /** The outcome of a dispatch, the number of the wanted value, and the other wanted fields as JSON text. */
  dispatched(
    dispatch: NativeDispatch,
    values: unknown[],
    value: number | undefined,
    fields: string,
  ): Effect {
    return readEffect(this.session.dispatched(this.number, dispatch, values, value, fields));
  }

  /** A copy of a value, its JSON text, and its text for people when it has no JSON form. */
  frozen(value: number, text: string | undefined, shown: string | undefined): Effect {
    return readEffect(this.session.frozen(this.number, value, text, shown));
  }

  /** What the approver has answered, and the number of the arguments in it. */
  chosen(answer: unknown, args: number | undefined): Effect {
    return readEffect(this.session.chosen(this.number, answer, args));
  }

  /** Nobody was asked. */
  noApprover(): Effect {
    return readEffect(this.session.noApprover(this.number));
  }

  /** The approver allows or denies everything. */
  notAsked(allows: boolean): Effect {
    return readEffect(this.session.notAsked(this.number, allows));
  }

  timedOut(): Effect {
    return readEffect(this.session.timedOut(this.number));
  }

  /** The question is answered later. */
  suspended(): Effect {
    return readEffect(this.session.suspended(this.number));
  }

  /** The host's control flow has left the tool: the call counts as not begun. */
  dropped(): void {
    this.session.dropped(this.number);
  }

  /** A tool has run; the duration is in milliseconds. */
  ran(result: number, error: string | undefined, duration: number): Effect {
    return readEffect(this.session.ran(this.number, result, error, duration));
  }

  /** The model has responded; `usage` is JSON text. */
  responded(response: number, text: string, calls: NativeToolCall[], usage: string): Effect {
    return readEffect(this.session.responded(this.number, response, text, calls, usage));
  }

  /** The conversation: the number of the list that hooks see, and the speaker of each message. */
  context(messages: number, speakers: NativeSpeaker[]): Effect {
    return readEffect(this.session.context(this.number, messages, speakers));
  }

  text(text: string): Effect {
    return readEffect(this.session.text(this.number, text));
  }

  /** Ends a flow early; no effect on one that has ended. */
  release(): void {
    this.session.release(this.number);
  }
}
