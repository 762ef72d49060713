/** From a hook of A3S's to one of the engine's: what the two call differently. */

import type { EventMethods } from "../../event-base.js";
import { answerOf } from "../../outside-hooks.js";
import { exactPattern } from "../../native.js";
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
    read["matcher"] = { ...matcher, tool: exactPattern(matcher["tool"]) };
  }
  return read;
}

type Handler = (event: object, context: object) => unknown;

/** What A3S calls otherwise than the engine. */
const NAMES: Readonly<Record<string, string>> = { ToolError: "PostToolUseFailure" };

/** The handler, given its event under the name that it was registered for; what it answers is read as A3S means it. */
function renaming(event: string, handler: Handler): Handler {
  const renames = Object.hasOwn(NAMES, event);
  const reading: Handler = (given, context) => {
    const { eventType } = given as { eventType: string };
    const answer = handler(renames ? named(given, event) : given, context);
    return isPromise(answer)
      ? Promise.resolve(answer).then((later) => read(eventType, later))
      : read(eventType, answer);
  };
  // A function's name is the hook's.
  return Object.defineProperty(reading, "name", { value: handler.name });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { then?: unknown }).then === "function"
  );
}

/** A plain answer in the engine's words; every other value is for the engine to take or refuse. */
function read(event: string, answer: unknown): unknown {
  return isPlain(answer) ? answerOf("a3s", event, answer) : answer;
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
