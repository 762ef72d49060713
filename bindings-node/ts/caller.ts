/** Where a program calls the package. */

const PLACE = /([^/\\(]+:\d+):\d+\)?$/u;

/** The file's name and the line from which a method is called; `undefined` where the stack does not say. */
export function callerOf(method: object): string | undefined {
  const limit = Error.stackTraceLimit;
  const here: { stack?: unknown } = {};
  try {
    Error.stackTraceLimit = 1;
    Error.captureStackTrace(here, method as (...args: never) => unknown);
  } finally {
    Error.stackTraceLimit = limit;
  }
  // Programs may prepare stacks of their own, which are no text.
  const { stack } = here;
  return typeof stack === "string" ? PLACE.exec(stack)?.[1] : undefined;
}
