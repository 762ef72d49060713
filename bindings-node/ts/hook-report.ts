/** The report of one hook's result to the native side. */

import { codeOf, describe } from "./errors.js";
import { HookInvocation } from "./event.js";
import type { HookReport } from "./native.js";
import type { HookEntry } from "./plan.js";
import { copyFromHook, isContainer, MAX_NESTING } from "./values.js";

/** Levels of an answer above a modified value: the answer itself, and `modified`. */
const LEVELS_ABOVE = 2;

/** A failure whose kind is known where it is thrown; it becomes the hook's failure in the trace. */
export class ReportedFailure extends Error {
  constructor(
    readonly kind: string,
    message: string,
    /** The hook was going to restrict the action, so that a gate stays shut. */
    readonly restricts: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The hook answered nothing. */
export function reportNothing(duration: number): HookReport {
  return { result: "nothing", duration };
}

/**
 * The hook returned an answer, which is copied into the values of the dispatch.
 *
 * Copied here, because later changes of the hook to its own objects must not count, and because a native copy would cross
 * the language border for every property.
 */
export function reportAnswer(values: unknown[], answer: unknown, duration: number): HookReport {
  if (!isContainer(answer)) return { result: "answer", duration, value: values.push(answer) - 1 };
  try {
    const copy = copyFromHook(answer, MAX_NESTING + LEVELS_ABOVE);
    return { result: "answer", duration, value: values.push(copy) - 1 };
  } catch (error) {
    const code = codeOf(error);
    if (code === "payload_too_deep" || code === "payload_too_large") {
      const excess = code === "payload_too_deep" ? "depth" : "size";
      return { result: "answer", duration, value: values.push(answer) - 1, excess };
    }
    // It cannot be copied, or one of its getters threw: its meaning is unknown, so that a gate stays shut.
    return { ...reportFailure(values, "invalid_answer", error, duration), restricts: true };
  }
}

/** The hook failed. */
export function reportFailure(
  values: unknown[],
  kind: "raised" | "invalid_answer" | "not_started",
  thrown: unknown,
  duration: number,
): HookReport {
  if (thrown instanceof ReportedFailure) {
    const { kind: failureKind, message, restricts, cause } = thrown;
    const report: HookReport = { result: "failed", duration, failureKind, message, restricts };
    return cause === undefined ? report : { ...report, value: values.push(cause) - 1 };
  }
  return {
    result: "failed",
    duration,
    failureKind: kind,
    message: describe(thrown),
    value: values.push(thrown) - 1,
  };
}

/** The hook's timeout is over; the dialect of a file hook may give that another meaning. */
export function reportTimeout(
  { onTimeout, limit }: HookEntry,
  invocation: HookInvocation | null,
  { values, depth, duration }: { values: unknown[]; depth: number; duration: number },
): HookReport {
  if (onTimeout === undefined || invocation === null) return { result: "timeout", duration, limit };
  try {
    const answer = onTimeout(HookInvocation.event(invocation), depth);
    return answer === undefined ? reportNothing(duration) : reportAnswer(values, answer, duration);
  } catch (error) {
    return reportFailure(values, "raised", error, duration);
  }
}

/** The reason of a hook's signal at its timeout. */
export function timeoutReason(limit: number): DOMException {
  return new DOMException(`the hook did not answer within ${String(limit)} ms`, "TimeoutError");
}
