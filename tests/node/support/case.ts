/** A conformance vector, run against the package. */

import { setTimeout as sleep } from "node:timers/promises";

import {
  HookClient,
  HookweaveError,
  type CustomEventName,
  type HookInfo,
  type Judge,
  type LateAnswer,
  type Outcome,
  type TemporaryHook,
  type ToolCaller,
} from "hookweave";

import { outcomeMisfit } from "./outcome.js";
import { fill, Place } from "./place.js";
import {
  answerOf,
  camelKeys,
  canonicalView,
  lateHere,
  localFields,
  type Given,
} from "./spelling.js";
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
import { received, wireMisfit } from "./wire.js";

/** `native` is the style of cases with files; their callbacks are asynchronous. */
export type Style = "sync" | "async" | "native";

export interface Case {
  id: string;
  style?: Style;
  client?: JsonObject;
  events?: JsonObject[];
  tools?: JsonObject[];
  server?: JsonObject;
  files?: JsonObject[];
  load?: JsonObject[];
  lint?: JsonObject[];
  judge?: JsonObject;
  tool_caller?: JsonObject;
  listener?: JsonObject;
  hooks?: JsonObject[];
  dispatch?: JsonObject | JsonObject[];
  concurrent?: number;
  explain?: true;
  expect?: JsonObject | JsonObject[];
  not?: Record<string, string>;
}

type Run = (event: Given, context: { signal: AbortSignal }) => unknown;

/** Deeds that a handler can only do if it may wait. */
function mustWait(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(mustWait);
  if (!isObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => key === "hangs" || key === "dispatches" || mustWait(item),
  );
}

/** Whether a case can run with handlers of a style. */
export function canRun(test: Case, style: Style): boolean {
  const isNative = test.files !== undefined;
  if (isNative || style === "native") return isNative && style === "native";
  if (test.style !== undefined && test.style !== style) return false;
  const deeds = [test.hooks, test.dispatch] as unknown as Json[];
  return style === "async" || !mustWait(deeds);
}

/** One run of a case in one style. */
export class CaseRun {
  #test: Case;
  readonly #style: Style;
  #place: Place | null = null;
  #client!: HookClient;
  readonly #ids = new Map<string, string>();
  readonly #temporary: TemporaryHook[] = [];
  /** Names of the awaited handlers that have started. */
  #ran: string[] = [];
  readonly #runs = new Map<string, number>();
  /** What hooks still mean to do to the objects that they have answered with. */
  #later: (() => void)[] = [];
  readonly #misfits: string[] = [];
  /** What the listener to late answers heard since the last look. */
  #late: LateAnswer[] = [];
  #hasDetached = false;

  constructor(test: Case, style: Style) {
    this.#test = test;
    this.#style = style;
  }

