/** Where the user reads messages. */

import type { Logger } from "./logging.js";

/** Shows messages to the user. */
export interface Display {
  /** The source is a hook's name or `hookweave`. Its errors are logged. */
  showMessage(
    text: string,
    level: "info" | "warning" | "error",
    source: string,
  ): void | PromiseLike<void>;
}

/** Writes messages to the log; the default display of a session. */
export class LogDisplay implements Display {
  readonly #logger: Logger | null;

  constructor(logger: Logger | null) {
    this.#logger = logger;
  }

  showMessage(text: string, level: "info" | "warning" | "error", source: string): void {
    const logger = this.#logger;
    if (level === "error") logger?.error(text, { source });
    else if (level === "warning") logger?.warn(text, { source });
    else logger?.info?.(text, { source });
  }
}
