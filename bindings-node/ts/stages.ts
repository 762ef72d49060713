/**
 * Runs the stages that the core names: from the first thing that a hook said to the end of the dispatch.
 *
 * A stage is one hook, or several that start together. What came of it crosses once, and the core says what is next.
 */

import { unwatch, watch, type Waiting } from "./deadline.js";
import { callAt } from "./depth.js";
import type { Dispatch } from "./driver.js";
import { Turn, type Fields } from "./event.js";
import { crossing, type Reported, type Stand } from "./native.js";
import { Outcome } from "./outcome.js";
import type { Call } from "./plan.js";
import { answered, failed, nothing, timedOut, timeoutReason } from "./saying.js";
import { settle } from "./settle.js";
import { clock, type Loud } from "./trail.js";

/** The rest of a dispatch, as the core leads it. */
export class Stages {
  readonly #dispatch: Dispatch;
  readonly #loud: Loud;
  #running: Running[] = [];
  #reports: Reported[] = [];
  /** How many hooks of the stage are waited for. */
  #left = 0;
  #starting = false;
  #cancelled = false;

  constructor(dispatch: Dispatch, loud: Loud) {
    this.#dispatch = dispatch;
    this.#loud = loud;
  }

  /** Runs stages until one has to be waited for, or all is said. */
  go(): Outcome | null {
    const dispatch = this.#dispatch;
    for (;;) {
      dispatch.check();
      const { stand } = this.#loud;
      if (stand.done) {
        const outcome = new Outcome(dispatch);
        if (stand.failed) dispatch.plan.crew.noteFailures(outcome);
        return outcome;
      }
      this.#start(stand);
      if (this.#cancelled) return null;
      if (this.#left > 0) {
        dispatch.suspend();
        return null;
      }
      this.#resume();
    }
  }

  /** Ends all that runs. */
  cancel(reason: unknown): void {
    this.#cancelled = true;
    for (const running of this.#running) running.cancel(reason);
  }

  /** Takes in what came of one hook; the last one of a stage sets the dispatch going again. */
  take(place: number, report: Reported): void {
    this.#reports[place] = report;
    this.#left--;
    if (this.#left > 0 || this.#starting) return;
    try {
      this.#resume();
      const outcome = this.go();
      if (outcome !== null) this.#dispatch.finish(outcome);
    } catch (error) {
      this.#dispatch.fail(error);
    }
  }

  #resume(): void {
    const { run, values } = this.#loud;
    this.#running = [];
    this.#loud.stand = crossing(() => run.resume(values, this.#reports));
  }

  #start(stand: Stand): void {
    const dispatch = this.#dispatch;
    const { run, values } = this.#loud;
    const { crew } = dispatch.plan;
    const payload = values[stand.payload] as Fields;
    this.#reports = new Array<Reported>(stand.calls.length);
    this.#left = stand.calls.length;
    this.#starting = true;
    for (const [place, number] of stand.calls.entries()) {
      if (place > 0) dispatch.check();
      const call = crew.call(number);
      if (call.once) {
        run.started(place);
        crew.forget();
      }
      if (call.detached) {
        this.take(place, crew.detach(call, dispatch, payload, dispatch.depth, values));
        continue;
      }
      const running = new Running(this, dispatch, values, call, place, new Turn(dispatch, payload));
      this.#running.push(running);
      running.start();
      if (this.#cancelled) break;
    }
    this.#starting = false;
  }
}

/** One hook of a stage while it runs. */
class Running implements Waiting {
  readonly since = clock();
  readonly limit: number;
  readonly holds = true;
  previous: Waiting | null = null;
  next: Waiting | null = null;
  #watched = false;
  #over = false;

  constructor(
    readonly stages: Stages,
    readonly dispatch: Dispatch,
    readonly values: unknown[],
    readonly call: Call,
    readonly place: number,
    readonly turn: Turn,
  ) {
    this.limit = call.limit;
  }

  start(): void {
    let result: unknown;
    try {
      result = callAt(this.dispatch.depth, this.call.handler, Turn.event(this.turn), this.turn);
      const waits =
        result !== undefined &&
        result !== null &&
        settle(
          result,
          (value) => {
            this.#answer(value);
          },
          (error) => {
            this.#fail(error);
          },
        );
      if (waits) {
        if (!this.#over) {
          this.#watched = true;
          watch(this);
        }
        return;
      }
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#answer(result);
  }

  expire(): void {
    this.#watched = false;
    if (this.#over) return;
    this.dispatch.inContext(() => {
      Turn.abort(this.turn, timeoutReason(this.limit));
      this.#end(() => timedOut(this.limit, this.#took()));
    });
  }

  cancel(reason: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#unwatch();
    Turn.abort(this.turn, reason);
  }

  #answer(value: unknown): void {
    this.#end(() =>
      value === undefined || value === null
        ? nothing(this.#took())
        : answered(this.values, value, this.#took()),
    );
  }

  #fail(error: unknown): void {
    this.#end(() => failed(this.values, "raised", error, this.#took()));
  }

  #end(report: () => Reported): void {
    if (this.#over) return;
    this.#over = true;
    this.#unwatch();
    this.stages.take(this.place, report());
  }

  #unwatch(): void {
    if (!this.#watched) return;
    this.#watched = false;
    unwatch(this);
  }

  #took(): number {
    return Number(clock() - this.since);
  }
}
