/** What sessions and their methods take. */

import type { Approver, ApproverName } from "./approval.js";
import type { Context, ContextMessage } from "./context.js";
import type { Display } from "./display.js";
import type { Outcome } from "./outcome.js";
import type { Permission } from "./tools.js";

/** What `session` takes; everything has a default. */
export interface SessionOptions {
  /** The conversation's id; made up unless said. */
  sessionId?: string;
  /** The working directory of its events; the client's `projectDir` unless said. */
  cwd?: string | URL;
  /** Who is asked; unless said, everything that has to be asked about is denied. */
  approval?: ApproverName | Approver;
  /** Where the conversation is kept; in memory unless said. */
  context?: Context;
  /** Where the user reads messages; the client's log unless said. */
  display?: Display;
  /** One word for every tool, or one by tool: names and globs split on `|`, `*` for all others. */
  permissions?: Permission | Readonly<Record<string, Permission>>;
  /** How often a hook may have something tried again; 3 unless said. */
  maxRetries?: number;
  /** The longest text that a hook may tell the model, in bytes; 10 KiB unless said. */
  injectionLimit?: number;
  /** Tokens that hooks tell the model in a turn before the user is warned; 1000 unless said. */
  injectionBudget?: number;
  /** How often the model is called for one prompt; 100 unless said. */
  maxModelCalls?: number;
  /** Tokens that the model's context holds. */
  contextLimit?: number;
  /** The part of it at which hooks are warned; 0.8 unless said. */
  contextThreshold?: number;
  /** How many of the most recent messages a compaction leaves as they are; 6 unless said. */
  keepRecent?: number;
  /** The model as events name it. */
  model?: unknown;
  /** The model's instructions. */
  systemPrompt?: string;
  /** Hears the outcome of every event that the session raises, in order. What it throws is logged. */
  onOutcome?: (outcome: Outcome) => void;
  /** Cancels all that is under way in the session and its subagents. */
  signal?: AbortSignal;
}

/** What every method takes that may wait. */
export interface FlowOptions {
  /** Cancels it; it then rejects with the signal's reason, and so end hooks, approver, tool and model. */
  signal?: AbortSignal;
}

/** What `runTool` takes beside the tool. */
export interface RunToolOptions extends FlowOptions {
  /** The call's id; made up unless said. */
  toolUseId?: string;
}

/** What `generate` takes beside the prompt. */
export interface GenerateOptions extends FlowOptions {
  /** Hears the model's text piece by piece, if the model passes it on. What it throws is logged. */
  onText?: (text: string) => void;
}

/** Writes a summary of messages; it gets none where the host keeps the conversation itself. */
export type Summarise = (
  messages: readonly ContextMessage[],
  customInstructions: string | null,
  context: { readonly signal: AbortSignal },
) => string | PromiseLike<string>;

/** What `compact` takes beside the function. */
export interface CompactOptions extends FlowOptions {
  trigger?: "manual" | "auto";
  customInstructions?: string;
}

/** What `notify` takes beside the message. */
export interface NotifyOptions extends FlowOptions {
  title?: string;
  kind?: string;
}

/** What `stop` tells hooks. */
export interface StopDetails {
  lastMessage?: string;
  /** `completed` unless said. */
  status?: string;
  /** Milliseconds. */
  duration?: number;
  changedFiles?: readonly string[];
  [field: string]: unknown;
}

/** What `subagent` takes beside the kind. */
export interface SubagentOptions extends FlowOptions {
  /** The subagent's id; made up unless said. */
  agentId?: string;
  /** Where its conversation is kept; with its parent's unless said. */
  context?: Context;
}
