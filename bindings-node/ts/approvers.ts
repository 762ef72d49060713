/** The built-in approvers. */

import type { Approver, PendingApprovals } from "./approval.js";
import { errorOf } from "./errors.js";
import { askOnTerminal } from "./terminal.js";

/** Denies everything; the default of a session. */
const denyAll: Approver = () => "Deny";

/** Allows everything: for tests, and for sandboxes that limit the harm by other means. */
const allowAll: Approver = ({ granting: [first] }) => {
  if (first === undefined) throw new Error("no option of the question allows");
  return first;
};

/** The approver that an option stands for; throws `invalid_option`. */
export function approverOf(approval: unknown, pending: PendingApprovals): Approver {
  if (typeof approval === "function") return approval as Approver;
  switch (approval ?? "deny") {
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