  /** Throws what does not fit. */
  async run(): Promise<void> {
    if (this.#style !== "native") return this.#run();
    const place = new Place();
    this.#place = place;
    this.#hasDetached = true;
    try {
      if (this.#test.server !== undefined) await place.serve(this.#test.server);
      this.#test = fill(this.#test, place.places);
      for (const file of this.#test.files ?? []) place.write(file);
      await this.#run();
      await this.#client.close();
    } finally {
      place.close();
    }
  }

  async #run(): Promise<void> {
    const test = this.#test;
    const { error, ...options } = test.client ?? {};
    const refused = this.#expectError(error, () => {
      const { default_timeout_ms: timeout, ...rest } = options;
      const settings = camelKeys(rest);
      if (timeout !== undefined) settings["defaultTimeout"] = timeout;
      if (this.#place !== null) settings["projectDir"] = this.#place.project;
      this.#client = new HookClient({ ...settings, logger: null });
    });
    if (refused) return;
    for (const { error, name, ...definition } of test.events ?? []) {
      this.#expectError(error, () => {
        this.#client.defineEvent(name as string, camelKeys(definition));
      });
    }
    for (const { error, name, ...definition } of test.tools ?? []) {
      this.#expectError(error, () => {
        this.#client.defineTool(name as string, camelKeys(definition));
      });
    }
    this.#host();
    this.#loadAfter(undefined);
    for (const entry of test.lint ?? []) this.#lint(entry);
    for (const hook of test.hooks ?? []) {
      this.#registerExpecting(hook);
      this.#loadAfter(hook["name"] as string | undefined);
    }
    await this.#dispatches();
    if (this.#misfits.length > 0) throw new Error(this.#misfits.join("\n"));
  }

  /** Sets who answers for the host, and who hears late answers, as the case says. */
  #host(): void {
    const { judge, tool_caller: caller, listener } = this.#test;
    // Nobody waits for their start: they are no hooks, so they count in `runs` and not in `ran`.
    const answerer = (name: string, { does, sees }: JsonObject): Run =>
      this.#handler({ name, detached: true }, does, sees);
    if (judge !== undefined) this.#client.setJudge(answerer("judge", judge) as unknown as Judge);
    if (caller !== undefined) {
      this.#client.setToolCaller(answerer("tool_caller", caller) as unknown as ToolCaller);
    }
    if (listener === undefined) return;
    this.#client.onLateAnswer((answer) => {
      this.#late.push(answer);
      if (listener["raises"] !== undefined) throw new Error(listener["raises"] as string);
    });
  }

  #lint(entry: JsonObject): void {
    const place = this.#place;
    if (place === null) throw new Error("a case with files needs a place");
    this.#expectError(entry["error"], () => {
      this.#misfits.push(...place.lintMisfits(this.#client, entry));
    });
  }

  /** Loads the files that come behind a hook, or before all. */
  #loadAfter(name: string | undefined): void {
    for (const entry of this.#test.load ?? []) if (entry["after"] === name) this.#load(entry);
  }

  #load(entry: JsonObject): void {
    const place = this.#place;
    if (place === null) throw new Error("a case with files needs a place");
    this.#expectError(entry["error"], () => {
      const report = place.load(this.#client, entry);
      if (entry["error"] === undefined) this.#misfits.push(...place.reportMisfits(entry, report));
    });
  }

  async #dispatches(): Promise<void> {
    const { dispatch, expect, concurrent, explain } = this.#test;
    if (dispatch === undefined || expect === undefined) return;
    const dispatches = [dispatch].flat();
    const expects = [expect].flat();
    if (concurrent !== undefined) {
      await this.#concurrently(dispatches[0] as JsonObject, expects, concurrent);
      return;
    }
    for (const [index, one] of dispatches.entries()) {
      const expected = expects[index];
      if (expected === undefined) throw new Error(`no expectation for dispatch ${String(index)}`);
      for (const step of (one["before"] ?? []) as JsonObject[]) {
        if (!(await this.#placeStep(step))) this.#step(step);
      }
      this.#ran = [];
      if (explain === true) this.#explain(one, expected);
      else await this.#one(one, expected, `dispatch ${String(index)}`);
      if (index === 0) for (const hook of this.#temporary.splice(0)) hook.remove();
    }
  }

  async #start(one: JsonObject, signal?: AbortSignal): Promise<Outcome> {
    const sent = one["from_wire"] as JsonObject | undefined;
    const event = sent === undefined ? null : received(sent);
    const name = (event?.name ?? one["event"]) as CustomEventName;
    const payload =
      event?.payload ?? this.#placed(localFields(name, one["payload"]) as Record<string, unknown>);
    return this.#client.dispatch(name, payload, signal === undefined ? {} : { signal });
  }

  /** A payload with the case's place as its working directory, unless it has another. */
  #placed(payload: Record<string, unknown>): Record<string, unknown> {
    if (this.#place === null || "cwd" in payload) return payload;
    return { ...payload, cwd: this.#place.project };
  }

  async #one(one: JsonObject, expected: JsonObject, place: string): Promise<void> {
    const controller = new AbortController();
    const reason = new Error("cancelled by the runner");
    if (one["cancel_after_ms"] !== undefined) {
      setTimeout(() => {
        controller.abort(reason);
      }, one["cancel_after_ms"] as number);
    }
    let outcome: Outcome | null = null;
    try {
      outcome = await this.#start(one, controller.signal);
    } catch (thrown) {
      if (expected["cancelled"] === true && thrown === reason) {
        await this.#compareState(expected, place);
        return;
      }
      if (expected["error"] === undefined) throw thrown;
      this.#compareError(expected["error"] as JsonObject, thrown, place);
    }
    if (outcome !== null) {
      if (expected["error"] !== undefined || expected["cancelled"] === true) {
        this.#misfits.push(`${place}: expected a rejection, got ${show(outcome)}`);
      }
      this.#muddle();
      const why = outcomeMisfit(expected, outcome, place);
      if (why !== null) this.#misfits.push(`${why}; trace: ${show(outcome.toJSON().trace)}`);
      this.#compareWire(expected["to_wire"] as JsonObject | undefined, outcome, place);
    }
    await this.#compareState(expected, place);
  }

  #compareWire(wanted: JsonObject | undefined, outcome: Outcome, place: string): void {
    if (wanted === undefined) return;
    this.#expectError(wanted["error"], () => {
      const why = wireMisfit(wanted, outcome, `${place}.to_wire`);
      if (why !== null) this.#misfits.push(why);
    });
  }

  async #concurrently(one: JsonObject, expects: JsonObject[], count: number): Promise<void> {
    const outcomes = await Promise.all(Array.from({ length: count }, () => this.#start(one)));
    this.#muddle();
    const left = new Set(outcomes);
    for (const [index, expected] of expects.entries()) {
      const fits = [...left].find((outcome) => outcomeMisfit(expected, outcome, "") === null);
      if (fits === undefined) {
        const got = [...left].map((outcome) => outcomeMisfit(expected, outcome, "outcome"));
        this.#misfits.push(`no outcome fits expectation ${String(index)}: ${got.join("; ")}`);
      } else {
        left.delete(fits);
      }
      await this.#compareState(expected, `expectation ${String(index)}`);
    }
  }

  #explain(one: JsonObject, expected: JsonObject): void {
    const event = one["event"] as CustomEventName;
    const payload = this.#placed(localFields(event, one["payload"]) as Record<string, unknown>);
    const place = "explain";
    const refused = this.#expectError(expected["error"], () => {
      const { hooks } = this.#client.explain(event, payload);
      const patterns = (expected["explain"] as JsonObject[]).map(
        ({ why_contains: why, ...rest }) => ({
          ...rest,
          ...(why === undefined ? {} : { why: { $contains: why } }),
        }),
      );
      const bad = misfit(patterns, hooks, place);
      if (bad !== null) this.#misfits.push(bad);
    });
    if (!refused && this.#ran.length > 0) this.#misfits.push("explain ran a handler");
    if (this.#place !== null) this.#misfits.push(...this.#place.misfits(expected, place));
  }

  /** Compares what is to be seen beside the outcome. */
  async #compareState(expected: JsonObject, place: string): Promise<void> {
    if (this.#hasDetached) await this.#client.drain(5000);
    const note = (why: string | null): void => {
      if (why !== null) this.#misfits.push(why);
    };
    if (this.#place !== null) this.#misfits.push(...this.#place.misfits(expected, place));
    const late = this.#late.splice(0).sort((a, b) => (a.hook < b.hook ? -1 : 1));
    if (expected["late"] !== undefined)
      note(misfit(lateHere(expected["late"]), late, `${place}.late`));
    if (expected["ran"] !== undefined) note(misfit(expected["ran"], this.#ran, `${place}.ran`));
    if (expected["runs"] !== undefined) {
      const runs = Object.fromEntries(
        Object.keys(expected["runs"] as JsonObject).map((name) => [
          name,
          this.#runs.get(name) ?? 0,
        ]),
      );
      note(misfit(expected["runs"], runs, `${place}.runs`));
    }
    if (expected["hooks_left"] !== undefined) {
      const names = this.#client.listHooks().map(({ name }) => name);
      const left = [...(expected["hooks_left"] as string[])].sort();
      note(misfit(left, names.sort(), `${place}.hooks_left`));
    }
  }

  /** Does an action that may have to be refused; says whether it was. */
  #expectError(error: Json | undefined, action: () => void): boolean {
    try {
      action();
    } catch (thrown) {
      if (error === undefined) throw thrown;
      this.#compareError(error as JsonObject, thrown, "refusal");
      return true;
    }
    if (error !== undefined)
      this.#misfits.push(`expected the error ${show(error)}, but nothing was refused`);
    return false;
  }

  #compareError(expected: JsonObject, thrown: unknown, place: string): void {
    if (!(thrown instanceof HookweaveError)) throw thrown;
    const got = { code: thrown.code, message: thrown.message };
    const contains = expected["contains"];
    const pattern: JsonObject = { code: expected["code"] as Json };
    if (contains !== undefined) pattern["message"] = { $contains: contains };
    const why = misfit(pattern, got, place);
    if (why !== null) this.#misfits.push(why);
  }

  #registerExpecting(hook: JsonObject): void {
    const { error, ...rest } = hook;
    const repeat = (rest["repeat"] ?? 0) as number;
    if (repeat === 0) {
      this.#expectError(error, () => {
        this.#register(rest);
      });
      return;
    }
    for (let index = 1; index <= repeat; index++) {
      this.#register({
        ...rest,
        name: `${String(rest["name"])}-${String(index)}`,
      });
    }
  }

  #register(hook: JsonObject): void {
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
      handler: this.#handler(key, does, sees),
      ...(name === undefined ? {} : { name: name as string }),
      ...(matcher === undefined ? {} : { matcher: camelKeys(matcher as JsonObject) }),
      config: settings,
    };
    const place = event as CustomEventName;
    let id: string;
    if (temporary === true) {
      const hook = this.#client.temporaryHook(place, definition as never);
      this.#temporary.push(hook);
      id = hook.id;
    } else {
      id = this.#client.registerHook(place, definition as never);
    }
    if (key.name === "") key.name = id;
    const isThis = (hook: HookInfo): boolean => hook.id === id && hook.detached;
    // A profile may detach a hook that does not say so.
    const profiled = this.#test.client?.["profile"] !== undefined;
    key.detached = profiled ? this.#client.listHooks().some(isThis) : config["detached"] === true;
    if (key.detached) this.#hasDetached = true;
    this.#ids.set(key.name, id);
  }

  #idOf(name: Json | undefined): string {
    return this.#ids.get(name as string) ?? (name as string);
  }

  #handler(
    key: { name: string; detached: boolean },
    does: Json | undefined,
    sees: Json | undefined,
  ): Run {
    const deeds = (Array.isArray(does) ? does : [does ?? {}]) as JsonObject[];
    const begin = (event: Given): JsonObject => {
      this.#muddle();
      const run = this.#runs.get(key.name) ?? 0;
      this.#runs.set(key.name, run + 1);
      if (!key.detached) this.#ran.push(key.name);
      const pattern = (sees as Json[] | undefined)?.[run];
      if (pattern !== undefined) {
        const why = misfit(pattern, canonicalView(event), `${key.name} sees`);
        if (why !== null) this.#misfits.push(why);
      }
      return deeds[Math.min(run, deeds.length - 1)] ?? {};
    };
    if (this.#style === "sync") return (event) => this.#doNow(begin(event), event);
    return async (event, { signal }) => this.#do(begin(event), event, signal);
  }

  /** Mutates what was answered earlier: the engine must have taken its copy. */
  #muddle(): void {
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
      const { decision } = await this.#start(deed["dispatches"] as JsonObject);
      if (deed["then"] === undefined) return { reason: decision };
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
        if (!text.includes(part)) this.#misfits.push(`the event's JSON lacks ${part}: ${text}`);
      }
    }
    if (deed["registers"] !== undefined) this.#registerExpecting(deed["registers"] as JsonObject);
    if (deed["unregisters"] !== undefined)
      this.#client.unregisterHook(this.#idOf(deed["unregisters"]));
    if (deed["enables"] !== undefined) this.#client.enableHook(this.#idOf(deed["enables"]));
    if (deed["disables"] !== undefined) this.#client.disableHook(this.#idOf(deed["disables"]));
  }

  /** Takes a step that needs the place; says whether it was one. */
  async #placeStep(step: JsonObject): Promise<boolean> {
    const place = this.#place;
    if (place === null) return false;
    const [[deed, value] = []] = Object.entries(step);
    if (deed === "write") place.write(value as JsonObject);
    else if (deed === "remove") place.remove(value as string);
    else if (deed === "wait_ms") await sleep(value as number);
    else if (deed === "load") this.#load(value as JsonObject);
    else if (deed === "approve") place.approve(this.#client, value as JsonObject);
    else if (deed === "reload") {
      const report = await this.#client.reload();
      this.#misfits.push(...place.reportMisfits(value as JsonObject, report));
    } else return false;
    return true;
  }

  #step(step: JsonObject): void {
    this.#expectError(step["error"], () => {
      if (step["register"] !== undefined) this.#register(step["register"] as JsonObject);
      if (step["unregister"] !== undefined) {
        const removed = this.#client.unregisterHook(this.#idOf(step["unregister"]));
        if (step["returns"] !== undefined && removed !== step["returns"]) {
          this.#misfits.push(`unregister ${show(step["unregister"])} gave ${String(removed)}`);
        }
      }
      if (step["enable"] !== undefined) this.#client.enableHook(this.#idOf(step["enable"]));
      if (step["disable"] !== undefined) this.#client.disableHook(this.#idOf(step["disable"]));
      if (step["client_enabled"] !== undefined)
        this.#client.enabled = step["client_enabled"] as boolean;
    });
  }
}
