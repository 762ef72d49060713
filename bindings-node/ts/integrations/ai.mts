/** Vercel AI SDK, 6 and 7: `generateText(await hooks.around({ model, tools, prompt }))`. */

import { ApprovalPending, type HookClient, type OpenToolCall } from "../index.js";
import {
  argsOf,
  asText,
  Conversations,
  PromptRefusedError,
  type AdapterOptions,
  type Asked,
  type Conversation,
} from "./shared.mjs";

export { PromptRefusedError } from "./shared.mjs";

/** The options of `Hookweave`; `approval: "user"` asks by the SDK's own tool approvals. */
export type HookweaveOptions = AdapterOptions<"user">;

/** What `around` takes besides the settings of the SDK. */
export interface AroundOptions {
  /** The conversation; calls with the same id are one session. Default: a new one. */
  sessionId?: string;
}

/** The settings that the SDK takes. */
export type Around<S> = S extends unknown ? Omit<S, "sessionId"> : never;

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly Part[];
}

interface CallOptions {
  readonly toolCallId: string;
  readonly messages: readonly Message[];
  readonly abortSignal?: AbortSignal;
}

interface Tool {
  readonly execute?: (input: unknown, options: CallOptions) => unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: CallOptions) => unknown);
}

interface Step {
  readonly text: string;
  readonly toolCalls: readonly unknown[];
  readonly finishReason: string;
}

type StopCondition = (given: { readonly steps: readonly Step[] }) => unknown;
type PrepareStep = (step: { readonly messages: readonly Message[] }) => unknown;
type Judge = (asked: {
  readonly toolCall: { toolName: string; toolCallId: string; input: unknown };
  readonly messages: readonly Message[];
}) => unknown;

/** The settings of a call, as far as hooks go around them. */
interface Settings {
  readonly prompt?: unknown;
  readonly messages?: readonly Message[];
  readonly tools?: Readonly<Record<string, Tool>>;
  readonly stopWhen?: StopCondition | readonly StopCondition[];
  readonly prepareStep?: PrepareStep;
  readonly toolApproval?: unknown;
  readonly onStepEnd?: (step: Step) => unknown;
  readonly experimental_steering?: Steering;
}

interface Steering {
  steer(message: string): unknown;
}

/** Hooks around the prompt, the tools and the end of calls of `generateText` and `streamText`. */
export class Hookweave {
  readonly #conversations: Conversations;
  readonly #asksUser: boolean;

  /** All options but the SDK's own way to ask are those of `client.session`. */
  constructor(client: HookClient, options: HookweaveOptions = {}) {
    this.#asksUser = options.approval === "user";
    this.#conversations = new Conversations(client, options, "user");
  }

  /**
   * The settings of one call with hooks around it; a call in a tool of another one is its subagent.
   *
   * Rejects with `PromptRefusedError` where a hook refuses the prompt. Tools without `execute` run elsewhere, unjudged.
   */
  async around<S extends object>(settings: S & AroundOptions): Promise<Around<S>> {
    const { sessionId, ...given } = settings;
    const own = given as Settings;
    const resumed = own.messages?.at(-1)?.role === "tool";
    const source = (own.messages?.length ?? 0) > 1 ? "resume" : "startup";
    const conversation = await this.#conversations.of(sessionId, { source });
    conversation.stopped = null;
    const prompt = resumed || conversation.isSubagent ? {} : await submitted(conversation, own);
    if (resumed) await noteDenials(conversation, own.messages ?? []);
    const turn = new Turn(conversation, own, await steeringOf(own), this.#asksUser);
    return { ...given, ...prompt, ...turn.settings() } as unknown as Around<S>;
  }

  /** Raises `SessionEnd` for every conversation. */
  close(): Promise<void> {
    return this.#conversations.close();
  }
}

/** One call of the SDK. */
class Turn {
  readonly #conversation: Conversation;
  readonly #given: Settings;
  readonly #steering: Steering;
  readonly #asksUser: boolean;
  readonly #judged = new Map<string, OpenToolCall>();
  #broken: { readonly error: unknown } | null = null;

  constructor(conversation: Conversation, given: Settings, steering: Steering, asksUser: boolean) {
    this.#conversation = conversation;
    this.#given = given;
    this.#steering = steering;
    this.#asksUser = asksUser;
  }

