/** The hooks of a case: what they do, what they are given, and which of them ran. */

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import {
  HookweaveError,
  type CustomEventName,
  type HookClient,
  type HookDefinition,
  type HookInfo,
  type Outcome,
  type TemporaryHook,
} from "hookweave";

import { answerOf, camelKeys, canonicalView, type Given } from "./spelling.js";
import {
  camel,
  decode,
  isObject,
  misfit,
  setPath,
  show,
  type Json,
  type JsonObject,
} from "./values.js";

/** `file-hooks` is the style of cases with files; their callbacks are asynchronous. */
export type Style = "sync" | "async" | "file-hooks";

export type Run = (event: Given, context: { signal: AbortSignal }) => unknown;

/** What the engine fills in where a payload lacks it. */
const FILLED_IN = ["session_id", "timestamp", "tool_use_id", "cwd", "metadata"] as const;

/** Where the ways to look at an event show different values of what the engine fills in. */
function disagreements(event: Given): string[] {
  const text = JSON.parse(event.toJson()) as Record<string, unknown>;
  const whole = { ...event } as Record<string, unknown>;
  const faults: string[] = [];
  for (const name of FILLED_IN) {
    // A field that the event's kind does not have keeps the name that the host gave it.
    const field = name in event ? name : camel(name);
    for (const [way, shown] of [
      ["copied", whole[field]],
      ["as JSON", text[name]],
    ] as const) {
      if (!isDeepStrictEqual(shown, event[field]))
        faults.push(`${name} is ${show(event[field])}, and ${show(shown)} ${way}`);
    }
  }
  return faults;
}

/** Registers a hook for a while. */
type Temporarily = (event: CustomEventName, hook: HookDefinition<CustomEventName>) => TemporaryHook;

/** Deeds that a handler can only do if it may wait. */
export function mustWait(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(mustWait);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => key === "hangs" || key === "dispatches" || mustWait(item),
  );
}

/** The hooks of one run of a case. */
export class CaseHooks {
  client!: HookClient;
  readonly temporary: TemporaryHook[] = [];
  /** Names of the awaited handlers that have started. */
  ran: string[] = [];
  readonly runs = new Map<string, number>();
  readonly misfits: string[] = [];
  hasDetached = false;
  readonly #ids = new Map<string, string>();
  /** What hooks still mean to do to the objects that they have answered with. */
  #later: (() => void)[] = [];

  constructor(
    readonly style: Style,
    /** A profile may detach a hook that does not say so. */
    readonly profiled: boolean,
    /** Raises what a hook raises. */
    readonly dispatch: (dispatch: JsonObject) => Promise<Outcome>,
  ) {}

  /** Does an action that may have to be refused; says whether it was. */
  expectError(error: Json | undefined, action: () => void): boolean {
    try {
      action();
    } catch (thrown) {
      if (error === undefined) throw thrown;
      this.compareError(error as JsonObject, thrown, "refusal");
      return true;
    }
    if (error !== undefined)
      this.misfits.push(`expected the error ${show(error)}, but nothing was refused`);
    return false;
  }

  /** Notes what does not fit in an error; throws one that is none of the package's. */
  compareError(expected: JsonObject, thrown: unknown, place: string): void {
    if (!(thrown instanceof HookweaveError)) throw thrown;
    const got = { code: thrown.code, message: thrown.message };
    const contains = expected["contains"];
    const pattern: JsonObject = { code: expected["code"] as Json };
    if (contains !== undefined) pattern["message"] = { $contains: contains };
    const why = misfit(pattern, got, place);
    if (why !== null) this.misfits.push(why);
  }

  /** Registers a hook that may have to be refused. */
  registerExpecting(hook: JsonObject): void {
    const { error, ...rest } = hook;
    const repeat = (rest["repeat"] ?? 0) as number;
    if (repeat === 0) {
      this.expectError(error, () => {
        this.register(rest);
      });
      return;
    }
    for (let index = 1; index <= repeat; index++) {
      this.register({
        ...rest,
        name: `${String(rest["name"])}-${String(index)}`,
      });
    }
  }

  /** Registers a hook, by default through the client. */
  register(hook: JsonObject, temporarily?: Temporarily): void {
    if (hook["guard"] !== undefined) {
      const { rule, reason, ...options } = hook["guard"] as {
        rule: string;
        reason: string;
      };
      this.client.guard(rule, reason, options);
      return;
    }
    if (hook["ask_before"] !== undefined) {
      const { rule, prompt, ...options } = hook["ask_before"] as {
        rule: string;
        prompt?: string;
      };
      this.client.askBefore(rule, prompt, options);
      return;
    }
    if (hook["ready_made"] !== undefined) {
      registerReadyMade(this.client, hook["ready_made"] as JsonObject);
      return;
    }
    const {
      name,
      event,
      matcher,
      timeout_ms: timeout,
      does,
      sees,
      temporary,
      repeat,
      ...config
    } = hook;
    void repeat;
    const settings = camelKeys(config);
    if (timeout !== undefined) settings["timeout"] = timeout;
    const key = { name: typeof name === "string" ? name : "", detached: false };
    const definition = {
      handler: this.handler(key, does, sees),
      ...(name === undefined ? {} : { name: name as string }),
      ...(matcher === undefined ? {} : { matcher: camelKeys(matcher as JsonObject) }),
      config: settings,
    };
    const place = event as CustomEventName;
    let id: string;
    if (temporary === true || temporarily !== undefined) {
      const register: Temporarily =
        temporarily ?? ((place, hook) => this.client.temporaryHook(place, hook));
      const hook = register(place, definition as never);
      this.temporary.push(hook);
      id = hook.id;
    } else {
      id = this.client.registerHook(place, definition as never);
    }
    if (key.name === "") key.name = id;
    const isThis = (hook: HookInfo): boolean => hook.id === id && hook.detached;
    key.detached = this.profiled
      ? this.client.listHooks().some(isThis)
      : config["detached"] === true;
    if (key.detached) this.hasDetached = true;
    this.#ids.set(key.name, id);
  }

