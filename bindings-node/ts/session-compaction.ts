/** The effects that replace messages of the conversation. */

import type { ContextMessage } from "./context.js";
import type {
  Effect,
  ReplaceContextEffect,
  ReplacePromptEffect,
  SummariseEffect,
} from "./session-effects.js";
import type { Flow } from "./session-flow.js";
import { localKeys } from "./spelling.js";
import type { EffectContext } from "./effect-context.js";
import { isPlain } from "./values.js";

/** Reads the conversation; one that is empty, or not stored here, is left to the host. */
export function readContext(effects: EffectContext, flow: Flow): Effect {
  const { context } = effects.parts;
  try {
    const messages = [...(context.messages ?? [])];
    if (messages.length === 0) return flow.done();
    if (context.replaceMessages === undefined)
      return flow.failed("the context has no `replaceMessages`, and cannot be made shorter");
    effects.context = messages;
    const shown = messages.map(({ role, content, metadata }) => ({ role, content, metadata }));
    const speakers = messages.map(({ role, metadata }: ContextMessage) => ({
      role,
      pinned: isPlain(metadata) && metadata["pinned"] === true,
    }));
    return flow.context(effects.keep(shown), speakers);
  } catch (error) {
    return effects.failed(flow, "the context failed", error);
  }
}

/** Replaces messages with their summary; messages that came since stay after it. */
export async function replaceContext(
  effects: EffectContext,
  flow: Flow,
  effect: ReplaceContextEffect,
): Promise<Effect> {
  const { context } = effects.parts;
  const kept = (places: readonly number[]): ContextMessage[] =>
    places.map((place) => effects.context[place] as ContextMessage);
  const { before, summary, metadata, after } = effect;
  try {
    const newer = [...(context.messages ?? [])].slice(effects.context.length);
    const message = { role: "user", content: summary, metadata: localKeys(metadata) } as const;
    await effects.call(() =>
      context.replaceMessages?.([...kept(before), message, ...kept(after), ...newer]),
    );
    return flow.done();
  } catch (error) {
    return effects.failed(flow, "the context failed", error);
  }
}

/** Replaces the user's last message with the prompt by what hooks made of it. */
export async function replacePrompt(
  effects: EffectContext,
  flow: Flow,
  { prompt, changed }: ReplacePromptEffect,
): Promise<Effect> {
  const { context } = effects.parts;
  try {
    const messages = [...(context.messages ?? [])];
    if (messages.length === 0) return flow.done();
    if (context.replaceMessages === undefined)
      return flow.failed("the context has no `replaceMessages`; add it");
    const place = messages.findLastIndex(
      ({ role, content, metadata }) =>
        role === "user" && content === prompt && isPlain(metadata) && metadata["source"] === "user",
    );
    const message = messages[place];
    if (message === undefined) return flow.failed("no message of the context is the prompt");
    messages[place] = { ...message, content: changed };
    await effects.call(() => context.replaceMessages?.(messages));
    return flow.done();
  } catch (error) {
    return effects.failed(flow, "the context failed", error);
  }
}

/** Calls the program's function for the summary. */
export async function summarise(
  effects: EffectContext,
  flow: Flow,
  { gone, custom_instructions: instructions }: SummariseEffect,
): Promise<Effect> {
  const { signal } = effects.cancelling;
  const messages = gone.map((place) => effects.context[place] as ContextMessage);
  try {
    const text: unknown = await effects.call(() =>
      effects.inputs.summarise?.(messages, instructions, { signal }),
    );
    return typeof text === "string" ? flow.text(text) : flow.failed("the summary is no text");
  } catch (error) {
    return effects.failed(flow, "the summary failed", error);
  }
}
