/** A call of the model in two halves: what it is given, and what is made of its answer. */

import { errorOf } from "./errors.js";
import type { ModelRequest, ModelResponse } from "./models.js";
import { modelAnswered, modelFailed, requestOf } from "./session-calls.js";
import type { Effect } from "./session-effects.js";
import { ModelOutcome, type ModelRun } from "./session-results.js";
import type { OpenFlow } from "./session-state.js";
import { elapsed } from "./timers.js";

/**
 * A call of the model that the program makes, for frameworks that call it themselves.
 *
 * `session.beginModel` makes it, once hooks and, if needed, a person have let it pass:
 *
 * ```ts
 * const call = await session.beginModel("What is 2 + 3?");
 * while (call.runs) {
 *   let response;
 *   try {
 *     response = await ask(call.request.prompt);
 *   } catch (error) {
 *     await call.failed(error);
 *     continue;
 *   }
 *   await call.answered(response);
 * }
 * console.log(call.outcome.text || call.outcome.reason);
 * ```
 *
 * It is a loop because a hook may have a failed call repeated.
 */
export class OpenModelCall {
  #request: ModelRequest | null = null;
  #runs = false;
  #began = 0;
  #outcome: ModelOutcome | null = null;
  readonly #open: OpenFlow;

  /** @internal */
  constructor(open: OpenFlow) {
    this.#open = open;
  }

  /** What to give to the model, as changed by hooks; throws for a call that was refused. */
  get request(): ModelRequest {
    if (this.#request !== null) return this.#request;
    throw wrong("was refused and has no request; look at `runs` first");
  }

  /** Whether the model is to be called now, perhaps again. */
  get runs(): boolean {
    return this.#runs;
  }

  /** What came of the call, once it is over; throws before. */
  get outcome(): ModelOutcome {
    if (this.#outcome !== null) return this.#outcome;
    const state = this.#runs
      ? "is still to be made: call `answered` or `failed` first"
      : "has failed";
    throw wrong(`has no outcome: it ${state}`);
  }

  /** The model has answered this; hooks look at it, and may change it. */
  async answered(response: string | ModelResponse): Promise<void> {
    const { driver, flow } = this.#open;
    const took = this.#leave("answered");
    await this.#go(() => modelAnswered(driver, flow, response, took));
  }

  /** The call has thrown this; hooks may have it repeated, and then `runs` is true once more. */
  async failed(error: unknown): Promise<void> {
    const { driver, flow } = this.#open;
    this.#leave("failed");
    await this.#go(() => modelFailed(driver, flow, error));
  }

  /** @internal */
  async ask(): Promise<void> {
    await this.#go(() => this.#open.flow.begin());
  }

  /** Notes that the model was called; gives how long it took, in milliseconds. */
  #leave(method: string): number {
    if (!this.#runs) throw wrong(`is not to be made; look at \`runs\` before \`${method}\``);
    this.#runs = false;
    return elapsed() - this.#began;
  }

  /** Runs the flow to where the model is called, or to its end. */
  async #go(first: () => Effect): Promise<void> {
    const { driver, flow, close } = this.#open;
    try {
      const effect = await driver.go(flow, first, "call_model");
      if (effect !== null) {
        this.#request = requestOf(driver, effect);
        this.#runs = true;
        this.#began = elapsed();
        return;
      }
      const { result, values, modelError, outcomes } = driver;
      this.#outcome = new ModelOutcome(result as ModelRun, values, modelError, outcomes);
    } catch (error) {
      close();
      throw error;
    }
    close();
  }
}

function wrong(why: string): Error {
  return errorOf("invalid_payload", `the call of the model ${why}`);
}
