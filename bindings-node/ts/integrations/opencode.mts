/** OpenCode: a file in `.opencode/plugin` with `export { hookweave } from "hookweave/opencode";`. */

import { asText } from "./shared.mjs";
import { PluginHooks, reasonOf, replaceArgs, type PluginOptions, type Told } from "./plugin.mjs";

export type { PluginOptions } from "./plugin.mjs";

/** The little that is used of what OpenCode gives to a plugin. */
export interface OpenCodePlace {
  /** Where OpenCode was started. */
  readonly directory: string;
  readonly client?: {
    readonly tui?: {
      showToast?(request: { body: { message: string; variant: "warning" } }): unknown;
    };
  };
}

interface Part {
  readonly type: string;
  readonly synthetic?: boolean;
  text?: string;
}

/** What a tool gave: the agent's own form, or that of an MCP server. */
interface Result {
  title?: string;
  output?: string;
  metadata?: unknown;
  content?: unknown;
  attachments?: unknown;
  structuredContent?: unknown;
  isError?: boolean;
}

/** The hooks that the plugin gives to OpenCode. */
export interface OpenCodeHooks {
  "chat.message"(
    input: { sessionID: string },
    output: { message: { id: string }; parts: unknown[] },
  ): Promise<void>;
  "tool.execute.before"(
    input: { tool: string; sessionID: string; callID: string },
    output: { args: unknown },
  ): Promise<void>;
  "tool.execute.after"(
    input: { tool: string; sessionID: string; callID: string },
    output: object,
  ): Promise<void>;
  event(input: { event: { type: string; properties?: unknown } }): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * The plugin: hooks judge prompts, tool calls and results of every session and subagent. What they cannot judge is refused.
 *
 * A subagent is a session of its own. OpenCode asks plugins for no question to a person: give `approval`, or what needs one
 * is refused. It lets no plugin change why a tool failed, nor keep the agent at work.
 */
export function hookweave(
  place: OpenCodePlace,
  options: PluginOptions = {},
): Promise<OpenCodeHooks> {
  const hooks = new PluginHooks(place.directory, options, (message) => {
    place.client?.tui?.showToast?.({ body: { message, variant: "warning" } });
  });
  return Promise.resolve({
    "chat.message": async ({ sessionID }, output) => {
      const parts = output.parts as Part[];
      const typed = parts.filter(({ type, synthetic }) => type === "text" && synthetic !== true);
      const asked = typed.map(({ text }) => text ?? "").join("\n");
      const prompt = await hooks.prompt(sessionID, asked);
      if (prompt !== asked) {
        for (const [index, part] of typed.entries()) part.text = index === 0 ? prompt : "";
      }
      const notes = await hooks.notes(sessionID);
      if (notes !== null) parts.push(noted(notes, sessionID, output.message.id));
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const changed = await hooks.before({ session: sessionID, tool, id: callID, args });
      // OpenCode runs the tool with the object that it holds itself.
      if (changed !== null) replaceArgs(args, changed);
    },
    "tool.execute.after": async ({ tool, sessionID, callID }, given) => {
      const result = given as Result;
      const shown = { output: outputOf(result), failed: result.isError === true };
      tell(result, await hooks.after({ session: sessionID, tool, id: callID }, shown));
    },
    event: async ({ event: { type, properties } }) => {
      // OpenCode waits for none of these, and what they throw ends it.
      try {
        await noticed(hooks, type, properties ?? {});
      } catch (error) {
        const body = {
          message: `hookweave: ${reasonOf(error)}`,
          variant: "warning",
        } as const;
        place.client?.tui?.showToast?.({ body });
      }
    },
    dispose: () => hooks.close(),
  });
}

async function noticed(hooks: PluginHooks, type: string, properties: object): Promise<void> {
  const { sessionID, info, part } = properties as {
    sessionID?: string;
    info?: { id?: string };
    part?: {
      type?: string;
      sessionID?: string;
      callID?: string;
      state?: { status?: string; error?: unknown };
    };
  };
  if (type === "session.created" && info?.id !== undefined) await hooks.begin(info.id, "startup");
  if (type === "session.idle" && sessionID !== undefined) await hooks.stopped(sessionID);
  if (type === "session.deleted" && info?.id !== undefined) await hooks.end(info.id);
  if (type === "message.part.updated" && part?.type === "tool" && part.state?.status === "error") {
    await hooks.failed(part.sessionID ?? "", part.callID ?? "", part.state.error);
  }
}

/** A part of the user's message that hooks add. */
function noted(text: string, sessionID: string, messageID: string): Part & Record<string, unknown> {
  const id = `prt_hookweave${messageID.replace(/^msg_/, "")}`;
  return { id, sessionID, messageID, type: "text", synthetic: true, text };
}

function outputOf({ output, content }: Result): unknown {
  if (output !== undefined) return output;
  if (!Array.isArray(content)) return content ?? null;
  const parts = content as readonly Part[];
  const texts = parts.every(({ type }) => type === "text");
  return texts ? parts.map(({ text }) => text ?? "").join("\n") : parts;
}

function tell(result: Result, { output, changed, notes }: Told): void {
  const isOwn = result.output !== undefined;
  if (changed) {
    // Anything else of the old result may hold what hooks took out of the text.
    delete result.attachments;
    delete result.structuredContent;
    if (isOwn) Object.assign(result, { output: asText(output), metadata: {} });
    else result.content = Array.isArray(output) ? output : [{ type: "text", text: asText(output) }];
  }
  if (notes === null) return;
  if (isOwn) result.output = `${result.output ?? ""}\n\n${notes}`;
  else if (Array.isArray(result.content)) result.content.push({ type: "text", text: notes });
}
