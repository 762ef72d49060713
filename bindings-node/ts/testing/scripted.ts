/** Models, approvers and tools that follow a test's script and record their calls. */

import { AssertionError } from "node:assert";

import type { Approval, ApprovalContext, ApprovalRequest } from "../approval.js";
import type { ModelResponse, ModelRequest, ToolCall } from "../models.js";
import { isError } from "../errors.js";
import type { ToolContext } from "../session.js";

/** A text, a tool call or several, a whole answer, an error to throw, or a function of the request that gives one of these. */
export type ScriptedModelResponse =
  | string
  | ToolCall
  | readonly ToolCall[]
  | ModelResponse
  | Error
  | ((request: ModelRequest) => unknown);

/** A model that answers what a test lists. */
export interface ScriptedModel {
  (request: ModelRequest): Promise<string | ModelResponse>;
  /** Its requests, in order. */
  readonly requests: readonly ModelRequest[];
  /** How many answers are left. */
  readonly unused: number;
}

/** A tool call for a scripted model: `toolCall("Bash", { command: "ls" })`. */
export function toolCall(name: string, args: Readonly<Record<string, unknown>> = {}): ToolCall {
  return { name, args };
}

/** A model that answers these, one after the other. */
export function scriptedModel(...answers: readonly ScriptedModelResponse[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  const model = async (request: ModelRequest): Promise<string | ModelResponse> => {
    const answer = answers[requests.push(request) - 1];
    if (answer === undefined) {
      const [asked, scripted] = [String(requests.length), counted(answers.length, "answer")];
      throw new Error(`the model is called for time ${asked}, but its script has ${scripted}`);
    }
    const given = (typeof answer === "function" ? await answer(request) : answer) as Exclude<
      ScriptedModelResponse,
      (request: ModelRequest) => unknown
    >;
    if (isError(given)) throw given;
    if (typeof given === "string") return given;
    if (Array.isArray(given)) return { toolCalls: given as readonly ToolCall[] };
    return isCall(given) ? { toolCalls: [given] } : (given as ModelResponse);
  };
  return Object.defineProperties(model, {
    requests: { value: requests },
    unused: { get: () => Math.max(0, answers.length - requests.length) },
  }) as ScriptedModel;
}

function isCall(answer: object): answer is ToolCall {
  return typeof (answer as { name?: unknown }).name === "string";
}

/** An option, alone or with more, `true` for the first that allows, `false` for "Deny", or a function of the question. */
export type ScriptedAnswer = Approval | boolean | ((request: ApprovalRequest) => Approval);

/** An approver that gives the answers that a test lists. */
export interface ScriptedApprover {
  (request: ApprovalRequest, context?: ApprovalContext): Approval;
  /** Its requests, in order. */
  readonly requests: readonly ApprovalRequest[];
  /** Adds answers to the script. */
  answer(...answers: readonly ScriptedAnswer[]): void;
  /** Every answer was asked for, every question was in the script, and every answer was one of the options. */
  assertDone(): void;
}

/** An approver that gives these answers; a question beyond the script is denied, and `assertDone` throws. */
export function scriptedApprover(...script: readonly ScriptedAnswer[]): ScriptedApprover {
  const answers = [...script];
  const requests: ApprovalRequest[] = [];
  const wrong: string[] = [];
  const approver = (request: ApprovalRequest): Approval => {
    const answer = answers[requests.push(request) - 1];
    if (answer === undefined) {
      throw new Error(`this question is not in the script of the approver: ${request.prompt}`);
    }
    const allowing = request.granting[0] ?? "Deny";
    const given = typeof answer === "boolean" ? (answer ? allowing : "Deny") : answer;
    const answered = typeof given === "function" ? given(request) : given;
    const chosen = typeof answered === "string" ? answered : answered.option;
    if (!request.options.includes(chosen)) {
      const options = request.options.join(", ");
      wrong.push(
        `the approver's script answers "${chosen}" to \`${request.prompt}\`, whose options are ${options}`,
      );
    }
    return answered;
  };
  const assertDone = (): void => {
    const [first] = wrong;
    if (first !== undefined) throw new AssertionError({ message: first, stackStartFn: assertDone });
    if (requests.length === answers.length) return;
    const prompts = requests.map(({ prompt }, place) => `\n  ${String(place + 1)}. ${prompt}`);
    const scripted = counted(answers.length, "answer");
    const asked = counted(requests.length, "question");
    const message = `the script of the approver has ${scripted}, and ${asked} came${requests.length > 0 ? ":" : ""}${prompts.join("")}`;
    throw new AssertionError({ message, stackStartFn: assertDone });
  };
  return Object.assign(approver, {
    requests,
    assertDone,
    answer: (...more: readonly ScriptedAnswer[]) => {
      answers.push(...more);
    },
  });
}

/** A tool that keeps its calls. */
export interface RecordingTool {
  (args: Record<string, unknown>, context?: ToolContext): Promise<unknown>;
  /** The arguments of each call, in order. */
  readonly calls: readonly Record<string, unknown>[];
}

/** A tool that gives `output`, what a function makes of the arguments, or throws an error. */
export function recordingTool(output?: unknown): RecordingTool {
  const calls: Record<string, unknown>[] = [];
  const tool = async (args: Record<string, unknown>): Promise<unknown> => {
    calls.push(args);
    if (isError(output)) throw output;
    if (typeof output !== "function") return output;
    return await (output as (args: Record<string, unknown>) => unknown)(args);
  };
  return Object.assign(tool, { calls });
}

function counted(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? "" : "s"}`;
}
