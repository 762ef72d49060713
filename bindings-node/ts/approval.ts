/** Questions to a person, and what answers them. */

import { describe, errorOf } from "./errors.js";
import { jsonText } from "./native.js";

/** A part of a command line. Its text is safe to display. */
export interface CommandPart {
  readonly text: string;
  /** Whether it is for its sake that the hook looks at the line. */
  readonly met: boolean;
}

/** A question to a person. Its texts are safe to display: control characters are escaped. */
export class ApprovalRequest implements ApprovalFields {
  /** A digest of what is asked: the same question of the same call has it again, in any process. */
  declare readonly id: string;
  declare readonly sessionId: string;
  /** The subagent that asks; `null` for the session itself. */
  declare readonly agentId: string | null;
  /** The event that waits for the answer. */
  declare readonly event: string;
  /** The tool; empty when it is not about one. */
  declare readonly tool: string;
  /** The call's id; `null` when it is not about one. */
  declare readonly toolUseId: string | null;
  /** A copy of the very arguments that will be used; `null` when it is not about a tool. */
  declare readonly args: Readonly<Record<string, unknown>> | null;
  /** The arguments as JSON text, or what else it is about; `null` when they have none. */
  declare readonly shown: string | null;
  /** The command line of the call, in parts; empty when it has none. */
  declare readonly command: readonly CommandPart[];
  /** The hook that asks; `null` when it is the host's own rule. */
  declare readonly hook: string | null;
  /** The condition for which it asks: of the hook's matcher, or the host's; `null` when there is none. */
  declare readonly why: string | null;
  /** The reason of the hook's answer, where it is not the question itself. */
  declare readonly reason: string | null;
  declare readonly prompt: string;
  /** What can be chosen. */
  declare readonly options: readonly string[];
  /** Those of them that allow. */
  declare readonly granting: readonly string[];
  /** Milliseconds that the person has. */
  declare readonly timeout: number;
  /** The result of a timeout. */
  declare readonly default: "allow" | "deny";
  /** How widely "Allow always" is remembered beyond the very same arguments. */
  declare readonly remember: "tool" | "prompt" | null;
  /** Whether "Allow always" holds in later sessions too. */
  declare readonly persistent: boolean;

  /** @internal */
  constructor(fields: ApprovalFields) {
    Object.assign(this, fields);
  }

  /** The question that `toJSON`, or its like in another language, has written; throws `invalid_payload`. */
  static from(question: object): ApprovalRequest {
    const written = question as Record<string, unknown>;
    const read: Record<string, unknown> = {};
    for (const [field, name] of WIRE) {
      if (!Object.hasOwn(written, name)) {
        const why = `ApprovalRequest.from: \`${name}\` is missing; give the whole object that \`toJSON\` wrote`;
        throw errorOf("invalid_payload", why);
      }
      read[field] = written[name];
    }
    return new ApprovalRequest(read as unknown as ApprovalFields);
  }

  /** The question as JSON has it, the same in every language; arguments without a JSON form are `null`. */
  toJSON(): Record<string, unknown> {
    const own = this as unknown as Record<string, unknown>;
    const written = Object.fromEntries(WIRE.map(([field, name]) => [name, own[field]]));
    return { ...written, args: hasJson(this.args) ? this.args : null };
  }
}

/** The fields of a question, each with its name in JSON. */
const WIRE = [
  ["id", "id"],
  ["sessionId", "session_id"],
  ["agentId", "agent_id"],
  ["event", "event"],
  ["tool", "tool"],
  ["toolUseId", "tool_use_id"],
  ["args", "args"],
  ["shown", "shown"],
  ["command", "command"],
  ["hook", "hook"],
  ["why", "why"],
  ["reason", "reason"],
  ["prompt", "prompt"],
  ["options", "options"],
  ["granting", "granting"],
  ["timeout", "timeout_ms"],
  ["default", "default"],
  ["remember", "remember"],
  ["persistent", "persistent"],
] as const satisfies readonly (readonly [keyof ApprovalFields, string])[];

function hasJson(value: unknown): boolean {
  try {
    jsonText(value);
    return true;
  } catch {
    return false;
  }
}

/** The fields of a question. */
export interface ApprovalFields {
  /** A digest of what is asked: the same question of the same call has it again, in any process. */
  readonly id: string;
  readonly sessionId: string;
  /** The subagent that asks; `null` for the session itself. */
  readonly agentId: string | null;
  /** The event that waits for the answer. */
  readonly event: string;
  /** The tool; empty when it is not about one. */
  readonly tool: string;
  /** The call's id; `null` when it is not about one. */
  readonly toolUseId: string | null;
  /** A copy of the very arguments that will be used; `null` when it is not about a tool. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** The arguments as JSON text, or what else it is about; `null` when they have none. */
  readonly shown: string | null;
  /** The command line of the call, in parts; empty when it has none. */
  readonly command: readonly CommandPart[];
  /** The hook that asks; `null` when it is the host's own rule. */
  readonly hook: string | null;
  /** The condition for which it asks: of the hook's matcher, or the host's; `null` when there is none. */
  readonly why: string | null;
  /** The reason of the hook's answer, where it is not the question itself. */
  readonly reason: string | null;
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

/**
 * Asks a person. An answer that is none of the options is refused and logged as an error, and so is an error but
 * `Suspended`.
 */
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
