/** From a hook of A3S's to one of the engine's: what the two call differently. */

import type { EventMethods } from "../../event.js";
import { exactly } from "../../exact.js";
import { isPlain } from "../../values.js";

/** A hook as the engine takes it; what is none stays as it is, for the engine to refuse. */
export function readDefinition(event: string, hook: unknown): unknown {
  if (typeof hook === "function") return { handler: renaming(event, hook as Handler) };
  if (!isPlain(hook)) return hook;
  const { handler, matcher } = hook;
  const read: Record<string, unknown> = { ...hook };
  if (typeof handler === "function") read["handler"] = renaming(event, handler as Handler);
  // A tool is one name there, and a pattern here.
  if (isPlain(matcher) && typeof matcher["tool"] === "string") {
    read["matcher"] = { ...matcher, tool: exactly(matcher["tool"], "tool", "invalid_matcher") };
  }
  return read;
}

type Handler = (event: object, context: object) => unknown;

/** What A3S calls otherwise than the engine. */
const NAMES: Readonly<Record<string, string>> = { ToolError: "PostToolUseFailure" };

/** The handler, given its event under the name that it was registered for. */
function renaming(event: string, handler: Handler): Handler {
  if (!Object.hasOwn(NAMES, event)) return handler;
  const renamed: Handler = (given, context) => handler(named(given, event), context);
  // A function's name is the hook's.
  return Object.defineProperty(renamed, "name", { value: handler.name });
}

/** An event under another name; as little as the engine's own it can be changed. */
function named(event: object, eventType: string): object {
  const given = event as EventMethods;
  const renamed = { ...event, eventType };
  return Object.freeze(
    Object.defineProperties(renamed, {
      toJSON: { value: () => ({ ...given.toJSON(), eventType }) },
      toJson: { value: () => given.toJson() },
    }),
  );
}
