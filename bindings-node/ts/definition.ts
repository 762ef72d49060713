/** Reading what a program registers as a hook. */

import { errorOf } from "./errors.js";
import type { Call } from "./plan.js";
import { isPlain } from "./values.js";

/** Parts a hook into its function and the settings that the core reads. */
export function readHook(hook: unknown): { handler: Call["handler"]; settings: object } {
  if (typeof hook === "function") {
    return { handler: hook as Call["handler"], settings: named(hook) };
  }
  if (!isPlain(hook)) {
    throw errorOf(
      "invalid_hook",
      "a hook is a function, or an object with a function as its `handler`",
    );
  }
  const { handler, config, ...known } = hook;
  if (typeof handler !== "function") {
    throw errorOf("invalid_hook", "hook.handler: must be a function");
  }
  if (config !== undefined && !isPlain(config)) {
    throw errorOf("invalid_hook", "hook.config: must be an object");
  }
  for (const key of Object.keys(known)) {
    if (key !== "matcher" && key !== "name") {
      throw errorOf(
        "invalid_hook",
        `hook: unknown field \`${key}\`; known are handler, matcher, name, config (priority, timeout and the like stand in config)`,
      );
    }
  }
  return {
    handler: handler as Call["handler"],
    settings: { ...named(handler), ...config, ...known },
  };
}

/** A function's own name is the hook's, unless it has a better one. */
function named(handler: { readonly name: string }): { name?: string } {
  return handler.name === "" || handler.name === "handler" ? {} : { name: handler.name };
}
