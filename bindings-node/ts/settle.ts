/** Waiting for what handlers return, whatever it is. */

// The platform's own, so that a handler's promise is waited for as `await` would, and not as its class may pretend.
// eslint-disable-next-line @typescript-eslint/unbound-method
export const { then: listen } = Promise.prototype;

/** Takes a value. */
export type Take = (value: unknown) => void;

/**
 * Listens to what a handler returned, if it is a promise or anything with a `then`; says whether it is.
 *
 * A foreign thenable may resolve twice, at once, or never, and may throw where it is touched; a promise of the
 * platform's stands between it and the dispatch. What touching it throws is thrown here.
 */
export function settle(result: unknown, resolved: Take, rejected: Take): boolean {
  if (typeof result !== "object" && typeof result !== "function") return false;
  if (result instanceof Promise && result.constructor === Promise) {
    void listen.call(result, resolved, rejected);
    return true;
  }
  const then: unknown = (result as { then?: unknown }).then;
  if (typeof then !== "function") return false;
  const promise = new Promise<unknown>((resolve, reject) => {
    Reflect.apply(then, result, [resolve, reject]);
  });
  void listen.call(promise, resolved, rejected);
  return true;
}
