/** A tool call that waits for a person, as its caller learns of it. */

import type { ApprovalRequest } from "./approval.js";
import { nameErrors, SessionError } from "./errors.js";

/** A tool call waits for a person's answer and was not made (`approval_pending`); `request` is the question. */
export class ApprovalPending extends SessionError {
  readonly request: ApprovalRequest;

  constructor(request: ApprovalRequest) {
    const { id, tool, prompt } = request;
    super(
      "approval_pending",
      `a person has to answer "${prompt}" about ${tool} first; make the call again with \`answers\` to ${id}`,
    );
    this.request = request;
  }
}

nameErrors({ ApprovalPending });
