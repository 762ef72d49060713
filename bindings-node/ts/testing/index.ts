/**
 * Testing hooks without an agent: events, scripted models and people, asserts that show the whole decision, snapshots.
 *
 * Plain functions that throw an `AssertionError`, for node:test, vitest and jest alike.
 */

export {
  assertAllowed,
  assertAsked,
  assertBlocked,
  assertContinues,
  assertFailed,
  assertInjected,
  assertMessage,
  assertModified,
  assertNotSelected,
  assertObjected,
  assertRan,
} from "./asserts.js";
export type { Decided, Text } from "./asserts.js";
export { hookClient, hookSession, WatchedClient, withHookClient } from "./client.js";
export type { HookSessionOptions, WatchedOptions } from "./client.js";
export { dispatch, event, promptEvent, toolEvent, toolResultEvent } from "./events.js";
export type { TestEvent } from "./events.js";
export { describe } from "./judged.js";
export type { Judged } from "./judged.js";
export { recordingTool, scriptedApprover, scriptedModel, toolCall } from "./scripted.js";
export type {
  RecordingTool,
  ScriptedAnswer,
  ScriptedApprover,
  ScriptedModel,
  ScriptedModelResponse,
} from "./scripted.js";
export { assertMatchesSnapshot, traceSnapshot } from "./snapshots.js";
export type { SnapshotOptions } from "./snapshots.js";
