/** LangChain and deepagents: `createAgent({ model, tools, middleware: [hookweaveMiddleware(client)] })`. */

import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, getConfig, interrupt, isCommand, isGraphBubbleUp } from "@langchain/langgraph";
import { createMiddleware, type AgentMiddleware } from "langchain";

import {
  ApprovalPending,
  HookweaveError,
  ToolResult,
  type Approval,
  type ApprovalAnswer,
  type HookClient,
} from "../index.js";
import {
  argsOf,
  asJson,
  asText,
  Conversations,
  type AdapterOptions,
  type Args,
  type Conversation,
  type Ran,
} from "./shared.mjs";

/** The options of `hookweaveMiddleware`; `approval: "interrupt"` asks by LangGraph's interrupt. */
export type HookweaveMiddlewareOptions = AdapterOptions<"interrupt">;

/** The middleware, and what a program does with it besides. */
export type HookweaveMiddleware = AgentMiddleware & {
  /** Raises `SessionEnd` for every conversation. */
  close(): Promise<void>;
};

/** deepagents' tool that runs subagents. */
const SUBAGENT_TOOL = "task";
/** By middleware, the subagents that have it. */
const hookedBy = new WeakMap<AgentMiddleware, Set<string>>();

/**
 * Hooks around an agent's prompts, tools and end; give it as the last middleware, which is the innermost.
 *
 * An interrupt's value is the question; resume it with `new Command({ resume: { id: question.id, option: "Allow once" } })`,
 * in another process too. A thread is a session. All other options are those of `client.session`.
 */
export function hookweaveMiddleware(
  client: HookClient,
  options: HookweaveMiddlewareOptions = {},
): HookweaveMiddleware {
  const conversations = new Conversations(client, options, "interrupt");
  const hooked = new Set<string>();
  const of = async (source: string): Promise<Conversation> => {
    const { configurable, metadata } = getConfig() ?? {};
    // A run without a thread is a conversation of its own.
    const id = configurable?.["thread_id"] ?? configurable?.["run_id"] ?? metadata?.["run_id"];
    const kind = asText(metadata?.["lc_agent_name"] ?? "agent");
    return conversations.of(id === undefined ? undefined : asText(id), { kind, source });
  };

  const middleware = createMiddleware({
    name: "HookweaveMiddleware",
    beforeAgent: {
      canJumpTo: ["end"],
      hook: async ({ messages }) => {
        const asked = messages.at(-1);
        const conversation = await of(messages.length > 1 ? "resume" : "startup");
        conversation.stopped = null;
        if (conversation.isSubagent || !HumanMessage.isInstance(asked)) return undefined;
        const { accepted, prompt, reason } = await conversation.submit(asked.text);
        if (!accepted) {
          const refusal = new AIMessage(reason ?? "a hook refused the prompt");
          return { messages: [refusal], jumpTo: "end" };
        }
        if (prompt === asked.text) return undefined;
        return { messages: [new HumanMessage({ content: said(asked, prompt), id: asked.id })] };
      },
    },
    beforeModel: {
      canJumpTo: ["end"],
      hook: async () => {
        const conversation = await of("resume");
        const messages = told(conversation);
        if (conversation.stopped !== null) return { messages, jumpTo: "end" };
        return messages.length === 0 ? undefined : { messages };
      },
    },
    afterModel: {
      canJumpTo: ["model"],
      hook: async ({ messages }) => {
        const answer = messages.at(-1);
        if (!AIMessage.isInstance(answer) || (answer.tool_calls ?? []).length > 0) return undefined;
        const conversation = await of("resume");
        if (!(await conversation.goesOn(answer.text))) return undefined;
        // A jump goes past `beforeModel`.
        return { messages: told(conversation), jumpTo: "model" };
      },
    },
    wrapToolCall: async (request, handler) => {
      const { name, args, id } = request.toolCall;
      const message = (output: unknown, failed: boolean): ToolMessage =>
        new ToolMessage({
          content: contentOf(output),
          tool_call_id: id ?? "",
          name,
          status: failed ? "error" : "success",
        });
      const kind = name === SUBAGENT_TOOL ? (args as Args)["subagent_type"] : undefined;
      if (kind !== undefined && !hooked.has(asText(kind))) {
        const unhooked = `the subagent ${asText(kind)} has no hooks, and is refused`;
        return message(`${unhooked}; its program has to name it in hookedSubagents`, true);
      }
      const conversation = await of("resume");
      const asked = { tool: name, args: argsOf(args), id };
      const run = (changed: Args | null): unknown =>
        handler(
          changed === null
            ? request
            : { ...request, toolCall: { ...request.toolCall, args: changed } },
        );
      const answers: Record<string, Approval> = {};
      const options = { answers, passes: isGraphBubbleUp, seen, signal: request.runtime?.signal };
      for (;;) {
        try {
          const ran = await conversation.runTool(asked, run, options);
          return resultOf(ran, message);
        } catch (error) {
          if (!(error instanceof ApprovalPending)) throw error;
          // LangGraph matches answers by their order: one to another question answers nothing here.
          Object.assign(answers, answersOf(interrupt(error.request.toJSON())));
        }
      }
    },
  });
  const close = (): Promise<void> => conversations.close();
  const made = Object.assign(middleware, { close });
  hookedBy.set(made, hooked);
  return made;
}

