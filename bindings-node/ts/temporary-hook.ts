/** A hook for the duration of a block. */

/** A hook that is removed at the end of a block: `using hook = client.temporaryHook(…)`. */
export class TemporaryHook implements Disposable, AsyncDisposable {
  /** The hook's id. */
  readonly id: string;
  readonly #remove: () => void;

  /** @internal */
  constructor(id: string, remove: () => void) {
    this.id = id;
    this.#remove = remove;
  }

  /** Removes the hook; a second time does nothing. */
  remove(): void {
    this.#remove();
  }

  [Symbol.dispose](): void {
    this.#remove();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#remove();
    return Promise.resolve();
  }
}
