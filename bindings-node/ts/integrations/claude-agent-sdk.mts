/**
 * Claude Agent SDK: `query({ prompt, options: { hooks: hooksOf(client) } })`.
 *
 * Claude Code runs the tools itself, in another process: a call is judged in one callback and looked at in a later one.
 */

import type { Options } from "@anthropic-ai/claude-agent-sdk";

import {
  ApprovalPending,
  eventFromWire,
  SubagentBlockedError,
  type HookClient,
  type OpenToolCall,
} from "../index.js";
import { asText, Conversations, type AdapterOptions, type Conversation } from "./shared.mjs";

/** The options of `hooksOf`; `approval: "claude"` leaves questions to `canUseTool`, or to Claude Code's own dialog. */
export interface HooksOptions extends AdapterOptions<"claude"> {
  /** What hooks call a tool. Default: Claude Code's name. */
  nameOf?: (name: string) => string;
}

/** What `query` takes as its hooks. */
export type Hooks = NonNullable<Options["hooks"]> & {
  /** Raises `SessionEnd` for every session: Claude Code does not notify the SDK when it exits. */
  close(): Promise<void>;
};

/** An event, as Claude Code gives it. */
interface Given {
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly source?: string;
  readonly reason?: string;
  readonly prompt?: string;
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, unknown>>;
  readonly tool_response?: unknown;
  readonly tool_use_id?: string;
  readonly error?: string;
  readonly last_assistant_message?: string;
}

/** What Claude Code does about an event. */
interface Answer {
  readonly decision?: "block";
  readonly reason?: string;
  readonly continue?: boolean;
  readonly stopReason?: string;
  readonly hookSpecificOutput?: Readonly<Record<string, unknown>>;
}

const EVENTS = [
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "Stop",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "Notification",
];
const TELL_MODEL = new Set(EVENTS.slice(0, 8).filter((name) => !/End|^Stop$/.test(name)));
const WAITS_SECONDS = 3600;
const GOES_ON = "a hook wants you to continue";

/**
 * Hooks for the `options` of one query or of many.
 *
 * All options but `nameOf` and Claude Code's own way to ask are those of `client.session`. Where hookweave itself fails,
 * Claude Code blocks.
 */
export function hooksOf(client: HookClient, options: HooksOptions = {}): Hooks {
  const listener = new Listener(client, options);
  const callback = (given: unknown): Promise<Answer> => listener.heard(given as Given);
  const matcher = { hooks: [callback], timeout: WAITS_SECONDS, onFailure: "block" as const };
  const hooks = Object.fromEntries(EVENTS.map((event) => [event, [matcher]]));
  // The SDK takes every own field for an event.
  const close = { value: () => listener.conversations.close() };
  return Object.defineProperty(hooks, "close", close) as unknown as Hooks;
}

/** What Claude Code calls. */
class Listener {
  readonly conversations: Conversations;
  readonly #client: HookClient;
  readonly #nameOf: (name: string) => string;
  readonly #agents = new Map<string, Promise<Conversation>>();
  readonly #calls = new Map<string, OpenToolCall>();

  constructor(client: HookClient, { nameOf = String, ...options }: HooksOptions) {
    this.#client = client;
    this.#nameOf = nameOf;
    this.conversations = new Conversations(client, options, "claude");
  }

  /** The answer to an event. */
  async heard(given: Given): Promise<Answer> {
    const event = given.hook_event_name;
    let conversation: Conversation;
    try {
      conversation = await this.#conversation(given);
    } catch (error) {
      // Claude Code lets a subagent begin all the same; each of its calls is refused.
      if (!(error instanceof SubagentBlockedError)) throw error;
      return event === "PreToolUse" ? denied(error.message) : {};
    }
    const answer = await this.#answer(conversation, given);
    if (!TELL_MODEL.has(event) || answer.decision !== undefined) return answer;
    const additionalContext = conversation.notes.take();
    if (additionalContext === null) return answer;
    const said = { hookEventName: event, ...answer.hookSpecificOutput, additionalContext };
    return { ...answer, hookSpecificOutput: said };
  }

