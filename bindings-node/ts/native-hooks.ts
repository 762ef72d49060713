/** Commands, webhooks and hosted questions as handlers: started on the core's threads, awaited like any other hook. */

import { depthNow } from "./depth.js";
import { codeOf, describe, isOurs } from "./errors.js";
import type { EventMethods } from "./event.js";
import { localRecords } from "./names.js";
import {
  crossing,
  files,
  jsonText,
  type Native,
  type NativeHooks,
  type NativeJob,
} from "./native.js";
import { clearInterval, setInterval } from "./timers.js";
import { traceContext } from "./trace-context.js";
import type { HookContext } from "./types.js";
import { restoreLarge, type LargeIntegers } from "./values.js";

/** A question to the host's own model, or to an agent that may use tools. */
export interface JudgeQuestion {
  readonly kind: "prompt" | "agent";
  /** The whole prompt, the event in it. */
  readonly prompt: string;
  /** The model that the file names. */
  readonly model: string | null;
}

/** A tool of an MCP server that only the host can call. */
export interface ToolQuestion {
  readonly kind: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What a model said: whether the action may go on, and if not, why. */
export interface Verdict {
  readonly ok: boolean;
  readonly reason?: string;
}

/** Answers hooks that ask a model or an agent. */
export type Judge = (
  question: JudgeQuestion,
  context: HookContext,
) => Verdict | PromiseLike<Verdict>;

/** Calls tools of MCP servers for hooks; gives the tool's text, or what JSON it answered. */
export type ToolCaller = (question: ToolQuestion, context: HookContext) => unknown;

/** Who answers a client's hosted questions. */
export interface Hosts {
  judge: Judge | null;
  toolCaller: ToolCaller | null;
}

/** A native hook's failure on its way to the driver, which puts it into the trace; nobody else sees it. */
export class Broken extends Error {
  constructor(
    readonly kind: string,
    message: string,
    readonly restricts: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What a hook said, as the core writes it. */
interface Letter {
  readonly answer?: Record<string, unknown>;
  readonly large?: LargeIntegers;
  readonly failed?: {
    readonly kind: string;
    readonly message: string;
    readonly restricts: boolean;
  };
}

/** Milliseconds that the end of the process waits for commands to be killed. */
const FAREWELL = 1000;

/** Clients whose hooks run right now. */
const active = new Set<Waiters>();

// What a command started has a session of its own and would live on.
process.on("exit", () => {
  for (const waiters of active) waiters.stop(FAREWELL);
});

/** The native hooks of a client that run. */
export class Waiters {
  readonly #running = new Map<number, (text: string) => void>();
  #tickets = 0;
  /** How many of the hooks a dispatch waits for, rather than nobody. */
  #awaited = 0;
  /** How many calls wait for the hooks for which no dispatch waits. */
  #draining = 0;
  /** Keeps the process alive while somebody waits: the mailbox itself does not. */
  #alive: NodeJS.Timeout | null = null;
  /** The client's native side while hooks run; not kept beyond, because that keeps the mailbox, which keeps this. */
  #native: NativeHooks | null = null;

  /** Takes in what a hook said. */
  readonly deliver = (ticket: number, text: string): void => {
    this.#running.get(ticket)?.(text);
  };

  /** Starts a hook and waits for it; the signal kills it. Of each that was started the mailbox gets one letter. */
  wait(
    native: NativeHooks,
    hook: Native,
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
      let job: NativeJob | null = null;
      let waits = true;
      const end = (): void => {
        if (!waits) return;
        waits = false;
        signal.removeEventListener("abort", kill);
        if (!detached) this.#awaited--;
      };
      const kill = (): void => {
        end();
        // It runs until it has been killed, which the end of the process waits for.
        this.#see();
        job?.cancel();
        reject(signal.reason as Error);
      };
      this.#running.set(ticket, (text) => {
        end();
        this.#running.delete(ticket);
        this.#see();
        resolve(text);
      });
      this.#native = native;
      if (!detached) this.#awaited++;
      this.#see();
      signal.addEventListener("abort", kill, { once: true });
      try {
        const { parent, state } = traceContext();
        job = fit(() => crossing(() => hook.start(event, depth, ticket, parent, state)));
      } catch (error) {
        end();
        this.#running.delete(ticket);
        this.#see();
        reject(error);
      }
    });
  }

  /** While somebody waits for hooks for which no dispatch waits, they keep the process alive too. */
  hold(on: boolean): void {
    this.#draining += on ? 1 : -1;
    this.#see();
  }

  /** Kills all that runs; waits so many milliseconds for the end of it. */
  stop(limit: number): void {
    this.#native?.stop(limit);
  }

  /** Sees to what hangs on whether hooks run, and on who waits for them. */
  #see(): void {
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

