/** Ending what is under way. */

/** Waits for something, but only until the signal fires: whoever does not listen to it is left alone. */
export function untilAborted<T>(
  work: T | PromiseLike<T>,
  signal: AbortSignal,
): Promise<Awaited<T>> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal.reason);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true });
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => {
        signal.removeEventListener("abort", giveUp);
      });
  });
}

/** A controller that fires when the signal does; `release` it when it is over. */
export function follow(signal: AbortSignal | undefined): {
  controller: AbortController;
  release: () => void;
} {
  const controller = new AbortController();
  const obey = (): void => {
    controller.abort(signal?.reason);
  };
  if (signal?.aborted === true) obey();
  else signal?.addEventListener("abort", obey, { once: true });
  return {
    controller,
    release: () => {
      signal?.removeEventListener("abort", obey);
    },
  };
}

/** Timers of the platform count in 31 bits. */
const MAX_TIMER = 0x7fff_ffff;

/** Waits so many milliseconds; rejects with the signal's reason when it fires. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(ms, MAX_TIMER));
    });
    await untilAborted(over, signal);
  } finally {
    clearTimeout(timer);
  }
}
