/** Asks the person at the terminal; the core formats the question and reads the answer. */

import type { ApprovalContext, ApprovalRequest } from "./approval.js";
import { callNative, NativeTerminalPrompt, NativeTerminalQuestion } from "./native.js";

const USUAL_WIDTH = 80;
const USUAL_HEIGHT = 24;

/**
 * A question as a person reads it at a terminal, and what a typed line answers.
 *
 * For approvers of your own that write to a screen and read lines: foreign text is escaped and stands right of a bar.
 */
export class TerminalQuestion {
  readonly #native: NativeTerminalQuestion;
  #remark = "";

  constructor(
    request: ApprovalRequest,
    {
      width = USUAL_WIDTH,
      height = USUAL_HEIGHT,
    }: { readonly width?: number; readonly height?: number } = {},
  ) {
    this.#native = callNative(
      () => new NativeTerminalQuestion(Object.assign({}, request), width, height),
    );
  }

  /** The question, as much of it as a screen of that height holds; all of it once `?` was typed. */
  get text(): string {
    return this.#native.text;
  }

  /** What to write after a line that was no answer, before the next one is read. */
  get remark(): string {
    return this.#remark;
  }

  /** The prompt before the cursor, with the time left, given in milliseconds; its width is constant. */
  invitation(left: number): string {
    return this.#native.invitation(left);
  }

  /**
   * The option that a line chooses; `null` when it chooses none: write the `remark` then, and read on.
   *
   * `null` as the line is the end of the input, and throws.
   */
  read(line: string | null): string | null {
    const { chosen, again, over } = this.#native.read(line);
    if (over !== undefined) throw new Error(over);
    this.#remark = again ?? "";
    return chosen ?? null;
  }
}

/** Asks on the controlling terminal, with the time that is left; without a terminal it denies. */
export function askOnTerminal(
  request: ApprovalRequest,
  { signal }: ApprovalContext,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const answered = (option: string | null | undefined, why: string | null | undefined): void => {
      if (typeof option === "string") resolve(option);
      else reject(new Error(why ?? "the question was taken away"));
    };
    const asking = callNative(
      () => new NativeTerminalPrompt(Object.assign({}, request), request.timeout, answered),
    );
    if (signal.aborted) asking.cancel();
    signal.addEventListener("abort", () => {
      asking.cancel();
    });
  });
}
