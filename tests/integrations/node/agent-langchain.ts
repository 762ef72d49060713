/** The scripted agent in LangChain. */

import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool, type StructuredTool } from "@langchain/core/tools";
import { Command, MemorySaver } from "@langchain/langgraph";
import { deserialize, serialize } from "node:v8";
import { hookweaveMiddleware, type HookweaveMiddleware } from "hookweave/langchain";
import { createAgent } from "langchain";
import { z } from "zod";

import { Seen, type Agent, type How, type Turn, type World } from "./world.js";

/** A model that says what it was given to say. */
export class Script extends BaseChatModel {
  readonly turns: Turn[];
  readonly seen: Seen;

  constructor(turns: Turn[], seen: Seen) {
    super({});
    this.turns = turns;
    this.seen = seen;
  }

  override _llmType(): string {
    return "script";
  }

  override bindTools(): this {
    return this;
  }

  override _generate(messages: BaseMessage[]): Promise<ChatResult> {
    this.seen.requests.push(
      messages.map((message) => `[${message.type}] ${message.text}`).join("\n"),
    );
    for (const message of messages) {
      if (ToolMessage.isInstance(message))
        this.seen.failed[message.tool_call_id] = message.status === "error";
    }
    const turn = this.turns.shift() ?? "out of script";
    const calls =
      typeof turn === "string" ? [] : turn.map(({ name, args, id }) => ({ name, args, id }));
    const message = new AIMessage({
      content: typeof turn === "string" ? turn : "",
      tool_calls: calls,
    });
    return Promise.resolve({ generations: [{ text: message.text, message }] });
  }
}

export function toolsOf(world: World): StructuredTool[] {
  return Object.entries(world.tools).map(([name, { argument, run }]) =>
    tool(
      async (given: Record<string, string>, config) => run(given[argument] ?? "", config?.signal),
      {
        name,
        description: name,
        schema: z.object({ [argument]: z.string() }),
      },
    ),
  );
}

interface Stopped {
  saved: string;
  questions: { id?: string; value?: { id: string; tool_use_id: string } }[];
}

/** A person's answers, by the interrupts' ids. */
function answered({ stopped, said }: NonNullable<How["resume"]>): Command {
  const answers = (stopped as Stopped).questions.map(({ id = "", value }) => {
    const option = said[value?.tool_use_id ?? ""] === true ? "Allow once" : "Deny";
    return [id, { id: value?.id, option }];
  });
  return new Command({ resume: Object.fromEntries(answers) as Record<string, unknown> });
}

async function run(world: World, script: Turn[], how: How): Promise<Seen> {
  const seen = new Seen();
  const hooks = (how.hooks ?? adapter(world, how)) as HookweaveMiddleware;
  const checkpointer = new MemorySaver();
  if (how.resume !== undefined) {
    const { saved } = how.resume.stopped as Stopped;
    Object.assign(checkpointer, deserialize(Buffer.from(saved, "base64")));
  }
  const tools = toolsOf(world);
  const { subagent } = how;
  if (subagent !== undefined) {
    const helper = createAgent({
      model: new Script([...subagent], new Seen()),
      tools: toolsOf(world),
      middleware: [hooks],
    });
    const look = async ({ what }: { what: string }): Promise<string> => {
      const state = await helper.invoke({ messages: [new HumanMessage(what)] });
      return state.messages.at(-1)?.text ?? "";
    };
    const schema = z.object({ what: z.string() });
    tools.push(tool(look, { name: "task", description: "has a helper do something", schema }));
  }
  const model = new Script([...script], seen);
  const agent = createAgent({ model, tools, middleware: how.bare ? [] : [hooks], checkpointer });
  const asked = { messages: [new HumanMessage(how.prompt ?? "hi")] };
  try {
    const state = await agent.invoke(
      (how.resume === undefined ? asked : answered(how.resume)) as typeof asked,
      {
        configurable: { thread_id: how.conversation ?? "t1" },
        recursionLimit: 1000,
        ...(how.signal === undefined ? {} : { signal: how.signal }),
      },
    );
    seen.final = state.messages.at(-1)?.text ?? "";
    const { __interrupt__: questions } = state as { __interrupt__?: Stopped["questions"] };
    if (questions !== undefined && questions.length > 0) {
      const { storage, writes } = checkpointer;
      seen.suspended = { saved: serialize({ storage, writes }).toString("base64"), questions };
    }
  } catch (error) {
    seen.raised = error;
  }
  if (seen.suspended === null && how.hooks === undefined) await hooks.close();
  return seen;
}

function adapter(world: World, how: How): HookweaveMiddleware {
  const approval = how.asks === true ? "interrupt" : how.approval;
  return hookweaveMiddleware(world.client, approval === undefined ? {} : { approval });
}

export const agent: Agent = {
  name: "langchain",
  impossible: {
    a_denial_holds_if_no_hook_asks_any_more:
      "LangGraph gives an answer only to the question that is asked again",
  },
  adapter,
  run,
};
