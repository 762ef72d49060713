/**
 * Carries out the effects of a session's flow.
 *
 * It holds no rules: the core names the next effect. The values that a flow is about stay in JavaScript; the core knows
 * their numbers only.
 */

import { AuditCoverage } from "./audit.js";
import { wait } from "./cancellation.js";
import { detailsOf, finalPayload } from "./dispatch-record.js";
import { EffectContext } from "./effect-context.js";
import { PayloadError } from "./errors.js";
import { append } from "./lists.js";
import { callNative, jsonText, shownText } from "./native.js";
import { recordOf, type Outcome } from "./outcome.js";
import { approve } from "./session-approval.js";
import { callModel, readResponse, runTool } from "./session-calls.js";
import { readContext, replaceContext, replacePrompt, summarise } from "./session-compaction.js";
import type {
  AddMessageEffect,
  DispatchEffect,
  Effect,
  FinishEffect,
  Half,
  ShowEffect,
} from "./session-effects.js";
import type { Flow } from "./session-flow.js";
import { localName, localFields, localKeys } from "./spelling.js";
import { copyForHost } from "./values.js";

/** Events about one tool call. */
const TOOL_EVENTS: ReadonlySet<string> = new Set([
  "ToolResolution",
  "PreToolUse",
  "PermissionRequest",
  "PermissionGranted",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
]);

/** Drives one flow. */
export class FlowDriver extends EffectContext {
  /** Runs the flow to its end. */
  run(flow: Flow): Promise<unknown> {
    return this.go(flow, () => flow.begin(), null);
  }

  /** Carries out effects up to the first of a kind, which is the caller's, or to the end. */
  async go<K extends Half["do"]>(
    flow: Flow,
    first: () => Effect,
    until: K | null,
  ): Promise<Extract<Half, { do: K }> | null> {
    try {
      const effect = await this.#steps(flow, first(), until);
      if (effect.do !== "finish") return effect as Extract<Half, { do: K }>;
      this.result = effect.result;
    } catch (error) {
      flow.release();
      this.parts.forgetPlans();
      throw error;
    }
    if (this.pending !== null) this.parts.forgetPlans();
    return null;
  }

  async #steps(flow: Flow, first: Effect, until: Half["do"] | null): Promise<Half | FinishEffect> {
    const { spans } = this.inputs;
    let effect = first;
    while (effect.do !== "finish") {
      this.cancelling.throwIfAborted();
      if (effect.do === until) return effect;
      const current = effect;
      const next =
        spans === undefined
          ? this.#carryOut(flow, current)
          : spans.carryOut(current, this.values, () => this.#carryOut(flow, current));
      effect = next instanceof Promise ? await next : next;
    }
    return effect;
  }

  #carryOut(flow: Flow, effect: Exclude<Effect, { do: "finish" }>): Effect | Promise<Effect> {
    switch (effect.do) {
      case "dispatch":
        return this.#dispatch(flow, effect);
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
      case "replace_prompt":
        return replacePrompt(this, flow, effect);
      case "wait":
        return wait(effect.ms, this.cancelling).then(() => flow.done());
      case "add_message":
        return this.#addMessage(flow, effect);
      case "show":
        return this.#show(flow, effect);
    }
  }

  #dispatch(flow: Flow, effect: DispatchEffect): Effect | Promise<Effect> {
    const { event, fields, values } = effect;
    const payload = localFields(event, fields);
    // The host's own values: `args`, `result`, `response`, spelled alike in every language.
    for (const [field, value] of values) payload[field] = this.values[value];
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = this.parts.raise(event, payload, this.cancelling);
    } catch (error) {
      return this.#refused(flow, error);
    }
    return outcome instanceof Promise
      ? outcome.then(
          (outcome) => this.#dispatched(flow, effect, outcome),
          (error: unknown) => this.#refused(flow, error),
        )
      : this.#dispatched(flow, effect, outcome);
  }

  /** A model's arguments lack what a hook looks at: the call is refused, and the model reads why. */
  #refused(flow: Flow, error: unknown): Effect {
    if (!(error instanceof PayloadError && error.code === "invalid_payload")) throw error;
    return flow.failed(error.message);
  }

  #dispatched(flow: Flow, { event, values, wants }: DispatchEffect, outcome: Outcome): Effect {
    this.#note(event, outcome);
    const record = recordOf(outcome);
    if (
      record.details === null &&
      // A hook that runs only once may have to run again.
      (record.plan.simple || !record.plan.hooks.some(({ once }) => once)) &&
      !this.session.needsNoOpOutcomes &&
      record.plan.runtime.auditCoverage === AuditCoverage.None
    )
      return flow.noOpDispatched();
    const { dispatch, values: dispatchValues } = detailsOf(record);
    const modified = new Set(outcome.modified);
    const final = finalPayload(record);
    const json: Record<string, unknown> = {};
    let wanted: number | undefined;
    for (const field of wants.filter((field) => modified.has(localName(field)))) {
      const last = final[localName(field)];
      if (values.some(([name]) => name === field)) wanted = this.keep(copyForHost(last));
      else json[field] = last;
    }
    // A change without a JSON form cannot be applied; to continue without it could undo a guard.
    const text = jsonText(json);
    return callNative(() => flow.dispatched(dispatch, dispatchValues, wanted, text));
  }

  #note(event: string, outcome: Outcome): void {
    append(this.outcomes, outcome);
    if (event === "ToolResolution") append(this.byCall, []);
    const call = this.byCall.at(-1);
    if (call !== undefined && TOOL_EVENTS.has(event)) append(call, outcome);
  }

  #freeze(flow: Flow, id: number): Effect {
    const value = copyForHost(this.values[id]);
    let text: string | undefined;
    let shown: string | undefined;
    try {
      text = jsonText(value);
    } catch {
      // An approval of a value without a JSON form is not remembered, but a person sees all of it.
      shown = shownText(value);
    }
    return flow.frozen(this.keep(value), text, shown);
  }

  async #addMessage(flow: Flow, effect: AddMessageEffect): Promise<Effect> {
    const { role, content, value, metadata } = effect;
    const message: unknown = content ?? (value === null ? null : this.values[value]);
    try {
      const { context } = this.parts;
      await this.call(() => context.addMessage(role, message, localKeys(metadata)));
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
}