/**
 * deepagents' subagents with hooks around their tools; any other subagent is refused.
 *
 * deepagents does not give the main agent's middleware to them, nor to its own `general-purpose`: name one of that name
 * here to have it.
 */
export function hookedSubagents<
  S extends { name: string; middleware?: readonly AgentMiddleware[] },
>(hooks: HookweaveMiddleware, subagents: readonly S[]): (S & { middleware: AgentMiddleware[] })[] {
  return subagents.map((subagent) => {
    if ("runnable" in subagent) {
      const fix = "give its agent the middleware where it is made";
      throw new HookweaveError("unhooked", `the subagent ${subagent.name} is compiled; ${fix}`);
    }
    hookedBy.get(hooks)?.add(subagent.name);
    return { ...subagent, middleware: [...(subagent.middleware ?? []), hooks] };
  });
}

/** What hooks have for the model. */
function told({ notes }: Conversation): HumanMessage[] {
  const text = notes.take();
  return text === null ? [] : [new HumanMessage({ content: text, name: "hooks" })];
}

/** A changed prompt, with what else its message has. */
function said({ content }: HumanMessage, prompt: string): unknown {
  if (typeof content === "string") return prompt;
  const others = content.filter(({ type }) => type !== "text");
  return [...others, { type: "text", text: prompt }];
}

/** What a person said, as the graph was resumed with it. */
function answersOf(answer: unknown): Record<string, Approval> {
  const { id, ...given } = (answer ?? {}) as { id?: unknown; option?: unknown };
  if (typeof id === "string" && typeof given.option === "string") {
    return { [id]: given as ApprovalAnswer };
  }
  const right = "{ id, option } with the id of the question and one of its options";
  throw new HookweaveError(
    "invalid_payload",
    `the answer to a question is ${right}; it is ${asText(asJson(answer))}`,
  );
}

/** A tool's message as hooks see it. */
function seen(result: unknown): unknown {
  if (isCommand(result))
    return messagesOf(result)
      .map(({ text }) => text)
      .join("\n");
  if (!ToolMessage.isInstance(result)) return asJson(result);
  return new ToolResult(asJson(result.content), { success: result.status !== "error" });
}

function messagesOf({ update }: Command): readonly { readonly text: string }[] {
  const { messages } = (update ?? {}) as { messages?: readonly { text: string }[] };
  return messages ?? [];
}

function contentOf(output: unknown): string | Record<string, unknown>[] {
  return Array.isArray(output) ? (output as Record<string, unknown>[]) : asText(output);
}

function resultOf(
  { refusal, changed, error, native, outcome }: Ran<unknown>,
  message: (output: unknown, failed: boolean) => ToolMessage,
): ToolMessage | Command {
  if (refusal !== null) return message(refusal, true);
  if (!changed) {
    // LangChain tells the model, but not where any middleware wraps tool calls: as it is without us is right.
    if (error !== null) return message(`${String(error.thrown)}\n Please fix your mistakes.`, true);
    return native as ToolMessage | Command;
  }
  // Anything else of the old result may hold what hooks took out of the text.
  const made = message(outcome.output, !outcome.ok);
  if (!isCommand(native)) return made;
  return new Command({ graph: native.graph, goto: native.goto, update: { messages: [made] } });
}
