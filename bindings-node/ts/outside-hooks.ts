/** Outside hooks as handlers: commands and webhooks run on threads of the core, hosted questions in the program. */

import type { EventMethods } from "./event-base.js";
import type { HookContext } from "./registration.js";
import { depthNow } from "./nesting.js";
import { codeOf, describe, isOurs } from "./errors.js";
import { ReportedFailure } from "./hook-report.js";
import { localRecords } from "./spelling.js";
import {
  callNative,
  files,
  jsonText,
  type NativeOutsideHook,
  type NativeClient,
  type NativeOutsideHookJob,
} from "./native.js";
import { clearInterval, setInterval } from "./timers.js";
import { traceContext } from "./trace-context.js";
import { restoreLarge, type LargeIntegers } from "./values.js";

/** A question of a hook to the program's own model, or to an agent that may use tools. */
export interface JudgeQuestion {
  readonly kind: "prompt" | "agent";
  /** The prompt, with the event in it. */
  readonly prompt: string;
  /** The model that the file names. */
  readonly model: string | null;
}

/** A hook's call of an MCP tool, which the program makes. */
export interface ToolQuestion {
  readonly kind: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The answer of a judge: whether the action may continue, and if not, why. */
export interface JudgeVerdict {
  readonly ok: boolean;
  readonly reason?: string;
}

/** Answers hooks that ask a model or an agent. */
export type Judge = (
  question: JudgeQuestion,
  context: HookContext,
) => JudgeVerdict | PromiseLike<JudgeVerdict>;

/** Calls tools of MCP servers for hooks; returns the tool's text or JSON value. */
export type ToolCaller = (question: ToolQuestion, context: HookContext) => unknown;

/** What answers the hosted questions of a client. */
export interface HostFunctions {
  judge: Judge | null;
  toolCaller: ToolCaller | null;
}

/** The result of a hook, as the core writes it. */
export interface Completion {
  readonly answer?: Record<string, unknown>;
  readonly large?: LargeIntegers;
  readonly failed?: {
    readonly kind: string;
    readonly message: string;
    readonly restricts: boolean;
  };
}

/** Milliseconds that the end of the process waits for commands to be killed. */
const EXIT_TIMEOUT = 1000;

/** The clients whose outside hooks run now. */
const active = new Set<RunningOutsideHooks>();

// A command runs in a session of its own and would outlive the process.
process.on("exit", () => {
  for (const running of active) running.stop(EXIT_TIMEOUT);
});

/** The outside hooks of a client that run. */
export class RunningOutsideHooks {
  readonly #running = new Map<number, (text: string) => void>();
  #tickets = 0;
  /** How many of them a dispatch waits for: all but the detached ones. */
  #awaited = 0;
  /** How many calls of `drain` wait for detached hooks. */
  #draining = 0;
  /** Keeps the process alive during a wait: the completion queue does not. */
  #alive: NodeJS.Timeout | null = null;
  /** The native client, only while hooks run: it keeps the completion queue, which keeps this object. */
  #native: NativeClient | null = null;

  /** Receives the completions of hooks. */
  readonly deliver = (ticket: number, text: string): void => {
    this.#running.get(ticket)?.(text);
  };

  /** Starts a hook and waits for its completion, of which each gets one; the signal kills it. */
  wait(
    native: NativeClient,
    hook: NativeOutsideHook,
    event: string,
    depth: number,
    { signal, detached }: { signal: AbortSignal; detached: boolean },
  ): Promise<string> {
    const ticket = this.#tickets++ >>> 0;
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      let job: NativeOutsideHookJob | null = null;
      let waits = true;
      const end = (): void => {
        if (!waits) return;
        waits = false;
        signal.removeEventListener("abort", kill);
        if (!detached) this.#awaited--;
      };
      const kill = (): void => {
        end();
        // It counts as running until it is killed: the end of the process waits for that.
        this.#update();
        job?.cancel();
        reject(signal.reason as Error);
      };
      this.#running.set(ticket, (text) => {
        end();
        this.#running.delete(ticket);
        this.#update();
        resolve(text);
      });
      this.#native = native;
      if (!detached) this.#awaited++;
      this.#update();
      signal.addEventListener("abort", kill, { once: true });
      try {
        const { parent, state } = traceContext();
        job = withJsonEvent(() =>
          callNative(() => hook.start(event, depth, ticket, parent, state)),
        );
      } catch (error) {
        end();
        this.#running.delete(ticket);
        this.#update();
        reject(error);
      }
    });
  }

  /** While a call of `drain` waits, detached hooks keep the process alive too. */
  hold(on: boolean): void {
    this.#draining += on ? 1 : -1;
    this.#update();
  }

  /** Kills everything that runs; waits at most so many milliseconds for the end of it. */
  stop(limit: number): void {
    this.#native?.stop(limit);
  }

  /** Updates what depends on which hooks run: the exit handler, and what keeps the process alive. */
  #update(): void {
    const runs = this.#running.size > 0;
    if (runs !== active.has(this)) this.#mark(runs);
    const holds = this.#awaited > 0 || (runs && this.#draining > 0);
    if (holds) {
      this.#alive ??= setInterval(() => undefined, MAX_INTERVAL);
    } else if (this.#alive !== null) {
      clearInterval(this.#alive);
      this.#alive = null;
    }
  }

  #mark(runs: boolean): void {
    if (runs) {
      active.add(this);
    } else {
      this.#native = null;
      active.delete(this);
    }
  }
}

