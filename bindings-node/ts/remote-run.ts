/** Runs one hook of a worker for an event of its agent, as a dispatch of the worker's own client would. */

import { now } from "./clock.js";
import type { Engine } from "./engine.js";
import { describe } from "./errors.js";
import { HookInvocation, type EventScope } from "./event.js";
import { reportAnswer, reportFailure, reportUnreadable } from "./hook-report.js";
import { callNative, checkPayload, jsonText, type HookReport } from "./native.js";
import { beginWait, callAt, endWait } from "./nesting.js";
import type { Completion } from "./outside-hooks.js";
import type { HookEntry } from "./plan.js";
import { canonicalAnswer, localFields } from "./spelling.js";
import { listenTo } from "./thenables.js";
import { atPlace } from "./trace-context.js";
import { restoreLarge, type LargeIntegers } from "./values.js";

/** An event for a hook. */
export interface OfferedEvent {
  readonly hook: string;
  /** `{"payload": …, "large": […]}` */
  readonly text: string;
  readonly depth: number;
  readonly parent?: string;
  readonly state?: string;
}

const GONE: Completion = {
  failed: {
    kind: "not_started",
    message: "the worker took the hook out while it was called",
    restricts: false,
  },
};

/** One run of one hook; it ends once, unless it is cancelled. */
export class OfferedRun {
  readonly #engine: Engine;
  readonly #done: (completion: string) => void;
  #event = "";
  #scope: EventScope | null = null;
  #invocation: HookInvocation | null = null;
  #waits = false;
  #over = false;

  constructor(engine: Engine, done: (completion: string) => void) {
    this.#engine = engine;
    this.#done = done;
  }

  start(given: OfferedEvent): void {
    let hook: HookEntry | null;
    try {
      hook = this.#prepare(given);
    } catch (error) {
      // The event must not get past a guard by what it is.
      this.#end(failed("not_started", describe(error), true));
      return;
    }
    const invocation = this.#invocation;
    if (hook === null || invocation === null) {
      this.#end(GONE);
      return;
    }
    const { handler } = hook;
    this.#call(() =>
      atPlace(given, () =>
        callAt(given.depth, handler, HookInvocation.event(invocation), invocation),
      ),
    );
  }

  /** Nobody waits any more: the hook's signal fires. */
  cancel(reason: unknown): void {
    if (this.#over) return;
    this.#finish();
    if (this.#invocation !== null) HookInvocation.abort(this.#invocation, reason);
  }

  /** The hook, with its event made ready; `null` where the client does not have it any more. */
  #prepare({ hook: id, text, depth }: OfferedEvent): HookEntry | null {
    const engine = this.#engine;
    const offered = callNative(() => engine.native.offeredHook(id, depth));
    if (offered === null) return null;
    const { number, event, hasToolUseId } = offered;
    const hook = engine.hook(number);
    const { payload, large } = JSON.parse(text) as { payload: object; large: LargeIntegers };
    restoreLarge(payload, large);
    const fields = localFields(event, payload);
    callNative(() => {
      checkPayload(fields);
    });
    this.#event = event;
    const plan = { event, hasToolUseId, runtime: engine };
    this.#scope = { plan, began: now(), envelope: null, unshown: null };
    this.#invocation = hook.detached
      ? HookInvocation.detached(this.#scope, fields)
      : new HookInvocation(this.#scope, fields);
    return hook;
  }

  #call(run: () => unknown): void {
    const fail = (error: unknown): void => {
      this.#end(completionOf(reportFailure([], "raised", error, 0)));
    };
    let result: unknown;
    try {
      result = run();
    } catch (error) {
      fail(error);
      return;
    }
    const answered = (value: unknown): void => {
      this.#end(this.#read(value));
    };
    try {
      if (result !== undefined && result !== null && listenTo(result, answered, fail)) {
        this.#waits = !this.#over;
        if (this.#waits) beginWait();
        return;
      }
    } catch (error) {
      this.#end(completionOf(reportUnreadable([], error, 0)));
      return;
    }
    answered(result);
  }

  /** What an answer means; one that cannot be read is a failure here, where its author is. */
  #read(answer: unknown): Completion {
    const unshown = this.#scope?.unshown ?? null;
    if (unshown !== null) return failed("not_started", unshown, true);
    if (answer === undefined || answer === null) return {};
    const values: unknown[] = [];
    const report = reportAnswer(values, answer, 0);
    if (report.result !== "answer") return completionOf(report);
    const copy = values[report.value ?? 0];
    try {
      const event = this.#event;
      const invalid = callNative(() => this.#engine.native.checkAnswer(event, copy));
      if (invalid !== null) return failed("invalid_answer", invalid.message, invalid.restricts);
      return { answer: canonicalAnswer(event, copy as object) };
    } catch (error) {
      return failed("invalid_answer", describe(error), true);
    }
  }

  #end(completion: Completion): void {
    if (this.#over) return;
    this.#finish();
    let text: string;
    try {
      text = jsonText(completion);
    } catch (error) {
      const why = `the answer cannot be read as JSON: ${describe(error)}`;
      text = jsonText(failed("invalid_answer", why, true));
    }
    this.#done(text);
  }

  #finish(): void {
    this.#over = true;
    if (this.#waits) endWait();
    this.#waits = false;
  }
}

function failed(kind: string, message: string, restricts: boolean): Completion {
  return { failed: { kind, message, restricts } };
}

function completionOf({ failureKind, message, restricts }: HookReport): Completion {
  return failed(failureKind ?? "raised", message ?? "", restricts ?? false);
}
