/** Hooks for AI agents: register, match and dispatch. */

export { HookClient } from "./client.js";
export { HookResponse } from "./answers.js";
export type * from "./answers.js";
export {
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
  PayloadError,
  UnknownEventError,
  UnknownHookError,
  UntrustedHookError,
  WireEventError,
} from "./errors.js";
export type { FailureKind } from "./errors.js";
export type * from "./event-types.js";
export type { EventMethods } from "./event.js";
export type * from "./events.js";
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
export { TemporaryHook } from "./temporary.js";
export { TrustStore } from "./trust.js";
export type * from "./types.js";
export { eventFromWire } from "./wire.js";
export type { WireAnswer, WireEvent } from "./wire.js";
