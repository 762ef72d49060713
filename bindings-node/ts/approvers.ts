/** The built-in approvers. */

import type { Approver, PendingApprovals } from "./approval.js";
import { errorOf } from "./errors.js";
import { askOnTerminal } from "./terminal.js";

/** Denies everything. */
export const denyAll: Approver = () => "Deny";

/** Allows everything: for tests, and for sandboxes that limit the harm by other means. */
export const allowAll: Approver = ({ granting: [first] }) => {
  if (first === undefined) throw new Error("no option of the question allows");
  return first;
};

/** The approver that an option stands for, `null` where none is given; throws `invalid_option`. */
export function approverOf(approval: unknown, pending: PendingApprovals): Approver | null {
  if (approval === undefined || approval === null) return null;
  if (typeof approval === "function") return approval as Approver;
  switch (approval) {
    case "deny":
      return denyAll;
    case "allow":
      return allowAll;
    case "terminal":
      return askOnTerminal;
    case "pending":
      return pending.ask;
    default:
      throw errorOf(
        "invalid_option",
        "session: `approval` must be deny, allow, terminal, pending or a function",
      );
  }
}
