/** The scripted agent in the OpenAI Agents SDK. */

import {
  Agent as SdkAgent,
  MemorySession,
  run as runOfSdk,
  RunState,
  setTracingDisabled,
  Usage,
  type AgentInputItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  type StreamEvent,
  type Tool,
} from "@openai/agents";
import { HookweaveRunner, tool } from "hookweave/openai-agents";
import { z } from "zod";

import { Seen, type Agent, type Call, type How, type Turn, type World } from "./world.js";

setTracingDisabled(true);

/** A model that says what it was given to say. */
export class Script implements Model {
  readonly #turns: Turn[];
  readonly #seen: Seen;

  constructor(turns: Turn[], seen: Seen) {
    this.#turns = turns;
    this.#seen = seen;
  }

  getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    return Promise.resolve({ usage: new Usage(), output: this.#next(input) });
  }

  async *getStreamedResponse({ input }: ModelRequest): AsyncIterable<StreamEvent> {
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const output = await Promise.resolve(this.#next(input));
    yield { type: "response_done", response: { id: "r", usage, output } };
  }

  #next(input: ModelRequest["input"]) {
    const items = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const lines = (items as Record<string, unknown>[]).map((item) => {
      const said = item["content"] ?? item["output"] ?? item["arguments"];
      const text = typeof said === "string" ? said : JSON.stringify(said);
      return `[${String(item["type"] ?? item["role"])}] ${text}`;
    });
    this.#seen.requests.push(lines.join("\n"));
    const turn = this.#turns.shift() ?? "out of script";
    const status = "completed" as const;
    if (typeof turn !== "string") {
      return turn.map(({ name, args, id }) => ({
        type: "function_call" as const,
        callId: id,
        name,
        status,
        arguments: JSON.stringify(args),
      }));
    }
    const content = [{ type: "output_text" as const, text: turn }];
    return [{ type: "message" as const, role: "assistant" as const, status, content }];
  }
}

export function toolsOf(world: World): Tool[] {
  return Object.entries(world.tools).map(([name, { argument, run }]) =>
    tool({
      name,
      description: name,
      parameters: z.object({ [argument]: z.string() }),
      execute: async (given, _context, details) => run(String(given[argument]), details?.signal),
    }),
  );
}

async function run(world: World, script: Turn[], how: How): Promise<Seen> {
  const seen = new Seen();
  const hooks = (how.hooks ?? adapter(world, how)) as HookweaveRunner;
  const tools = toolsOf(world);
  if (how.subagent !== undefined) {
    const model = new Script([...how.subagent], new Seen());
    const helper = hooks.hooked(new SdkAgent({ name: "helper", model, tools: toolsOf(world) }));
    for (const call of script[0] as Call[]) call.args = { input: "look" };
    tools.push(helper.asTool({ toolName: "task", toolDescription: "has a helper do something" }));
  }
  const agent = new SdkAgent({ name: "main", model: new Script([...script], seen), tools });
  const input: AgentInputItem[] = [{ role: "user", content: how.prompt ?? "hi" }];
  const options = {
    maxTurns: null,
    session: new MemorySession({ sessionId: how.conversation ?? "t1" }),
    ...(how.signal === undefined ? {} : { signal: how.signal }),
  };
  try {
    const { resume } = how;
    const state =
      resume === undefined
        ? null
        : await RunState.fromString(hooks.hooked(agent), String(resume.stopped));
    for (const item of state?.getInterruptions() ?? []) {
      const { callId = "" } = item.rawItem as { callId?: string };
      if (resume?.said[callId] === true) state?.approve(item);
      else state?.reject(item);
    }
    const result = how.bare
      ? await runOfSdk(agent, input, options)
      : await hooks.run(agent, state ?? input, options);
    if (result.interruptions.length > 0) seen.suspended = result.state.toString();
    else seen.final = String(result.finalOutput);
  } catch (error) {
    seen.raised = error;
  }
  if (seen.suspended === null && how.hooks === undefined) await hooks.close();
  return seen;
}

function adapter(world: World, how: How): HookweaveRunner {
  const approval = how.asks === true ? "interrupt" : how.approval;
  return new HookweaveRunner(world.client, approval === undefined ? {} : { approval });
}

export const agent: Agent = {
  name: "openai-agents",
  impossible: {
    a_blocked_result_is_marked_as_failed: "the Responses API has no mark for a failed call",
  },
  adapter,
  run,
};
