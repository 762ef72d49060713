/** Telling a program's own functions: what they throw, at once or later, never ends a dispatch or the process. */

import { describe } from "./errors.js";
import { settle } from "./settle.js";
import type { Logger } from "./types.js";

/** Tells a listener of the program's something; `failed` hears what it throws, or rejects with if it is async. */
export function tellHost<A extends unknown[]>(
  listener: (...told: A) => unknown,
  told: A,
  failed: (error: unknown) => void,
): void {
  try {
    const given = listener(...told);
    if (given !== undefined && given !== null) settle(given, nothing, failed);
  } catch (error) {
    failed(error);
  }
}

function nothing(): void {
  // Nobody wants to know what a listener gives.
}

type Details = Readonly<Record<string, unknown>>;
type Level = keyof Logger;
type Log = (message: string, details: Details) => unknown;

/** A client's logger, which a program may have written: its failures are told as a warning of the process, once. */
export class GuardedLogger implements Required<Logger> {
  readonly #logger: Logger;
  #warned = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  debug(message: string, details: Details): void {
    this.#tell("debug", message, details);
  }

  info(message: string, details: Details): void {
    this.#tell("info", message, details);
  }

  warn(message: string, details: Details): void {
    this.#tell("warn", message, details);
  }

  error(message: string, details: Details): void {
    this.#tell("error", message, details);
  }

  /** Tells what somebody asked to be kept: to a logger that takes warnings and errors alone as a warning. */
  record(message: string, details: Details): void {
    this.#tell("info", message, details, "warn");
  }

  #tell(level: Level, message: string, details: Details, instead = level): void {
    const tell = (): unknown => {
      const logger = this.#logger as Readonly<Record<Level, unknown>>;
      const log = logger[level] ?? logger[instead];
      return log === undefined ? undefined : Reflect.apply(log as Log, logger, [message, details]);
    };
    tellHost(tell, [], (error) => {
      this.#failed(error);
    });
  }

  #failed(error: unknown): void {
    if (this.#warned) return;
    this.#warned = true;
    process.emitWarning(
      `the logger of a client failed, and is called on: ${describe(error)}`,
      "HookweaveWarning",
    );
  }
}
