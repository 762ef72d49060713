/** Puts a session's question to its approver. */

import { randomUUID } from "node:crypto";

import type { ApprovalRequest } from "./approvals.js";
import { follow, wait } from "./cancelling.js";
import type { ApproveEffect } from "./effects.js";
import type { NativeFlow } from "./native.js";
import { copyOf, type FlowDriver } from "./session-driver.js";

/** Asks, for as long as the question says. */
export async function approve(
  driver: FlowDriver,
  flow: NativeFlow,
  effect: ApproveEffect,
): Promise<string> {
  const { do: _, timeout_ms: timeout, args, ...rest } = effect;
  const { id: sessionId, agentId } = driver.session;
  // A copy: what an approver does to it changes nothing of what runs.
  const shown = args === null ? null : (copyOf(driver.values[args]) as ApprovalRequest["args"]);
  const request = { id: randomUUID(), sessionId, agentId, ...rest, args: shown, timeout };
  const { controller, release } = follow(driver.signal);
  const { signal } = controller;
  const late = new DOMException("nobody answered in time", "TimeoutError");
  const expire = (): void => {
    controller.abort(late);
  };
  // Rejected when the question is settled before.
  wait(timeout, signal).then(expire, () => undefined);
  try {
    const option: unknown = await driver.call(
      () => driver.parts.approver(request, { signal }),
      signal,
    );
    if (typeof option === "string") return flow.chosen(option);
    return flow.failed(`the approver gave ${typeof option}, not one of the options`);
  } catch (error) {
    driver.signal.throwIfAborted();
    return error === late ? flow.timedOut() : driver.failed(flow, "the approver failed", error);
  } finally {
    release();
    // Ends the timer, and tells an approver that nobody listens any more.
    controller.abort(new DOMException("the question is settled", "AbortError"));
  }
}
