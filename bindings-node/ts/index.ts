/** Hooks for AI agents: register, match and dispatch. */

import { verifyAuditLog } from "./audit.js";

export { HookClient } from "./client.js";
export { HookResponse } from "./answers.js";
export type * from "./answers.js";
export { PendingApprovals } from "./approvals.js";
export { TerminalQuestion } from "./terminal.js";
export type { Approval, ApprovalContext, ApprovalRequest, Approver } from "./approvals.js";
export type * from "./audit-types.js";
export { MessageList } from "./context.js";
export type { Context, ContextMessage, Role } from "./context.js";
export type { Display } from "./display.js";
export {
  AuditError,
  ClientClosed,
  ConfigError,
  HookFailed,
  HookLimitError,
  HookTimeout,
  HookweaveError,
  InvalidAnswer,
  InvalidDefinitionError,
  InvalidHookError,
  InvalidMatcherError,
  InvalidOptionError,
  NestingError,
  NoModelError,
  PayloadError,
  SessionClosed,
  SessionError,
  SubagentBlocked,
  ToolFailed,
  UnknownApprovalError,
  UnknownEventError,
  UnknownHookError,
  UnknownToolError,
  UntrustedHookError,
  WireEventError,
} from "./errors.js";
export type { FailureKind } from "./errors.js";
export type * from "./event-types.js";
export type { EventMethods } from "./event.js";
export type * from "./events.js";
export type { Model, ModelAnswer, ModelRequest, ModelToolCall } from "./models.js";
export type { Judge, JudgeQuestion, ToolCaller, ToolQuestion, Verdict } from "./native-hooks.js";
export { Outcome } from "./outcome.js";
export type {
  CanonicalOutcome,
  GivenAsk,
  GivenInjection,
  GivenMessage,
  TraceEntry,
  TraceFailure,
  Unmatched,
  Vote,
} from "./outcome.js";
export type * from "./reports.js";
export { Session } from "./session.js";
export type { Summarise } from "./session-driver.js";
export type * from "./session-options.js";
export { Stats } from "./stats.js";
export type {
  CanonicalHookStats,
  CanonicalStats,
  Durations,
  HookStats,
  HookWarning,
} from "./stats.js";
export type {
  Compaction,
  Generation,
  Injected,
  Started,
  Stopped,
  Submitted,
  ToolOutcome,
} from "./session-results.js";
export { TemporaryHook } from "./temporary.js";
export { ToolResult } from "./tool-result.js";
export type { Permission, ToolCallContext, ToolFunction, ToolOptions } from "./tools.js";
export { TrustStore } from "./trust.js";
export type * from "./types.js";
export { eventFromWire } from "./wire.js";
export type { WireAnswer, WireEvent } from "./wire.js";

/** The audit log: proving that one is whole. */
export const audit = { verify: verifyAuditLog } as const;
