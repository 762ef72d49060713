/** What the adapters share: sessions by conversation, tool calls in halves, and what hooks tell the model. */

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

import {
  ApprovalPending,
  HookweaveError,
  Suspended,
  type Approval,
  type Approver,
  type ApproverName,
  type Context,
  type HookClient,
  type OpenToolCall,
  type Outcome,
  type Session,
  type SessionOptions,
  type Submitted,
  type ToolOutcome,
} from "../index.js";

/** So many conversations are remembered; of more, the idle one that nobody has used for the longest time is forgotten. */
const KEPT = 10_000;

/** The options of an adapter; `own` is how it says that the framework asks. */
export interface AdapterOptions<Own extends string> extends Omit<
  SessionOptions,
  "approval" | "context" | "sessionId" | "signal"
> {
  /** What answers questions to a person: as for `client.session`, or the framework's own way. */
  approval?: ApproverName | Approver | Own;
}

/** Arguments of a tool, by name. */
export type Args = Readonly<Record<string, unknown>>;

/** A hook refused a prompt (`prompt_refused`), and the framework has no answer to give in place of the model's. */
export class PromptRefusedError extends HookweaveError {
  constructor(reason: string | null) {
    super("prompt_refused", reason ?? "a hook refused the prompt");
    this.name = "PromptRefusedError";
  }
}

/** An agent or a tool that hooks could not judge (`unhooked`); it does not run. */
export class UnhookedError extends HookweaveError {
  constructor(message: string) {
    super("unhooked", message);
    this.name = "UnhookedError";
  }
}

/** A framework's value as hooks get it: JSON, with texts for what has no JSON form. @internal */
export function asJson(value: unknown, above: readonly object[] = []): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "object") return typeof value === "boolean" ? value : asText(value);
  if (above.includes(value)) return "[circular]";
  const within = [...above, value];
  const each = (item: unknown): unknown => asJson(item, within);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function") return each(Reflect.apply(toJSON, value, []));
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64");
  }
  if (value instanceof Error) return String(value);
  if (Array.isArray(value) || value instanceof Set) return Array.from<unknown>(value).map(each);
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  const known = entries.filter(([, item]) => item !== undefined);
  return Object.fromEntries(known.map(([name, item]) => [asText(name), each(item)]));
}

/** What hooks made of an output, where the framework wants a text. @internal */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "symbol" || typeof value === "function") return value.toString();
  // `stringify` throws at a bigint.
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value ?? null);
}

/** Arguments as hooks get them; what is no object is one argument. @internal */
export function argsOf(value: unknown): Args {
  const args = asJson(value);
  if (args === null) return {};
  return typeof args === "object" && !Array.isArray(args) ? (args as Args) : { input: args };
}

/** What hooks tell the model, until its next call takes it: a context that keeps nothing else. */
class Notes implements Context {
  #waiting: string[] = [];

  addMessage(_role: string, content: unknown, metadata: Readonly<Record<string, unknown>>): void {
    if (metadata["source"] === "hook") this.add(asText(content));
  }

  add(text: string): void {
    this.#waiting.push(text);
  }

  /** All of it as one text, the same in every framework; each note is told once. */
  take(): string | null {
    return this.#waiting.splice(0).join("\n\n") || null;
  }
}

/** A tool call as a framework asks for it. @internal */
export interface Asked {
  readonly tool: string;
  readonly args: Args;
  readonly id: string | undefined;
}

/** How a tool call is made. @internal */
export interface RunOptions {
  /** What hooks see of a result. Default: its JSON. */
  readonly seen?: (native: never) => unknown;
  readonly answers?: Readonly<Record<string, Approval>>;
  /** Errors that are the framework's control flow: they go through, and the call counts as not begun. */
  readonly passes?: (error: unknown) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** The call, where it was judged before. */
  readonly begun?: OpenToolCall | undefined;
}