  /** A hook's id by its name. */
  idOf(name: Json | undefined): string {
    return this.#ids.get(name as string) ?? (name as string);
  }

  /** What runs when the event comes. */
  handler(
    key: { name: string; detached: boolean },
    does: Json | undefined,
    sees: Json | undefined,
  ): Run {
    const deeds = (Array.isArray(does) ? does : [does ?? {}]) as JsonObject[];
    const begin = (event: Given): JsonObject => {
      this.muddle();
      const run = this.runs.get(key.name) ?? 0;
      this.runs.set(key.name, run + 1);
      if (!key.detached) this.ran.push(key.name);
      const pattern = (sees as Json[] | undefined)?.[run];
      if (pattern !== undefined) {
        const why = misfit(pattern, canonicalView(event), `${key.name} sees`);
        if (why !== null) this.misfits.push(why);
        if (FILLED_IN.some((name) => isObject(pattern) && name in pattern))
          this.misfits.push(...disagreements(event).map((fault) => `${key.name}: ${fault}`));
      }
      return deeds[Math.min(run, deeds.length - 1)] ?? {};
    };
    if (this.style === "sync") return (event) => this.#doNow(begin(event), event);
    return async (event, { signal }) => this.#do(begin(event), event, signal);
  }

  /** Mutates what was answered earlier: the engine must have taken its copy. */
  muddle(): void {
    for (const mutate of this.#later.splice(0)) mutate();
  }

  /** Does what an asynchronous handler does, and gives its answer. */
  async #do(deed: JsonObject, event: Given, signal: AbortSignal): Promise<unknown> {
    if (deed["hangs"] === true) {
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(signal.reason as Error);
        });
      });
    }
    if (deed["sleep_ms"] !== undefined) {
      await sleep(deed["sleep_ms"] as number);
    } else if (deed["dispatches"] !== undefined) {
      const { decision } = await this.dispatch(deed["dispatches"] as JsonObject);
      if (deed["then"] === undefined) return { action: "continue", reason: decision };
    } else {
      return this.#doNow(deed, event, (then) => this.#do(then, event, signal));
    }
    return this.#do((deed["then"] ?? {}) as JsonObject, event, signal);
  }

  /** Does what needs no waiting. */
  #doNow(
    deed: JsonObject,
    event: Given,
    on = (then: JsonObject): unknown => this.#doNow(then, event),
  ): unknown {
    if (deed["answer"] !== undefined) return answerOf(event, deed["answer"] as JsonObject);
    if ("returns" in deed) return decode(deed["returns"]);
    if (deed["raises"] !== undefined) throw new Error(deed["raises"] as string);
    if (deed["keeps_and_mutates"] !== undefined) {
      const { later, ...canonical } = deed["keeps_and_mutates"] as JsonObject;
      const answer = answerOf(event, canonical);
      for (const [path, value] of Object.entries(later as JsonObject)) {
        this.#later.push(() => {
          setPath(answer["modified"], path, decode(value));
        });
      }
      return answer;
    }
    if (deed["sleep_ms"] !== undefined) {
      // A handler that does not return holds the thread.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, deed["sleep_ms"] as number);
    }
    this.#deed(deed, event);
    const then = deed["then"] as JsonObject | undefined;
    return then === undefined ? undefined : on(then);
  }

  #deed(deed: JsonObject, event: Given): void {
    for (const [path, value] of Object.entries((deed["mutates"] ?? {}) as JsonObject)) {
      try {
        const [top = "", ...rest] = path.split(".");
        setPath(event, [camel(top), ...rest].join("."), decode(value));
      } catch {
        // The attempt may be refused; what counts is what others see.
      }
    }
    if (deed["reads_json"] !== undefined) {
      const text = event.toJson();
      for (const part of deed["reads_json"] === true ? [] : (deed["reads_json"] as string[])) {
        if (!text.includes(part)) this.misfits.push(`the event's JSON lacks ${part}: ${text}`);
      }
    }
    for (const [name, wanted] of Object.entries((deed["reads_call"] ?? {}) as JsonObject)) {
      const read = event[name];
      if (!isDeepStrictEqual(read, wanted))
        this.misfits.push(`${name} of the event is ${show(read)}, expected ${show(wanted)}`);
    }
    if (deed["registers"] !== undefined) this.registerExpecting(deed["registers"] as JsonObject);
    if (deed["unregisters"] !== undefined)
      this.client.unregisterHook(this.idOf(deed["unregisters"]));
    if (deed["enables"] !== undefined) this.client.enableHook(this.idOf(deed["enables"]));
    if (deed["disables"] !== undefined) this.client.disableHook(this.idOf(deed["disables"]));
  }
}

/** Registers a ready-made hook. */
function registerReadyMade(client: HookClient, ready: JsonObject): void {
  const { use, paths, tool, ...options } = ready;
  if (use === "policies") {
    const { names, ...rest } = options;
    client.use(...(names as string[]), rest);
  } else if (use === "redact-secrets") client.redactSecrets(options);
  else if (use === "protect-paths") client.protectPaths(paths as string[], options);
  else client.limitCalls(tool as string, options as { max: number });
}
