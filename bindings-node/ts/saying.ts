/** What a hook said, as the native side is told. */

import { codeOf, describe } from "./errors.js";
import { Turn } from "./event.js";
import { Broken } from "./native-hooks.js";
import type { Reported } from "./native.js";
import type { Call } from "./plan.js";
import { isContainer, MAX_NESTING, takeOver } from "./values.js";

/** Levels of an answer above a modified value: the answer itself, `modified`. */
const LEVELS_ABOVE = 2;

/** A hook answered nothing. */
export function nothing(took: number): Reported {
  return { said: "nothing", took };
}

/**
 * A hook answered something; the answer is copied into the dispatch's values.
 *
 * Copied here, because what the hook does to its objects afterwards must not count, and because a native copy would
 * cost a crossing for every property.
 */
export function answered(values: unknown[], answer: unknown, took: number): Reported {
  if (!isContainer(answer)) return { said: "answer", took, value: values.push(answer) - 1 };
  try {
    const copy = takeOver(answer, MAX_NESTING + LEVELS_ABOVE);
    return { said: "answer", took, value: values.push(copy) - 1 };
  } catch (error) {
    const code = codeOf(error);
    if (code === "payload_too_deep" || code === "payload_too_large") {
      const excess = code === "payload_too_deep" ? "depth" : "size";
      return { said: "answer", took, value: values.push(answer) - 1, excess };
    }
    // It cannot be copied, or a getter of it threw: nobody knows what it meant, so that a gate stays shut.
    return { ...failed(values, "invalid_answer", error, took), restricts: true };
  }
}

/** A hook failed. */
export function failed(
  values: unknown[],
  kind: "raised" | "invalid_answer" | "not_started",
  cause: unknown,
  took: number,
): Reported {
  if (cause instanceof Broken) {
    const { kind: own, message, restricts, cause: thrown } = cause;
    const told: Reported = { said: "failed", took, kind: own, message, restricts };
    return thrown === undefined ? told : { ...told, value: values.push(thrown) - 1 };
  }
  return {
    said: "failed",
    took,
    kind,
    message: describe(cause),
    value: values.push(cause) - 1,
  };
}

/** A hook's time is over; a hook from a file may have its own word on that. */
export function timedOut(
  { late, limit }: Call,
  turn: Turn | null,
  { values, depth, took }: { values: unknown[]; depth: number; took: number },
): Reported {
  if (late === undefined || turn === null) return { said: "timeout", took, limit };
  try {
    const answer = late(Turn.event(turn), depth);
    return answer === undefined ? nothing(took) : answered(values, answer, took);
  } catch (error) {
    return failed(values, "raised", error, took);
  }
}

/** The reason that a hook's signal fires with at its timeout. */
export function timeoutReason(limit: number): DOMException {
  return new DOMException(`the hook did not answer within ${String(limit)} ms`, "TimeoutError");
}