  async #conversation(given: Given): Promise<Conversation> {
    const { session_id: id, agent_id: agent, agent_type: kind = "agent", source } = given;
    const parent = this.conversations.of(id, source === undefined ? {} : { source });
    if (agent === undefined) return parent;
    const found = this.#agents.get(agent);
    const begins = given.hook_event_name === "SubagentStart";
    // The same agent may begin again.
    if (found !== undefined && !(begins && (await found).session.closed)) return found;
    const made = parent.then((conversation) => conversation.subagent(kind, agent));
    this.#agents.set(agent, made);
    return made;
  }

  #answer(conversation: Conversation, given: Given): Answer | Promise<Answer> {
    switch (given.hook_event_name) {
      case "SessionStart":
      case "SubagentStart":
        return {};
      case "SessionEnd":
        return this.#ended(conversation, given);
      case "UserPromptSubmit":
        return submitted(conversation, given.prompt ?? "");
      case "PreToolUse":
        return this.#begun(conversation, given);
      case "PostToolUse":
        return this.#succeeded(conversation, given);
      case "PostToolUseFailure":
        return this.#failed(conversation, given);
      case "Stop":
      case "SubagentStop":
        return this.#stopped(conversation, given);
      default:
        return this.#other(given);
    }
  }

  async #ended({ session }: Conversation, { reason }: Given): Promise<Answer> {
    this.#left();
    await session.end(reason);
    return {};
  }

  async #begun(conversation: Conversation, given: Given): Promise<Answer> {
    let call: OpenToolCall;
    try {
      call = await conversation.judge(this.#asked(given));
    } catch (error) {
      if (!(error instanceof ApprovalPending)) throw error;
      const { prompt, args } = error.request;
      const asks = { permissionDecision: "ask", permissionDecisionReason: prompt };
      return said({ ...asks, updatedInput: args });
    }
    if (call.runs) {
      this.#calls.set(keyOf(given), call);
      // No decision where no hook has one: what Claude Code's own rules forbid stays forbidden.
      return call.changed("args") ? said({ updatedInput: call.args }) : {};
    }
    const { reason, stops } = conversation.note(call);
    const refusal = reason ?? "a hook refused the call";
    // `continue: false` alone lets the tool run.
    return { ...(stops ? ended(refusal) : {}), ...denied(refusal) };
  }

  #asked({ tool_name: name = "", tool_input: args = {}, tool_use_id: id }: Given) {
    return { tool: this.#nameOf(name), args, id };
  }

  /** The call that has run; one that Claude Code asked about was approved by a person. */
  async #open(conversation: Conversation, given: Given): Promise<OpenToolCall> {
    const call = this.#calls.get(keyOf(given));
    this.#calls.delete(keyOf(given));
    return call ?? conversation.judgeApproved(this.#asked(given), () => true);
  }

  async #succeeded(conversation: Conversation, given: Given): Promise<Answer> {
    const { tool_response: response } = given;
    const call = await this.#open(conversation, given);
    const alone = textOf(response);
    if (call.runs) await call.succeeded(alone ?? response);
    const outcome = conversation.note(call);
    const ends = outcome.stops && conversation.stopped !== null ? ended(conversation.stopped) : {};
    if (!outcome.ran || !call.changed("output")) return ends;
    const output =
      alone === null ? outcome.output : [{ type: "text", text: asText(outcome.output) }];
    if (alone === null && !hasFieldsOf(response, output)) {
      const reason = `a hook changed the result of ${call.tool} to a form that Claude Code does not take`;
      return ended(`${reason}; keep the fields ${Object.keys(response as object).join(", ")}`);
    }
    const updated = { hookEventName: "PostToolUse", updatedToolOutput: output };
    return { ...ends, hookSpecificOutput: updated };
  }

  async #failed(conversation: Conversation, given: Given): Promise<Answer> {
    const call = await this.#open(conversation, given);
    if (call.runs) await call.failed(new Error(given.error));
    // A hook wants another run, which only Claude Code could make.
    if (call.runs) call.drop();
    else conversation.note(call);
    return {};
  }

  async #stopped(conversation: Conversation, given: Given): Promise<Answer> {
    const goesOn = await conversation.goesOn(given.last_assistant_message);
    if (goesOn) return { decision: "block", reason: conversation.notes.take() ?? GOES_ON };
    if (given.agent_id !== undefined) this.#agents.delete(given.agent_id);
    this.#left();
    return {};
  }

  /** Any other event is raised as it is, and answered in Claude Code's own words. */
  async #other(given: Given): Promise<Answer> {
    const outcome = await this.#client.dispatch(eventFromWire("claude-code", given));
    const { exitCode, stdout, stderr } = outcome.toWire("claude-code");
    if (exitCode !== 0) return { decision: "block", reason: stderr };
    return JSON.parse(stdout || "{}") as Answer;
  }

  /** Forgets calls that ended without another word of Claude Code. */
  #left(): void {
    for (const [key, call] of this.#calls) if (!call.runs) this.#calls.delete(key);
  }
}

async function submitted(conversation: Conversation, prompt: string): Promise<Answer> {
  conversation.stopped = null;
  const came = await conversation.submit(prompt);
  if (!came.accepted)
    return { decision: "block", reason: came.reason ?? "a hook refused the prompt" };
  if (came.prompt === prompt) return {};
  const reason = "a hook changed the prompt, and Claude Code takes no other prompt";
  return { decision: "block", reason };
}

function keyOf({ session_id: session, tool_use_id: id }: Given): string {
  return JSON.stringify([session, id]);
}

function said(about: Readonly<Record<string, unknown>>): Answer {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...about } };
}

function denied(permissionDecisionReason: string): Answer {
  return said({ permissionDecision: "deny", permissionDecisionReason });
}

function ended(stopReason: string): Answer {
  return { continue: false, stopReason };
}

/** The text of a result that has no more than that. */
function textOf(response: unknown): string | null {
  if (!Array.isArray(response) || response.length !== 1) return null;
  const { type, text } = response[0] as { type?: unknown; text?: unknown };
  return type === "text" && typeof text === "string" ? text : null;
}

/** Whether Claude Code takes a result in place of another: it wants the same fields. */
function hasFieldsOf(old: unknown, made: unknown): boolean {
  if (typeof old !== "object" || old === null || Array.isArray(old)) return true;
  if (typeof made !== "object" || made === null) return false;
  return Object.keys(old).sort().join("\n") === Object.keys(made).sort().join("\n");
}
