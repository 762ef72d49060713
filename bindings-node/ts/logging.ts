/** The client's logger, and calls of a program's own listeners, whose errors never end a dispatch or the process. */

import { describe, errorOf } from "./errors.js";
import { listenTo } from "./thenables.js";

/** Where the engine logs; any logger with these methods fits. */
export interface Logger {
  debug?(message: string, details: Readonly<Record<string, unknown>>): void;
  info?(message: string, details: Readonly<Record<string, unknown>>): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
  error(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Refuses what is no logger: without its methods failures would be lost in silence. */
export function checkLogger(logger: unknown): void {
  const given = typeof logger === "object" || typeof logger === "function" ? logger : null;
  for (const method of ["warn", "error"]) {
    if (typeof (given as Record<string, unknown> | null)?.[method] === "function") continue;
    throw errorOf(
      "invalid_option",
      "options.logger: must have the methods `warn` and `error`, as `console` has, or be null for no logging",
    );
  }
}

/** Calls a listener of the program; `failed` gets the error that it throws or, if it is async, rejects with. */
export function callListener<A extends unknown[]>(
  listener: (...args: A) => unknown,
  args: A,
  failed: (error: unknown) => void,
): void {
  try {
    const given = listener(...args);
    if (given !== undefined && given !== null) listenTo(given, nothing, failed);
  } catch (error) {
    failed(error);
  }
}

function nothing(): void {
  // The result of a listener is ignored.
}

type Details = Readonly<Record<string, unknown>>;
type Level = keyof Logger;
type Log = (message: string, details: Details) => unknown;

/** The logger of a client. The program may have written it: its first failure is a warning of the process. */
export class GuardedLogger implements Required<Logger> {
  readonly #logger: Logger;
  #warned = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  debug(message: string, details: Details): void {
    this.#log("debug", message, details);
  }

  info(message: string, details: Details): void {
    this.#log("info", message, details);
  }

  warn(message: string, details: Details): void {
    this.#log("warn", message, details);
  }

  error(message: string, details: Details): void {
    this.#log("error", message, details);
  }

  /** Logs an audit record; as a warning where the logger has no `info`. */
  record(message: string, details: Details): void {
    this.#log("info", message, details, "warn");
  }

  #log(level: Level, message: string, details: Details, instead = level): void {
    const call = (): unknown => {
      const logger = this.#logger as Readonly<Record<Level, unknown>>;
      const log = logger[level] ?? logger[instead];
      return log === undefined ? undefined : Reflect.apply(log as Log, logger, [message, details]);
    };
    callListener(call, [], (error) => {
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
