/** The steps of a quiet tool call, which the core tells in brief: a number each, and no text to make and to read. */

import { readEffect, type Effect } from "./effects.js";
import type { Fields } from "./event.js";
import { localFields } from "./names.js";
import type { NativeSession } from "./native.js";
import type { ToolRun } from "./session-results.js";

/** The tool call that a flow is; the core does not repeat it. */
export interface KnownCall {
  readonly tool: string;
  readonly toolUseId: string;
}

/** What is done: in a number the lowest bits. */
const Kind = { Before: 1, Run: 2, After: 3, Over: 4 } as const;
const KINDS = 2 ** 3;

/** Two places of values stand above it. */
const PLACES = 2 ** 24;

const ARGS = ["args"] as const;
const RESULT = ["result"] as const;

/** The surroundings of a tool call, told because they are other than the last ones, and the step behind them. */
interface Surrounded {
  readonly do: "brief";
  readonly context: object;
  readonly step: number;
}

/** Reads the steps of one session's flows. */
export class Steps {
  /** What every event of the session carries. */
  #common: Fields | null = null;
  /** The surroundings that were told last. */
  #context: unknown = null;

  constructor(private readonly native: NativeSession) {}

  /** Reads a step; in brief only those of a known call are told. */
  read(step: number | string, call: KnownCall | null): Effect {
    if (typeof step === "number" && call !== null) return this.#brief(step, call);
    const effect = readEffect(step as string) as Effect | Surrounded;
    if (effect.do !== "brief") return effect;
    this.#context = localFields("PreToolUse", { context: effect.context })["context"];
    return this.#brief(effect.step, call as KnownCall);
  }

  #brief(step: number, { tool, toolUseId }: KnownCall): Effect {
    const places = Math.floor(step / KINDS);
    const first = places % PLACES;
    const second = Math.floor(places / PLACES);
    const common = (this.#common ??= localFields(
      "PreToolUse",
      JSON.parse(this.native.common()) as object,
    ));
    switch (step % KINDS) {
      case Kind.Before: {
        const payload = withOwn(common, { context: this.#context, tool, toolUseId });
        return {
          do: "raise",
          event: "PreToolUse",
          payload,
          values: [["args", first]],
          wants: ARGS,
        };
      }
      case Kind.Run:
        return { do: "run_tool", tool, tool_use_id: toolUseId, args: first, env: {} };
      case Kind.After: {
        const payload = withOwn(common, { tool, toolUseId });
        const values = [["args", first] as const, ["result", second] as const];
        return { do: "raise", event: "PostToolUse", payload, values, wants: RESULT };
      }
      default:
        return { do: "finish", result: quiet(tool, toolUseId, first, second) };
    }
  }
}

/**
 * What every event carries, and an event's own.
 *
 * Not by spreading: an object made so, to which fields are added, gets a shape of its own each time, which costs
 * a microsecond and keeps it alive until all memory is looked through.
 */
function withOwn(common: Fields, own: Fields): Record<string, unknown> {
  return Object.assign({}, common, own);
}

/** A call that nobody had anything to say about. */
function quiet(tool: string, id: string, args: number, result: number): ToolRun {
  return {
    tool,
    tool_use_id: id,
    ran: true,
    ok: true,
    decision: "continue",
    reason: null,
    by: null,
    args,
    result,
    error: null,
    attempts: 1,
    feedback: [],
    injected: [],
    suppress_output: false,
    stops: false,
  };
}
