/** Asking a person. */

import { describe, errorOf } from "./errors.js";
import { askOnTerminal } from "./terminal.js";

/** What a person is asked. Its texts are safe to be shown: nothing in them moves a cursor or turns a line around. */
export interface ApprovalRequest {
  readonly id: string;
  readonly sessionId: string;
  /** The subagent that asks; `null` for the session itself. */
  readonly agentId: string | null;
  /** The event that waits for the answer. */
  readonly event: string;
  /** The tool; empty when it is not about one. */
  readonly tool: string;
  /** A copy of the very arguments that will be used; `null` when it is not about a tool. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** The arguments as JSON text, or what else it is about; `null` when they have none. */
  readonly shown: string | null;
  /** The hook that asks; `null` when it is the host's own rule. */
  readonly hook: string | null;
  readonly prompt: string;
  /** What can be chosen. */
  readonly options: readonly string[];
  /** Those of them that allow. */
  readonly granting: readonly string[];
  /** Milliseconds that the person has. */
  readonly timeout: number;
  /** What happens when nobody answers in time. */
  readonly default: "allow" | "deny";
  /** How widely "Allow always" is remembered beyond the very same arguments. */
  readonly remember: "tool" | "prompt" | null;
}

/** What an approver is told beside the question. */
export interface ApprovalContext {
  /** Fires when the time is over, or when nobody needs the answer any more. */
  readonly signal: AbortSignal;
}

/** Asks a person; gives one of the options. Anything else denies, and so does what it throws. */
export type Approver = (
  request: ApprovalRequest,
  context: ApprovalContext,
) => string | PromiseLike<string>;

/** An approver, or the name of one that is built in. */
export type Approval = "deny" | "allow" | "terminal" | "pending" | Approver;

/** A question that waits for somebody elsewhere. */
interface Waiting {
  readonly request: ApprovalRequest;
  readonly decide: (option: string) => void;
}

/**
 * Questions that wait to be decided from elsewhere: a web page, a chat, another process.
 *
 * `approval: "pending"` gives each session a queue of its own; for one queue of several sessions hand them its `ask`.
 */
export class PendingApprovals {
  readonly #waiting = new Map<string, Waiting>();

  /** What waits, the oldest first. */
  pending(): ApprovalRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Puts a question into the queue until it is decided or nobody waits any more. */
  readonly ask: Approver = (request, { signal }) => {
    const { id } = request;
    return new Promise((resolve) => {
      this.#waiting.set(id, { request, decide: resolve });
      signal.addEventListener("abort", () => this.#waiting.delete(id), { once: true });
    });
  };

  /** Decides a question by one of its options; throws `unknown_approval`. */
  decide(id: string, option: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      throw errorOf("unknown_approval", `nothing waits for approval under \`${describe(id)}\``);
    }
    const { options } = waiting.request;
    if (!options.includes(option)) {
      throw errorOf(
        "unknown_approval",
        `\`${describe(option)}\` is no option; known are ${options.join(", ")}`,
      );
    }
    this.#waiting.delete(id);
    waiting.decide(option);
  }
}

/** Denies everything; what a session does that was given no other. */
const denyAll: Approver = () => "Deny";

/** Allows everything: for tests, and for sandboxes that bound the harm by other means. */
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
