/** OpenAI Agents SDK: `new HookweaveRunner(client).run(agent, "hi")` in place of `run(agent, "hi")`. */

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

import {
  getClientToolSearchExecutor,
  Runner,
  tool as toolOfSdk,
  type Agent,
  type FunctionTool,
  type Item,
  type ModelInputFilter,
  type RunConfig,
  type RunContext,
  type RunOptions,
  type RunResult,
  type RunState,
  type Tool,
  type ToolErrorFormatter,
  type ToolUseBehavior,
} from "@openai/agents";

import { ApprovalPending, HookweaveError, type HookClient, type OpenToolCall } from "../index.js";
import {
  argsOf,
  asJson,
  asText,
  Conversations,
  PromptRefusedError,
  UnhookedError,
  type AdapterOptions,
  type Args,
  type Asked,
  type Conversation,
} from "./shared.mjs";

export { PromptRefusedError, UnhookedError } from "./shared.mjs";

/** The options of `HookweaveRunner`; `approval: "interrupt"` asks by the SDK's `result.interruptions`. */
export interface HookweaveRunnerOptions extends AdapterOptions<"interrupt"> {
  /** What runs the agents, with its settings. Default: a new one. */
  runner?: Runner;
}

/** A hook ended the turn of an agent whose output has a schema (`stopped`), so that its reason cannot be the output. */
export class StoppedError extends HookweaveError {
  constructor(reason: string) {
    super("stopped", reason);
    this.name = "StoppedError";
  }
}

/** An agent, as far as it gets hooks. */
export interface HookableAgent {
  readonly name: string;
  readonly handoffs: readonly unknown[];
}

/** One run, and by call id the arguments of what a person was asked about before it. */
interface Running {
  readonly conversation: Conversation;
  readonly asked: ReadonlyMap<string, Args>;
}

/** What a tool threw, which the SDK makes a text of before anyone else sees it. */
interface Failure {
  error?: { readonly thrown: unknown };
}

const failures = new AsyncLocalStorage<Failure>();
const hookedBy = new WeakMap<object, HookweaveRunner>();
/** What the SDK's tools have that this process runs, and that are no functions. */
const RUNS_HERE = ["computer", "shell", "editor"];

/**
 * The SDK's `tool`, with the same options, for tools whose failures hooks are to see.
 *
 * The SDK makes a text for the model of what a tool of its own `tool` throws, and hooks see that text as the result.
 */
export const tool: typeof toolOfSdk = (options) =>
  toolOfSdk({
    ...options,
    name: options.name ?? options.execute.name,
    execute: async (...given) => {
      try {
        return await options.execute(...given);
      } catch (thrown) {
        const failure = failures.getStore();
        if (failure !== undefined) failure.error = { thrown };
        throw thrown;
      }
    },
  });

/** Runs agents with hooks around their prompts, tools and ends. */
export class HookweaveRunner {
  readonly #conversations: Conversations;
  readonly #runner: Runner;
  readonly #interrupts: boolean;
  readonly #running = new AsyncLocalStorage<Running>();
  readonly #hookedTools = new WeakMap<Tool, Tool>();
  readonly #judged = new WeakMap<Conversation, Map<string, OpenToolCall>>();
  /** The conversation of hooked agents that the SDK's own `run` runs. */
  readonly #plain = randomUUID();

  /**
   * Runs an agent as the SDK's `run` does, and with the same arguments.
   *
   * The SDK's session, its conversation or the runner's `groupId` is a session. Rejects with `PromptRefusedError` where a
   * hook refuses the prompt. A stream ends with the run: no `Stop` hook is asked.
   */
  readonly run: Runner["run"] = (agent, input, options = {}) => this.#run(agent, input, options);

  /** All options but `runner` and the SDK's own way to ask are those of `client.session`. */
  constructor(
    client: HookClient,
    { runner = new Runner(), ...options }: HookweaveRunnerOptions = {},
  ) {
    this.#runner = runner;
    this.#interrupts = options.approval === "interrupt";
    this.#conversations = new Conversations(client, options, "interrupt");
  }

