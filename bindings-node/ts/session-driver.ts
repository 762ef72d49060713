/**
 * Carries out what a session's flow wants done.
 *
 * No rule is here: the core says what is next, and this does it. The values that a flow is about stay in this language;
 * the core knows their numbers only.
 */

import { Hears } from "./audit.js";
import type { Approver } from "./approvals.js";
import type { KnownCall } from "./brief.js";
import { untilAborted, wait, type Cancellation, type Cancelling } from "./cancelling.js";
import type { Context, ContextMessage } from "./context.js";
import type { Display } from "./display.js";
import {
  type AddMessageEffect,
  type DispatchEffect,
  type Effect,
  type RaiseEffect,
  type ShowEffect,
} from "./effects.js";
import { describe } from "./errors.js";
import type { Flow } from "./flow.js";
import type { Model } from "./models.js";
import { local, localFields, localKeys } from "./names.js";
import { crossing, jsonText, shownText } from "./native.js";
import { trailOf, type Outcome } from "./outcome.js";
import { approve } from "./session-approval.js";
import { callModel, readResponse, runTool } from "./session-calls.js";
import { readContext, replaceContext, summarise } from "./session-compaction.js";
import type { Session } from "./session.js";
import type { AnyTool, Tools } from "./tools.js";
import type { Follower, Tracing } from "./tracing.js";
import { finalPayload, loudOf } from "./trail.js";
import type { Logger } from "./types.js";
import { copyOf } from "./values.js";

/** What a session was given, shared with its subagents. */
export interface Parts {
  readonly approver: Approver;
  readonly context: Context;
  readonly display: Display;
  readonly tools: Tools;
  readonly logger: Logger | null;
  /** Raises an event through the client's hooks, and tells whoever listens to outcomes. */
  raise(event: string, payload: object, cancelling: Cancelling): Outcome | Promise<Outcome>;
  /** Who makes spans of tool calls. */
  readonly tracing: () => Tracing | null;
}

/** What one flow has beside that. */
export interface Means {
  /** The function for the one tool that is run. */
  readonly run?: AnyTool;
  /** The one tool call that the flow is. */
  readonly call?: KnownCall;
  readonly model?: Model;
  readonly onText?: ((text: string) => void) | undefined;
  readonly summarise?: Summarise;
  /** Who makes spans of the flow's effects. */
  readonly spans?: Follower | undefined;
}

/** Says what messages say in fewer words; none are given where the host keeps the conversation by itself. */
export type Summarise = (
  messages: readonly ContextMessage[],
  customInstructions: string | null,
  context: { readonly signal: AbortSignal },
) => string | PromiseLike<string>;

/** Events about one tool call. */
const ABOUT_TOOL: ReadonlySet<string> = new Set([
  "ToolResolution",
  "PreToolUse",
  "PermissionRequest",
  "PermissionGranted",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
]);

/** One flow on its way. */
export class FlowDriver {
  readonly values: unknown[] = [];
  readonly outcomes: Outcome[] = [];
  /** The outcomes about each tool call that the model made. */
  readonly byCall: Outcome[][] = [];
  /** What tools threw, by the number of the arguments. */
  readonly thrown = new Map<number, unknown>();
  /** The conversation as a compaction has found it. */
  context: readonly ContextMessage[] = [];
  /** What the flow came to, as the core writes it. */
  result: unknown;
  /** What the model threw last. */
  modelError: unknown;

  constructor(
    readonly session: Session,
    readonly parts: Parts,
    readonly means: Means,
    readonly cancelling: Cancellation,
  ) {}

  /** Takes a value in and gives its number. */
  keep(value: unknown): number {
    return this.values.push(value) - 1;
  }

  /** Takes the flow to its end. */
  async run(flow: Flow): Promise<void> {
    try {
      this.result = await this.#steps(flow);
    } catch (error) {
      flow.release();
      throw error;
    }
  }

  async #steps(flow: Flow): Promise<unknown> {
    const { spans } = this.means;
    let effect = flow.begin();
    while (effect.do !== "finish") {
      this.cancelling.throwIfAborted();
      const now = effect;
      const next =
        spans === undefined
          ? this.#carryOut(flow, now)
          : spans.carryOut(now, this.values, () => this.#carryOut(flow, now));
      effect = next instanceof Promise ? await next : next;
    }
    return effect.result;
  }

