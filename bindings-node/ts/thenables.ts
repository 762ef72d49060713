/** Waits for the promises that handlers return, of any kind. */

// The platform's own `then`, so that a handler's promise is awaited as `await` does, even if its class overrides it.
// eslint-disable-next-line @typescript-eslint/unbound-method
export const { then: promiseThen } = Promise.prototype;

/** Called with a value or an error. */
export type Listener = (value: unknown) => void;

/**
 * Listens to a promise, or to any object with a `then`; false when the value is neither.
 *
 * A foreign thenable may resolve twice, at once or never, so that a promise of the platform stands between it and the
 * dispatch. An error from reading its `then` is thrown here.
 */
export function listenTo(result: unknown, resolved: Listener, rejected: Listener): boolean {
  if (typeof result !== "object" && typeof result !== "function") return false;
  if (result instanceof Promise && result.constructor === Promise) {
    void promiseThen.call(result, resolved, rejected);
    return true;
  }
  const then: unknown = (result as { then?: unknown }).then;
  if (typeof then !== "function") return false;
  const promise = new Promise<unknown>((resolve, reject) => {
    Reflect.apply(then, result, [resolve, reject]);
  });
  void promiseThen.call(promise, resolved, rejected);
  return true;
}
