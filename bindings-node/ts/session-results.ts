/** The results of the methods of a session. */

import { isOfKind, markKind } from "./copies.js";
import { ToolFailedError } from "./errors.js";
import { localKeys } from "./spelling.js";
import type { Injection, Outcome, TraceEntry } from "./outcome.js";
import type { ToolResult } from "./tool-result.js";

/** The result of `start`. */
export type Started =
  | {
      readonly accepted: true;
      readonly reason: null;
      /** The environment variables that hooks set. */
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly accepted: false;
      /** Why it may not begin. */
      readonly reason: string | null;
      readonly env: Readonly<Record<string, string>>;
    };

/** The result of `submitPrompt`. */
export type Submitted =
  | {
      readonly accepted: true;
      /** The prompt, as changed by hooks. */
      readonly prompt: string;
      readonly reason: null;
      readonly stops: false;
    }
  | {
      readonly accepted: false;
      readonly prompt: string;
      /** Why it did not go into the conversation. */
      readonly reason: string | null;
      /** A hook wants the agent to stop. */
      readonly stops: boolean;
    };

/** The result of `stop` and `end`. */
export type Stopped =
  | {
      /** A hook wants the agent to go on. */
      readonly shouldContinue: true;
      /** Why; the context has it already. */
      readonly reason: string;
    }
  | { readonly shouldContinue: false; readonly reason: string | null };

/** The result of `compact`. */
export type Compaction =
  | (CompactionCounts & {
      readonly compacted: true;
      readonly summary: string;
      readonly reason: null;
    })
  | (CompactionCounts & {
      readonly compacted: false;
      readonly summary: null;
      readonly reason: string | null;
    });

interface CompactionCounts {
  /** How many messages the summary stands for. */
  readonly removed: number;
  /** How many stayed as they were. */
  readonly kept: number;
}

/** A tool call, as the core writes it. */
export interface ToolRun {
  readonly tool: string;
  readonly tool_use_id: string;
  readonly ran: boolean;
  readonly ok: boolean;
  readonly decision: ToolOutcome["decision"];
  readonly reason: string | null;
  readonly by: string | null;
  readonly args: number;
  readonly result: number | null;
  readonly error: string | null;
  readonly attempts: number;
  readonly feedback: readonly string[];
  readonly injected: readonly Injection[];
  readonly suppress_output: boolean;
  readonly stops: boolean;
}

/** The outcomes of several events. */
abstract class HookOutcomes {
  /** The outcome of each event, in order. */
  readonly outcomes: readonly Outcome[];

  /** @internal */
  constructor(outcomes: readonly Outcome[]) {
    this.outcomes = outcomes;
  }

  /** The result of each hook, in order of the events. */
  get trace(): readonly TraceEntry[] {
    return this.outcomes.flatMap(({ trace }) => trace);
  }

  /** Who decided what and why, and what each hook did, as text for people. */
  abstract describe(): string;

  /** The same as `describe`. */
  toString(): string {
    return this.describe();
  }

  /**
   * The outcomes of the events, below a line about the whole.
   *
   * @internal
   */
  protected describeBelow(head: string): string {
    const events = this.outcomes.map((outcome) => outcome.describe()).join("");
    return `${head}\n${events.replace(/^(?=.)/gm, "  ")}`;
  }
}

/** The result of a tool call. */
export class ToolOutcome extends HookOutcomes {
  /** The tool's name. */
  readonly tool: string;
  readonly toolUseId: string;
  /** Whether the tool was run. */
  readonly ran: boolean;
  /** Whether it ran to its end without failing. */
  readonly ok: boolean;
  /** The output, as changed by hooks; `null` when it did not run. */
  readonly output: unknown;
  /** The decision before it ran; `block`, `stop` or `deny` when it did not. */
  readonly decision: "continue" | "allow" | "skip" | "ask" | "block" | "stop" | "deny";
  /** Why it did not run. */
  readonly reason: string | null;
  /** Who decided that: a hook, `user`, `timeout` or `host`. */
  readonly by: string | null;
  /** The arguments that it ran with, or would have. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The whole result, as changed by hooks; `null` when it did not run. */
  readonly result: ToolResult | null;
  /** Why it failed; its `cause` is what the tool threw. */
  readonly error: ToolFailedError | null;
  /** How often it was run. */
  readonly attempts: number;
  /** Objections of hooks to the result, for the model. */
  readonly feedback: readonly string[];
  /** Context that hooks gave the model about it. */
  readonly injected: readonly Injection[];
  /** A hook wants its own output kept out of the transcript. */
  readonly suppressOutput: boolean;
  /** A hook wants the agent to stop. */
  readonly stops: boolean;

  /** @internal */
  constructor(
    run: ToolRun,
    values: readonly unknown[],
    thrown: ReadonlyMap<number, unknown>,
    outcomes: readonly Outcome[],
  ) {
    super(outcomes);
    this.tool = run.tool;
    this.toolUseId = run.tool_use_id;
    this.ran = run.ran;
    this.ok = run.ok;
    this.decision = run.decision;
    this.reason = run.reason;
    this.by = run.by;
    this.args = values[run.args] as Record<string, unknown>;
    this.result = run.result === null ? null : (values[run.result] as ToolResult);
    this.error = run.error === null ? null : failure(run, run.error, thrown);
    // Without a result a failed run has its error, as hooks left it.
    const changed = run.ran && run.result === null ? run.error : null;
    this.output = this.result === null ? changed : (this.result.output ?? null);
    this.attempts = run.attempts;
    this.feedback = run.feedback;
    this.injected = run.injected;
    this.suppressOutput = run.suppress_output;
    this.stops = run.stops;
  }

