/** MCP servers: `new Hookweave(client).around(new McpServer({ name, version }))`, hooks around the server's tools. */

import {
  ApprovalPending,
  ToolResult,
  type Approval,
  type ApprovalRequest,
  type HookClient,
} from "../index.js";
import {
  argsOf,
  asJson,
  asText,
  Conversations,
  UnhookedError,
  type AdapterOptions,
  type Args,
  type Ran,
} from "./shared.mjs";

export { UnhookedError } from "./shared.mjs";

/** The options of `Hookweave`; `approval: "client"` asks the client's user, by an elicitation. */
export interface HookweaveOptions extends AdapterOptions<"client"> {
  /**
   * By what a server knows of a call, the session that it belongs to; `undefined` makes it one of its own.
   *
   * Default: the transport's session. A server on standard streams has one client, which is a session.
   */
  sessionOf?: (extra: CallExtra) => string | undefined;
}

/** What a server knows of a call besides its arguments. */
export interface CallExtra {
  readonly requestId: string | number;
  readonly signal: AbortSignal;
  readonly sessionId?: string;
  /** Of a call over HTTP. */
  readonly requestInfo?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The SDK's `Server`, or an `McpServer` that has one. */
export type HookableServer =
  | { readonly server: { setRequestHandler(...given: never[]): void } }
  | { setRequestHandler(...given: never[]): void };

interface Result {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

interface Call {
  readonly method: string;
  readonly params?: { readonly name: string; readonly arguments?: Args; readonly task?: unknown };
}

type Handler = (request: Call, extra: CallExtra) => unknown;

/** What is used of the SDK's `Server`. */
interface Server {
  fallbackRequestHandler: Handler | undefined;
  setRequestHandler(schema: unknown, handler: Handler): void;
  assertCanSetRequestHandler(method: string): void;
  elicitInput(
    form: { readonly message: string; readonly requestedSchema: object },
    options: {
      readonly relatedRequestId: string | number;
      readonly signal: AbortSignal;
      readonly timeout: number;
    },
  ): Promise<{ readonly action: string; readonly content?: { readonly decision?: unknown } }>;
}

/** Judges the calls of servers' tools, and looks at results; what hooks tell the model stands behind the result. */
export class Hookweave {
  readonly #conversations: Conversations;
  readonly #sessionOf: (extra: CallExtra) => string | undefined;

  /** All options but `sessionOf` and the protocol's way to ask are those of `client.session`. */
  constructor(client: HookClient, { sessionOf = transportOf, ...options }: HookweaveOptions = {}) {
    this.#sessionOf = sessionOf;
    this.#conversations = new Conversations(client, options, "client");
  }

  /**
   * Puts hooks around the tools that a server gets from now on; gives the server.
   *
   * Throws `UnhookedError` if it has tools already. A call as a task is refused: its result comes past the hooks.
   */
  around<S extends HookableServer>(server: S): S {
    const low = ("server" in server ? server.server : server) as unknown as Server;
    try {
      low.assertCanSetRequestHandler("tools/call");
    } catch {
      const fix = "call `around` before its first tool, and leave `tools` out of its capabilities";
      throw new UnhookedError(
        `the server has tools already, and hooks cannot go around them; ${fix}`,
      );
    }
    const hooked =
      (handler: Handler): Handler =>
      (request, extra) =>
        request.method === "tools/call"
          ? this.#call(low, handler, request, extra)
          : handler(request, extra);
    const set = low.setRequestHandler.bind(low);
    low.setRequestHandler = (schema, handler) => set(schema, hooked(handler));
    let fallback = low.fallbackRequestHandler;
    Object.defineProperty(low, "fallbackRequestHandler", {
      get: () => (fallback === undefined ? undefined : hooked(fallback)),
      set: (handler: Handler | undefined) => (fallback = handler),
    });
    return server;
  }

  /** Raises `SessionEnd` for every session. */
  close(): Promise<void> {
    return this.#conversations.close();
  }

  async #call(server: Server, handler: Handler, request: Call, extra: CallExtra): Promise<unknown> {
    const { name = "", arguments: given = {}, task } = request.params ?? {};
    if (task !== undefined)
      throw new UnhookedError(
        `the call of ${name} is a task, whose result no hook would see; call it without`,
      );
    const conversation = await this.#conversations.of(this.#sessionOf(extra));
    const asked = { tool: name, args: argsOf(given), id: String(extra.requestId) };
    const run = async (changed: Args | null): Promise<Result> => {
      const params = { ...request.params, name, arguments: changed ?? given };
      return (await handler({ ...request, params }, extra)) as Result;
    };
    const answers: Record<string, Approval> = {};
    const options = { seen, answers, signal: extra.signal };
    for (;;) {
      try {
        return resultOf(await conversation.runTool(asked, run, options), conversation.notes.take());
      } catch (error) {
        if (!(error instanceof ApprovalPending)) throw error;
        answers[error.request.id] = await decisionOf(server, error.request, extra);
      }
    }
  }
}

function transportOf({ sessionId, requestInfo }: CallExtra): string | undefined {
  return sessionId ?? (requestInfo === undefined ? "mcp" : undefined);
}

/** What the client's user chose; anything but a choice denies. */
async function decisionOf(
  server: Server,
  { prompt, tool, shown, options, timeout: given }: ApprovalRequest,
  { requestId: relatedRequestId, signal }: CallExtra,
): Promise<Approval> {
  const decision = { type: "string", enum: [...options], title: "Decision" };
  const requestedSchema = { type: "object", properties: { decision }, required: ["decision"] };
  const form = { message: `${prompt}\n${tool} ${shown ?? ""}`, requestedSchema };
  // The SDK's own limit is a minute. No timer of Node waits longer than this.
  const timeout = Math.min(given, 2 ** 31 - 1);
  const { action, content } = await server.elicitInput(form, { relatedRequestId, signal, timeout });
  const said = action === "accept" ? content?.decision : undefined;
  return typeof said === "string" ? said : "Deny";
}

/** A result as hooks see it: its text where there is one and no more, else all that the client gets. */
function seen({ content = [], structuredContent, isError }: Result): ToolResult {
  const [first, ...others] = content;
  const text = first?.type === "text" && others.length === 0 ? first.text : undefined;
  const alone = structuredContent === undefined || (structuredContent as Args)["result"] === text;
  const shown = text !== undefined && alone ? text : asJson({ content, structuredContent });
  return new ToolResult(shown, { success: isError !== true });
}

function resultOf(
  { refusal, changed, error, native, outcome }: Ran<Result>,
  notes: string | null,
): Result {
  // Anything else of the old result may hold what hooks took out of the text.
  const made = (output: unknown, isError: boolean): Result => {
    const { content, structuredContent } = (output ?? {}) as Result;
    if (Array.isArray(content))
      return {
        content,
        ...((structuredContent ?? null) === null ? {} : { structuredContent }),
        isError,
      };
    const text = asText(output);
    const structured =
      native?.structuredContent === undefined ? {} : { structuredContent: { result: text } };
    return { content: [{ type: "text", text }], ...structured, isError };
  };
  let given = native ?? {};
  if (refusal !== null) given = made(refusal, true);
  else if (changed) given = made(outcome.output, !outcome.ok);
  else if (error !== null) throw error.thrown;
  const behind = notes === null ? [] : [{ type: "text", text: notes }];
  return { ...given, content: [...(given.content ?? []), ...behind] };
}
