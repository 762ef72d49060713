/** The scripted agent in the Vercel AI SDK. */

import * as ai from "ai";
import * as mocks from "ai/test";
import { Hookweave } from "hookweave/ai";
import { z } from "zod";

import { Seen, type Agent, type How, type Turn, type World } from "./world.js";

// Version 6 has other names for some.
type Old = Partial<Record<string, unknown>>;
const isStepCount = (ai as Old)["isStepCount"] ?? (ai as Old)["stepCountIs"];
const stops = isStepCount as typeof ai.isStepCount;
const Mock = ((mocks as Old)["MockLanguageModelV4"] ??
  (mocks as Old)["MockLanguageModelV3"]) as typeof mocks.MockLanguageModelV4;
const steers = "experimental_createSteering" in ai;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

interface Part {
  type: string;
  text?: string;
  input?: unknown;
  toolCallId?: string;
  output?: { type: string; value?: unknown; reason?: string };
}

/** A model that says what it was given to say. */
export function modelOf(turns: Turn[], seen: Seen): InstanceType<typeof Mock> {
  const shown = (part: Part): string => {
    if (part.output === undefined) return part.text ?? JSON.stringify(part.input ?? part);
    if (part.toolCallId !== undefined)
      seen.failed[part.toolCallId] = /error|denied/.test(part.output.type);
    return JSON.stringify(part.output.value ?? part.output.reason);
  };
  const doGenerate = ({ prompt }: { prompt: { role: string; content: unknown }[] }) => {
    const lines = prompt.map(({ role, content }) => {
      const text = typeof content === "string" ? content : (content as Part[]).map(shown).join(" ");
      return `[${role}] ${text}`;
    });
    seen.requests.push(lines.join("\n"));
    const turn = turns.shift() ?? "out of script";
    const content =
      typeof turn === "string"
        ? [{ type: "text" as const, text: turn }]
        : turn.map(({ name, args, id }) => ({
            type: "tool-call" as const,
            toolCallId: id,
            toolName: name,
            input: JSON.stringify(args),
          }));
    const unified = typeof turn === "string" ? ("stop" as const) : ("tool-calls" as const);
    return Promise.resolve({ content, finishReason: { unified, raw: "x" }, usage, warnings: [] });
  };
  return new Mock({ doGenerate });
}

function toolsOf(world: World): ai.ToolSet {
  const made = Object.entries(world.tools).map(([name, { argument, run }]) => [
    name,
    ai.tool({
      description: name,
      inputSchema: z.object({ [argument]: z.string() }),
      execute: async (input, { abortSignal }) => run(input[argument] ?? "", abortSignal),
    }),
  ]);
  return Object.fromEntries(made) as ai.ToolSet;
}

interface Stopped {
  messages: ai.ModelMessage[];
  requests: { approvalId: string; toolCall: { toolCallId: string } }[];
}

/** The person's answers, as messages. */
function answered({ stopped, said }: NonNullable<How["resume"]>): ai.ModelMessage[] {
  const { messages, requests } = stopped as Stopped;
  const content = requests.map(({ approvalId, toolCall }) => ({
    type: "tool-approval-response" as const,
    approvalId,
    approved: said[toolCall.toolCallId] ?? false,
  }));
  return [...messages, { role: "tool", content }];
}

async function run(world: World, script: Turn[], how: How): Promise<Seen> {
  const seen = new Seen();
  const hooks = (how.hooks ?? adapter(world, how)) as Hookweave;
  const tools = toolsOf(world);
  const { subagent, prompt = "hi" } = how;
  if (subagent !== undefined) {
    tools["task"] = ai.tool({
      description: "has a helper do something",
      inputSchema: z.object({ what: z.string() }),
      execute: async ({ what }) => {
        const model = modelOf([...subagent], new Seen());
        const settings = await hooks.around({
          model,
          tools: toolsOf(world),
          prompt: what,
          stopWhen: stops(5),
        });
        return (await ai.generateText(settings)).text;
      },
    });
  }
  const common = { model: modelOf([...script], seen), tools, stopWhen: stops(100), maxRetries: 0 };
  const cancelled = how.signal === undefined ? {} : { abortSignal: how.signal };
  const asked = how.resume === undefined ? { prompt } : { messages: answered(how.resume) };
  try {
    const settings = { ...common, ...cancelled, ...asked };
    const sessionId = how.conversation ?? "t1";
    const result = await ai.generateText(
      how.bare ? settings : await hooks.around({ ...settings, sessionId }),
    );
    seen.final = result.text;
    const requests = result.content.filter(({ type }) => type === "tool-approval-request");
    if (requests.length > 0) {
      const messages = [{ role: "user", content: prompt }, ...result.response.messages];
      seen.suspended = { messages, requests };
    }
  } catch (error) {
    seen.raised = error;
  }
  if (seen.suspended === null && how.hooks === undefined) await hooks.close();
  return seen;
}

function adapter(world: World, how: How): Hookweave {
  const approval = how.asks === true ? "user" : how.approval;
  return new Hookweave(world.client, approval === undefined ? {} : { approval });
}

export const agent: Agent = {
  name: "ai",
  impossible: steers
    ? {}
    : {
        stop_hook_keeps_the_agent_at_work:
          "version 6 ends when the model calls no tool; nothing makes it go on",
      },
  adapter,
  run,
};