/** What came of a tool call. @internal */
export interface Ran<T> {
  readonly outcome: ToolOutcome;
  /** What the framework's tool gave at last. */
  readonly native: T | undefined;
  /** What it threw at last. */
  readonly error: { readonly thrown: unknown } | null;
  /** Whether hooks changed what it gave, or why it failed. */
  readonly changed: boolean;
  /** What the model is told of a call that did not run. */
  readonly refusal: string | null;
}

/** A framework's conversation, or a subagent in it. @internal */
export class Conversation {
  readonly notes: Notes;
  /** Why a hook has ended the agent's turn; the adapter forgets it when the next one begins. */
  stopped: string | null = null;
  /** How many tool calls run. */
  running = 0;

  constructor(
    readonly client: HookClient,
    readonly session: Session,
    notes: Notes,
  ) {
    this.notes = notes;
  }

  /** Whether it runs within a tool call of another one. */
  get isSubagent(): boolean {
    return this.session.agentId !== null;
  }

  /** A subagent in it, begun, with notes of its own. */
  async subagent(kind: string, agentId?: string): Promise<Conversation> {
    const context = new Notes();
    const named = agentId === undefined ? {} : { agentId };
    const session = await this.session.subagent(kind, { context, ...named });
    return new Conversation(this.client, session, context);
  }

  submit(prompt: string): Promise<Submitted> {
    return this.session.submitPrompt(prompt);
  }

  /** Raises `Stop`, or `SubagentStop`: whether hooks keep the agent at work; the reason is in the notes. */
  async goesOn(lastMessage?: string): Promise<boolean> {
    if (this.stopped !== null) return false;
    const details = lastMessage === undefined ? {} : { lastMessage };
    const stopped = await (this.isSubagent ? this.session.end() : this.session.stop(details));
    return stopped.shouldContinue;
  }

