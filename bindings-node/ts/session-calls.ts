/** Calls the host's tools and model. */

import { untilAborted, type Cancellation } from "./cancellation.js";
import type { ContextMessage } from "./context.js";
import type { CallModelEffect, Effect, RunToolEffect } from "./session-effects.js";
import { describe } from "./errors.js";
import { callListener } from "./logging.js";
import { readResponse as read, responseOf, type ModelRequest } from "./models.js";
import type { Flow } from "./session-flow.js";
import type { EffectContext, SessionIdentity } from "./effect-context.js";
import { elapsed } from "./timers.js";
import { isToolResult, ToolResult } from "./tool-result.js";
import { failureText } from "./tools.js";
import { copyForHost } from "./values.js";

/**
 * The `ToolContext` of one call.
 *
 * A class, because every object literal with a getter gets a hidden class of its own: 1.5 µs of a tool call of 14 µs. The bar
 * is "Node, tool of 1 ms in a session with 10 hooks / the tool alone" of docs/BENCHMARKS.md.
 */
class CallContext {
  readonly tool: string;
  readonly toolUseId: string;
  readonly session: SessionIdentity;
  readonly env: Readonly<Record<string, string>>;
  readonly #cancelling: Cancellation;

  constructor({ tool, tool_use_id, env }: RunToolEffect, { session, cancelling }: EffectContext) {
    this.tool = tool;
    this.toolUseId = tool_use_id;
    this.session = session;
    this.env = env;
    this.#cancelling = cancelling;
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }
}

/** Runs the tool; an error that it throws is a failed run. */
export async function runTool(
  effects: EffectContext,
  flow: Flow,
  effect: RunToolEffect,
): Promise<Effect> {
  const { tool, args } = effect;
  const { cancelling } = effects;
  const run = (effects.inputs.run ?? effects.parts.tools.known(tool)) as (
    args: Record<string, unknown>,
    context: CallContext,
  ) => unknown;
  const began = elapsed();
  let result: ToolResult;
  effects.thrown.delete(args);
  try {
    // A copy of its own: a tool that runs again gets the arguments that were judged, even if it changed the first copy.
    const own = copyForHost(effects.values[args]) as Record<string, unknown>;
    const context = new CallContext(effect, effects);
    const tracing = effects.parts.tracing();
    const given = await (tracing === null
      ? untilAborted(run(own, context), cancelling)
      : tracing.executing(() => effects.call(() => run(own, context))));
    result = isToolResult(given) ? given : new ToolResult(given);
  } catch (error) {
    cancelling.throwIfAborted();
    if (effects.passes(error)) {
      flow.dropped();
      throw error;
    }
    effects.thrown.set(args, error);
    result = new ToolResult(describe(error), { success: false });
  }
  return toolRan(effects, flow, result, elapsed() - began);
}

/** Tells the core what a tool gave; the duration is in milliseconds. */
export function toolRan(
  effects: EffectContext,
  flow: Flow,
  result: ToolResult,
  duration: number,
): Effect {
  const { success = true, output, exitCode } = result;
  const record = { success, output: output ?? null, duration };
  const id = effects.keep(exitCode === undefined ? record : { ...record, exitCode });
  return flow.ran(id, success ? undefined : failureText(output), duration);
}

/** What the model is to be given. */
export function requestOf(effects: EffectContext, effect: CallModelEffect): ModelRequest {
  const { prompt, system_prompt: systemPrompt, tools, ephemeral } = effect;
  const { session, cancelling } = effects;
  const { signal } = cancelling;
  const messages: ContextMessage[] = [
    ...(effects.parts.context.messages ?? []),
    ...ephemeral.map(([role, content]) => ({ role, content, metadata: { ...PASSING } })),
  ];
  const { id: sessionId, agentId } = session;
  const onText = (text: string): void => {
    passOnText(effects, text);
  };
  return { prompt, systemPrompt, tools, messages, sessionId, agentId, onText, signal };
}

/** Calls the model and reads its response. */
export async function callModel(
  effects: EffectContext,
  flow: Flow,
  effect: CallModelEffect,
): Promise<Effect> {
  const began = elapsed();
  let answer: unknown;
  try {
    const request = requestOf(effects, effect);
    answer = await effects.call(() => effects.inputs.model?.(request));
  } catch (error) {
    return modelFailed(effects, flow, error);
  }
  return modelAnswered(effects, flow, answer, elapsed() - began);
}

/** Tells the core what the model answered; the duration is in milliseconds. */
export function modelAnswered(
  effects: EffectContext,
  flow: Flow,
  answer: unknown,
  duration: number,
): Effect {
  try {
    return responded(effects, flow, effects.keep(responseOf(answer, duration)));
  } catch (error) {
    return modelFailed(effects, flow, error);
  }
}

/** Tells the core why the model failed. */
export function modelFailed(effects: EffectContext, flow: Flow, error: unknown): Effect {
  effects.modelError = error;
  return effects.failed(flow, "the model failed", error);
}

function passOnText(effects: EffectContext, text: string): void {
  if (effects.cancelling.aborted) return;
  const { onText } = effects.inputs;
  if (onText === undefined) return;
  callListener(onText, [text], (error) => {
    effects.log("a listener to the model's text failed", error);
  });
}

/** Reads a response that hooks have changed. */
export function readResponse(effects: EffectContext, flow: Flow, id: number): Effect {
  try {
    return responded(effects, flow, id);
  } catch (error) {
    effects.modelError = error;
    return effects.failed(flow, "the response that hooks left cannot be read", error);
  }
}

function responded(effects: EffectContext, flow: Flow, id: number): Effect {
  const { text, calls, usage } = read(effects.values[id]);
  const { tools } = effects.parts;
  const requested = calls.map(({ tool, id: callId, args }) => ({
    tool,
    args: effects.keep(args),
    known: tools.has(tool),
    ...(callId === null ? {} : { id: callId }),
  }));
  return flow.responded(id, text, requested, usage);
}

/** The metadata of messages for one call of the model. */
const PASSING = { source: "hook", ephemeral: true } as const;
