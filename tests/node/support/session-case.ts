/** A vector of sessions, run against the package. */

import {
  HookweaveError,
  SubagentBlockedError,
  Suspended,
  TerminalQuestion,
  ToolResult,
} from "hookweave";
import type {
  Approval,
  ApprovalRequest,
  ContextMessage,
  Approver,
  Context,
  CustomEventName,
  Display,
  ModelResponse,
  ModelRequest,
  RunToolOptions,
  Session,
  SessionOptions,
  ToolFunction,
  ToolOutcome,
} from "hookweave";

import { fill, CaseDirectory } from "./case-directory.js";
import { keepLog } from "./case-log.js";
import { camelKeys, localFields, snake } from "./spelling.js";
import { mustWait, CaseHooks, type Style } from "./case-hooks.js";
import { newClient } from "./tools.js";
import { decode, isObject, misfit, show, type Json, type JsonObject } from "./values.js";

/** How a host leaves the call that asks. */
class Leaving extends Error {}

export interface SessionCase {
  id: string;
  client?: JsonObject;
  audit?: Json;
  server?: JsonObject;
  files?: JsonObject[];
  load?: JsonObject[];
  define_tools?: JsonObject[];
  session?: JsonObject;
  hooks?: JsonObject[];
  approver?: Json[];
  tools?: Record<string, JsonObject | JsonObject[]>;
  model?: JsonObject[];
  context?: "raises";
  conversation?: JsonObject[];
  do: JsonObject[];
  expect?: JsonObject;
}

/** What has happened in a case. */
interface Log {
  readonly events: unknown[];
  readonly tools: { tool: string; args: unknown; env: unknown }[];
  readonly asked: unknown[];
  readonly messages: unknown[];
  readonly shown: unknown[];
  readonly model_calls: unknown[];
  readonly screens: string[];
}

/** Whether a case can run with hooks of a style. */
export function sessionCanRun(test: SessionCase, style: Style): boolean {
  return style === "async" || !mustWait([test.hooks, test.do] as unknown as Json[]);
}

function snakeKeys(object: unknown): unknown {
  if (!isObject(object)) return object;
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [snake(key), value]));
}

/** The entry for the n-th time; the last one repeats. */
function nth<T>(list: readonly T[], index: number): T | undefined {
  return list[Math.min(index, list.length - 1)];
}

/** What an entry of the script gives; throws what it raises. */
function play(entry: Json | undefined): JsonObject {
  const object = isObject(entry) ? entry : {};
  if (object["raises"] !== undefined) throw new Error(object["raises"] as string);
  return object;
}

