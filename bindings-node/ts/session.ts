/** A session: one conversation of an agent, with its hooks. */

import type { Handler, HookDefinition } from "./registration.js";
import { randomUUID } from "node:crypto";

import type { Approval, ApprovalAnswer, ApprovalRequest } from "./approval.js";
import type { Cancelling } from "./cancellation.js";
import type { Context } from "./context.js";
import { ApprovalPending } from "./approval-pending.js";
import { errorOf, describe, SubagentBlockedError } from "./errors.js";
import type { EventName, Payload } from "./event-types.js";
import { canonicalFields } from "./spelling.js";
import { callNative, jsonText, type NativeSession } from "./native.js";
import { OpenModelCall } from "./open-model-call.js";
import { OpenToolCall } from "./open-tool-call.js";
import { recordOf, type Outcome } from "./outcome.js";
import { optionsOf, signalOf } from "./own-fields.js";
import { SessionState } from "./session-state.js";
import type {
  BeginModelOptions,
  CompactOptions,
  FlowOptions,
  GenerateOptions,
  NotifyOptions,
  RunToolOptions,
  StopDetails,
  SubagentOptions,
  Summarise,
} from "./session-options.js";
import {
  Generation,
  plainResult,
  ToolOutcome,
  type Compaction,
  type Generated,
  type Started,
  type Stopped,
  type Submitted,
  type ToolRun,
} from "./session-results.js";
import type { TemporaryHook } from "./temporary-hook.js";
import type { AgentSpans, ToolCallSpan } from "./tracing.js";
import type { AnyTool } from "./tools.js";
import { copyContainer, isObject, isPlain, nameOf } from "./values.js";

const TOOL_OPTIONS = ["toolUseId", "answers", "passes"];

/** What the function of a tool gets beside its arguments. */
export interface ToolContext {
  /** The tool's name. */
  readonly tool: string;
  /** The call's id. */
  readonly toolUseId: string;
  readonly session: Session;
  /** Variables that hooks left for tools and commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Fires when the call is cancelled. */
  readonly signal: AbortSignal;
}

/**
 * Does what a tool does.
 *
 * Its arguments are its own, and already judged. What it gives is the output, or a `ToolResult`; what it throws is a
 * failed run.
 */
export type ToolFunction<A extends object = Record<string, unknown>> = (
  args: A,
  context: ToolContext,
) => unknown;

/**
 * One conversation, made by `client.session`. Hooks see its events, and their outcomes have the same effect in every
 * language.
 *
 * Methods may overlap. After `end`, or after the signal given to `client.session`, running calls reject.
 */
export class Session implements AsyncDisposable {
  /** The conversation's id. */
  readonly id: string;
  /** The subagent's id; `null` for the conversation itself. */
  readonly agentId: string | null;
  /** @internal */
  readonly needsNoOpOutcomes: boolean;
  readonly #state: SessionState<Session>;

  /** @internal */
  constructor(state: SessionState<Session>) {
    this.#state = state;
    state.session = this;
    this.id = state.native.id;
    this.agentId = state.native.agentId ?? null;
    this.needsNoOpOutcomes = state.native.needsNoOpOutcomes;
  }

  /** Whether it has ended or was cancelled. */
  get closed(): boolean {
    return this.#state.over;
  }

  /** Where the conversation is stored. */
  get context(): Context {
    return this.#state.host.context;
  }

