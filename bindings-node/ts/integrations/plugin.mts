/** What plugins inside other agents share: the policy of the place, refusing where it cannot be asked, calls in halves. */

import {
  HookClient,
  ToolResult,
  type DiscoverOptions,
  type Logger,
  type OpenToolCall,
} from "../index.js";
import {
  argsOf,
  Conversations,
  type AdapterOptions,
  type Args,
  type Conversation,
} from "./shared.mjs";

/** The options of a plugin. */
export interface PluginOptions extends AdapterOptions<never> {
  /** The client whose hooks decide. Default: a new one with the policy files of the place. */
  client?: HookClient;
  /**
   * How policy files are found. Default: hookweave's own, with the project's as far as a person approved them; those that
   * are not approved are reported, or refuse everything with `onUntrusted: "error"`.
   */
  files?: DiscoverOptions;
}

/** A tool call as an agent tells of it. @internal */
export interface Call {
  readonly session: string;
  readonly tool: string;
  readonly id: string;
  readonly args: unknown;
}

/** What an agent shows of a tool that has run. @internal */
export interface Shown {
  readonly output: unknown;
  readonly failed: boolean;
}

/** What the model is to be told of a tool that has run. @internal */
export interface Told extends Shown {
  /** Whether hooks changed the output. */
  readonly changed: boolean;
  /** What hooks say besides. */
  readonly notes: string | null;
}

/**
 * The hooks of one agent's process.
 *
 * It is always made: where the policy cannot be loaded, each call is refused with the reason. An agent goes on without a
 * plugin that throws when it is loaded.
 *
 * @internal
 */
export class PluginHooks {
  readonly #conversations: Conversations | null = null;
  readonly #broken: unknown = null;
  readonly #calls = new Map<
    string,
    { readonly conversation: Conversation; readonly call: OpenToolCall }
  >();

  /** `warn` is how a person reads what goes wrong; the agent's screen is not to be written on. */
  constructor(
    directory: string,
    { client, files, ...options }: PluginOptions,
    warn: (text: string) => void,
  ) {
    try {
      const own = client ?? policyOf(directory, files, warn);
      this.#conversations = new Conversations(own, { cwd: directory, ...options });
    } catch (error) {
      this.#broken = error;
      warn(`hookweave refuses every prompt and tool call: ${reasonOf(error)}`);
    }
  }

  /** Raises `UserPromptSubmit`: gives the prompt that the model gets; throws where hooks refuse it. */
  async prompt(session: string, prompt: string): Promise<string> {
    const conversation = await this.#of(session);
    conversation.stopped = null;
    const submitted = await conversation.submit(prompt);
    if (!submitted.accepted) throw new Error(submitted.reason ?? "a hook refused the prompt");
    return submitted.prompt;
  }

  /** Judges a tool call: gives the arguments if hooks changed them; throws with the reason where the tool may not run. */
  async before({ session, tool, id, args }: Call): Promise<Args | null> {
    const conversation = await this.#of(session);
    // The agent cannot be told to end its turn: it gets no further.
    if (conversation.stopped !== null) throw new Error(conversation.stopped);
    const call = await conversation.judge({ tool, args: argsOf(args), id });
    if (!call.runs) {
      const { decision, reason, by } = conversation.note(call);
      const why = reason ?? `${decision} by ${by ?? "a hook"}`;
      throw new Error(
        [why, conversation.notes.take()].filter((text) => text !== null).join("\n\n"),
      );
    }
    this.#calls.set(keyOf(session, id), { conversation, call });
    return call.changed("args") ? call.args : null;
  }

  /** Shows hooks what a tool gave; throws where they could not judge it, and then nothing of it may be shown. */
  async after({ session, tool, id }: Omit<Call, "args">, { output, failed }: Shown): Promise<Told> {
    const open = this.#taken(session, id);
    if (open === undefined) throw new Error(`hooks have not judged this call of ${tool}`);
    const { conversation, call } = open;
    await (failed ? call.failed(output) : call.succeeded(new ToolResult(output)));
    if (call.runs) {
      // A hook wants it run again, which the agent alone can do.
      call.drop();
      return { output, failed, changed: false, notes: conversation.notes.take() };
    }
    const outcome = conversation.note(call);
    const notes = conversation.notes.take();
    return {
      output: outcome.output,
      failed: !outcome.ok,
      changed: call.changed("output"),
      notes,
    };
  }

  /** Shows hooks a failure of which the agent tells afterwards; what they change comes too late. */
  async failed(session: string, id: string, error: unknown): Promise<void> {
    const open = this.#taken(session, id);
    if (open === undefined) return;
    await open.call.failed(error);
    if (open.call.runs) open.call.drop();
    else open.conversation.note(open.call);
  }

  /** Raises `Stop`: gives what keeps the agent at work, or `null`. */
  async stopped(session: string, lastMessage?: string): Promise<string | null> {
    const conversation = await this.#of(session);
    // Calls of which no result has come, because they were cancelled, are over.
    for (const [key, open] of this.#calls) {
      if (open.conversation === conversation) this.#calls.delete(key);
    }
    if (!(await conversation.goesOn(lastMessage))) return null;
    return conversation.notes.take() ?? "a hook keeps the agent at work";
  }

  /** What hooks have for the model that nothing else has carried. */
  async notes(session: string): Promise<string | null> {
    return (await this.#of(session)).notes.take();
  }

  /** Raises `SessionStart`, if it is the first that is heard of the conversation. */
  async begin(session: string, source: string): Promise<void> {
    await this.#of(session, source);
  }

  /** Raises `SessionEnd` for one conversation. */
  async end(session: string): Promise<void> {
    if (this.#conversations === null) return;
    await (await this.#conversations.of(session)).session.end();
  }

  /** Raises `SessionEnd` for every conversation. */
  async close(): Promise<void> {
    await this.#conversations?.close();
  }

  async #of(session: string, source = "startup"): Promise<Conversation> {
    if (this.#conversations === null) {
      throw new Error(`hookweave could not load its policy: ${reasonOf(this.#broken)}`);
    }
    return this.#conversations.of(session, { source });
  }

  #taken(
    session: string,
    id: string,
  ): { conversation: Conversation; call: OpenToolCall } | undefined {
    const key = keyOf(session, id);
    const open = this.#calls.get(key);
    this.#calls.delete(key);
    return open;
  }
}

/** What the model or a person reads of an error. @internal */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Makes an object that the agent holds have these arguments and no others. @internal */
export function replaceArgs(held: unknown, args: Args): void {
  if (typeof held !== "object" || held === null || Array.isArray(held)) {
    throw new Error("hooks changed arguments that the agent lets nobody change");
  }
  const own = held as Record<string, unknown>;
  for (const name of Object.keys(own))
    if (!Object.hasOwn(args, name)) Reflect.deleteProperty(own, name);
  Object.assign(own, args);
}

function keyOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}

function policyOf(
  directory: string,
  files: DiscoverOptions = {},
  warn: (text: string) => void,
): HookClient {
  const say = (message: string): void => {
    warn(`hookweave: ${message}`);
  };
  const logger: Logger = { warn: say, error: say };
  const client = new HookClient({ projectDir: directory, logger });
  const { untrusted, problems } = client.discover(directory, {
    sources: ["hookweave"],
    ...files,
  });
  for (const { file, message } of problems) say(`${file}: ${message}`);
  if (untrusted.length > 0) {
    const what = `${String(untrusted.length)} hook${untrusted.length === 1 ? "" : "s"} of this project`;
    say(
      `${what} not approved: they do not run; review with \`hookweave list\`, then \`hookweave trust approve\``,
    );
  }
  return client;
}
