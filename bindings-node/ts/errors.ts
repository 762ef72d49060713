/** The errors of the engine: one base class, and stable codes. */

import { types } from "node:util";

/** Base of everything that the engine throws; `code` is the same in every language. */
export class HookweaveError extends Error {
  /** The stable code, for example `unknown_event`. */
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The event name is neither known, nor defined, nor custom by its colon (`unknown_event`). */
export class UnknownEventError extends HookweaveError {}

/** The definition of a custom event or tool is invalid (`invalid_event_definition`, `invalid_tool_definition`). */
export class InvalidDefinitionError extends HookweaveError {}

/** A matcher cannot be read, compiled or applied (`invalid_matcher`, `matcher_not_applicable`). */
export class InvalidMatcherError extends HookweaveError {}

/** A hook's settings are wrong or contradict each other (`invalid_hook`). */
export class InvalidHookError extends HookweaveError {}

/** Settings are wrong (`invalid_option`, `unknown_profile`, `unknown_dialect`). */
export class InvalidOptionError extends HookweaveError {}

/** A configuration file cannot be read, or has an invalid entry (`invalid_config`). */
export class ConfigError extends HookweaveError {}

/** A hook from a project's files has not been approved, or has changed since (`untrusted_hook`). */
export class UntrustedHookError extends HookweaveError {}

/** What an agent sent to its hook is not an event of that agent (`invalid_wire_event`). */
export class WireEventError extends HookweaveError {}

/** One more hook would exceed a limit (`too_many_hooks`). */
export class HookLimitError extends HookweaveError {}

/** No hook has this id (`unknown_hook`). */
export class UnknownHookError extends HookweaveError {}

/** A dispatch was nested too deep (`nested_too_deep`). */
export class NestingError extends HookweaveError {}

/**
 * A payload is no object, nests too deep, is too large or has no JSON form (`invalid_payload`, `payload_too_deep`,
 * `payload_too_large`, `payload_not_json`).
 */
export class PayloadError extends HookweaveError {}

/** The client was closed (`client_closed`). */
export class ClientClosedError extends HookweaveError {}

/** Base of the errors of sessions. */
export class SessionError extends HookweaveError {}

/** The session has ended (`session_closed`). */
export class SessionClosedError extends SessionError {}

/** A hook refused to let a subagent begin (`subagent_blocked`); `reason` is why. */
export class SubagentBlockedError extends SessionError {
  readonly reason: string | null;

  constructor(kind: string, reason: string | null) {
    super(
      "subagent_blocked",
      `the subagent \`${kind}\` may not begin: ${reason ?? "a hook blocked it"}`,
    );
    this.reason = reason;
  }
}

/** No tool is registered under the name (`unknown_tool`). */
export class UnknownToolError extends SessionError {}

/** No model is registered (`no_model`). */
export class NoModelError extends SessionError {}

/** Nothing waits for approval under the id, or the option is none of the question's (`unknown_approval`). */
export class UnknownApprovalError extends SessionError {}

/** Thrown by an approver whose answer comes later: `runTool` rejects with `ApprovalPending`. */
export class Suspended extends Error {
  /** By which every copy of this package knows it. */
  readonly code = "suspended";

  constructor() {
    super("the question is answered later");
  }
}

/** An audit log cannot be opened, written, read or verified (`audit_failed`). */
export class AuditError extends HookweaveError {}

/** A tool's run failed (`tool_failed`); found in its outcome, never thrown at the agent. `cause` is what the tool threw. */
export class ToolFailedError extends SessionError {
  constructor(message: string, options?: ErrorOptions) {
    super("tool_failed", message, options);
    // Created after the run, so that its own stack is no help. Its `cause` has the stack of the tool.
    this.stack = `${this.name}: ${message}`;
  }
}

/** Why a hook failed. */
export type FailureKind =
  | "raised"
  | "timeout"
  | "invalid_answer"
  | "cancelled"
  | "not_started"
  | "detached_limit"
  | "exited"
  | "lost"
  | "unreachable";

/** The failure of a hook; found in the trace, never thrown at the agent. `cause` is what the hook threw. */
export class HookFailedError extends HookweaveError {
  declare readonly code: FailureKind;
  /** The hook's name. */
  readonly hook: string;