  /** The environment variables that hooks set for tools and commands. */
  get env(): Readonly<Record<string, string>> {
    return JSON.parse(this.#state.native.env()) as Record<string, string>;
  }

  /** Raises `SessionStart`. */
  async start(source = "startup", options?: FlowOptions): Promise<Started> {
    return plainResult(
      await this.#state.flow((native) => native.start(source), signalOf(options)),
    ) as Started;
  }

  /**
   * Ends the session: running calls are cancelled, subagents end, `SessionEnd` is raised (`SubagentStop` for a
   * subagent), approvals are forgotten. A second time does nothing.
   */
  end(reason = "other"): Promise<Stopped> {
    return this.#state.end(reason);
  }

  /** Submits a prompt: hooks may change or refuse it. */
  async submitPrompt(prompt: string, options?: FlowOptions): Promise<Submitted> {
    return plainResult(
      await this.#state.flow((native) => native.submitPrompt(prompt), signalOf(options)),
    ) as Submitted;
  }

  /**
   * Makes a tool call: hooks and, if needed, a person judge it, the tool runs, hooks see the result.
   *
   * Without a function the client's tool of that name runs; rejects with `unknown_tool` when there is none. A call that
   * is refused or a tool that fails does not reject. If the approver throws `Suspended`, it rejects with `ApprovalPending`
   * and nothing has happened; make the call again with `toolUseId` and `answers`.
   */
  runTool(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options?: RunToolOptions,
  ): Promise<ToolOutcome>;
  runTool<A extends object>(
    tool: string,
    args: A,
    run: ToolFunction<NoInfer<A>>,
    options?: RunToolOptions,
  ): Promise<ToolOutcome>;
  async runTool(
    tool: string,
    args: object,
    given?: AnyTool | RunToolOptions,
    more?: RunToolOptions,
  ): Promise<ToolOutcome> {
    checkCall("runTool", tool, args);
    const own = typeof given === "function" ? given : undefined;
    const options = own === undefined ? (given as RunToolOptions | undefined) : more;
    const { toolUseId: id, answers, passes } = optionsOf("runTool", options, TOOL_OPTIONS);
    const run = own ?? this.#state.host.tools.known(tool);
    const toolUseId = id ?? randomUUID();
    const drive = async (): Promise<ToolOutcome> => {
      const driver = await this.#state.drive(
        (native, driver) =>
          beginTool(native, driver, [tool, copyContainer(args), toolUseId], answers),
        signalOf(options),
        { run, passes },
      );
      const { result, values, thrown, outcomes, pending } = driver;
      if (pending !== null && result === null) throw new ApprovalPending(pending);
      return new ToolOutcome(result as ToolRun, values, thrown, outcomes);
    };
    const span = this.#span(tool, id);
    if (span === null) return drive();
    try {
      const outcome = await span.judging(drive);
      span.ended(outcome);
      return outcome;
    } catch (error) {
      span.broke(error);
      throw error;
    }
  }

