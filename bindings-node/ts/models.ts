/** The model of the program: its request and its response. */

import type { ContextMessage } from "./context.js";
import { describe } from "./errors.js";
import { jsonText } from "./native.js";
import { copyContainer, isContainer, isPlain } from "./values.js";

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
  readonly args?: Readonly<Record<string, unknown>> | null;
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

/** The parts of a response that the core needs. */
export interface ParsedResponse {
  readonly text: string;
  readonly calls: readonly {
    readonly name: string;
    readonly id: string | null;
    readonly args: object;
  }[];
  /** JSON text. */
  readonly usage: string;
}

/** A model's answer in the form that events carry. */
export function responseOf(answer: unknown, duration: number): Record<string, unknown> {
  if (typeof answer === "string") return { text: answer, toolCalls: [], duration };
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
    throw new TypeError(
      `the model answered ${nameOrText(answer)}; an answer is a text, or an object with text, toolCalls and usage`,
    );
  }
  const given: Record<string, unknown> = { ...answer };
  const own = copyContainer(given);
  return { duration, ...own, text: own["text"] ?? "", toolCalls: own["toolCalls"] ?? [] };
}

/** Reads a response, which hooks may have changed; throws `TypeError`. */
export function readResponse(response: unknown): ParsedResponse {
  if (!isPlain(response)) throw new TypeError("the response is no object");
  const { text = "", toolCalls = [], usage } = response;
  if (typeof text !== "string") {
    throw new TypeError(`the response's text is ${nameOrText(text)}, not a text`);
  }
  if (!Array.isArray(toolCalls)) throw new TypeError("the response's toolCalls are no list");
  return { text, calls: toolCalls.map(readCall), usage: usageText(usage) };
}

function readCall(call: unknown): ParsedResponse["calls"][number] {
  const { name, id, args } = isPlain(call) ? call : {};
  if (typeof name !== "string") throw new TypeError("a tool call of the model has no name");
  if (args !== undefined && args !== null && !isPlain(args)) {
    throw new TypeError(`the arguments of the model's call of ${name} are no object`);
  }
  return {
    name,
    id: typeof id === "string" ? id : null,
    args: isContainer(args) ? copyContainer(args) : {},
  };
}

/** The core reads the canonical spelling. */
function usageText(usage: unknown): string {
  if (!isPlain(usage)) return "null";
  const total = usage["total_tokens"] ?? usage["totalTokens"];
  try {
    return jsonText(total === undefined ? usage : { ...usage, total_tokens: total });
  } catch {
    return "null";
  }
}

function nameOrText(value: unknown): string {
  return typeof value === "object" ? typeof value : describe(value);
}
