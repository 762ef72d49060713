/** Calls what a session's host brings: tools and the model. */

import { untilAborted, type Cancellation } from "./cancelling.js";
import type { ContextMessage } from "./context.js";
import type { CallModelEffect, Effect, RunToolEffect } from "./effects.js";
import { describe } from "./errors.js";
import { tellHost } from "./logger.js";
import { readResponse as read, responseOf } from "./models.js";
import type { Flow } from "./flow.js";
import type { FlowDriver } from "./session-driver.js";
import type { Session } from "./session.js";
import { elapsed } from "./timers.js";
import { ToolResult } from "./tool-result.js";
import { failureText, type ToolCallContext, type ToolFunction } from "./tools.js";
import { copyOf } from "./values.js";

/** What a tool is given beside its arguments. A literal with a getter would get a shape of its own for each call. */
class ToolCall implements ToolCallContext {
  readonly tool: string;
  readonly toolUseId: string;
  readonly session: Session;
  readonly env: Readonly<Record<string, string>>;
  readonly #cancelling: Cancellation;

  constructor({ tool, tool_use_id, env }: RunToolEffect, { session, cancelling }: FlowDriver) {
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

/** Runs the tool; whatever it throws is a failed run. */
export async function runTool(
  driver: FlowDriver,
  flow: Flow,
  effect: RunToolEffect,
): Promise<Effect> {
  const { tool, args } = effect;
  const { cancelling } = driver;
  const run = (driver.means.run ?? driver.parts.tools.known(tool)) as ToolFunction;
  const began = elapsed();
  let result: ToolResult;
  driver.thrown.delete(args);
  try {
    // Its own copy: a tool that is run again gets what was judged, whatever it did to the first.
    const own = copyOf(driver.values[args]) as Record<string, unknown>;
    const context = new ToolCall(effect, driver);
    const tracing = driver.parts.tracing();
    const given = await (tracing === null
      ? untilAborted(run(own, context), cancelling)
      : tracing.executing(() => driver.call(() => run(own, context))));
    result = given instanceof ToolResult ? given : new ToolResult(given);
  } catch (error) {
    cancelling.throwIfAborted();
    driver.thrown.set(args, error);
    result = new ToolResult(describe(error), { success: false });
  }
  const duration = elapsed() - began;
  const { success = true, output, exitCode } = result;
  const record = { success, output: output ?? null, duration };
  const id = driver.keep(exitCode === undefined ? record : { ...record, exitCode });
  return flow.ran(id, success ? undefined : failureText(output), duration);
}

/** Calls the model and reads what it answers. */
export async function callModel(
  driver: FlowDriver,
  flow: Flow,
  effect: CallModelEffect,
): Promise<Effect> {
  const { prompt, system_prompt: systemPrompt, tools, ephemeral } = effect;
  const { session, cancelling } = driver;
  const { signal } = cancelling;
  const began = elapsed();
  try {
    const messages: ContextMessage[] = [
      ...(driver.parts.context.messages ?? []),
      ...ephemeral.map(([role, content]) => ({ role, content, metadata: { ...PASSING } })),
    ];
    const { id: sessionId, agentId } = session;
    const onText = (text: string): void => {
      tellText(driver, text);
    };
    const request = { prompt, systemPrompt, tools, messages, sessionId, agentId, onText, signal };
    const answer = await driver.call(() => driver.means.model?.(request));
    const response = responseOf(answer, elapsed() - began);
    return responded(driver, flow, driver.keep(response));
  } catch (error) {
    driver.modelError = error;
    return driver.failed(flow, "the model failed", error);
  }
}

function tellText(driver: FlowDriver, text: string): void {
  if (driver.cancelling.aborted) return;
  const { onText } = driver.means;
  if (onText === undefined) return;
  tellHost(onText, [text], (error) => {
    driver.log("a listener to the model's text failed", error);
  });
}

/** Reads a response that hooks have changed. */
export function readResponse(driver: FlowDriver, flow: Flow, id: number): Effect {
  try {
    return responded(driver, flow, id);
  } catch (error) {
    driver.modelError = error;
    return driver.failed(flow, "the response that hooks left cannot be read", error);
  }
}

function responded(driver: FlowDriver, flow: Flow, id: number): Effect {
  const { text, calls, usage } = read(driver.values[id]);
  const { tools } = driver.parts;
  const requested = calls.map(({ name, id: callId, args }) => ({
    tool: name,
    args: driver.keep(args),
    known: tools.has(name),
    ...(callId === null ? {} : { id: callId }),
  }));
  return flow.responded(id, text, requested, usage);
}

/** Where messages for one call of the model come from. */
const PASSING = { source: "hook", ephemeral: true } as const;