/** Timers of the platform count in 31 bits. */
const MAX_INTERVAL = 0x7fff_ffff;

/** How dispatches call an outside hook. */
export interface OutsideHookHandler {
  readonly handler: (event: object, context: HookContext) => Promise<unknown>;
  /** The meaning of a timeout; only for hooks whose timeout is enforced here. */
  readonly onTimeout?: (event: object, depth: number) => unknown;
}

/** An event that can be written as JSON. */
export type JsonEvent = { readonly eventType: string } & EventMethods;

/** The handler of a hook that the core runs and whose timeout it enforces. */
export function outsideHookHandler(
  native: NativeClient,
  hook: NativeOutsideHook,
  detached: boolean,
  runningOutsideHooks: RunningOutsideHooks,
): OutsideHookHandler {
  return {
    handler: async (event, context) => {
      const given = event as JsonEvent;
      const depth = depthNow();
      let text: string;
      try {
        text = withJsonEvent(() => given.toJson());
      } catch (error) {
        const { withoutEvent } = hook;
        if (withoutEvent === null) throw error;
        return readCompletion(given.eventType, withoutEvent);
      }
      return readCompletion(
        given.eventType,
        await runningOutsideHooks.wait(native, hook, text, depth, {
          signal: context.signal,
          detached,
        }),
      );
    },
  };
}

/** The handler of a hook that asks the program. */
export function hostedHandler(hook: NativeOutsideHook, hosts: HostFunctions): OutsideHookHandler {
  const { wantsTool } = hook;
  return {
    handler: async (event, context) => {
      const given = event as JsonEvent;
      const depth = depthNow();
      const text = withJsonEvent(() => given.toJson());
      const answerer = (wantsTool ? hosts.toolCaller : hosts.judge) as
        ((question: object, context: HookContext) => unknown) | null;
      if (answerer === null) {
        return readCompletion(
          given.eventType,
          withJsonEvent(() => callNative(() => hook.unanswered(text, depth))),
        );
      }
      const question = withJsonEvent(() => callNative(() => hook.question(text, depth))) ?? "{}";
      let completion: string;
      try {
        const answer = await answerer(JSON.parse(question) as object, context);
        // An answer after the timeout must not count anywhere.
        if (context.signal.aborted) return undefined;
        completion = callNative(() => hook.answered(text, depth, jsonText(answer ?? null)));
      } catch (error) {
        const broken = callNative(() => hook.broken(text, depth, describe(error)));
        return readCompletion(given.eventType, broken, { cause: error });
      }
      return readCompletion(given.eventType, completion);
    },
    onTimeout: (event, depth) => {
      const given = event as JsonEvent;
      return readCompletion(
        given.eventType,
        callNative(() => hook.late(given.toJson(), depth)),
      );
    },
  };
}

/**
 * Runs a step that needs the event as JSON. An event without a JSON form fails the hook and keeps a gate shut: the author of
 * the payload must not bypass a guard with it.
 */
export function withJsonEvent<R>(act: () => R): R {
  try {
    return act();
  } catch (error) {
    // An error of a getter in the payload has no engine code, and keeps the event from the hook just the same.
    if (isOurs(error) && !NO_JSON_FORM.has(codeOf(error) ?? "")) throw error;
    const why = `payload_not_json: the hook cannot be given the event as JSON: ${describe(error)}`;
    throw new ReportedFailure("not_started", why, true);
  }
}

/** Codes of errors that mean that an event has no JSON form. */
const NO_JSON_FORM: ReadonlySet<string> = new Set([
  "payload_not_json",
  "payload_too_deep",
  "payload_too_large",
]);

/** Reads the plain answer of a hook that is a function of a dialect; one without a JSON form keeps a gate shut. */
export function answerOf(dialect: string, event: string, returned: object): unknown {
  let text: string;
  try {
    text = jsonText(returned);
  } catch (error) {
    const why = `the answer cannot be read as JSON: ${describe(error)}`;
    throw new ReportedFailure("invalid_answer", why, true);
  }
  return readCompletion(
    event,
    callNative(() => files.dialectAnswer(dialect, event, text)),
  );
}

/** Reads a completion: an answer, nothing, or a failure, which is thrown. */
export function readCompletion(event: string, text: string, options?: ErrorOptions): unknown {
  const { answer, large, failed } = JSON.parse(text) as Completion;
  if (failed !== undefined) {
    throw new ReportedFailure(failed.kind, failed.message, failed.restricts, options);
  }
  restoreLarge(answer, large);
  const modified = answer?.["modified"];
  if (answer === undefined || typeof modified !== "object" || modified === null) return answer;
  return { ...answer, modified: localRecords(event, modified) };
}
