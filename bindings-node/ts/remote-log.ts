/** Lines of the log about remote hooks. */

import type { GuardedLogger } from "./logging.js";

export type RemoteLevel = "info" | "warning" | "error";

/** Writes lines to the client's logger, if it has one. */
export function logOf(logger: GuardedLogger | null): (level: RemoteLevel, text: string) => void {
  return (level, text) => {
    if (level === "error") logger?.error(text, {});
    else if (level === "warning") logger?.warn(text, {});
    else logger?.info(text, {});
  };
}
