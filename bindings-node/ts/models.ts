/** The model of the program: its request and its response. */

import type { ContextMessage } from "./context.js";
import { describe } from "./errors.js";
import { callNative, readResponse as readNatively } from "./native.js";
import { ownFields } from "./own-fields.js";
import { readExact } from "./session-effects.js";
import { copyContainer, isObject, isPlain, nameOf } from "./values.js";

/** What the model is given. */
export interface ModelRequest {
  /** The prompt of the user, as changed by hooks. */
  readonly prompt: string;
  readonly systemPrompt: string | null;
  /** The names of the tools that it may call. */
  readonly tools: readonly unknown[];
  /** The conversation; at its end what hooks added for this call only. */
  readonly messages: readonly ContextMessage[];
  readonly sessionId: string;
  readonly agentId: string | null;
  /** Reports a piece of the text as soon as it is available. */
  readonly onText: (text: string) => void;
  /** Fires when the generation is cancelled. */
  readonly signal: AbortSignal;
}

/** A tool that the model calls. */
export interface ToolCall {
  readonly id?: string | null;
  readonly name: string;
  /** An object, or its JSON text as providers in the style of OpenAI send it; empty text is `{}`. */
  readonly args?: Readonly<Record<string, unknown>> | string | null;
}

/** What a model returns when it is more than a text. */
export interface ModelResponse {
  readonly text?: string | null;
  /** The tools that it calls, in order. */
  readonly toolCalls?: readonly ToolCall[] | null;
  /** Token usage; the engine reads `totalTokens`. */
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}

/** Answers a prompt; its error raises `GenerateError`. */
export type Model = (
  request: ModelRequest,
) => string | ModelResponse | PromiseLike<string | ModelResponse>;

/** A model's answer in the form that events carry. */
export function responseOf(answer: unknown, duration: number): Record<string, unknown> {
  if (typeof answer === "string") return { text: answer, toolCalls: [], duration };
  if (!isPlain(answer)) {
    const what = isObject(answer) ? nameOf(answer) : describe(answer);
    throw new TypeError(
      `the model answered ${what}; an answer is a text, or a plain object with text, toolCalls and usage`,
    );
  }
  const given: Record<string, unknown> = { ...answer };
  const own = ownFields(copyContainer(given));
  return { duration, ...own, text: own["text"] ?? "", toolCalls: own["toolCalls"] ?? [] };
}

/** A tool call of a response. */
export interface ParsedCall {
  readonly tool: string;
  readonly id: string | null;
  readonly args: object;
}

/** The parts of a response that the core needs. */
export interface ParsedResponse {
  readonly text: string;
  readonly calls: readonly ParsedCall[];
  /** JSON text. */
  readonly usage: string;
}

/** Has the core read a response, which hooks may have changed; throws `PayloadError`. */
export function readResponse(response: unknown): ParsedResponse {
  const text = callNative(() => readNatively(response));
  const { calls, ...rest } = readExact(text) as Omit<ParsedResponse, "calls"> & {
    calls: (Omit<ParsedCall, "args"> & { args?: object })[];
  };
  // The core leaves out the arguments that are an object of the response; it has seen that `toolCalls` is a list then.
  const own = (index: number): object =>
    copyContainer((response as ModelResponse).toolCalls?.[index]?.args as object);
  return {
    ...rest,
    calls: calls.map(({ args, ...call }, index) => ({ ...call, args: args ?? own(index) })),
  };
}