/** How the driver calls a hook that a file declares. */
export interface NativeHandler {
  readonly handler: (event: object, context: HookContext) => Promise<unknown>;
  /** What it means that its time is over; only of hooks whose time the driver keeps. */
  readonly late?: (event: object, depth: number) => unknown;
}

type Given = { readonly eventType: string } & EventMethods;

/** The handler of a hook that the core runs. */
export function nativeHandler(
  native: NativeHooks,
  hook: Native,
  detached: boolean,
  waiters: Waiters,
): NativeHandler {
  return {
    handler: async (event, context) => {
      const given = event as Given;
      const depth = depthNow();
      const text = fit(() => given.toJson());
      return open(
        given.eventType,
        await waiters.wait(native, hook, text, depth, { signal: context.signal, detached }),
      );
    },
  };
}

/** The handler of a hook that asks the host. */
export function hostedHandler(hook: Native, hosts: Hosts): NativeHandler {
  const { wantsTool } = hook;
  return {
    handler: async (event, context) => {
      const given = event as Given;
      const depth = depthNow();
      const text = fit(() => given.toJson());
      const answerer = (wantsTool ? hosts.toolCaller : hosts.judge) as
        ((question: object, context: HookContext) => unknown) | null;
      if (answerer === null) {
        return open(
          given.eventType,
          fit(() => crossing(() => hook.unanswered(text, depth))),
        );
      }
      const question = fit(() => crossing(() => hook.question(text, depth))) ?? "{}";
      let letter: string;
      try {
        const answer = await answerer(JSON.parse(question) as object, context);
        // What it says after its time must not count anywhere.
        if (context.signal.aborted) return undefined;
        letter = crossing(() => hook.answered(text, depth, jsonText(answer ?? null)));
      } catch (error) {
        const broken = crossing(() => hook.broken(text, depth, describe(error)));
        return open(given.eventType, broken, { cause: error });
      }
      return open(given.eventType, letter);
    },
    late: (event, depth) => {
      const given = event as Given;
      return open(
        given.eventType,
        crossing(() => hook.late(given.toJson(), depth)),
      );
    },
  };
}

/**
 * Does something that an event without a JSON form keeps from being done: that fails the hook and keeps a gate shut, since
 * whoever can choose the payload must not get past a guard by it.
 */
function fit<R>(act: () => R): R {
  try {
    return act();
  } catch (error) {
    // What a getter of the payload's throws is no error of ours, and keeps the event from the hook just the same.
    if (isOurs(error) && !UNFIT.has(codeOf(error) ?? "")) throw error;
    const why = `payload_not_json: the hook cannot be given the event as JSON: ${describe(error)}`;
    throw new Broken("not_started", why, true);
  }
}

/** Codes of errors that say that an event has no JSON form. */
const UNFIT: ReadonlySet<string> = new Set([
  "payload_not_json",
  "payload_too_deep",
  "payload_too_large",
]);

/** What a function of another system's means by a plain answer; what has no JSON form keeps a gate shut. */
export function answerOf(dialect: string, event: string, said: object): unknown {
  let text: string;
  try {
    text = jsonText(said);
  } catch (error) {
    const why = `the answer cannot be read as JSON: ${describe(error)}`;
    throw new Broken("invalid_answer", why, true);
  }
  return open(
    event,
    crossing(() => files.dialectAnswer(dialect, event, text)),
  );
}

/** What a letter holds: an answer, nothing, or a failure, which is thrown. */
function open(event: string, text: string, options?: ErrorOptions): unknown {
  const { answer, large, failed } = JSON.parse(text) as Letter;
  if (failed !== undefined) {
    throw new Broken(failed.kind, failed.message, failed.restricts, options);
  }
  restoreLarge(answer, large);
  const modified = answer?.["modified"];
  if (answer === undefined || typeof modified !== "object" || modified === null) return answer;
  return { ...answer, modified: localRecords(event, modified) };
}