  /**
   * Makes the first half of a tool call: hooks and, if needed, a person judge it; the program runs the tool.
   *
   * Where a tool is one function, `runTool` does both halves. What it rejects with is the same.
   */
  async beginTool(tool: string, args: object, options?: RunToolOptions): Promise<OpenToolCall> {
    checkCall("beginTool", tool, args);
    const { toolUseId: id, answers, passes } = optionsOf("beginTool", options, TOOL_OPTIONS);
    const toolUseId = id ?? randomUUID();
    const own = copyContainer(args);
    const open = this.#state.open(
      (native, driver) => beginTool(native, driver, [tool, own, toolUseId], answers),
      signalOf(options),
      { passes },
    );
    const call = new OpenToolCall(
      { tool, toolUseId, args },
      open,
      this.#state.calls,
      this.#span(tool, id),
    );
    await call.judge();
    return call;
  }

  /**
   * Makes the first half of a call of the model: hooks and, if needed, a person judge what it is given; the program calls
   * it.
   */
  async beginModel(prompt: string, options: BeginModelOptions = {}): Promise<OpenModelCall> {
    const known = ["systemPrompt", "tools"];
    const { systemPrompt, tools = [] } = optionsOf("beginModel", options, known);
    const names = jsonText(tools);
    const begin = (native: NativeSession): number => native.callModel(prompt, systemPrompt, names);
    const call = new OpenModelCall(this.#state.open(begin, signalOf(options), {}));
    await call.ask();
    return call;
  }

  /** The span of a tool call that begins. */
  #span(tool: string, toolUseId: string | undefined): ToolCallSpan | null {
    const { id: sessionId, agentId } = this;
    return this.#state.host.tracing()?.tool({ tool, toolUseId, sessionId, agentId }) ?? null;
  }

  /**
   * Answers a prompt with the client's model and tools: the whole loop of an agent.
   *
   * Rejects with `no_model` when none is registered. A model that fails does not reject.
   */
  async generate(prompt: string, options: GenerateOptions = {}): Promise<Generation> {
    const { tools, model: registered } = this.#state.host;
    const model = registered();
    if (model === null) {
      throw errorOf("no_model", "no model is registered; call registerModel first");
    }
    const { onText } = optionsOf("generate", options, ["onText"]);
    const signal = signalOf(options);
    const drive = async (spans?: AgentSpans): Promise<Generation> => {
      const begin = (native: NativeSession): number => native.generate(prompt, tools.names);
      const inputs = { model: spans?.observeModel(model) ?? model, onText, spans };
      const driver = await this.#state.drive(begin, signal, inputs);
      const { values, thrown, outcomes, byCall, modelError } = driver;
      const generated = driver.result as Generated;
      const calls = generated.tools.map(
        (call, index) => new ToolOutcome(call, values, thrown, byCall[index] ?? []),
      );
      return new Generation(generated, values, calls, modelError, outcomes);
    };
    const tracing = this.#state.host.tracing();
    if (tracing === null) return drive();
    const agentType = this.#state.native.agentType ?? null;
    return tracing.agent({ sessionId: this.id, agentId: this.agentId, agentType }, drive);
  }

  /**
   * Shortens the context: hooks may refuse or instruct, the function gets the messages that go and writes the summary
   * that takes their place. Instructions, messages with `pinned` in their metadata, and the most recent ones stay.
   */
  async compact(summarise: Summarise, options: CompactOptions = {}): Promise<Compaction> {
    const known = ["trigger", "customInstructions"];
    const { trigger = "manual", customInstructions } = optionsOf("compact", options, known);
    const begin = (native: NativeSession): number => native.compact(trigger, customInstructions);
    const came: unknown = plainResult(
      await this.#state.flow(begin, signalOf(options), { summarise }),
    );
    return came as Compaction;
  }

  /** Reports how many tokens the context holds; `ContextWarning` is raised once above the threshold. */
  async noteUsage(tokens: number, options?: FlowOptions): Promise<void> {
    await this.#state.flow((native) => native.noteUsage(tokens), signalOf(options));
  }

  /** Raises `Notification`; returns the objections of hooks. */
  async notify(message: string, options: NotifyOptions = {}): Promise<readonly string[]> {
    const { title, kind } = optionsOf("notify", options, ["title", "kind"]);
    const begin = (native: NativeSession): number => native.notify(message, title, kind);
    const noticed = await this.#state.flow(begin, signalOf(options));
    return (noticed as { feedback: readonly string[] }).feedback;
  }

  /** Asks hooks for the status line; `null` when none writes one. */
  async statusLine(
    fields: Readonly<Record<string, unknown>> = {},
    options?: FlowOptions,
  ): Promise<string | null> {
    const text = jsonText(canonicalFields("StatusLine", fields));
    const noticed = await this.#state.flow((native) => native.statusLine(text), signalOf(options));
    const { value } = noticed as { value: unknown };
    return typeof value === "string" ? value : null;
  }

  /** Asks hooks for files that match the query; returns the given suggestions when no hook changes them. */
  async suggestFiles(
    query: string,
    suggestions: readonly unknown[] = [],
    options?: FlowOptions,
  ): Promise<readonly unknown[]> {
    const text = jsonText(suggestions);
    const noticed = await this.#state.flow(
      (native) => native.fileSuggestions(query, text),
      signalOf(options),
    );
    const { value } = noticed as { value: unknown };
    return Array.isArray(value) ? value : suggestions;
  }

  /** The agent has done its work; hooks may let it continue, with a reason in the context. */
  async stop(details: StopDetails = {}, options?: FlowOptions): Promise<Stopped> {
    this.#state.dropCalls();
    const text = jsonText(canonicalFields("Stop", { status: "completed", ...details }));
    return plainResult(
      await this.#state.flow((native) => native.stop(text), signalOf(options)),
    ) as Stopped;
  }

  /** The agent has ended with an error. */
  async stopFailure(error: unknown, options?: FlowOptions): Promise<void> {
    await this.#state.flow((native) => native.stopFailure(describe(error)), signalOf(options));
  }

  /**
   * Begins a subagent: the same hooks, the same id, an `agentId` of its own; it ends with its parent at the latest.
   *
   * Rejects with `subagent_blocked` when a hook refuses it. `await using child = await session.subagent("reviewer");`
   */
  async subagent(kind: string, options: SubagentOptions = {}): Promise<Session> {
    this.#state.check();
    const { agentId, context } = optionsOf("subagent", options, ["agentId", "context"]);
    const signal = signalOf(options);
    const { host, native } = this.#state;
    const childHost = context === undefined ? host : { ...host, context };
    const state = new SessionState<Session>(native.subagent(kind, agentId), childHost, this.#state);
    const child = new Session(state);
    this.#state.adopt(state);
    try {
      const begin = (native: NativeSession): number => native.startSubagent();
      const started = plainResult(await state.flow(begin, signal)) as Started;
      if (!started.accepted) throw new SubagentBlockedError(kind, started.reason);
    } catch (error) {
      await state.end("other");
      throw error;
    }
    state.begun = true;
    state.follow(signal);
    return child;
  }

  /** Raises any other event, with the common fields of the session. */
  dispatch<N extends EventName>(
    event: N,
    payload: Payload<N>,
    options?: FlowOptions,
  ): Promise<Outcome<N>> {
    const { cwd } = this.#state.native;
    const common = {
      sessionId: this.id,
      ...(cwd === null ? {} : { cwd }),
      ...(this.agentId === null ? {} : { agentId: this.agentId }),
    };
    const raise = async (cancelling: Cancelling): Promise<Outcome<N>> => {
      const { host, native } = this.#state;
      const outcome = await host.raise(event, { ...common, ...payload }, cancelling);
      const { details } = recordOf(outcome);
      if (details !== null)
        callNative(() => {
          native.applyEnv(details.dispatch, details.values);
        });
      return outcome as Outcome<N>;
    };
    return this.#state.during(signalOf(options), raise);
  }

  /** The questions that wait for a decision, of subagents too, with `approval: "pending"`. */
  pending(): ApprovalRequest[] {
    return this.#state.host.pending.pending();
  }

  /** Decides a question that waits by one of its options, perhaps with a reason or edited arguments; throws `unknown_approval`. */
  decide(id: string, answer: Approval): void {
    this.#state.host.pending.decide(id, answer);
  }

  /** Registers a hook for this session and its subagents only, until it is removed or the session ends. */
  temporaryHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | HookDefinition<NoInfer<N>>,
  ): TemporaryHook {
    this.#state.check();
    const temporary = this.#state.host.hook(this.id, event, hook);
    this.#state.hooks.add(temporary);
    return temporary;
  }

  /** Ends the session at the end of a block: `await using session = client.session();`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

/** Begins a call, perhaps one to whose questions a person has answered before. */
function beginTool(
  native: NativeSession,
  values: { keep(value: unknown): number },
  [tool, args, toolUseId]: readonly [string, object, string],
  answers: Readonly<Record<string, Approval>> | undefined,
): number {
  const call = [tool, values.keep(args), toolUseId] as const;
  if (answers === undefined) return native.runTool(...call);
  const given = Object.entries(answers);
  const edited = given.map(([, answer]) =>
    isPlain(answer) ? values.keep((answer as ApprovalAnswer).args) : undefined,
  );
  const ids = given.map(([id]) => id);
  const all = given.map(([, answer]) => answer);
  return callNative(() => native.runToolAnswered(...call, ids, all, edited));
}

/** Refuses a call without a tool's name, and arguments that have no names. */
function checkCall(method: string, tool: unknown, args: unknown): void {
  const wrong = (why: string): Error => errorOf("invalid_payload", `${method}: ${why}`);
  if (typeof tool !== "string") throw wrong(`\`tool\` is the name of a tool, not ${given(tool)}`);
  if (tool === "") throw wrong("`tool` is empty; give the name of the tool");
  if (isPlain(args)) return;
  const hint = typeof args === "string" ? "{ command: … } for a command line" : "{ name: value }";
  throw wrong(
    `\`args\` of ${tool} are a plain object of arguments by name, not ${given(args)}; write ${hint}`,
  );
}

/** What was given, in words. */
function given(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return isObject(value) ? nameOf(value) : `a ${typeof value}`;
}
