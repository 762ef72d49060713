/** Puts a session's question to its approver. */

import { randomUUID } from "node:crypto";

import type { ApprovalRequest } from "./approvals.js";
import { follow, wait } from "./cancelling.js";
import type { ApproveEffect, Effect } from "./effects.js";
import type { Flow } from "./flow.js";
import type { FlowDriver } from "./session-driver.js";
import { lend } from "./values.js";

/** Asks, for as long as the question says. */
export async function approve(
  driver: FlowDriver,
  flow: Flow,
  effect: ApproveEffect,
): Promise<Effect> {
  const { do: _, timeout_ms: timeout, args, ...rest } = effect;
  const { id: sessionId, agentId } = driver.session;
  // A copy: what an approver does to it changes nothing of what runs.
  const shown = args === null ? null : (lend(driver.values[args]) as ApprovalRequest["args"]);
  const request = { id: randomUUID(), sessionId, agentId, ...rest, args: shown, timeout };
  const { cancellation, release } = follow(driver.cancelling);
  const late = new DOMException("nobody answered in time", "TimeoutError");
  const expire = (): void => {
    cancellation.abort(late);
  };
  // Rejected when the question is settled before.
  wait(timeout, cancellation).then(expire, () => undefined);
  try {
    const option: unknown = await driver.call(
      () => driver.parts.approver(request, { signal: cancellation.signal }),
      cancellation,
    );
    if (typeof option === "string") return flow.chosen(option);
    return flow.failed(`the approver gave ${typeof option}, not one of the options`);
  } catch (error) {
    driver.cancelling.throwIfAborted();
    return error === late ? flow.timedOut() : driver.failed(flow, "the approver failed", error);
  } finally {
    release();
    // Ends the timer, and tells an approver that nobody listens any more.
    cancellation.abort(new DOMException("the question is settled", "AbortError"));
  }
}
