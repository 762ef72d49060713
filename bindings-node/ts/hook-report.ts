/** The report of one hook's result to the native side. */

import { types } from "node:util";

import { codeOf, describe, errorOf } from "./errors.js";
import { HookInvocation } from "./event.js";
import { append } from "./lists.js";
import type { HookReport } from "./native.js";
import type { HookEntry } from "./plan.js";
import { copyFromHook, isContainer, isObject, MAX_NESTING, nameOf } from "./values.js";

/** Levels of an answer above a modified value: the answer itself, and `modified`. */
const LEVELS_ABOVE = 2;

/** A failure whose kind is known where it is thrown; it becomes the hook's failure in the trace. */
export class ReportedFailure extends Error {
  readonly #own = true;

  /** Whether a thrown value is one. Unlike `instanceof` this runs no code of a proxy. */
  static is(thrown: unknown): thrown is ReportedFailure {
    return typeof thrown === "object" && thrown !== null && #own in thrown && thrown.#own;
  }

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
  try {
    const given = isObject(answer) ? copyAnswer(answer) : answer;
    return { result: "answer", duration, value: append(values, given) };
  } catch (error) {
    const code = codeOf(error);
    if (code === "payload_too_deep" || code === "payload_too_large") {
      const excess = code === "payload_too_deep" ? "depth" : "size";
      return { result: "answer", duration, value: append(values, answer), excess };
    }
    return reportUnreadable(values, error, duration);
  }
}

/** A copy of an answer; throws where the core would miss a part of it. */
function copyAnswer(answer: object): unknown {
  if (!isContainer(answer)) {
    const what = `an answer is nothing or an object, not ${nameOf(answer)}`;
    throw errorOf("invalid_answer", `${what}, which cannot be read; return a plain object`);
  }
  const copy = copyFromHook(answer, MAX_NESTING + LEVELS_ABOVE) as object;
  if (Array.isArray(copy)) return copy;
  const isEmpty = Object.keys(copy).length === 0;
  const own = Reflect.ownKeys(answer).length;
  if ((isEmpty && (own > 0 || types.isProxy(answer))) || own > Reflect.ownKeys(copy).length) {
    const what =
      "an answer has fields that cannot be listed (symbols, properties that are not enumerable, a proxy)";
    throw errorOf("invalid_answer", `${what}; return a plain object`);
  }
  return copy;
}

/** The hook answered, and its answer cannot be read: its meaning is unknown, so that a gate stays shut. */
export function reportUnreadable(values: unknown[], error: unknown, duration: number): HookReport {
  return { ...reportFailure(values, "invalid_answer", error, duration), restricts: true };
}

/** The hook failed. */
export function reportFailure(
  values: unknown[],
  kind: "raised" | "invalid_answer" | "not_started",
  thrown: unknown,
  duration: number,
): HookReport {
  if (ReportedFailure.is(thrown)) {
    const { kind: failureKind, message, restricts, cause } = thrown;
    const report: HookReport = { result: "failed", duration, failureKind, message, restricts };
    return cause === undefined ? report : { ...report, value: append(values, cause) };
  }
  return {
    result: "failed",
    duration,
    failureKind: kind,
    message: describe(thrown),
    value: append(values, thrown),
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