  /** What became of the call, who decided what and why, and what each hook did, as text for people. */
  override describe(): string {
    const why = this.reason === null ? "" : `: ${this.reason}`;
    const often = this.attempts > 1 ? `ran ${String(this.attempts)} times` : "ran";
    const by = this.by === null ? "" : ` by \`${this.by}\``;
    const failed = this.error === null ? "" : `; it failed: ${this.error.message}`;
    return this.describeBelow(
      `call: ${this.ran ? often : "did not run"}, ${this.decision}${by}${why}${failed}`,
    );
  }
}
markKind(ToolOutcome, "ToolOutcome");

/** Whether a value is the outcome of a tool call, of whichever copy of the package. */
export function isToolOutcome(value: unknown): value is ToolOutcome {
  return isOfKind(value, "ToolOutcome");
}

function failure(
  run: ToolRun,
  message: string,
  thrown: ReadonlyMap<number, unknown>,
): ToolFailedError {
  return new ToolFailedError(
    message,
    thrown.has(run.args) ? { cause: thrown.get(run.args) } : undefined,
  );
}

/** A generation, as the core writes it. */
export interface Generated {
  readonly status: Generation["status"];
  readonly text: string;
  readonly reason: string | null;
  readonly model_calls: number;
  readonly tools: readonly ToolRun[];
  readonly response: number | null;
}

/** The result of `generate`. */
export class Generation extends HookOutcomes {
  /** How it ended; `limit`: the model was called too often. */
  readonly status: "done" | "blocked" | "stopped" | "failed" | "limit";
  /** The last text of the model. */
  readonly text: string;
  /** Why it did not come to its end. */
  readonly reason: string | null;
  /** How often the model was called. */
  readonly modelCalls: number;
  /** The tool calls, in order. */
  readonly tools: readonly ToolOutcome[];
  /** The model's last response, as changed by hooks. */
  readonly response: Readonly<Record<string, unknown>> | null;
  /** The error of the model, when that is why it failed. */
  readonly cause: unknown;

  /** @internal */
  constructor(
    generated: Generated,
    values: readonly unknown[],
    tools: readonly ToolOutcome[],
    cause: unknown,
    outcomes: readonly Outcome[],
  ) {
    super(outcomes);
    this.status = generated.status;
    this.text = generated.text;
    this.reason = generated.reason;
    this.modelCalls = generated.model_calls;
    this.tools = tools;
    this.response =
      generated.response === null
        ? null
        : (values[generated.response] as Readonly<Record<string, unknown>>);
    this.cause = generated.status === "failed" ? cause : undefined;
  }

  /** How the generation ended and why, and what each hook did, as text for people. */
  override describe(): string {
    const why = this.reason === null ? "" : `: ${this.reason}`;
    return this.describeBelow(
      `generation: ${this.status}${why}; model calls: ${String(this.modelCalls)}`,
    );
  }
}
markKind(Generation, "Generation");

/** Whether a value is the result of `generate`, of whichever copy of the package. */
export function isGeneration(value: unknown): value is Generation {
  return isOfKind(value, "Generation");
}

/** A call of the model, as the core writes it. */
export interface ModelRun {
  readonly status: ModelOutcome["status"];
  readonly reason: string | null;
  readonly text: string;
  readonly response: number | null;
  readonly attempts: number;
}

/** The result of a call of the model in halves. */
export class ModelOutcome extends HookOutcomes {
  /** How it ended; `stopped`: a hook stopped the agent. */
  readonly status: "done" | "blocked" | "stopped" | "failed";
  /** Why the response is not to be used. */
  readonly reason: string | null;
  /** The text of the response, as changed by hooks. */
  readonly text: string;
  /** The response, as changed by hooks. */
  readonly response: Readonly<Record<string, unknown>> | null;
  /** How often the model was called. */
  readonly attempts: number;
  /** The error of the model, when that is why it failed. */
  readonly cause: unknown;

  /** @internal */
  constructor(
    run: ModelRun,
    values: readonly unknown[],
    cause: unknown,
    outcomes: readonly Outcome[],
  ) {
    super(outcomes);
    this.status = run.status;
    this.reason = run.reason;
    this.text = run.text;
    this.response =
      run.response === null ? null : (values[run.response] as Readonly<Record<string, unknown>>);
    this.attempts = run.attempts;
    this.cause = run.status === "failed" ? cause : undefined;
  }

  /** How the call ended and why, and what each hook did, as text for people. */
  override describe(): string {
    const why = this.reason === null ? "" : `: ${this.reason}`;
    return this.describeBelow(`call of the model: ${this.status}${why}`);
  }
}

/** A result of plain fields, in this language's spelling. */
export function plainResult(result: unknown): Record<string, unknown> {
  return localKeys(result as object);
}
