/** A tool call in two halves: what is judged before the tool runs, and what is made of its result. */

import { isDeepStrictEqual } from "node:util";

import { ApprovalPending } from "./approval-pending.js";
import { describe, errorOf } from "./errors.js";
import { toolRan } from "./session-calls.js";
import type { Effect, RunToolEffect } from "./session-effects.js";
import { ToolOutcome, type ToolRun } from "./session-results.js";
import type { OpenFlow } from "./session-state.js";
import { elapsed } from "./timers.js";
import { isToolResult, ToolResult } from "./tool-result.js";
import type { ToolCallSpan } from "./tracing.js";
import { copyForHost } from "./values.js";

/**
 * A tool call whose tool the program runs, for frameworks that say when a tool begins and when it has ended.
 *
 * `session.beginTool` makes it, once hooks and, if needed, a person have judged the call:
 *
 * ```ts
 * const call = await session.beginTool("Bash", { command: "ls" });
 * while (call.runs) {
 *   let output;
 *   try {
 *     output = await run(call.args);
 *   } catch (error) {
 *     await call.failed(error);
 *     continue;
 *   }
 *   await call.succeeded(output);
 * }
 * console.log(call.outcome.output ?? call.outcome.reason);
 * ```
 *
 * It is a loop because a hook may have a failed tool run again. A call that is still to run when its agent stops or its
 * session ends is dropped.
 */
export class OpenToolCall {
  #tool: string;
  #toolUseId: string;
  #args: Readonly<Record<string, unknown>>;
  #env: Readonly<Record<string, string>> = {};
  #running: RunToolEffect | null = null;
  #began = 0;
  #output: unknown = null;
  #outcome: ToolOutcome | null = null;
  readonly #given: unknown;
  readonly #open: OpenFlow;
  readonly #calls: Set<{ drop(): void }>;
  readonly #span: ToolCallSpan | null;
  readonly #drop = (): void => {
    this.drop();
  };

  /** @internal */
  constructor(
    call: { readonly tool: string; readonly toolUseId: string; readonly args: object },
    open: OpenFlow,
    calls: Set<{ drop(): void }>,
    span: ToolCallSpan | null,
  ) {
    this.#tool = call.tool;
    this.#toolUseId = call.toolUseId;
    this.#given = call.args;
    this.#args = call.args as Readonly<Record<string, unknown>>;
    this.#open = open;
    this.#calls = calls;
    this.#span = span;
  }

  /** The tool's name. */
  get tool(): string {
    return this.#tool;
  }

  get toolUseId(): string {
    return this.#toolUseId;
  }

  /** The arguments as hooks left them: a copy that is the program's own. */
  get args(): Readonly<Record<string, unknown>> {
    return this.#args;
  }

  /** Variables that hooks left for tools and commands. */
  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** Whether the tool is to run now, perhaps again. */
  get runs(): boolean {
    return this.#running !== null;
  }

  /** Fires when the call is cancelled. */
  get signal(): AbortSignal {
    return this.#open.cancellation.signal;
  }

  /** What came of the call, once it is over; throws before. */
  get outcome(): ToolOutcome {
    if (this.#outcome !== null) return this.#outcome;
    const state = this.runs
      ? "is still to run: call `succeeded` or `failed` first"
      : "was dropped or has failed";
    throw this.#wrong(`has no outcome: it ${state}`);
  }

  /** The tool has run and gave this, or a `ToolResult`; hooks look at it, and may change it. */
  async succeeded(output?: unknown): Promise<void> {
    const took = this.#leave("succeeded");
    const result = isToolResult(output) ? output : new ToolResult(output);
    this.#output = result.output;
    await this.#ran(result, took);
  }

  /** The tool has run and threw this; hooks may have it run again, and then `runs` is true once more. */
  async failed(error: unknown): Promise<void> {
    const { driver } = this.#open;
    const args = this.#running?.args;
    const took = this.#leave("failed");
    if (args !== undefined) driver.thrown.set(args, error);
    this.#span?.threw(error);
    this.#output = describe(error);
    await this.#ran(new ToolResult(this.#output, { success: false }), took);
  }

  /**
   * The tool does not run after all, as the framework's control flow has it: the call counts as not begun.
   *
   * No event is raised, and hooks that run once may run again. A call that is over stays as it is.
   */
  drop(): void {
    if (!this.runs) return;
    this.#forget();
    this.#open.flow.dropped();
    this.#open.flow.release();
    this.#open.driver.parts.forgetPlans();
    this.#open.close();
    this.#span?.left();
  }

  /** Whether the arguments, or the output of a tool that has run, differ from what the program gave. */
  changed(what: "args" | "output"): boolean {
    if (what === "args") return !isDeepStrictEqual(this.#args, this.#given);
    return this.outcome.ran && !isDeepStrictEqual(this.outcome.output, this.#output ?? null);
  }

  /** @internal */
  async judge(): Promise<void> {
    await this.#go(() => this.#open.flow.begin());
  }

  async #ran(result: ToolResult, took: number): Promise<void> {
    const { driver, flow } = this.#open;
    await this.#go(() => toolRan(driver, flow, result, took));
  }

  /** Notes that the tool has run; gives how long it took, in milliseconds. */
  #leave(method: string): number {
    if (!this.runs) throw this.#wrong(`is not to run; look at \`runs\` before \`${method}\``);
    this.#forget();
    return elapsed() - this.#began;
  }

  #forget(): void {
    this.#running = null;
    this.#calls.delete(this);
    this.#open.cancellation.removeEventListener("abort", this.#drop);
  }

  /** Runs the flow to where the tool runs, or to its end. */
  async #go(first: () => Effect): Promise<void> {
    const { driver, flow, close } = this.#open;
    const step = (): Promise<RunToolEffect | null> => driver.go(flow, first, "run_tool");
    try {
      const effect = await (this.#span === null ? step() : this.#span.judging(step));
      if (effect !== null) {
        this.#waits(effect);
        return;
      }
      this.#ends();
    } catch (error) {
      close();
      this.#span?.broke(error);
      throw error;
    }
    close();
  }

  #waits(effect: RunToolEffect): void {
    const { cancellation, driver } = this.#open;
    cancellation.throwIfAborted();
    this.#running = effect;
    this.#tool = effect.tool;
    this.#toolUseId = effect.tool_use_id;
    this.#args = copyForHost(driver.values[effect.args]) as Record<string, unknown>;
    this.#env = effect.env;
    driver.thrown.delete(effect.args);
    this.#calls.add(this);
    cancellation.addEventListener("abort", this.#drop);
    this.#span?.began();
    this.#began = elapsed();
  }

  #ends(): void {
    const { result, values, thrown, outcomes, pending } = this.#open.driver;
    if (pending !== null && result === null) throw new ApprovalPending(pending);
    const outcome = new ToolOutcome(result as ToolRun, values, thrown, outcomes);
    this.#outcome = outcome;
    this.#tool = outcome.tool;
    this.#args = outcome.args;
    this.#env = {};
    this.#span?.ended(outcome);
  }

  #wrong(why: string): Error {
    return errorOf("invalid_payload", `${this.#tool} (call ${this.#toolUseId}) ${why}`);
  }
}
