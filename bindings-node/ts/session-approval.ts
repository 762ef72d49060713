/** Asks the approver of a session. */

import { ApprovalRequest } from "./approval.js";
import { allowAll, denyAll } from "./approvers.js";
import { follow, wait } from "./cancellation.js";
import { codeOf } from "./errors.js";
import type { ApproveEffect, Effect } from "./session-effects.js";
import type { Flow } from "./session-flow.js";
import type { EffectContext } from "./effect-context.js";
import { copyForHook, isObject, isPlain, nameOf } from "./values.js";

/** Asks until the question's timeout. */
export async function approve(
  effects: EffectContext,
  flow: Flow,
  effect: ApproveEffect,
): Promise<Effect> {
  const { approver } = effects.parts;
  if (approver === null) return flow.noApprover();
  if (approver === denyAll || approver === allowAll) return flow.notAsked(approver === allowAll);
  const { do: _, timeout_ms: timeout, tool_use_id: toolUseId, args, ...rest } = effect;
  const { id: sessionId, agentId } = effects.session;
  // A copy: what an approver does to it changes nothing of what runs.
  const shown =
    args === null ? null : (copyForHook(effects.values[args]) as ApprovalRequest["args"]);
  const about = { sessionId, agentId, toolUseId, args: shown };
  const request = new ApprovalRequest({ ...rest, ...about, timeout });
  const { cancellation, release } = follow(effects.cancelling);
  const late = new DOMException("no answer in time", "TimeoutError");
  const expire = (): void => {
    cancellation.abort(late);
  };
  // Rejected when the question is settled before.
  wait(timeout, cancellation).then(expire, () => undefined);
  try {
    const given: unknown = await effects.call(
      () => approver(request, { signal: cancellation.signal }),
      cancellation,
    );
    if (typeof given === "string") return flow.chosen(given, undefined);
    if (isPlain(given)) {
      // Read once: a getter may give something else the next time.
      const answer = { ...given };
      return flow.chosen(answer, effects.keep(answer["args"]));
    }
    // Not the value: what a person types may be a secret.
    const what = isObject(given) ? nameOf(given) : `a value of type ${typeof given}`;
    const options = request.options.map((known) => `"${known}"`).join(", ");
    return flow.failed(`the approver gave ${what}; it must give one of the options ${options}`);
  } catch (error) {
    effects.cancelling.throwIfAborted();
    if (codeOf(error) === "suspended") {
      effects.pending = request;
      return flow.suspended();
    }
    if (effects.passes(error)) throw error;
    return error === late ? flow.timedOut() : effects.failed(flow, "the approver failed", error);
  } finally {
    release();
    // Ends the timer, and fires the approver's signal: its answer is no longer needed.
    cancellation.abort(new DOMException("the question is settled", "AbortError"));
  }
}
