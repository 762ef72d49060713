/** The answer of a hook: a union of types with `action` as the tag, and a helper that builds one. */

import type { EventName, ModifiedFields } from "./event-types.js";
import { ownFields } from "./own-fields.js";

// Not `EventName`: an answer that names no event may be given to any.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type AnyEvent = any;

/** A decision of a hook. */
export type Action = "continue" | "allow" | "ask" | "block" | "retry" | "skip" | "stop";

/** Context for the model; a bare string has role `system`. */
export interface InjectionInput {
  content: string;
  role?: "system" | "user" | "assistant";
  /** For the next model call only. */
  ephemeral?: boolean;
}

/** A message for the user; a bare string has level `info`. */
export interface MessageInput {
  text: string;
  level?: "info" | "warning" | "error";
}

/** A question to a person. */
export interface QuestionInput {
  /** The question; the answer's reason when left out. */
  prompt?: string;
  /** What the person can choose. */
  options?: readonly string[];
  /** Those options that allow, beside "Allow once" and "Allow always", which always do. */
  grants?: readonly string[];
  /** Milliseconds that a person has. */
  timeout?: number;
  /** The result of a timeout. Default: `deny`. */
  default?: "allow" | "deny";
  /** The scope in which "Allow always" is remembered; by default for the same arguments. */
  remember?: "tool" | "prompt";
}

/** The parts that any answer can carry beside its action. */
export interface AnswerParts<K extends EventName = AnyEvent> {
  /** Payload fields that the hook replaces, each by the whole value given. */
  modified?: ModifiedFields<K>;
  inject?: string | InjectionInput | readonly (string | InjectionInput)[];
  message?: string | MessageInput | readonly (string | MessageInput)[];
  /** Keeps the hook's own output out of the transcript. */
  suppressOutput?: boolean;
  /** Values by key for later hooks of the dispatch, which read them in `event.shared`. */
  share?: Readonly<Record<string, unknown>>;
  /** What only one dialect has, by dialect. */
  ext?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** No objection; also an answer without an action. */
export interface ContinueResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action?: "continue";
  reason?: string;
  ask?: string | QuestionInput;
}

/** Allows the action without asking a person. */
export interface AllowResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action: "allow";
  reason?: string;
  ask?: string | QuestionInput;
}

/** A person decides. */
export interface AskResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action: "ask";
  reason?: string;
  ask?: string | QuestionInput;
}

/** Blocks the action. */
export interface BlockResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action: "block";
  reason?: string;
  ask?: string | QuestionInput;
}

/** Has the action retried. */
export interface RetryResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action: "retry";
  reason?: string;
  /** Milliseconds to wait first. */
  delay?: number;
  ask?: string | QuestionInput;
}

/** Skips the later hooks of the same scope. */
export interface SkipResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action: "skip";
  reason?: string;
  ask?: string | QuestionInput;
}

/** Blocks the action and stops the agent. */
export interface StopResponse<K extends EventName = AnyEvent> extends AnswerParts<K> {
  action: "stop";
  reason?: string;
  ask?: string | QuestionInput;
}

/** A hook's answer to an event. */
export type HookResponse<K extends EventName = AnyEvent> =
  | ContinueResponse<K>
  | AllowResponse<K>
  | AskResponse<K>
  | BlockResponse<K>
  | RetryResponse<K>
  | SkipResponse<K>
  | StopResponse<K>;

/** Builds answers; every one is a plain object that could be written by hand. */
export const HookResponse = {
  /** No objection, perhaps with changes, context or messages. */
  continue<K extends EventName>(
    parts: AnswerParts<K> & { reason?: string } = {},
  ): ContinueResponse<K> {
    return { action: "continue", ...parts };
  },
  /** Allows the action without asking a person. */
  allow<K extends EventName>(parts: AnswerParts<K> & { reason?: string } = {}): AllowResponse<K> {
    return { action: "allow", ...parts };
  },
  /** A person decides. */
  ask<K extends EventName>(
    prompt: string,
    given: AnswerParts<K> & { reason?: string } & Omit<QuestionInput, "prompt"> = {},
  ): AskResponse<K> {
    const { reason, options, grants, timeout, remember, ...rest } = ownFields(given);
    const { default: fallback, ...parts } = ownFields(rest);
    const ask: QuestionInput = { prompt };
    if (options !== undefined) ask.options = options;
    if (grants !== undefined) ask.grants = grants;
    if (timeout !== undefined) ask.timeout = timeout;
    if (fallback !== undefined) ask.default = fallback;
    if (remember !== undefined) ask.remember = remember;
    const answer: AskResponse<K> = { action: "ask", ask, ...(parts as AnswerParts<K>) };
    if (reason !== undefined) answer.reason = reason;
    return answer;
  },
  /** Blocks the action. */
  block<K extends EventName>(reason?: string, parts: AnswerParts<K> = {}): BlockResponse<K> {
    return reason === undefined
      ? { action: "block", ...parts }
      : { action: "block", reason, ...parts };
  },
  /** Has the action retried after `delay` milliseconds. */
  retry<K extends EventName>(
    parts: AnswerParts<K> & { delay?: number; reason?: string } = {},
  ): RetryResponse<K> {
    return { action: "retry", ...parts };
  },
  /** Skips the later hooks of the same scope. */
  skip<K extends EventName>(parts: AnswerParts<K> & { reason?: string } = {}): SkipResponse<K> {
    return { action: "skip", ...parts };
  },
  /** Blocks the action and stops the agent. */
  stop<K extends EventName>(reason?: string, parts: AnswerParts<K> = {}): StopResponse<K> {
    return reason === undefined
      ? { action: "stop", ...parts }
      : { action: "stop", reason, ...parts };
  },
} as const;
