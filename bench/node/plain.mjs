/** Hooks in plain JavaScript as a careful person writes them: matching, timing, timeout, failures, outcome, trace. */

const isPromise = (value) => value !== undefined && value !== null && typeof value.then === "function";

function withTimeout(promise, milliseconds) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("timed out")), milliseconds);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

export class PlainHooks {
  #hooks = new Map();

  register(event, tool, name, handler, timeout = 5000) {
    const key = `${event}\0${tool}`;
    this.#hooks.set(key, [...(this.#hooks.get(key) ?? []), { name, handler, timeout }]);
  }

  async dispatch(event, payload) {
    const outcome = { decision: "continue", blocked: false, event: payload, trace: [] };
    for (const hook of this.#hooks.get(`${event}\0${payload.tool}`) ?? []) {
      const start = performance.now();
      let answer;
      try {
        answer = hook.handler({ ...outcome.event });
        if (isPromise(answer)) answer = await withTimeout(answer, hook.timeout);
      } catch (error) {
        outcome.trace.push({ hook: hook.name, status: "failed", error, duration: performance.now() - start });
        continue;
      }
      outcome.trace.push({ hook: hook.name, status: "ran", answer, duration: performance.now() - start });
      if (answer === undefined || answer === null) continue;
      if (answer.modified) outcome.event = { ...outcome.event, ...answer.modified };
      if (answer.action === "block") {
        outcome.decision = "block";
        outcome.blocked = true;
        outcome.reason = answer.reason;
        return outcome;
      }
    }
    return outcome;
  }
}
