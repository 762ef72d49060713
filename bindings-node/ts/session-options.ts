/** The options of sessions and their methods. */

import type { Approval, Approver, ApproverName } from "./approval.js";
import type { Context, ContextMessage } from "./context.js";
import type { Display } from "./display.js";
import type { Outcome } from "./outcome.js";
import type { Permission } from "./tools.js";

/** A class whose instances may be thrown. */
export type ErrorClass = abstract new (...args: never[]) => object;

/** The options of `session`; each has a default. */
export interface SessionOptions {
  /** The id of the session. Default: a random one. */
  sessionId?: string;
  /** The working directory of its events. Default: the client's `projectDir`. */
  cwd?: string | URL;
  /** What answers questions to a person. Default: nobody does, and what needs an approval is refused. */
  approval?: ApproverName | Approver;
  /** Where the conversation is stored. Default: in memory. */
  context?: Context;
  /** Where the user reads messages. Default: the client's log. */
  display?: Display;
  /** One permission for every tool, or one by tool: names and globs split on `|`, `*` for all others. */
  permissions?: Permission | Readonly<Record<string, Permission>>;
  /** How often hooks may have a call retried. Default: 3. */
  maxRetries?: number;
  /** The longest text that a hook may inject, in bytes. Default: 10 KiB. */
  injectionLimit?: number;
  /** Tokens that hooks may inject per turn before the user is warned. Default: 1000. */
  injectionBudget?: number;
  /** How often the model is called for one prompt. Default: 100. */
  maxModelCalls?: number;
  /**
   * How long "Allow always" holds: for the session (default), or 30 days in later sessions of the `"user"` or with the
   * file of an absolute path.
   */
  keepApprovals?: "session" | "user" | (string & {});
  /** Tokens that the model's context holds. */
  contextLimit?: number;
  /** The fraction of it at which hooks are warned. Default: 0.8. */
  contextThreshold?: number;
  /** How many of the most recent messages a compaction keeps. Default: 6. */
  keepRecent?: number;
  /** The model as events name it. */
  model?: unknown;
  /** The model's instructions. */
  systemPrompt?: string;
  /** Called with the outcome of each event of the session, in order. Its errors are logged. */
  onOutcome?: (outcome: Outcome) => void;
  /** Cancels everything that runs in the session and its subagents. */
  signal?: AbortSignal;
}

/** The options of every method that may wait. */
export interface FlowOptions {
  /** Cancels the call, with its hooks, approver, tool and model; it rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The options of `runTool`. */
export interface RunToolOptions extends FlowOptions {
  /** The id of the call. Default: a random one. */
  toolUseId?: string;
  /**
   * What a person has answered to questions of this call, by their ids, when it was made before and rejected with
   * `ApprovalPending`. These are not asked again; any other is.
   */
  answers?: Readonly<Record<string, Approval>>;
  /** Errors of these classes go through unchanged, from the approver and from the tool: the call counts as not begun. */
  passes?: readonly ErrorClass[];
}

/** The options of `generate`. */
export interface GenerateOptions extends FlowOptions {
  /** Called with the model's text piece by piece, if the model reports it. Its errors are logged. */
  onText?: (text: string) => void;
}

/** The options of `beginModel`. */
export interface BeginModelOptions extends FlowOptions {
  /** The model's instructions. Default: the session's. */
  systemPrompt?: string;
  /** The names of the tools that it may call. */
  tools?: readonly unknown[];
}

/** Writes a summary of messages; it gets none where the host keeps the conversation itself. */
export type Summarise = (
  messages: readonly ContextMessage[],
  customInstructions: string | null,
  context: { readonly signal: AbortSignal },
) => string | PromiseLike<string>;

/** The options of `compact`. */
export interface CompactOptions extends FlowOptions {
  trigger?: "manual" | "auto";
  customInstructions?: string;
}

/** The options of `notify`. */
export interface NotifyOptions extends FlowOptions {
  title?: string;
  kind?: string;
}

/** The fields of the `Stop` event. */
export interface StopDetails {
  lastMessage?: string;
  /** Default: `completed`. */
  status?: string;
  /** Milliseconds. */
  duration?: number;
  changedFiles?: readonly string[];
  [field: string]: unknown;
}

/** The options of `subagent`. */
export interface SubagentOptions extends FlowOptions {
  /** The id of the subagent. Default: a random one. */
  agentId?: string;
  /** Where its conversation is stored. Default: with its parent's. */
  context?: Context;
}
