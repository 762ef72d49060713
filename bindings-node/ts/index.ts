/** Hooks for AI agents: register, match and dispatch. */

import { verifyAuditLog } from "./audit.js";

export { ApprovalRequest, PendingApprovals } from "./approval.js";
export type {
  Approval,
  ApprovalContext,
  ApprovalAnswer,
  ApprovalFields,
  Approver,
  ApproverName,
  CommandPart,
} from "./approval.js";
export type {
  AuditLevel,
  AuditOptions,
  AuditProblem,
  AuditRecord,
  AuditReport,
  AuditTorn,
} from "./audit-types.js";
export { HookClient } from "./client.js";
export type {
  ClientOptions,
  DiscoverOptions,
  DispatchOptions,
  LimitCallsOptions,
  LoadOptions,
  ProtectPathsOptions,
  RedactSecretsOptions,
  UseOptions,
  WebhookPolicy,
} from "./client-options.js";
export { Messages } from "./context.js";
export type { Context, ContextMessage, Role } from "./context.js";
export type { Display } from "./display.js";
export { ApprovalPending } from "./approval-pending.js";
export {
  AuditError,
  ClientClosedError,
  ConfigError,
  HookFailedError,
  HookLimitError,
  HookTimeoutError,
  HookweaveError,
  InvalidAnswerError,
  InvalidDefinitionError,
  InvalidHookError,
  InvalidMatcherError,
  InvalidOptionError,
  NestingError,
  NoModelError,
  PayloadError,
  SessionClosedError,
  SessionError,
  SubagentBlockedError,
  Suspended,
  ToolFailedError,
  UnknownApprovalError,
  UnknownEventError,
  UnknownHookError,
  UnknownToolError,
  UntrustedHookError,
  WireEventError,
} from "./errors.js";
export type { FailureKind } from "./errors.js";
export type {
  EventBase,
  EventMethods,
  CallReadings,
  ModelResponseRecord,
  PreToolUseContext,
} from "./event-base.js";
export type {
  Canonical,
  CatalogueEntry,
  CatalogueField,
  CustomEvent,
  CustomEventName,
  DefinedEvent,
  EventName,
  HookEvent,
  ModifiedFields,
  Payload,
} from "./event-types.js";
export type * from "./events.js";
export type { ExplainedHook, Explanation } from "./explanation.js";
export type {
  Judge,
  JudgeQuestion,
  JudgeVerdict,
  ToolCaller,
  ToolQuestion,
} from "./outside-hooks.js";
export type {
  Change,
  Finding,
  FoundFile,
  LoadReport,
  Problem,
  ReloadReport,
  TrustedHook,
  UntrustedHook,
} from "./file-reports.js";
export type { Logger } from "./logging.js";
export type { Model, ModelRequest, ModelResponse, ToolCall } from "./models.js";
export type { Dialect, Origin, Scope } from "./origin.js";
export { ServingWorkers } from "./remote-agent.js";
export type {
  ConnectOptions,
  Grants,
  RemoteOptions,
  RemoteState,
  RemoteTls,
  ServeOptions,
  WorkerInfo,
} from "./remote-types.js";
export { WorkerConnection } from "./remote-worker.js";
export { Outcome } from "./outcome.js";
export type {
  CanonicalOutcome,
  Failure,
  Injection,
  Message,
  Overridden,
  Question,
  TraceEntry,
  Unmatched,
  Observed,
  Vote,
} from "./outcome.js";
export type {
  ArgumentPattern,
  EventDefinition,
  Enforcement,
  FailBehavior,
  GuardOptions,
  Handler,
  HookConfig,
  HookContext,
  HookDefinition,
  HookInfo,
  LateAnswer,
  Matcher,
  ToolDefinition,
} from "./registration.js";
export { HookResponse } from "./response.js";
export type {
  Action,
  AllowResponse,
  AnswerParts,
  AskResponse,
  BlockResponse,
  ContinueResponse,
  InjectionInput,
  MessageInput,
  QuestionInput,
  RetryResponse,
  SkipResponse,
  StopResponse,
} from "./response.js";
export type {
  BeginModelOptions,
  CompactOptions,
  FlowOptions,
  GenerateOptions,
  NotifyOptions,
  RunToolOptions,
  SessionOptions,
  StopDetails,
  SubagentOptions,
  Summarise,
} from "./session-options.js";
export type {
  Compaction,
  Generation,
  ModelOutcome,
  Started,
  Stopped,
  Submitted,
  ToolOutcome,
} from "./session-results.js";
export { Session } from "./session.js";
export type { OpenModelCall } from "./open-model-call.js";
export type { OpenToolCall } from "./open-tool-call.js";
export type { ToolContext, ToolFunction } from "./session.js";
export { Stats } from "./stats.js";
export type {
  CanonicalHookStats,
  CanonicalStats,
  Durations,
  HookStats,
  HookWarning,
} from "./stats.js";
export { TemporaryHook } from "./temporary-hook.js";
export { TerminalQuestion } from "./terminal.js";
export { ToolResult } from "./tool-result.js";
export type { Permission, ToolOptions } from "./tools.js";
export { TrustStore } from "./trust.js";
export { eventFromWire } from "./wire.js";
export type { WireAnswer, WireEvent } from "./wire.js";

/** The audit log: verifies that it is complete and unchanged. */
export const audit = { verify: verifyAuditLog } as const;
