/** What A3S's hooks see and answer. */

import type { HookContext } from "../../registration.js";

/** A3S's events. */
export type HookEventType = keyof HookEventMap;

/** What every event carries. */
export interface HookEvent {
  readonly eventType: HookEventType;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly metadata: Record<string, unknown>;
}

/** A tool's arguments. */
export type ToolArgs = Record<string, unknown>;

/** How many tokens a model took. */
export interface TokenUsage {
  readonly total_tokens: number;
  readonly [count: string]: unknown;
}

/** The model and its settings, as the agent says. */
export type ModelConfig = Readonly<Record<string, unknown>>;

/** A call of a tool that a model asks for. */
export type ToolCall = Readonly<Record<string, unknown>>;

export interface SessionStartEvent extends HookEvent {
  readonly eventType: "SessionStart";
  readonly source: string;
}

export interface SessionEndEvent extends HookEvent {
  readonly eventType: "SessionEnd";
  readonly reason: string;
}

export interface GenerateStartEvent extends HookEvent {
  readonly eventType: "GenerateStart";
  readonly prompt: string;
  readonly systemPrompt?: string;
  readonly model: ModelConfig;
  /** The tools that there are. */
  readonly tools: string[];
}

export interface GenerateEndEvent extends HookEvent {
  readonly eventType: "GenerateEnd";
  readonly prompt: string;
  readonly model: ModelConfig;
  readonly response: {
    readonly text: string;
    readonly toolCalls: ToolCall[];
    readonly usage: TokenUsage;
    /** Milliseconds. */
    readonly duration: number;
  };
}

export interface PreToolUseEvent extends HookEvent {
  readonly eventType: "PreToolUse";
  readonly tool: string;
  readonly args: ToolArgs;
  /** Sessions give it; an agent that raises its events itself has to. */
  readonly context: {
    readonly workingDirectory: string;
    readonly recentTools: string[];
    readonly tokenUsage: TokenUsage;
  };
}

export interface PostToolUseEvent extends HookEvent {
  readonly eventType: "PostToolUse";
  readonly tool: string;
  readonly args: ToolArgs;
  readonly result: {
    readonly success: boolean;
    readonly output: string;
    readonly exitCode?: number;
    /** Milliseconds. */
    readonly duration: number;
  };
}

export interface ToolErrorEvent extends HookEvent {
  readonly eventType: "ToolError";
  readonly tool: string;
  readonly args: ToolArgs;
  readonly error: unknown;
}

export interface PermissionRequestEvent extends HookEvent {
  readonly eventType: "PermissionRequest";
  readonly tool: string;
  readonly args: ToolArgs;
}

export interface PermissionGrantedEvent extends HookEvent {
  readonly eventType: "PermissionGranted";
  readonly tool: string;
  readonly args: ToolArgs;
}

export interface PermissionDeniedEvent extends HookEvent {
  readonly eventType: "PermissionDenied";
  readonly tool: string;
  readonly args: ToolArgs;
  readonly reason?: string;
}

export interface PreCompactEvent extends HookEvent {
  readonly eventType: "PreCompact";
  readonly trigger: string;
  /** The conversation that is about to be compacted; sessions give it. */
  readonly messages?: readonly unknown[];
}

export interface PostCompactEvent extends HookEvent {
  readonly eventType: "PostCompact";
  readonly trigger: string;
  readonly summary?: string;
}

export interface ContextWarningEvent extends HookEvent {
  readonly eventType: "ContextWarning";
  readonly usage: unknown;
  readonly limit: number;
}

/** The event of each name. */
export interface HookEventMap {
  SessionStart: SessionStartEvent;
  SessionEnd: SessionEndEvent;
  GenerateStart: GenerateStartEvent;
  GenerateEnd: GenerateEndEvent;
  PreToolUse: PreToolUseEvent;
  PostToolUse: PostToolUseEvent;
  ToolError: ToolErrorEvent;
  PermissionRequest: PermissionRequestEvent;
  PermissionGranted: PermissionGrantedEvent;
  PermissionDenied: PermissionDeniedEvent;
  PreCompact: PreCompactEvent;
  PostCompact: PostCompactEvent;
  ContextWarning: ContextWarningEvent;
}

/** Fields of an event that a hook replaces. */
export type ModifiedData = Readonly<Record<string, unknown>>;

/** What a hook answers; a delay is in milliseconds. */
export type HookResponse =
  | { action: "continue"; modified?: ModifiedData }
  | { action: "block"; reason: string }
  | { action: "retry"; delay?: number }
  | { action: "skip" };

// `void` is what a handler without a return statement gives.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
type Answered = HookResponse | undefined | null | void;

/** What runs when an event comes. */
export type HookHandler<K extends HookEventType = HookEventType> = (
  event: HookEventMap[K],
  context: HookContext,
) => Answered | PromiseLike<Answered>;
