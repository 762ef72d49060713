/**
 * Runs the stages that the core names: from the first thing that a hook said to the end of the dispatch.
 *
 * A stage is one hook, or several that start together. What came of it crosses once, and the core says what is next.
 */

import { Hears } from "./audit.js";
import { now } from "./clock.js";
import { unwatch, watch, type Waiting } from "./deadline.js";
import { callAt } from "./depth.js";
import type { Dispatch } from "./driver.js";
import { Turn, type Fields } from "./event.js";
import { crossing, type Reported, type Stand } from "./native.js";
import { Outcome } from "./outcome.js";
import type { Call } from "./plan.js";
import { answered, failed, nothing, timedOut, timeoutReason } from "./saying.js";
import { settle } from "./settle.js";
import { tell } from "./tracing.js";
import type { Loud } from "./trail.js";

/** The rest of a dispatch, as the core leads it. */
export class Stages {
  readonly #dispatch: Dispatch;
  readonly #loud: Loud;
  #running: Running[] = [];
  /** Nanoseconds of the hooks that had nothing to say since the last crossing. */
  #quiet: number[] = [];
  #reports: Reported[] = [];
  /** How many hooks are waited for. */
  #left = 0;
  #starting = false;
  #cancelled = false;

  constructor(dispatch: Dispatch, loud: Loud) {
    this.#dispatch = dispatch;
    this.#loud = loud;
  }

  /** Runs hooks until one has to be waited for, or all is said. */
  go(): Outcome | null {
    const dispatch = this.#dispatch;
    for (;;) {
      dispatch.check();
      const { stand } = this.#loud;
      if (stand.done) {
        const { unshown } = dispatch.trail;
        if (unshown !== null)
          this.#loud.stand = { ...this.#loud.run.refuse(unshown), look: stand.look };
        if (dispatch.trail.plan.crew.hears !== Hears.Nothing) this.#audit();
        const outcome = new Outcome(dispatch.trail);
        const { tracing } = dispatch.trail.plan.crew;
        if (tracing !== null) tell(tracing, outcome, dispatch.trail);
        if (stand.look) dispatch.trail.plan.crew.counts.warn();
        if (stand.failed) {
          const { run } = this.#loud;
          dispatch.trail.plan.crew.noteFailures(
            outcome,
            crossing(() => run.failuresToTell()),
          );
        }
        return outcome;
      }
      // In turn, the next one starts once the one before it has had nothing to say.
      const first = stand.inTurn ? this.#quiet.length : 0;
      const end = stand.inTurn ? first + 1 : stand.calls.length;
      if (first < stand.calls.length && this.#reports.length === 0) {
        this.#start(stand, first, end);
        if (this.#cancelled) return null;
        if (this.#left > 0) {
          dispatch.suspend();
          return null;
        }
      } else {
        this.#cross();
      }
    }
  }

  /** Records the dispatch, which may be blocked because that cannot be done. */
  #audit(): void {
    const { run, values } = this.#loud;
    this.#loud.stand = crossing(() => run.audit(values));
  }

  /** Ends all that runs. */
  cancel(reason: unknown): void {
    this.#cancelled = true;
    for (const running of this.#running) running.cancel(reason);
  }

  /** Takes in what came of one hook; the last one of a stage sets the dispatch going again. */
  take(place: number, report: Reported): void {
    if (this.#loud.stand.inTurn && report.said === "nothing") this.#quiet.push(report.took);
    else this.#reports[this.#loud.stand.inTurn ? 0 : place] = report;
    this.#left--;
    if (this.#left > 0 || this.#starting) return;
    try {
      const outcome = this.go();
      if (outcome !== null) this.#dispatch.finish(outcome);
    } catch (error) {
      this.#dispatch.fail(error);
    }
  }

  /** Tells the core what came of the hooks, and hears what is next. */
  #cross(): void {
    const { run, values } = this.#loud;
    const [quiet, reports] = [this.#quiet, this.#reports];
    this.#quiet = [];
    this.#reports = [];
    this.#running = [];
    this.#loud.stand = crossing(() => run.resume(values, quiet, reports));
  }

  #start(stand: Stand, first: number, end: number): void {
    const dispatch = this.#dispatch;
    const { run, values } = this.#loud;
    const { crew } = dispatch.trail.plan;
    const payload = values[stand.payload] as Fields;
    this.#running = [];
    this.#left = end - first;
    this.#starting = true;
    for (let place = first; place < end; place++) {
      if (place > first) dispatch.check();
      const call = crew.call(stand.calls[place] as number);
      if (crew.hears === Hears.Starts)
        crossing(() => {
          run.auditStart(values, place);
        });
      if (call.once) {
        run.started(place);
        crew.forget();
      }
      if (call.detached) {
        this.take(place, crew.detach(call, dispatch.trail, payload, dispatch.depth, values));
        continue;
      }
      const turn = new Turn(dispatch.trail, payload);
      const running = new Running(this, dispatch, values, call, place, turn);
      this.#running.push(running);
      running.start();
      if (this.#cancelled) break;
    }
    this.#starting = false;
  }
}

/** One hook of a stage while it runs. */
class Running implements Waiting {
  readonly since = now();
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
      const { call, turn, values, dispatch } = this;
      const told = { values, depth: dispatch.depth, took: this.#took() };
      this.#end(() => timedOut(call, turn, told));
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
    return now() - this.since;
  }
}