  /** The first half of a tool call alone. */
  judge({ tool, args, id }: Asked, { answers, signal }: RunOptions = {}): Promise<OpenToolCall> {
    return this.session.beginTool(tool, args, {
      ...(id === undefined ? {} : { toolUseId: id }),
      ...(answers === undefined ? {} : { answers }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** The first half of a tool call that a person may have approved, which answers all questions about it. */
  async judgeApproved(
    asked: Asked,
    approved: () => boolean,
    signal?: AbortSignal,
  ): Promise<OpenToolCall> {
    const answers: Record<string, Approval> = {};
    for (;;) {
      try {
        return await this.judge(asked, { answers, signal });
      } catch (error) {
        if (!(error instanceof ApprovalPending) || !approved() || error.request.id in answers)
          throw error;
        answers[error.request.id] = error.request.granting[0] as string;
      }
    }
  }

  /** Makes a tool call; `run` gets the arguments if hooks changed them. */
  async runTool<T>(
    asked: Asked,
    run: (changed: Args | null) => T | PromiseLike<T>,
    options: RunOptions = {},
  ): Promise<Ran<T>> {
    this.running += 1;
    const call =
      options.begun ??
      (await this.judge(asked, options).catch((error: unknown) => this.#left(error)));
    const seen: (native: never) => unknown = options.seen ?? asJson;
    let native: T | undefined;
    let error: Ran<T>["error"] = null;
    try {
      while (call.runs) {
        [native, error] = [undefined, null];
        try {
          native = await new Inside(this).run(() => run(call.changed("args") ? call.args : null));
        } catch (thrown) {
          if (options.passes?.(thrown) === true || call.signal.aborted) throw thrown;
          error = { thrown };
        }
        // One that was cancelled meanwhile is over.
        call.signal.throwIfAborted();
        await (error === null ? call.succeeded(seen(native as never)) : call.failed(error.thrown));
      }
    } finally {
      this.running -= 1;
      call.drop();
    }
    const outcome = this.note(call);
    const refusal = outcome.ran
      ? null
      : (outcome.reason ?? `${outcome.decision} by ${outcome.by ?? "a hook"}`);
    return { outcome, native, error, changed: call.changed("output"), refusal };
  }

  /** Keeps what a call that is over has for the model and for the turn. */
  note({ outcome }: OpenToolCall): ToolOutcome {
    for (const text of outcome.feedback) this.notes.add(text);
    if (outcome.stops)
      this.stopped = outcome.reason ?? outcome.feedback[0] ?? "a hook stopped the agent";
    return outcome;
  }

  #left(error: unknown): never {
    this.running -= 1;
    throw error;
  }
}

/** A tool while it runs: an agent of the same client that runs in it is a subagent. */
class Inside {
  static readonly current = new AsyncLocalStorage<Inside>();
  readonly #children = new Map<string, Promise<Conversation>>();

  constructor(readonly parent: Conversation) {}

  async run<T>(run: () => T | PromiseLike<T>): Promise<T> {
    try {
      return await Inside.current.run(this, run);
    } finally {
      for (const child of await Promise.allSettled(this.#children.values())) {
        if (child.status === "fulfilled") await child.value.session.end();
      }
    }
  }

  /** The subagent that a conversation in here is. */
  async child(kind: string, id: string | undefined): Promise<Conversation> {
    const key = JSON.stringify([kind, id ?? null]);
    const found = await this.#children.get(key);
    if (found !== undefined && !found.session.closed) return found;
    const made = this.parent.subagent(kind);
    this.#children.set(key, made);
    return made;
  }
}

/** The sessions of a framework's conversations, by the framework's ids for them. @internal */
export class Conversations {
  readonly #client: HookClient;
  readonly #options: SessionOptions;
  readonly #open = new Map<
    string,
    { readonly conversation: Conversation; readonly started: Promise<void> }
  >();

  /** `own` is the framework's own way to ask: questions are left to it. */
  constructor(client: HookClient, { approval, ...options }: AdapterOptions<string>, own?: string) {
    this.#client = client;
    const approver =
      approval === own && own !== undefined ? suspend : (approval as Approver | undefined);
    this.#options = approver === undefined ? options : { ...options, approval: approver };
  }

  /** The conversation in one of whose tool calls this runs. */
  inside(): Conversation | null {
    const parent = Inside.current.getStore()?.parent;
    return parent?.client === this.#client ? parent : null;
  }

  /**
   * The conversation with this id, opened and begun if need be; in a tool call the subagent that it is there.
   *
   * One without an id is new each time. Rejects where a hook refuses to let it begin.
   */
  async of(
    id: string | undefined,
    { kind = "agent", source = "startup" } = {},
  ): Promise<Conversation> {
    if (this.inside() !== null) return (Inside.current.getStore() as Inside).child(kind, id);
    const known = id ?? randomUUID();
    const found = this.#open.get(known);
    const open =
      found === undefined || found.conversation.session.closed
        ? this.#opened(known, source)
        : found;
    this.#open.delete(known);
    this.#open.set(known, open);
    await open.started;
    return open.conversation;
  }

  /** Raises `SessionEnd` for every conversation. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { conversation } of open) await conversation.session.end();
  }

  #opened(id: string, source: string): { conversation: Conversation; started: Promise<void> } {
    const notes = new Notes();
    const told = this.#options.onOutcome;
    const onOutcome = (outcome: Outcome): void => {
      // A session keeps these for its own calls of a model.
      for (const { ephemeral, content } of outcome.injections) if (ephemeral) notes.add(content);
      told?.(outcome);
    };
    const session = this.#client.session({
      ...this.#options,
      sessionId: id,
      context: notes,
      onOutcome,
    });
    if (this.#open.size >= KEPT) this.#forgetOne();
    return {
      conversation: new Conversation(this.#client, session, notes),
      started: begin(session, source),
    };
  }

  #forgetOne(): void {
    for (const [id, { conversation }] of this.#open) {
      if (conversation.running > 0) continue;
      this.#open.delete(id);
      return;
    }
  }
}

async function begin(session: Session, source: string): Promise<void> {
  const { accepted, reason } = await session.start(source);
  if (!accepted) throw new PromptRefusedError(reason ?? "a hook refused to let the agent begin");
}

function suspend(): never {
  throw new Suspended();
}
