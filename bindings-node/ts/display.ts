import type { Logger } from "./logging.js";
/** Where the user reads. */

/** Shows texts to the user. */
export interface Display {
  /** The source is a hook's name or `hookweave`. What it throws is logged. */
  showMessage(
    text: string,
    level: "info" | "warning" | "error",
    source: string,
  ): void | PromiseLike<void>;
}

/** Shows texts in the log; what a session does that was given no other display. */
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