  constructor(kind: FailureKind, hook: string, message: string, options?: ErrorOptions) {
    super(kind, message, options);
    this.hook = hook;
    // Created when the trace is read, so that its own stack is no help. Its `cause` has the stack of the hook.
    this.stack = `${this.name}: ${message}`;
  }
}

/** A hook did not answer in time. */
export class HookTimeoutError extends HookFailedError {}

/** The answer of a hook is invalid. */
export class InvalidAnswerError extends HookFailedError {}

// An error's name is fixed here, not taken from the class at run time: minifiers rename classes.
const named: Readonly<Record<string, { prototype: Error }>> = {
  HookweaveError,
  UnknownEventError,
  InvalidDefinitionError,
  InvalidMatcherError,
  InvalidHookError,
  InvalidOptionError,
  ConfigError,
  UntrustedHookError,
  WireEventError,
  HookLimitError,
  UnknownHookError,
  NestingError,
  PayloadError,
  ClientClosedError,
  SessionError,
  SessionClosedError,
  SubagentBlockedError,
  UnknownToolError,
  NoModelError,
  UnknownApprovalError,
  Suspended,
  AuditError,
  ToolFailedError,
  HookFailedError,
  HookTimeoutError,
  InvalidAnswerError,
};
nameErrors(named);

/** @internal Gives errors the names of their classes, which a bundler may shorten. */
export function nameErrors(classes: Readonly<Record<string, { readonly prototype: Error }>>): void {
  for (const [name, { prototype }] of Object.entries(classes)) {
    Object.defineProperty(prototype, "name", { value: name, configurable: true, writable: true });
  }
}

const byCode: Readonly<Record<string, typeof HookweaveError>> = {
  unknown_event: UnknownEventError,
  invalid_event_definition: InvalidDefinitionError,
  invalid_tool_definition: InvalidDefinitionError,
  invalid_matcher: InvalidMatcherError,
  matcher_not_applicable: InvalidMatcherError,
  invalid_hook: InvalidHookError,
  invalid_option: InvalidOptionError,
  unknown_profile: InvalidOptionError,
  unknown_dialect: InvalidOptionError,
  invalid_config: ConfigError,
  untrusted_hook: UntrustedHookError,
  invalid_wire_event: WireEventError,
  too_many_hooks: HookLimitError,
  unknown_hook: UnknownHookError,
  nested_too_deep: NestingError,
  payload_too_deep: PayloadError,
  payload_too_large: PayloadError,
  payload_not_json: PayloadError,
  invalid_payload: PayloadError,
  client_closed: ClientClosedError,
  session_closed: SessionClosedError,
  unknown_tool: UnknownToolError,
  no_model: NoModelError,
  unknown_approval: UnknownApprovalError,
  audit_failed: AuditError,
};

/** The error of the class that belongs to a code. */
export function errorOf(code: string, message: string, options?: ErrorOptions): HookweaveError {
  return new (Object.hasOwn(byCode, code) ? (byCode[code] ?? HookweaveError) : HookweaveError)(
    code,
    message,
    options,
  );
}

/** The failure of the class that belongs to a kind. */
export function failureOf(
  kind: FailureKind,
  hook: string,
  message: string,
  options?: ErrorOptions,
): HookFailedError {
  if (kind === "timeout") return new HookTimeoutError(kind, hook, message, options);
  if (kind === "invalid_answer") return new InvalidAnswerError(kind, hook, message, options);
  return new HookFailedError(kind, hook, message, options);
}

/** Codes of the engine; those of Node-API and of the platform are spelled otherwise. */
const ENGINE_CODE = /^[a-z][a-z_]*$/;

/** What native code threw, as the class that belongs to its code. */
export function translate(thrown: unknown): unknown {
  // A module of another realm than the addon's, as tests run in, finds no class of its own in what that throws.
  if (!isError(thrown) || thrown instanceof HookweaveError) return thrown;
  const code = codeOf(thrown);
  if (code === null || !ENGINE_CODE.test(code)) return thrown;
  const error = errorOf(code, thrown.message);
  // The stack begins where the program called, not in this file.
  Error.captureStackTrace(error, translate);
  return error;
}

/** Whether a value is an error, of whichever realm. */
export function isError(value: unknown): value is Error {
  if (types.isNativeError(value)) return true;
  try {
    return value instanceof Error;
  } catch {
    // A proxy, whose prototype cannot be asked for.
    return false;
  }
}

/** The stable code that an error bears, whichever copy or realm of this package made it; `null` when it bears none. */
export function codeOf(error: unknown): string | null {
  if (!isError(error)) return null;
  try {
    const { code } = error as { code?: unknown };
    return typeof code === "string" ? code : null;
  } catch {
    return null;
  }
}

/** The text of any thrown value for people; never throws. */
export function describe(thrown: unknown): string {
  try {
    if (isError(thrown)) {
      // Programs can assign anything to these fields.
      const { name, message } = thrown as { name: unknown; message: unknown };
      return String(message === "" ? name : message);
    }
    return String(thrown);
  } catch {
    return "a value that cannot be shown";
  }
}

/** Codes of errors whose classes have constructors of their own, so that `byCode` cannot make them. */
const OWN_CONSTRUCTOR: ReadonlySet<string> = new Set([
  "subagent_blocked",
  "tool_failed",
  "approval_pending",
]);

/** Whether an error is one of the engine's own, by its code: whichever copy or realm of this package made it. */
export function isOurs(error: unknown): error is Error {
  const code = codeOf(error);
  if (isError(error) && error instanceof HookweaveError) return true;
  return code !== null && (Object.hasOwn(byCode, code) || OWN_CONSTRUCTOR.has(code));
}
