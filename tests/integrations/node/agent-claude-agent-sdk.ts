/** The scripted agent in Claude Code itself, as the SDK starts it; only its model is a script. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  createSdkMcpServer,
  query,
  tool,
  type CanUseTool,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import { hooksOf, type Hooks } from "hookweave/claude-agent-sdk";
import { z } from "zod";

import { MessagesApi } from "./messages-api.js";
import { Seen, type Agent, type Call, type How, type Turn, type World } from "./world.js";

const WAITS = "Claude Code waits for canUseTool in the same process";
export const PREFIX = "mcp__world__";
export const nameOf = (name: string): string => name.replace(PREFIX, "");

/** The tools, in this process. */
function serverOf(world: World, signal: AbortSignal | undefined) {
  const tools = Object.entries(world.tools).map(([name, { argument, run }]) =>
    tool(name, name, { [argument]: z.string() }, async (given) => {
      const text = String(await run(String(given[argument]), signal));
      return { content: [{ type: "text", text }] };
    }),
  );
  return createSdkMcpServer({ name: "world", tools });
}

/** The prompt as a stream, which the SDK wants where it asks this program. */
async function* streamed(content: string): AsyncIterable<SDKUserMessage> {
  const message = { role: "user" as const, content };
  yield await Promise.resolve({ type: "user", message, parent_tool_use_id: null, session_id: "" });
}

export async function runIn(
  world: World,
  script: Turn[],
  how: How,
  canUseTool?: CanUseTool,
): Promise<Seen> {
  if (how.asks === true) throw new Error(WAITS);
  const seen = new Seen();
  const hooks = (how.hooks ?? adapter(world, how)) as Hooks;
  if (how.subagent !== undefined) {
    const args = { description: "look", prompt: "SUBAGENT look", subagent_type: "general-purpose" };
    for (const call of script[0] as Call[]) Object.assign(call, { name: "Agent", args });
  }
  const api = new MessagesApi([...script], seen, PREFIX, [...(how.subagent ?? [])]);
  const home = mkdtempSync(join(tmpdir(), "claude-home-"));
  const abortController = new AbortController();
  how.signal?.addEventListener("abort", () => abortController.abort(how.signal?.reason));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CLAUDE|ANTHROPIC)/.test(name),
  );
  const prompt = how.prompt ?? "hi";
  try {
    const env = {
      ...Object.fromEntries(inherited),
      HOME: home,
      CLAUDE_CONFIG_DIR: home,
      ANTHROPIC_BASE_URL: await api.listen(),
      ANTHROPIC_API_KEY: "of no use",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
    };
    const options = {
      ...(how.bare === true ? {} : { hooks }),
      ...(canUseTool === undefined ? {} : { canUseTool }),
      abortController,
      allowedTools: Object.keys(world.tools).map((name) => PREFIX + name),
      cwd: home,
      env,
      mcpServers: { world: serverOf(world, how.signal) },
      settingSources: [],
    };
    const asked = canUseTool === undefined ? prompt : streamed(prompt);
    for await (const message of query({ prompt: asked, options })) {
      if (message.type === "result" && message.subtype === "success") seen.final = message.result;
    }
  } catch (error) {
    seen.raised = error;
  } finally {
    api.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  }
  if (how.hooks === undefined) await hooks.close();
  return seen;
}

function adapter(world: World, { approval }: How): Hooks {
  return hooksOf(world.client, approval === undefined ? { nameOf } : { nameOf, approval });
}

export const agent: Agent = {
  name: "claude-agent-sdk",
  impossible: {
    retry: "Claude Code runs the tools, and no callback can have one run again",
    prompt_changed: "Claude Code takes no other prompt; it is refused",
    suspend_and_approve_in_another_process: WAITS,
    suspend_and_deny_in_another_process: WAITS,
    a_denial_is_heard: WAITS,
    two_questions_at_once: WAITS,
    a_hook_that_asks_once_is_denied_after_all: WAITS,
    a_denial_holds_if_no_hook_asks_any_more: WAITS,
  },
  adapter,
  run: runIn,
};