/** One run of a case in one style. */
export class SessionRun {
  readonly #place = new CaseDirectory();
  #test: SessionCase;
  /** Sessions beside the case's own, which go on until its end. */
  readonly #others: Session[] = [];
  readonly #hooks: CaseHooks;
  readonly #conversation: ContextMessage[];
  readonly #log: Log = {
    events: [],
    tools: [],
    asked: [],
    messages: [],
    shown: [],
    model_calls: [],
    screens: [],
  };

  constructor(
    test: SessionCase,
    style: Style,
    private readonly halves = false,
  ) {
    this.#test = test;
    this.#conversation = (test.conversation ?? []).map(
      ({ role, content, metadata }) =>
        ({ role, content, metadata: metadata ?? {} }) as ContextMessage,
    );
    const profiled = test.client?.["profile"] !== undefined;
    this.#hooks = new CaseHooks(style, profiled, (dispatch) => {
      const event = dispatch["event"] as CustomEventName;
      return this.#hooks.client.dispatch(event, localFields(event, dispatch["payload"]) as never);
    });
  }

  /** Throws what does not fit. */
  async run(): Promise<void> {
    const place = this.#place;
    try {
      if (this.#test.server !== undefined) await place.serve(this.#test.server);
      this.#test = fill(this.#test, place.places);
      for (const file of this.#test.files ?? []) place.write(file);
      await this.#run();
    } finally {
      place.close();
    }
  }

  async #run(): Promise<void> {
    const test = this.#test;
    const caseHooks = this.#hooks;
    const place = this.#place;
    const options = { ...camelKeys(test.client ?? {}), logger: null };
    const client = newClient(
      test.files === undefined ? options : { ...options, projectDir: place.project },
    );
    caseHooks.client = client;
    for (const { name, ...definition } of test.define_tools ?? [])
      client.defineTool(name as string, camelKeys(definition));
    for (const entry of test.load ?? []) {
      for (const why of place.reportMisfits(entry, place.load(client, entry))) this.#note(why);
    }
    for (const hook of test.hooks ?? []) caseHooks.registerExpecting(hook);
    const takeRecords = test.audit === undefined ? undefined : keepLog(client, test.audit);
    takeRecords?.();
    for (const name of Object.keys(test.tools ?? {})) client.registerTool(name, this.#tool(name));
    if (test.model !== undefined) client.registerModel(this.#inStyle(this.#respond));
    const session = client.session(this.#options());
    await this.#steps(session, test.do, "step");
    const got: Record<string, unknown> = {
      ...this.#log,
      env: session.env,
      ran: caseHooks.ran,
    };
    got["conversation"] = this.#conversation.map((message) => snakeKeys(message));
    if (takeRecords !== undefined) got["records"] = takeRecords();
    const { requests, saw, ...expect } = test.expect ?? {};
    const placed = { ...(requests && { requests }), ...(saw && { saw }) };
    for (const why of place.misfits(placed, "case")) this.#note(why);
    for (const [name, pattern] of Object.entries(expect)) {
      if (!(name in got)) throw new Error(`nothing is known of ${name}`);
      this.#note(misfit(pattern, got[name], name));
    }
    if (caseHooks.misfits.length > 0) throw new Error(caseHooks.misfits.join("\n"));
  }

  #note(why: string | null): void {
    if (why !== null) this.#hooks.misfits.push(why);
  }

  /** A function that answers at once, or a promise, as the style says. */
  #inStyle<A extends unknown[], R>(run: (...args: A) => R): (...args: A) => R {
    if (this.#hooks.style === "sync") return run;
    const later = async (...args: A): Promise<unknown> => {
      await Promise.resolve();
      return run(...args);
    };
    return later as unknown as (...args: A) => R;
  }

  #options(more: JsonObject = {}): SessionOptions {
    const { session = {}, approver, context: broken, conversation, files } = this.#test;
    const kept = this.#conversation;
    const { messages, shown, events } = this.#log;
    const context: Context = {
      addMessage: this.#inStyle((role, content, metadata) => {
        if (broken !== undefined) throw new Error("the context is broken");
        messages.push({
          role,
          content: snakeKeys(content),
          metadata: snakeKeys(metadata),
        });
        kept.push({ role, content, metadata });
      }),
      ...(conversation !== undefined && {
        messages: kept,
        replaceMessages: this.#inStyle((shorter: readonly ContextMessage[]) => {
          kept.splice(0, kept.length, ...shorter);
        }),
      }),
    };
    const display: Display = {
      showMessage: this.#inStyle((text, level, source) => {
        shown.push({ text, level, source });
      }),
    };
    return {
      ...camelKeys({ ...session, ...more }),
      ...(files === undefined || session["cwd"] === null ? {} : { cwd: this.#place.project }),
      context,
      display,
      onOutcome: (outcome) => events.push(outcome.event.eventType),
      ...(approver === undefined ? {} : { approval: this.#approver(approver) }),
    };
  }

  #approver(script: Json[]): Approver {
    const asked = (asked: ApprovalRequest): Approval | Promise<Approval> => {
      const { timeout, ...request } = asked;
      const shown = snakeKeys({ ...request, timeoutMs: timeout });
      const turn = this.#log.asked.push(shown) - 1;
      const entry = nth(script, turn);
      if (typeof entry === "string") return entry;
      if (isObject(entry) && entry["suspends"] === true) throw new Suspended();
      if (isObject(entry) && entry["leaves"] === true) throw new Leaving();
      const { hangs, types, width = 80, height = 24, ...answer } = play(entry);
      const size = { width: width as number, height: height as number };
      if (types !== undefined) return this.#atTerminal(asked, types as string[], size);
      return hangs === true ? new Promise(() => undefined) : (answer as unknown as Approval);
    };
    return this.#inStyle(asked);
  }

  /** What a person at a terminal chooses who types these lines, and then nothing more. */
  #atTerminal(
    request: ApprovalRequest,
    lines: string[],
    size: { width: number; height: number },
  ): string {
    const question = new TerminalQuestion(request, size);
    const { screens } = this.#log;
    screens.push(question.text, question.invitation(request.timeout));
    for (const line of [...lines, null]) {
      const option = question.read(line);
      if (option !== null) return option;
      screens.push(question.remark);
    }
    throw new Error("the end of the input is no answer");
  }

  #tool(name: string): (args: object, context: { env: object }) => unknown {
    const script = [this.#test.tools?.[name] ?? { output: "ok" }].flat();
    return this.#inStyle((args: object, { env }: { env: object }) => {
      const { tools } = this.#log;
      const turn = tools.filter(({ tool }) => tool === name).length;
      tools.push({ tool: name, args, env });
      const { fails, output } = play(nth(script, turn));
      if (fails !== undefined) return new ToolResult(fails, { success: false });
      return decode(output ?? null);
    });
  }

  readonly #respond = (request: ModelRequest): ModelResponse => {
    const { prompt, systemPrompt, tools, messages } = request;
    const calls = this.#log.model_calls;
    const turn =
      calls.push({
        prompt,
        system_prompt: systemPrompt,
        tools,
        ephemeral: messages,
      }) - 1;
    return camelKeys(play(nth(this.#test.model ?? [], turn)));
  };

  async #steps(session: Session, steps: JsonObject[], place: string): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const { expect, error, ...deed } = step;
      const here = `${place} ${String(index + 1)}`;
      const [[name, value] = ["nothing", null]] = Object.entries(deed);
      let got: unknown;
      try {
        got = await this.#step(session, name, value, here);
      } catch (thrown) {
        if (error === undefined || !(thrown instanceof HookweaveError)) throw thrown;
        this.#hooks.compareError(error as JsonObject, thrown, here);
        continue;
      }
      if (error !== undefined) this.#note(`${here}: expected the error ${show(error)}`);
      if (expect !== undefined) this.#note(misfit(expect, got, here));
    }
  }

  async #step(session: Session, deed: string, value: Json, place: string): Promise<unknown> {
    const text = value as string;
    const given = isObject(value) ? value : {};
    switch (deed) {
      case "start":
        return session.start(text);
      case "end":
        return session.end(text);
      case "submit_prompt":
        return session.submitPrompt(text);
      case "run_tool":
        return this.#runTool(session, given);
      case "generate": {
        const { tools, modelCalls, ...rest } = await session.generate(text);
        return {
          ...rest,
          model_calls: modelCalls,
          tools: tools.map(canonical),
        };
      }
      case "call_model":
        return this.#callModel(session, given);
      case "compact":
        return this.#compact(session, given);
      case "note_usage":
        return session.noteUsage(value as number);
      case "notify": {
        const { message, ...options } = given;
        return session.notify(message as string, options);
      }
      case "status_line":
        return session.statusLine(given);
      case "suggest_files":
        return session.suggestFiles(given["query"] as string, given["suggestions"] as Json[]);
      case "stop":
        return snakeKeys(await session.stop(camelKeys(given)));
      case "stop_failure":
        return session.stopFailure(text);
      case "subagent":
        return this.#subagent(session, given, place);
      case "other_session": {
        const { do: steps, ...options } = given;
        const other = this.#hooks.client.session(this.#options(options));
        this.#others.push(other);
        await this.#steps(other, steps as JsonObject[], place);
        return { env: other.env };
      }
      case "temporary_hook":
        this.#hooks.register(given, (event, hook) => session.temporaryHook(event, hook));
        return null;
      case "dispatch": {
        const event = given["event"] as CustomEventName;
        const payload = localFields(event, given["payload"]) as Record<string, unknown>;
        return (await session.dispatch(event, payload)).toJSON();
      }
      default:
        throw new Error(`there is no step ${deed}`);
    }
  }

  async #runTool(session: Session, given: JsonObject): Promise<unknown> {
    const { tool, args, tool_use_id: toolUseId } = given as { [name: string]: Json; tool: string };
    const answers = ((given["answers"] ?? []) as JsonObject[]).map(({ asked, id, answer }) => {
      const question = this.#log.asked[asked as number] as { id: string } | undefined;
      return [question?.id ?? id, answer] as const;
    });
    const options = {
      passes: [Leaving],
      ...(toolUseId === undefined ? {} : { toolUseId: toolUseId as string }),
      ...(given["answers"] === undefined
        ? {}
        : { answers: Object.fromEntries(answers) as Record<string, Approval> }),
    };
    const all = decode(args ?? {}) as Record<string, unknown>;
    try {
      const run = this.#tool(tool);
      return canonical(
        this.halves
          ? await inHalves(session, [tool, all], run, options)
          : await session.runTool(tool, all, run, options),
      );
    } catch (error) {
      if (!(error instanceof Leaving)) throw error;
      return { left: true };
    }
  }

  /** Calls the model as a framework does that calls it itself. */
  async #callModel(session: Session, given: JsonObject): Promise<unknown> {
    const { prompt, ...options } = camelKeys(given) as { prompt: string };
    const call = await session.beginModel(prompt, options);
    const respond = this.#inStyle(this.#respond);
    while (call.runs) {
      let response: ModelResponse;
      try {
        response = await Promise.resolve(respond(call.request));
      } catch (error) {
        await call.failed(error);
        continue;
      }
      await call.answered(response);
    }
    const { status, reason, text, attempts, response } = call.outcome;
    return { status, reason, text, attempts, response };
  }

  #compact(session: Session, given: JsonObject): Promise<unknown> {
    const { trigger, custom_instructions: custom, summary } = given as Record<string, string>;
    const summarise = this.#inStyle(
      (messages: readonly ContextMessage[], instructions: string | null) => {
        play(given);
        const texts = messages.map(({ content }) => String(content)).join(", ");
        return (summary ?? "")
          .replace("{instructions}", instructions ?? "")
          .replace("{messages}", texts);
      },
    );
    return session.compact(summarise, {
      trigger: trigger as "manual",
      ...(custom === undefined ? {} : { customInstructions: custom }),
    });
  }

  async #subagent(session: Session, given: JsonObject, place: string): Promise<unknown> {
    const { type, id } = given as Record<string, string>;
    let child: Session;
    try {
      child = await session.subagent(type as string, id === undefined ? {} : { agentId: id });
    } catch (error) {
      if (!(error instanceof SubagentBlockedError)) throw error;
      return { accepted: false, reason: error.reason };
    }
    await this.#steps(child, given["do"] as JsonObject[], place);
    const { shouldContinue } = await child.end();
    return { accepted: true, should_continue: shouldContinue, env: child.env };
  }
}

/** Makes a call as a framework does that says when a tool begins and when it has ended. */
async function inHalves(
  session: Session,
  [tool, args]: readonly [string, Record<string, unknown>],
  run: ToolFunction,
  options: RunToolOptions,
): Promise<ToolOutcome> {
  const call = await session.beginTool(tool, args, options);
  while (call.runs) {
    const { toolUseId, env, signal } = call;
    let output: unknown;
    try {
      output = await run(call.args, { tool: call.tool, toolUseId, session, env, signal });
    } catch (error) {
      if (error instanceof Leaving) {
        call.drop();
        throw error;
      }
      await call.failed(error);
      continue;
    }
    await call.succeeded(output);
  }
  return call.outcome;
}

/** What came of a tool call, as every language writes it. */
function canonical(outcome: ToolOutcome): unknown {
  const { error, result, toolUseId, suppressOutput, outcomes: _, ...rest } = outcome;
  return {
    ...rest,
    error: error?.message ?? null,
    result: snakeKeys(result),
    tool_use_id: toolUseId,
    suppress_output: suppressOutput,
  };
}