  /**
   * Puts hooks around the tools of an agent and of those that it hands off to, for good; gives the agent.
   *
   * An agent needs it before its `asTool`, and before `RunState.fromString`; `run` does it by itself.
   */
  hooked<A extends HookableAgent>(agent: A): A {
    this.#hook(agent as unknown as Agent);
    return agent;
  }

  /** Raises `SessionEnd` for every conversation. */
  close(): Promise<void> {
    return this.#conversations.close();
  }

  async #run(
    agent: Agent,
    input: string | Item[] | RunState,
    options: RunOptions,
  ): Promise<RunResult> {
    this.#hook(agent);
    const { config } = this.#runner;
    const id = (await options.session?.getSessionId()) ?? options.conversationId ?? config.groupId;
    const state = isState(input) ? input : null;
    const source = state === null ? "startup" : "resume";
    const conversation = await this.#conversations.of(id, { kind: agent.name, source });
    conversation.stopped = null;
    const asked = new Map<string, Args>();
    for (const { agent: other, rawItem } of state?.getInterruptions() ?? []) {
      this.#hook(other);
      if (rawItem.callId !== undefined) asked.set(rawItem.callId, parsed(rawItem.arguments));
    }
    const given =
      isState(input) || conversation.isSubagent ? input : await submitted(conversation, input);
    const around = {
      ...options,
      ...this.#around(agent.name, { ...config, ...definedIn(options) }),
    };
    return this.#running.run({ conversation, asked }, () =>
      this.#toTheEnd(conversation, agent, given, around),
    );
  }

  async #toTheEnd(
    conversation: Conversation,
    agent: Agent,
    input: string | Item[] | RunState,
    options: RunOptions,
  ): Promise<RunResult> {
    const result = await this.#runner.run(agent, input, options);
    if (options.stream === true || result.interruptions.length > 0) return result;
    const last = typeof result.finalOutput === "string" ? result.finalOutput : undefined;
    if (!(await conversation.goesOn(last))) return result;
    const content = conversation.notes.take() ?? "a hook wants you to continue";
    const { session, conversationId, previousResponseId } = options;
    const kept = session ?? conversationId ?? previousResponseId;
    const next: Item[] = [...(kept === undefined ? result.history : []), { role: "user", content }];
    const { lastResponseId } = result;
    const from = previousResponseId === undefined ? {} : { previousResponseId: lastResponseId };
    return this.#toTheEnd(conversation, result.lastAgent ?? agent, next, { ...options, ...from });
  }

  /** The conversation whose agent this is. */
  #current(kind: string): Promise<Conversation> {
    const running = this.#running.getStore()?.conversation;
    const outer = this.#conversations.inside();
    const nested = outer !== null && (running === undefined || running === outer);
    if (running !== undefined && !nested) return Promise.resolve(running);
    return this.#conversations.of(nested ? undefined : this.#plain, { kind });
  }

  /** What goes around each call of the model, and around the SDK's own denials. */
  #around(kind: string, own: RunConfig): RunConfig {
    const { conversationId, previousResponseId } = own as RunOptions;
    const placed = new Map<Conversation, (readonly [number, Item])[]>();
    const callModelInputFilter: ModelInputFilter = async (data) => {
      const { agent } = data;
      if (hookedBy.get(agent) !== this) throw unhooked(`the agent ${agent.name} has no hooks`);
      const conversation = await this.#current(agent.name);
      const made = (await own.callModelInputFilter?.(data)) ?? data.modelData;
      const input = [...made.input];
      const content = conversation.notes.take();
      // Where the API keeps the conversation it has the earlier notes too; else the SDK has forgotten them.
      const kept = (conversationId ?? previousResponseId) !== undefined;
      const notes = kept ? [] : (placed.get(conversation) ?? []);
      if (content !== null) notes.push([input.length, { role: "user", content }]);
      placed.set(conversation, notes);
      for (const [place, note] of [...notes].reverse()) input.splice(place, 0, note);
      return { ...made, input };
    };
    const toolErrorFormatter: ToolErrorFormatter = async (about) => {
      if (about.kind === "approval_rejected") {
        const { session } = await this.#current(kind);
        const args = this.#running.getStore()?.asked.get(about.callId) ?? {};
        const by = { by: "user", reason: "user denied it" };
        await session.dispatch("PermissionDenied", { tool: about.toolName, args, ...by });
      }
      return own.toolErrorFormatter?.(about);
    };
    return { callModelInputFilter, toolErrorFormatter };
  }

  #hook(agent: Agent): void {
    const by = hookedBy.get(agent);
    if (by === this) return;
    if (by !== undefined) {
      const fix = "run it with that one, or make another agent";
      throw new UnhookedError(
        `the agent ${agent.name} has hooks of another HookweaveRunner; ${fix}`,
      );
    }
    hookedBy.set(agent, this);
    const base = {
      getAllTools: agent.getAllTools.bind(agent),
      clone: agent.clone.bind(agent),
      asTool: agent.asTool.bind(agent),
    };
    agent.getAllTools = async (...given) => {
      const tools = await base.getAllTools(...given);
      return tools.map((one) => this.#hookedTool(one, agent));
    };
    // The SDK itself runs clones of agents in sandboxes.
    agent.clone = (config) => this.hooked(base.clone(config));
    agent.asTool = (options) => {
      const { runConfig = {} } = options;
      const around = this.#around(agent.name, runConfig);
      const made = base.asTool({ ...options, runConfig: { ...runConfig, ...around } });
      // The SDK knows this very object, so it stays the same.
      Object.assign(made, this.#parts(made, agent.name));
      this.#hookedTools.set(made, made);
      return made;
    };
    agent.toolUseBehavior = this.#ends(agent, agent.toolUseBehavior);
    for (const handoff of agent.handoffs) {
      if (!("onInvokeHandoff" in handoff)) {
        this.#hook(handoff);
        continue;
      }
      this.#hook(handoff.agent);
      const invoke = handoff.onInvokeHandoff.bind(handoff);
      handoff.onInvokeHandoff = async (...given) => this.hooked(await invoke(...given));
    }
  }

  /** What the SDK asks once tools have run: whether the turn is over. */
  #ends(agent: Agent, own: ToolUseBehavior): ToolUseBehavior {
    const ended = (output: unknown) =>
      ({
        isFinalOutput: true,
        isInterrupted: undefined,
        finalOutput: asText(asJson(output)),
      }) as const;
    return async (context, results) => {
      const { stopped } = await this.#current(agent.name);
      if (stopped !== null && agent.outputType !== "text") throw new StoppedError(stopped);
      if (stopped !== null) return ended(stopped);
      if (typeof own === "function") return own(context, results);
      const names = typeof own === "string" ? [] : own.stopAtToolNames;
      const last = results.find(
        (one) => own === "stop_on_first_tool" || names.includes(one.tool.name),
      );
      if (last?.type === "function_output") return ended(last.output);
      return { isFinalOutput: false, isInterrupted: undefined };
    };
  }

  #hookedTool(given: Tool, agent: Agent): Tool {
    const known = this.#hookedTools.get(given);
    if (known !== undefined) return known;
    const which = `the tool ${given.name} of ${agent.name}`;
    if (given.type !== "function") {
      const here = RUNS_HERE.some((part) => part in given);
      if (here || getClientToolSearchExecutor(given) !== undefined)
        throw new UnhookedError(`${which} is no function, so no hook can judge it; remove it`);
      return given;
    }
    if ("on" in given) throw unhooked(`${which} runs an agent without hooks`);
    const made = Object.defineProperties(
      {},
      Object.getOwnPropertyDescriptors(given),
    ) as FunctionTool;
    Object.assign(made, this.#parts(given, agent.name));
    this.#hookedTools.set(given, made);
    return made;
  }

  /** The parts of a tool that hooks go around. */
  #parts(own: FunctionTool, kind: string): Partial<FunctionTool> {
    const { name, outputSchema } = own;
    const [invokeOwn, needsOwn] = [own.invoke.bind(own), own.needsApproval.bind(own)];
    const invoke: FunctionTool["invoke"] = async (context, input, details) => {
      const conversation = await this.#current(kind);
      const asked = { tool: name, args: parsed(input), id: details?.toolCall?.callId };
      const told: unknown[] = [];
      const run = async (changed: Args | null): Promise<unknown> => {
        const failure: Failure = {};
        const text = changed === null ? input : JSON.stringify(changed);
        told.length = 0;
        const output = await failures.run(failure, () => invokeOwn(context, text, details));
        told.push(output);
        if (failure.error !== undefined) throw failure.error.thrown;
        return output;
      };
      const begun = await this.#begun(conversation, asked, context, details?.signal);
      const ran = await conversation.runTool(asked, run, { begun });
      if (ran.refusal !== null) return ran.refusal;
      if (ran.changed)
        return outputSchema === undefined ? asText(ran.outcome.output) : ran.outcome.output;
      // What the SDK made of a failure is what the model reads without hooks, too.
      if (ran.error !== null && told.length === 0) throw ran.error.thrown;
      return told[0];
    };
    if (!this.#interrupts) return { invoke };
    const needsApproval: FunctionTool["needsApproval"] = async (context, args, id) => {
      // Older releases would run a denied call that no hook asks about any more.
      if (context.isToolApproved({ toolName: name, callId: id ?? "" }) === false) return true;
      if (await needsOwn(context, args, id)) return true;
      const conversation = await this.#current(kind);
      try {
        const call = await conversation.judge({ tool: name, args: argsOf(args), id });
        const calls = this.#judged.get(conversation) ?? new Map<string, OpenToolCall>();
        this.#judged.set(conversation, calls.set(id ?? "", call));
        return false;
      } catch (error) {
        if (error instanceof ApprovalPending) return true;
        throw error;
      }
    };
    return { invoke, needsApproval };
  }

  /** A call as it was judged. */
  async #begun(
    conversation: Conversation,
    asked: Asked,
    context: RunContext,
    signal: AbortSignal | undefined,
  ): Promise<OpenToolCall> {
    const { tool: toolName, id: callId = "" } = asked;
    const calls = this.#judged.get(conversation);
    const judged = calls?.get(callId);
    calls?.delete(callId);
    const approved = (): boolean => context.isToolApproved({ toolName, callId }) === true;
    return judged ?? conversation.judgeApproved(asked, approved, signal);
  }
}