  #carryOut(flow: Flow, effect: Exclude<Effect, { do: "finish" }>): Effect | Promise<Effect> {
    switch (effect.do) {
      case "dispatch":
        return this.#dispatch(flow, effect);
      case "raise":
        return this.#raise(flow, effect);
      case "freeze":
        return this.#freeze(flow, effect.value);
      case "approve":
        return approve(this, flow, effect);
      case "run_tool":
        return runTool(this, flow, effect);
      case "call_model":
        return callModel(this, flow, effect);
      case "read_response":
        return readResponse(this, flow, effect.response);
      case "summarise":
        return summarise(this, flow, effect);
      case "read_context":
        return readContext(this, flow);
      case "replace_context":
        return replaceContext(this, flow, effect);
      case "wait":
        return wait(effect.ms, this.cancelling).then(() => flow.done());
      case "add_message":
        return this.#addMessage(flow, effect);
      case "show":
        return this.#show(flow, effect);
    }
  }

  #dispatch(flow: Flow, effect: DispatchEffect): Effect | Promise<Effect> {
    const { event, fields, values, wants } = effect;
    const payload = localFields(event, fields);
    return this.#raise(flow, { do: "raise", event, payload, values, wants });
  }

  #raise(flow: Flow, effect: RaiseEffect): Effect | Promise<Effect> {
    const { event, payload, values } = effect;
    // What hooks are given of the host's own: `args`, `result`, `response`, spelled alike in every language.
    for (const [field, value] of values) payload[field] = this.values[value];
    const outcome = this.parts.raise(event, payload, this.cancelling);
    return outcome instanceof Promise
      ? outcome.then((outcome) => this.#heard(flow, effect, outcome))
      : this.#heard(flow, effect, outcome);
  }

  #heard(flow: Flow, { event, values, wants }: RaiseEffect, outcome: Outcome): Effect {
    this.#note(event, outcome);
    const trail = trailOf(outcome);
    if (
      trail.loud === null &&
      !this.session.hearsSilence &&
      trail.plan.crew.hears === Hears.Nothing
    )
      return flow.nothingSaid();
    const loud = loudOf(trail);
    const modified = new Set(outcome.modified);
    const final = finalPayload(trail);
    const json: Record<string, unknown> = {};
    let wanted: number | undefined;
    for (const field of wants.filter((field) => modified.has(local(field)))) {
      const last = final[local(field)];
      if (values.some(([name]) => name === field)) wanted = this.keep(copyOf(last));
      else json[field] = last;
    }
    // A change that has no JSON form cannot be taken over; going on as if it had not been made could undo a guard.
    const text = jsonText(json);
    return crossing(() => flow.dispatched(loud.run, loud.values, wanted, text));
  }

  #note(event: string, outcome: Outcome): void {
    this.outcomes.push(outcome);
    if (event === "ToolResolution") this.byCall.push([]);
    if (ABOUT_TOOL.has(event)) this.byCall.at(-1)?.push(outcome);
  }

  #freeze(flow: Flow, id: number): Effect {
    const value = copyOf(this.values[id]);
    let text: string | undefined;
    let shown: string | undefined;
    try {
      text = jsonText(value);
    } catch {
      // No approval of what has no JSON form is remembered, but it is shown: something odd must not hide the rest.
      shown = shownText(value);
    }
    return flow.frozen(this.keep(value), text, shown);
  }

  async #addMessage(flow: Flow, effect: AddMessageEffect): Promise<Effect> {
    const { role, content, value, metadata } = effect;
    const said: unknown = content ?? (value === null ? null : this.values[value]);
    try {
      const { context } = this.parts;
      await this.call(() => context.addMessage(role, said, localKeys(metadata)));
      return flow.done();
    } catch (error) {
      return this.failed(flow, "the context failed", error);
    }
  }

  async #show(flow: Flow, { text, level, source }: ShowEffect): Promise<Effect> {
    try {
      const { display } = this.parts;
      await this.call(() => display.showMessage(text, level, source));
    } catch (error) {
      this.cancelling.throwIfAborted();
      this.log("the display failed", error);
    }
    return flow.done();
  }

  /** What a function of the host's gives, unless the flow is cancelled first. */
  async call<T>(
    work: () => T | PromiseLike<T>,
    cancelling: Cancelling = this.cancelling,
  ): Promise<Awaited<T>> {
    return untilAborted(work(), cancelling);
  }

  /** Tells the core that something of the host's has failed; a cancellation is thrown on instead. */
  failed(flow: Flow, what: string, error: unknown): Effect {
    this.cancelling.throwIfAborted();
    this.log(what, error);
    return flow.failed(describe(error));
  }

  log(what: string, error: unknown): void {
    const { id: sessionId } = this.session;
    this.parts.logger?.warn(what, { sessionId, message: describe(error), error });
  }
}
