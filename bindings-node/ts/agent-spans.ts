/** The spans of an agent's run: one for all of it, one for each call of its model, one for each of its tool calls. */

import * as api from "@opentelemetry/api";
import type { Context, Span, Tracer } from "@opentelemetry/api";

import type { AddMessageEffect, DispatchEffect, Effect } from "./session-effects.js";
import type { Model, ModelRequest } from "./models.js";
import type { Generation } from "./session-results.js";
import {
  block,
  cancellationType,
  errorType,
  fail,
  JudgedSpan,
  spanAttributes,
  ToolSpan,
  withJudgedSpan,
} from "./spans.js";
import type { AgentSpans, TracedAgent } from "./tracing.js";

/** The attributes of usage, and what models call them. */
const TOKENS = [
  ["gen_ai.usage.input_tokens", ["inputTokens", "input_tokens", "promptTokens", "prompt_tokens"]],
  [
    "gen_ai.usage.output_tokens",
    ["outputTokens", "output_tokens", "completionTokens", "completion_tokens"],
  ],
] as const;

/** The span of a call of the model, from the first hook that judges it to the last. */
class ModelCall extends JudgedSpan {
  made = false;
  /** The `error.type` of what it threw. */
  failure: string | null = null;

  end(): void {
    if (this.failure !== null) fail(this.span, this.failure);
    else if (!this.made) block(this.span);
    this.span.end();
  }
}

/** The spans of one `generate`. */
export class AgentRun implements AgentSpans {
  readonly #tracer: Tracer;
  readonly #agent: TracedAgent;
  readonly #recordContent: boolean;
  readonly #whole: JudgedSpan;
  /** Where the run's own span is the current one. */
  readonly #context: Context;
  readonly #used: Record<string, number> = {};
  #model: ModelCall | null = null;
  #tool: ToolSpan | null = null;

  constructor(tracer: Tracer, agent: TracedAgent, recordContent: boolean) {
    this.#tracer = tracer;
    this.#agent = agent;
    this.#recordContent = recordContent;
    const { agentType: kind } = agent;
    const attributes = spanAttributes(agent, "invoke_agent");
    if (kind !== null) attributes["gen_ai.agent.name"] = kind;
    const name = kind === null ? "invoke_agent" : `invoke_agent ${kind}`;
    const context = api.context.active();
    this.#whole = new JudgedSpan(tracer.startSpan(name, { attributes }, context));
    this.#context = api.trace.setSpan(context, this.#whole.span);
  }

  /** Runs to the end; a cancellation marks all open spans as failed. */
  async follow(run: (spans: AgentSpans) => Promise<Generation>): Promise<Generation> {
    try {
      const generation = await api.context.with(this.#context, () => run(this));
      this.#ended(generation);
      return generation;
    } catch (error) {
      for (const span of this.#open()) fail(span, cancellationType(error));
      throw error;
    } finally {
      for (const span of this.#open()) span.end();
    }
  }

  /** Carries out an effect below the call that it belongs to, or the run itself. */
  carryOut<Next>(
    effect: Effect,
    values: readonly unknown[],
    work: () => Next | Promise<Next>,
  ): Next | Promise<Next> {
    this.#before(effect, values);
    const judged = this.#tool ?? this.#model ?? this.#whole;
    // Dispatches of approvers and contexts are about something else; `executing` separates those of the tool itself.
    const judges = effect.do === "dispatch" || effect.do === "run_tool";
    const context = withJudgedSpan(judges ? judged : undefined, this.#context);
    const next = api.context.with(api.trace.setSpan(context, judged.span), work);
    if (effect.do !== "dispatch" || !ENDS_MODEL.has(effect.event)) return next;
    return Promise.resolve(next).then((result) => {
      this.#closeModel();
      return result;
    });
  }

  /** The same model, with its usage and failures recorded. */
  observeModel(model: Model): Model {
    return async (request: ModelRequest) => {
      try {
        const answer = await model(request);
        if (typeof answer === "object" && (answer as unknown) !== null) this.#uses(answer.usage);
        return answer;
      } catch (error) {
        if (this.#model !== null) this.#model.failure = errorType(error);
        throw error;
      }
    };
  }

  /** Some effects begin or end a call, others add to it. */
  #before(effect: Effect, values: readonly unknown[]): void {
    if (effect.do === "dispatch") this.#raises(effect, values);
    else if (effect.do === "run_tool") this.#tool?.given(values[effect.args]);
    else if (effect.do === "call_model" && this.#model !== null) this.#model.made = true;
    else if (effect.do === "add_message" && effect.role === "tool") this.#closeTool(effect, values);
  }

  #raises({ event, fields, values: own }: DispatchEffect, values: readonly unknown[]): void {
    const { tool, tool_use_id: toolUseId, model } = fields;
    if (event === "GenerateStart") this.#openModel(model);
    else if (event === "ToolResolution") {
      const name = String(tool);
      this.#tool = new ToolSpan(
        this.#tracer,
        this.#agent,
        name,
        this.#recordContent,
        this.#context,
      );
    } else if (this.#tool !== null) {
      if (typeof toolUseId === "string") this.#tool.named(toolUseId);
      const args = own.find(([field]) => field === "args");
      if (args !== undefined) this.#tool.given(values[args[1]]);
    }
  }

  /** A call that is judged again keeps its span. */
  #openModel(model: unknown): void {
    if (this.#model !== null) return;
    const attributes = spanAttributes(this.#agent, "chat");
    let name = "chat";
    if (typeof model === "string" && model !== "") {
      name = `chat ${model}`;
      attributes["gen_ai.request.model"] = model;
      this.#whole.span.setAttribute("gen_ai.request.model", model);
    }
    const options = { kind: api.SpanKind.CLIENT, attributes };
    this.#model = new ModelCall(this.#tracer.startSpan(name, options, this.#context));
  }

  #closeModel(): void {
    this.#model?.end();
    this.#model = null;
  }

  /** The result of a call is about to go to the model: the call is over. */
  #closeTool({ metadata, value }: AddMessageEffect, values: readonly unknown[]): void {
    const tool = this.#tool;
    if (tool === null) return;
    const { tool_use_id: toolUseId, decision, by, success } = metadata;
    tool.named(String(toolUseId));
    tool.decided(String(decision), typeof by === "string" ? by : null, success === true);
    if (value !== null) tool.gave((values[value] as { output?: unknown }).output);
    tool.span.end();
    this.#tool = null;
  }

  #uses(usage: Readonly<Record<string, unknown>> | null | undefined): void {
    if (usage === undefined || usage === null || this.#model === null) return;
    for (const [attribute, names] of TOKENS) {
      const tokens = names.map((name) => usage[name]).find((count) => count !== undefined);
      if (typeof tokens !== "number" || !Number.isInteger(tokens) || tokens < 0) continue;
      this.#model.span.setAttribute(attribute, tokens);
      this.#used[attribute] = (this.#used[attribute] ?? 0) + tokens;
    }
  }

  #ended({ status, cause }: Generation): void {
    this.#closeModel();
    const { span } = this.#whole;
    span.setAttributes({ "hookweave.status": status, ...this.#used });
    if (status === "failed") fail(span, errorType(cause));
    else if (status === "limit") fail(span, status);
    else if (status === "blocked") block(span);
  }

  #open(): Span[] {
    return [this.#tool, this.#model, this.#whole].flatMap((judged) => judged?.span ?? []);
  }
}

/** Events after which a call of the model is over. */
const ENDS_MODEL: ReadonlySet<string> = new Set(["GenerateEnd", "GenerateError"]);