  settings(): Settings {
    this.#tell();
    const { tools, stopWhen = onlyOneStep, toolApproval } = this.#given;
    const steering = this.#steering;
    const hooked = Object.entries(tools ?? {}).map(([name, tool]) => [
      name,
      this.#hooked(name, tool),
    ]);
    return {
      ...(tools === undefined ? {} : { tools: Object.fromEntries(hooked) as Record<string, Tool> }),
      ...(this.#asksUser && toolApproval !== undefined
        ? { toolApproval: this.#approvals(toolApproval) }
        : {}),
      ...(steering instanceof Placing
        ? { prepareStep: steering.prepareStep }
        : { experimental_steering: steering }),
      stopWhen: [() => this.#stops(), ...[stopWhen].flat()],
      onStepEnd: (step) => this.#stepped(step),
    };
  }

  #tell(): void {
    const notes = this.#conversation.notes.take();
    if (notes !== null) this.#steering.steer(notes);
  }

  /** The SDK makes a text for the model of what a tool throws; what is wrong with hookweave itself ends the call here. */
  #stops(): boolean {
    if (this.#broken !== null) throw this.#broken.error;
    return this.#conversation.stopped !== null;
  }

  async #stepped(step: Step): Promise<void> {
    await this.#given.onStepEnd?.(step);
    if (step.toolCalls.length > 0 || step.finishReason !== "stop") return;
    try {
      if (await this.#conversation.goesOn(step.text)) this.#tell();
    } catch (error) {
      // The SDK does not hear of what its callbacks throw.
      this.#broken = { error };
    }
  }

  #hooked(name: string, tool: Tool): Tool {
    const { execute, needsApproval } = tool;
    if (execute === undefined) return tool;
    const run = (input: unknown, options: CallOptions): Promise<unknown> =>
      this.#run(name, input, options, (args) => last(execute.call(tool, args, options)));
    if (!this.#asksUser) return { ...tool, execute: run };
    const needs = async (input: unknown, options: CallOptions): Promise<boolean> => {
      const own =
        typeof needsApproval === "function" ? await needsApproval(input, options) : needsApproval;
      return own === true || this.#asks(name, input, options);
    };
    return { ...tool, execute: run, needsApproval: needs };
  }

  async #run(
    name: string,
    input: unknown,
    { toolCallId, messages, abortSignal }: CallOptions,
    execute: (args: unknown) => Promise<unknown>,
  ): Promise<unknown> {
    const asked = { tool: name, args: argsOf(input), id: toolCallId };
    const approved = isApproved(messages, toolCallId);
    try {
      const begun = await this.#begun(asked, approved, abortSignal);
      const ran = await this.#conversation.runTool(asked, (changed) => execute(changed ?? input), {
        begun,
      });
      this.#tell();
      if (ran.refusal !== null) throw new RefusedError(ran.refusal);
      if (ran.changed)
        return ran.outcome.ok ? ran.outcome.output : fail(new Error(asText(ran.outcome.output)));
      return ran.error === null ? ran.native : fail(ran.error.thrown);
    } catch (error) {
      if (error instanceof ToolThrew) throw error.thrown;
      if (!(error instanceof RefusedError) && abortSignal?.aborted !== true)
        this.#broken = { error };
      throw error;
    }
  }

  /** A call as it was judged; the SDK keeps no questions, so a person who approved it has answered all of it. */
  async #begun(
    asked: Asked,
    approved: boolean,
    signal: AbortSignal | undefined,
  ): Promise<OpenToolCall> {
    const judged = this.#judged.get(asked.id ?? "");
    this.#judged.delete(asked.id ?? "");
    return judged ?? this.#conversation.judgeApproved(asked, () => approved, signal);
  }

  /** Whether a person has to answer first. */
  async #asks(
    tool: string,
    input: unknown,
    { toolCallId: id, messages }: CallOptions,
  ): Promise<boolean> {
    if (isApproved(messages, id)) return true;
    try {
      this.#judged.set(id, await this.#conversation.judge({ tool, args: argsOf(input), id }));
      return false;
    } catch (error) {
      if (!(error instanceof ApprovalPending)) throw error;
      return true;
    }
  }

  /** The program's own approvals, and then the hooks' where they leave a call alone. */
  #approvals(own: unknown): unknown {
    const then = async (
      status: unknown,
      tool: string,
      input: unknown,
      options: CallOptions,
    ): Promise<unknown> => {
      const type = (status as Part | undefined)?.type ?? status ?? "not-applicable";
      if (type === "denied" || type === "user-approval") return status;
      return (await this.#asks(tool, input, options)) ? "user-approval" : status;
    };
    if (typeof own === "function") {
      const judge: Judge = async (asked) => {
        const { toolName, input, toolCallId } = asked.toolCall;
        return then(await (own as Judge)(asked), toolName, input, {
          toolCallId,
          messages: asked.messages,
        });
      };
      return judge;
    }
    const one = (name: string, status: unknown) => async (input: unknown, options: CallOptions) =>
      then(
        typeof status === "function"
          ? await (status as (...given: unknown[]) => unknown)(input, options)
          : status,
        name,
        input,
        options,
      );
    return Object.fromEntries(
      Object.entries(own as object).map(([name, status]) => [name, one(name, status)]),
    );
  }
}

