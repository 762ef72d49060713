/** A scripted client of an MCP server: what the tools give is what a model would read. */

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Hookweave, type HookweaveOptions } from "hookweave/mcp";
import { z } from "zod";

import { Seen, type Agent, type How, type Turn, type World } from "./world.js";

const TOOLS_ONLY = "a server sees calls of its tools, and nothing of the agent";
const WAITS = "the client is asked while the call waits, in the same process";

/** A server with the world's tools. */
export function serverOf(world: World, hooks: Hookweave | null): McpServer {
  const bare = new McpServer({ name: "world", version: "1" });
  const server = hooks === null ? bare : hooks.around(bare);
  for (const [name, { argument, run }] of Object.entries(world.tools)) {
    const inputSchema = { [argument]: z.string() };
    server.registerTool(name, { inputSchema }, async (given, { signal }) => {
      const text = String(await run(String(given[argument]), signal));
      return { content: [{ type: "text", text }] };
    });
  }
  return server;
}

/** A client of a server. */
export async function connected(server: McpServer, client: Client): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

/** A result as a model would read it. */
export function textOf(result: unknown): string {
  const { content } = result as { content: { type: string; text?: string }[] };
  return content.map(({ text = "" }) => text).join("\n");
}

async function run(world: World, script: Turn[], how: How): Promise<Seen> {
  const seen = new Seen();
  if (how.asks === true) throw new Error(WAITS);
  const hooks = (how.hooks ?? adapter(world, how)) as Hookweave;
  const server = serverOf(world, how.bare === true ? null : hooks);
  const lines = [`[user] ${how.prompt ?? "hi"}`];
  try {
    const client = await connected(server, new Client({ name: "script", version: "1" }));
    for (const turn of script) {
      seen.requests.push(lines.join("\n"));
      if (typeof turn === "string") {
        seen.final = turn;
        break;
      }
      for (const { name, args, id } of turn) {
        const asked = { name, arguments: args, _meta: { chat: how.conversation ?? "t1" } };
        const options = how.signal === undefined ? {} : { signal: how.signal };
        const result = await client.callTool(asked, undefined, options);
        lines.push(`[tool] ${textOf(result)}`);
        seen.failed[id] = result.isError === true;
      }
    }
    await client.close();
  } catch (error) {
    seen.raised = error;
  }
  if (how.hooks === undefined) await hooks.close();
  return seen;
}

function adapter(world: World, how: How): Hookweave {
  const sessionOf: HookweaveOptions["sessionOf"] = ({ _meta }) => _meta?.["chat"] as string;
  const { approval } = how;
  return new Hookweave(world.client, {
    sessionOf,
    ...(approval === undefined ? {} : { approval }),
  });
}

export const agent: Agent = {
  name: "mcp",
  impossible: {
    prompt_refused: TOOLS_ONLY,
    prompt_changed: TOOLS_ONLY,
    stop_ends_the_turn: TOOLS_ONLY,
    stop_hook_keeps_the_agent_at_work: TOOLS_ONLY,
    subagent: TOOLS_ONLY,
    a_note_follows_all_results: "a server gives each result by itself, and knows of no others",
    context_injected: "hooks of a server see its first call, when the model was called already",
    suspend_and_approve_in_another_process: WAITS,
    suspend_and_deny_in_another_process: WAITS,
    a_denial_is_heard: WAITS,
    two_questions_at_once: WAITS,
    a_hook_that_asks_once_is_denied_after_all: WAITS,
    a_denial_holds_if_no_hook_asks_any_more: WAITS,
  },
  adapter,
  run,
};
