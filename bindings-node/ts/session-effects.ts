/** The effects of a session's flow: what the core asks this package to do, as it writes them. */

import type { CommandPart } from "./approval.js";
import type { Role } from "./context.js";
import { restoreLarge, type LargeIntegers } from "./values.js";

/** The number of a value that stays in JavaScript. */
export type ValueId = number;

export interface DispatchEffect {
  readonly do: "dispatch";
  readonly event: string;
  /** The payload in the canonical spelling, without the values. */
  readonly fields: Record<string, unknown>;
  readonly values: readonly (readonly [string, ValueId])[];
  /** The fields whose final values are wanted. */
  readonly wants: readonly string[];
}

export interface ApproveEffect {
  readonly do: "approve";
  readonly id: string;
  readonly event: string;
  readonly tool: string;
  readonly tool_use_id: string | null;
  readonly args: ValueId | null;
  readonly shown: string | null;
  readonly command: readonly CommandPart[];
  readonly hook: string | null;
  readonly why: string | null;
  readonly reason: string | null;
  readonly prompt: string;
  readonly options: readonly string[];
  readonly granting: readonly string[];
  readonly timeout_ms: number;
  readonly default: "allow" | "deny";
  readonly remember: "tool" | "prompt" | null;
  readonly persistent: boolean;
}

export interface RunToolEffect {
  readonly do: "run_tool";
  readonly tool: string;
  readonly tool_use_id: string;
  readonly args: ValueId;
  readonly env: Record<string, string>;
}

export interface CallModelEffect {
  readonly do: "call_model";
  readonly prompt: string;
  readonly system_prompt: string | null;
  readonly tools: readonly unknown[];
  readonly ephemeral: readonly (readonly [Role, string])[];
}

export interface AddMessageEffect {
  readonly do: "add_message";
  readonly role: Role;
  readonly content: string | null;
  readonly value: ValueId | null;
  readonly metadata: Record<string, unknown>;
}

export interface ShowEffect {
  readonly do: "show";
  readonly text: string;
  readonly level: "info" | "warning" | "error";
  readonly source: string;
}

export interface SummariseEffect {
  readonly do: "summarise";
  /** Indices of messages in the context that was read. */
  readonly gone: readonly number[];
  readonly custom_instructions: string | null;
}

export interface ReplaceContextEffect {
  readonly do: "replace_context";
  readonly before: readonly number[];
  readonly summary: string;
  readonly metadata: Record<string, unknown>;
  readonly after: readonly number[];
}

export interface ReplacePromptEffect {
  readonly do: "replace_prompt";
  readonly prompt: string;
  readonly changed: string;
}

export interface FinishEffect {
  readonly do: "finish";
  readonly result: unknown;
}

export type Effect =
  | DispatchEffect
  | ApproveEffect
  | RunToolEffect
  | CallModelEffect
  | AddMessageEffect
  | ShowEffect
  | { readonly do: "freeze"; readonly value: ValueId }
  | { readonly do: "read_response"; readonly response: ValueId }
  | { readonly do: "read_context" }
  | ReplaceContextEffect
  | ReplacePromptEffect
  | SummariseEffect
  | { readonly do: "wait"; readonly ms: number }
  | FinishEffect;

/** The effects that are the caller's to carry out in a call in halves. */
export type Half = RunToolEffect | CallModelEffect;

/** Reads an effect from its JSON text, with integers of any size. */
export function readEffect(text: string): Effect {
  return readExact(text) as Effect;
}

/** Reads an object of the core from its JSON text, with integers of any size. */
export function readExact(text: string): unknown {
  const read = JSON.parse(text) as { large?: LargeIntegers };
  if (Object.hasOwn(read, "large")) {
    restoreLarge(read, read.large);
    delete read.large;
  }
  return read;
}
