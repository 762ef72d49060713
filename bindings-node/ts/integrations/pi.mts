/** pi: a file in `.pi/extensions` with `export { hookweave as default } from "hookweave/pi";`. */

import type { Approver } from "../index.js";
import { asText } from "./shared.mjs";
import { PluginHooks, reasonOf, replaceArgs, type PluginOptions } from "./plugin.mjs";

export type { PluginOptions } from "./plugin.mjs";

interface Content {
  readonly type: string;
  readonly text?: string;
}

/** The little that is used of what pi gives to a handler. */
export interface PiContext {
  readonly cwd: string;
  /** Whether a person can be asked. */
  readonly hasUI: boolean;
  readonly ui: {
    select(
      title: string,
      options: string[],
      how?: { signal?: AbortSignal },
    ): Promise<string | undefined>;
    notify(message: string, type?: "info" | "warning" | "error"): void;
  };
  readonly sessionManager: { getSessionId(): string };
}

/** The little that is used of what pi gives to an extension. */
export interface PiApi {
  on(event: string, handler: (event: never, context: PiContext) => unknown): void;
  sendMessage(
    message: { customType: string; content: string; display: boolean },
    how: { triggerTurn: boolean; deliverAs: "followUp" },
  ): void;
}

/**
 * The extension: hooks judge prompts, tool calls and results. What they cannot judge is refused.
 *
 * Questions are asked on pi's screen, unless `approval` is given; without a screen what needs one is refused. Extensions
 * that pi loads later may still change a call that was judged.
 */
export function hookweave(pi: PiApi, options: PluginOptions = {}): void {
  let made: PluginHooks | null = null;
  let latest: PiContext | null = null;
  const warn = (text: string): void => {
    if (latest?.hasUI === true) latest.ui.notify(text, "warning");
    else console.error(text);
  };
  const ask: Approver = async ({ prompt, shown, options }, { signal }) => {
    if (latest?.hasUI !== true) return "Deny";
    const title = shown === null ? prompt : `${prompt}\n${shown}`;
    return (await latest.ui.select(title, [...options], { signal })) ?? "Deny";
  };
  const of = (context: PiContext): PluginHooks => {
    latest = context;
    return (made ??= new PluginHooks(context.cwd, { approval: ask, ...options }, warn));
  };
  const idOf = ({ sessionManager }: PiContext): string => sessionManager.getSessionId();

  pi.on("session_start", async ({ reason }: { reason: string }, context) => {
    const source = reason === "resume" || reason === "fork" ? "resume" : "startup";
    // One that is refused refuses its prompts and calls, with the reason.
    await of(context)
      .begin(idOf(context), source)
      .catch(() => undefined);
  });
  pi.on("input", async ({ text, images }: { text: string; images?: unknown }, context) => {
    try {
      const prompt = await of(context).prompt(idOf(context), text);
      return prompt === text
        ? { action: "continue" }
        : { action: "transform", text: prompt, images };
    } catch (error) {
      warn(`hookweave refused the prompt: ${reasonOf(error)}`);
      return { action: "handled" };
    }
  });
  pi.on("before_agent_start", async (_event, context) => {
    const content = await of(context).notes(idOf(context));
    return content === null
      ? undefined
      : { message: { customType: "hookweave", content, display: true } };
  });
  pi.on(
    "tool_call",
    async (event: { toolName: string; toolCallId: string; input: object }, context) => {
      const { toolName: tool, toolCallId: id, input: args } = event;
      try {
        const changed = await of(context).before({
          session: idOf(context),
          tool,
          id,
          args,
        });
        if (changed !== null) replaceArgs(args, changed);
        return undefined;
      } catch (error) {
        return { block: true, reason: reasonOf(error) };
      }
    },
  );
  pi.on(
    "tool_result",
    async (
      event: {
        toolName: string;
        toolCallId: string;
        content: readonly Content[];
        isError: boolean;
      },
      context,
    ) => {
      const { toolName: tool, toolCallId: id, content, isError: failed } = event;
      try {
        const call = { session: idOf(context), tool, id };
        const told = await of(context).after(call, { output: outputOf(content), failed });
        if (!told.changed && told.notes === null) return undefined;
        const shown = told.changed ? contentOf(told.output) : content;
        const notes = told.notes === null ? [] : [text(told.notes)];
        // Anything else of the old result may hold what hooks took out of the text.
        const details = told.changed ? { details: {} } : {};
        return { content: [...shown, ...notes], isError: told.failed, ...details };
      } catch (error) {
        const why = `hookweave withholds the result: ${reasonOf(error)}`;
        return { content: [text(why)], details: {}, isError: true };
      }
    },
  );
  let stopping: Promise<void> = Promise.resolve();
  let isClosing = false;
  const stop = async (context: PiContext): Promise<void> => {
    const content = await of(context).stopped(idOf(context));
    if (content === null || isClosing) return;
    const message = { customType: "hookweave", content, display: true };
    pi.sendMessage(message, { triggerTurn: true, deliverAs: "followUp" });
  };
  pi.on("agent_end", (_event, context) => (stopping = stop(context)));
  pi.on("session_shutdown", async (_event, context) => {
    // With `-p` pi does not wait for what is told of the agent's end.
    isClosing = true;
    await stopping.catch(() => undefined);
    await of(context).close();
    isClosing = false;
  });
}

function text(text: string): Content {
  return { type: "text", text };
}

/** A tool's content as hooks see it: a text, if it is nothing but text. */
function outputOf(content: readonly Content[]): unknown {
  const texts = content.every(({ type }) => type === "text");
  return texts ? content.map(({ text }) => text ?? "").join("\n") : content;
}

function contentOf(output: unknown): readonly Content[] {
  return Array.isArray(output) ? (output as Content[]) : [text(asText(output))];
}
