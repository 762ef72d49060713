/** The client's logger, and calls of a program's own listeners, whose errors never end a dispatch or the process. */

import { describe } from "./errors.js";
import { listenTo } from "./thenables.js";

/** Where the engine writes what a person should know; any logger with these methods will do. */
export interface Logger {
  debug?(message: string, details: Readonly<Record<string, unknown>>): void;
  info?(message: string, details: Readonly<Record<string, unknown>>): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
  error(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Tells a listener of the program's something; `failed` hears what it throws, or rejects with if it is async. */
export function callListener<A extends unknown[]>(
  listener: (...told: A) => unknown,
  told: A,
  failed: (error: unknown) => void,
): void {
  try {
    const given = listener(...told);
    if (given !== undefined && given !== null) listenTo(given, nothing, failed);
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
    callListener(tell, [], (error) => {
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