function unhooked(what: string): UnhookedError {
  return new UnhookedError(`${what}, and is refused; call \`hooked\` with that agent first`);
}

function isState(input: string | Item[] | RunState): input is RunState {
  return typeof input === "object" && "getInterruptions" in input;
}

function definedIn(options: RunOptions): RunOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The model's arguments; what is no object is one argument. */
function parsed(given: string | undefined): Args {
  try {
    return argsOf(JSON.parse(given ?? "{}"));
  } catch {
    return argsOf(given);
  }
}

/** What hooks made of a prompt. */
async function submitted(
  conversation: Conversation,
  input: string | Item[],
): Promise<string | Item[]> {
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
  const last = items.at(-1);
  const text = last?.role === "user" ? textOf(last) : null;
  if (last === undefined || text === null) return input;
  const { accepted, prompt, reason } = await conversation.submit(text);
  if (!accepted) throw new PromptRefusedError(reason);
  if (prompt === text) return input;
  if (typeof input === "string") return prompt;
  const parts = typeof last.content === "string" ? [] : (last.content ?? []);
  const others = parts.filter(({ type }) => type !== "input_text");
  const content = others.length === 0 ? prompt : [{ type: "input_text", text: prompt }, ...others];
  return [...items.slice(0, -1), { ...last, content }];
}

/** What a person says in an item; `null` where it has no words. */
function textOf({ content }: Item): string | null {
  if (typeof content === "string") return content;
  const texts = (content ?? []).flatMap(({ type, text }) =>
    type === "input_text" ? [String(text)] : [],
  );
  return texts.length === 0 ? null : texts.join("\n");
}
