/** The native addon; its errors become the package's own classes. */

import type * as Native from "../native/native.js";

import { loadAddon } from "./addon.js";
import { translate } from "./errors.js";

const native = loadAddon() as typeof Native;

export type NativeClient = InstanceType<typeof native.NativeClient>;
export type NativePlan = InstanceType<typeof native.NativePlan>;
export type NativeDispatch = InstanceType<typeof native.NativeDispatch>;
export type NativeOutsideHook = InstanceType<typeof native.NativeOutsideHook>;
export type NativeOutsideHookJob = InstanceType<typeof native.NativeOutsideHookJob>;
export type NativeTerminalQuestion = InstanceType<typeof native.NativeTerminalQuestion>;
export type NativeSession = InstanceType<typeof native.NativeSession>;
export type NativeAuditQueue = InstanceType<typeof native.NativeAuditQueue>;
export type NativeFleetAgent = InstanceType<typeof native.NativeFleetAgent>;
export type NativeFleetWorker = InstanceType<typeof native.NativeFleetWorker>;
export type NativeHub = InstanceType<typeof native.NativeHub>;
export type NativeWorkerEnd = InstanceType<typeof native.NativeWorkerEnd>;
export type NativeWatch = InstanceType<typeof native.NativeWatch>;
export type {
  Loaded,
  NativeFleetAction,
  NativeHubAction,
  NativeSpeaker,
  NativeToolCall,
  NativeWorkerAction,
  PlannedHooks,
  RegisteredGuard,
  RegisteredHook,
  HookReport,
  DispatchStatus,
} from "../native/native.js";

export const {
  NativeClient,
  NativeFleetAgent,
  NativeFleetWorker,
  NativeFrames,
  NativeHub,
  NativeTerminalPrompt,
  NativeSession,
  NativeTerminalQuestion,
  NativeWorkerEnd,
  catalogue,
  checkPayload,
  commonFields,
  fleetBucket,
  limits,
  readResponse,
  refuseDepth,
  verifyAudit,
} = native;

/** The functions about hooks from files; to be called inside `callNative`. */
export const files: Pick<
  typeof native,
  | "load"
  | "discover"
  | "useReadyMade"
  | "prepareReload"
  | "keepHooks"
  | "applyReload"
  | "watchedFiles"
  | "watchFiles"
  | "lintFile"
  | "approved"
  | "approve"
  | "revoke"
  | "fromWire"
  | "dialectAnswer"
  | "toWire"
> = native;

/** Calls native code and translates its errors. */
export function callNative<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw translate(error);
  }
}

/** A pattern that fits this name or id and no other; throws `invalid_matcher` where there is none. */
export function exactPattern(name: string): string {
  return callNative(() => native.exactPattern(name));
}

/** JSON text without the secrets in it. */
export function redacted(text: string): string {
  return callNative(() => native.redacted(text));
}

/** A value's text for people: JSON, with `<what it is>` where something has no JSON form. */
export function shownText(value: unknown): string {
  return callNative(() => native.shownText(value));
}

/** A value's canonical JSON text; throws `payload_not_json`. */
export function jsonText(value: unknown): string {
  return callNative(() => native.jsonText(value));
}