/** What the model is told of a call that did not run. */
class RefusedError extends Error {}

/** Carries what a tool threw past the adapter's own errors. */
class ToolThrew extends Error {
  constructor(readonly thrown: unknown) {
    super("the tool failed");
  }
}

function fail(thrown: unknown): never {
  throw new ToolThrew(thrown);
}

/** Stands for the steering of version 7 in version 6, which forgets between steps what was added to the messages. */
class Placing implements Steering {
  readonly #waiting: string[] = [];
  readonly #placed: (readonly [number, Message])[] = [];
  readonly prepareStep: PrepareStep;

  constructor(then: PrepareStep | undefined) {
    this.prepareStep = async (step) => {
      const own = (await then?.(step)) as { readonly messages?: readonly Message[] } | undefined;
      const messages = [...(own?.messages ?? step.messages)];
      for (const content of this.#waiting.splice(0))
        this.#placed.push([messages.length, { role: "user", content }]);
      for (const [place, note] of [...this.#placed].reverse()) messages.splice(place, 0, note);
      return { ...own, messages };
    };
  }

  steer(content: string): void {
    this.#waiting.push(content);
  }
}

async function steeringOf({
  experimental_steering: own,
  prepareStep,
}: Settings): Promise<Steering> {
  if (own !== undefined) return own;
  const { experimental_createSteering: create } = await import("ai");
  return create?.() ?? new Placing(prepareStep);
}

/** What the SDK does where a call does not say when to stop. */
const onlyOneStep: StopCondition = ({ steps }) => steps.length === 1;

async function submitted(
  conversation: Conversation,
  { prompt, messages }: Settings,
): Promise<Settings> {
  const given =
    typeof prompt === "string"
      ? undefined
      : (messages ?? (prompt as readonly Message[] | undefined));
  const asked = given?.at(-1);
  const text = typeof prompt === "string" ? prompt : textOf(asked);
  if (text === null) return {};
  const came = await conversation.submit(text);
  if (!came.accepted) throw new PromptRefusedError(came.reason);
  if (came.prompt === text) return {};
  if (given === undefined || asked === undefined) return { prompt: came.prompt };
  const others =
    typeof asked.content === "string" ? [] : asked.content.filter(({ type }) => type !== "text");
  const content =
    others.length === 0 ? came.prompt : [{ type: "text", text: came.prompt }, ...others];
  const changed = [...given.slice(0, -1), { ...asked, content }];
  return messages === undefined ? { prompt: changed } : { messages: changed };
}

/** What a person says in a message; `null` where it is nobody's prompt. */
function textOf(message: Message | undefined): string | null {
  if (message?.role !== "user") return null;
  if (typeof message.content === "string") return message.content;
  const texts = message.content.flatMap(({ type, text }) =>
    type === "text" ? [String(text)] : [],
  );
  return texts.length === 0 ? null : texts.join("\n");
}

/** The SDK denies by itself what a person has denied; hooks hear of it here. */
async function noteDenials({ session }: Conversation, messages: readonly Message[]): Promise<void> {
  const parts = partsOf(messages);
  for (const { type, approvalId, approved, reason } of partsOf(messages.slice(-1))) {
    if (type !== "tool-approval-response" || approved === true) continue;
    const request = parts.find(
      (part) => part.type === "tool-approval-request" && part["approvalId"] === approvalId,
    );
    const call = parts.find(
      (part) => part.type === "tool-call" && part["toolCallId"] === request?.["toolCallId"],
    );
    if (call === undefined) continue;
    const said = typeof reason === "string" ? reason : "user denied it";
    const about = { tool: String(call["toolName"]), args: argsOf(call["input"]), by: "user" };
    await session.dispatch("PermissionDenied", { ...about, reason: said });
  }
}

/** Whether a person has approved a call in the messages. */
function isApproved(messages: readonly Message[], id: string): boolean {
  const parts = partsOf(messages);
  const requests = parts.filter(
    (part) => part.type === "tool-approval-request" && part["toolCallId"] === id,
  );
  const asked = new Set(requests.map((part) => part["approvalId"]));
  return parts.some(
    (part) =>
      part.type === "tool-approval-response" &&
      part["approved"] === true &&
      asked.has(part["approvalId"]),
  );
}

function partsOf(messages: readonly Message[]): Part[] {
  return messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
}

/** What a tool gives at last: what it streams before no hook has looked at. */
async function last(given: unknown): Promise<unknown> {
  const output = await given;
  if (typeof (output as AsyncIterable<unknown> | null)?.[Symbol.asyncIterator] !== "function")
    return output;
  let latest: unknown;
  for await (latest of output as AsyncIterable<unknown>);
  return latest;
}
