/** Questions to a person, and what answers them. */

import { describe, errorOf } from "./errors.js";

/** A question to a person. Its texts are safe to display: control characters are escaped. */
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
  /** The result of a timeout. */
  readonly default: "allow" | "deny";
  /** How widely "Allow always" is remembered beyond the very same arguments. */
  readonly remember: "tool" | "prompt" | null;
  /** Whether "Allow always" holds in later sessions too. */
  readonly persistent: boolean;
}

/** What an approver gets besides the request. */
export interface ApprovalContext {
  /** Fires at the timeout, or when the answer is no longer needed. */
  readonly signal: AbortSignal;
}

/** An answer with more than an option. */
export interface ApprovalAnswer {
  /** One of the request's options. */
  readonly option: string;
  /** A sentence for the model, and for the record. */
  readonly reason?: string | null | undefined;
  /** The arguments that the tool is to be called with; hooks check them again. */
  readonly args?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The answer of an approver: one of the request's options, alone or with more. */
export type Approval = string | ApprovalAnswer;

/** Asks a person. An answer that is none of the options is refused and logged as an error, and so is an error. */
export type Approver = (
  request: ApprovalRequest,
  context: ApprovalContext,
) => Approval | PromiseLike<Approval>;

/** The name of a built-in approver. */
export type ApproverName = "deny" | "allow" | "terminal" | "pending";

/** A question that waits for its decision. */
interface PendingQuestion {
  readonly request: ApprovalRequest;
  readonly decide: (answer: Approval) => void;
}

/**
 * Questions that wait for a decision from elsewhere: a web page, a chat, another process.
 *
 * `approval: "pending"` gives each session a queue of its own; for one queue of several sessions hand them its `ask`.
 */
export class PendingApprovals {
  readonly #waiting = new Map<string, PendingQuestion>();

  /** What waits, the oldest first. */
  pending(): ApprovalRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /** Queues a question until it is decided or no longer needed. */
  readonly ask: Approver = (request, { signal }) => {
    const { id } = request;
    return new Promise((resolve) => {
      this.#waiting.set(id, { request, decide: resolve });
      signal.addEventListener("abort", () => this.#waiting.delete(id), { once: true });
    });
  };

  /** Decides a question by one of its options, perhaps with a reason or edited arguments; throws `unknown_approval`. */
  decide(id: string, answer: Approval): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      throw errorOf("unknown_approval", `nothing waits for approval under \`${describe(id)}\``);
    }
    const { options } = waiting.request;
    const option = typeof answer === "string" ? answer : answer.option;
    if (!options.includes(option)) {
      throw errorOf(
        "unknown_approval",
        `\`${describe(option)}\` is no option; known are ${options.join(", ")}`,
      );
    }
    this.#waiting.delete(id);
    waiting.decide(answer);
  }
}
