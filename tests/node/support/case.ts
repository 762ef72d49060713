/** A conformance vector, run against the package. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import {
  HookClient,
  type CustomEventName,
  type Explanation,
  type Judge,
  type LateAnswer,
  type Outcome,
  type ToolCaller,
} from "hookweave";

import { outcomeMisfit } from "./outcome.js";
import { fill, CaseDirectory } from "./case-directory.js";
import { keepLog } from "./case-log.js";
import { camelKeys, lateHere, localFields } from "./spelling.js";
import { mustWait, CaseHooks, type Run, type Style } from "./case-hooks.js";
import { PATIENCE } from "./tools.js";
import { misfit, show, type Json, type JsonObject } from "./values.js";
import { received, wireMisfit } from "./wire.js";

export type { Style } from "./case-hooks.js";

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
  audit?: Json;
  hooks?: JsonObject[];
  dispatch?: JsonObject | JsonObject[];
  concurrent?: number;
  explain?: true;
  expect?: JsonObject | JsonObject[];
  not?: Record<string, string>;
}

/** Whether a case can run with handlers of a style. */
export function canRun(test: Case, style: Style): boolean {
  const hasFileHooks = test.files !== undefined;
  if (hasFileHooks || style === "file-hooks") return hasFileHooks && style === "file-hooks";
  if (test.style !== undefined && test.style !== style) return false;
  const deeds = [test.hooks, test.dispatch] as unknown as Json[];
  return style === "async" || !mustWait(deeds);
}

/** One run of a case in one style. */
export class CaseRun {
  #test: Case;
  readonly #style: Style;
  #place: CaseDirectory | null = null;
  /** What the listener to late answers heard since the last look. */
  #late: LateAnswer[] = [];
  /** What was recorded since the last look. */
  /** What was recorded since the last look, without what differs from run to run. */
  #takeRecords: () => object[] = () => [];
  readonly #hooks: CaseHooks;

  constructor(test: Case, style: Style) {
    this.#test = test;
    this.#style = style;
    const profiled = test.client?.["profile"] !== undefined;
    this.#hooks = new CaseHooks(style, profiled, (dispatch) => this.#start(dispatch));
  }

  /** Throws what does not fit. */
  async run(): Promise<void> {
    if (this.#style !== "file-hooks") return this.#run();
    const place = new CaseDirectory();
    this.#place = place;
    this.#hooks.hasDetached = true;
    try {
      if (this.#test.server !== undefined) await place.serve(this.#test.server);
      this.#test = fill(this.#test, place.places);
      for (const file of this.#test.files ?? []) place.write(file);
      await this.#run();
      await this.#hooks.client.close();
    } finally {
      place.close();
    }
  }

  async #run(): Promise<void> {
    const test = this.#test;
    const { error, ...options } = test.client ?? {};
    const refused = this.#hooks.expectError(error, () => {
      const { default_timeout_ms: timeout, ...rest } = options;
      const settings = camelKeys(rest);
      // A profile has a default of its own; other cases are about time where they say so.
      if (timeout !== undefined || rest["profile"] === undefined)
        settings["defaultTimeout"] = timeout ?? null;
      if (this.#place !== null) settings["projectDir"] = this.#place.project;
      this.#hooks.client = new HookClient({ ...settings, logger: null });
    });
    if (refused) return;
    for (const { error, ...definition } of test.events ?? []) {
      this.#hooks.expectError(error, () => {
        this.#defineEvent(definition);
      });
    }
    for (const { error, ...definition } of test.tools ?? []) {
      this.#hooks.expectError(error, () => {
        this.#defineTool(definition);
      });
    }
    this.#host();
    this.#loadAfter(undefined);
    for (const entry of test.lint ?? []) this.#lint(entry);
    for (const hook of test.hooks ?? []) {
      this.#hooks.registerExpecting(hook);
      this.#loadAfter(hook["name"] as string | undefined);
    }
    this.#takeRecords();
    await this.#dispatches();
    if (this.#hooks.misfits.length > 0) throw new Error(this.#hooks.misfits.join("\n"));
  }

  /** Sets who answers for the host, and who hears late answers, as the case says. */
  #host(): void {
    const { judge, tool_caller: caller, listener } = this.#test;
    // Their start is not awaited: they are no hooks, so they count in `runs` and not in `ran`.
    const answerer = (name: string, { does, sees }: JsonObject): Run =>
      this.#hooks.handler({ name, detached: true }, does, sees);
    if (judge !== undefined)
      this.#hooks.client.setJudge(answerer("judge", judge) as unknown as Judge);
    if (caller !== undefined) {
      this.#hooks.client.setToolCaller(answerer("tool_caller", caller) as unknown as ToolCaller);
    }
    if (this.#test.audit !== undefined) {
      this.#takeRecords = keepLog(this.#hooks.client, this.#test.audit);
    }
    if (listener === undefined) return;
    this.#hooks.client.onLateAnswer((answer) => {
      this.#late.push(answer);
      if (listener["raises"] !== undefined) throw new Error(listener["raises"] as string);
    });
  }

  #lint(entry: JsonObject): void {
    const place = this.#place;
    if (place === null) throw new Error("a case with files needs a place");
    this.#hooks.expectError(entry["error"], () => {
      this.#hooks.misfits.push(...place.lintMisfits(this.#hooks.client, entry));
    });
  }

  /** Loads the files that come behind a hook, or before all. */
  #loadAfter(name: string | undefined): void {
    for (const entry of this.#test.load ?? []) if (entry["after"] === name) this.#load(entry);
  }

  #load(entry: JsonObject): void {
    const place = this.#place;
    if (place === null) throw new Error("a case with files needs a place");
    this.#hooks.expectError(entry["error"], () => {
      const report = place.load(this.#hooks.client, entry);
      if (entry["error"] === undefined)
        this.#hooks.misfits.push(...place.reportMisfits(entry, report));
    });
  }

  #defineEvent({ name, ...definition }: JsonObject): void {
    this.#hooks.client.defineEvent(name as string, camelKeys(definition));
  }

  #defineTool({ name, ...definition }: JsonObject): void {
    this.#hooks.client.defineTool(name as string, camelKeys(definition));
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
    for (const [index, dispatch] of dispatches.entries()) {
      const expected = expects[index];
      if (expected === undefined) throw new Error(`no expectation for dispatch ${String(index)}`);
      for (const step of (dispatch["before"] ?? []) as JsonObject[]) {
        if (step["dispatches"] !== undefined) await this.#many(step["dispatches"] as JsonObject);
        else if (step["close"] !== undefined) await this.#hooks.client.close();
        else if (!(await this.#placeStep(step))) this.#step(step);
      }
      this.#hooks.ran = [];
      if (explain === true) this.#explain(dispatch, expected);
      else await this.#dispatch(dispatch, expected, `dispatch ${String(index)}`);
      if (index === 0) for (const hook of this.#hooks.temporary.splice(0)) hook.remove();
    }
  }

  async #start(dispatch: JsonObject, signal?: AbortSignal): Promise<Outcome> {
    const sent = dispatch["from_wire"] as JsonObject | undefined;
    const event = sent === undefined ? null : received(sent);
    const name = (event?.name ?? dispatch["event"]) as CustomEventName;
    const payload =
      event?.payload ??
      this.#placed(localFields(name, dispatch["payload"]) as Record<string, unknown>);
    return this.#hooks.client.dispatch(name, payload, signal === undefined ? {} : { signal });
  }

  /** Unchecked dispatches, in sequence or concurrently. */
  async #many({ times, together, ...dispatch }: JsonObject): Promise<void> {
    const all = Array.from({ length: times as number }, () => () => this.#start(dispatch));
    if (together === true) await Promise.all(all.map((start) => start()));
    else for (const start of all) await start();
  }

  /** A payload with the case's place as its working directory, unless it has another. */
  #placed(payload: Record<string, unknown>): Record<string, unknown> {
    if (this.#place === null || "cwd" in payload) return payload;
    return { ...payload, cwd: this.#place.project };
  }

  async #dispatch(dispatch: JsonObject, expected: JsonObject, place: string): Promise<void> {
    const controller = new AbortController();
    const reason = new Error("cancelled by the runner");
    if (dispatch["cancel_after_ms"] !== undefined) {
      setTimeout(() => {
        controller.abort(reason);
      }, dispatch["cancel_after_ms"] as number);
    }
    const file = dispatch["cancel_when"] as string | undefined;
    const looks = setInterval(() => {
      if (file !== undefined && existsSync(join(this.#place?.project ?? "", file)))
        controller.abort(reason);
    }, 1);
    if (file === undefined) clearInterval(looks);
    let outcome: Outcome | null = null;
    try {
      outcome = await this.#start(dispatch, controller.signal);
    } catch (thrown) {
      if (expected["cancelled"] === true && thrown === reason) {
        await this.#compareState(expected, place);
        return;
      }
      if (expected["error"] === undefined) throw thrown;
      this.#hooks.compareError(expected["error"] as JsonObject, thrown, place);
    } finally {
      clearInterval(looks);
    }
    if (outcome !== null) {
      if (expected["error"] !== undefined || expected["cancelled"] === true) {
        this.#hooks.misfits.push(`${place}: expected a rejection, got ${show(outcome)}`);
      }
      this.#hooks.muddle();
      const why = outcomeMisfit(expected, outcome, place);
      if (why !== null) this.#hooks.misfits.push(`${why}; trace: ${show(outcome.toJSON().trace)}`);
      this.#compareWire(expected["to_wire"] as JsonObject | undefined, outcome, place);
    }
    await this.#compareState(expected, place);
  }

  #compareWire(wanted: JsonObject | undefined, outcome: Outcome, place: string): void {
    if (wanted === undefined) return;
    this.#hooks.expectError(wanted["error"], () => {
      const why = wireMisfit(wanted, outcome, `${place}.to_wire`);
      if (why !== null) this.#hooks.misfits.push(why);
    });
  }

  async #concurrently(dispatch: JsonObject, expects: JsonObject[], count: number): Promise<void> {
    const outcomes = await Promise.all(Array.from({ length: count }, () => this.#start(dispatch)));
    this.#hooks.muddle();
    const left = new Set(outcomes);
    for (const [index, expected] of expects.entries()) {
      const fits = [...left].find((outcome) => outcomeMisfit(expected, outcome, "") === null);
      if (fits === undefined) {
        const got = [...left].map((outcome) => outcomeMisfit(expected, outcome, "outcome"));
        this.#hooks.misfits.push(`no outcome fits expectation ${String(index)}: ${got.join("; ")}`);
      } else {
        left.delete(fits);
      }
      await this.#compareState(expected, `expectation ${String(index)}`);
    }
  }

  #explained(dispatch: JsonObject): Explanation {
    const event = dispatch["event"] as CustomEventName;
    const payload = this.#placed(
      localFields(event, dispatch["payload"]) as Record<string, unknown>,
    );
    return this.#hooks.client.explain(event, payload);
  }

  #explain(dispatch: JsonObject, expected: JsonObject): void {
    const place = "explain";
    const refused = this.#hooks.expectError(expected["error"], () => {
      const { hooks } = this.#explained(dispatch);
      const patterns = (expected["explain"] as JsonObject[]).map(
        ({ why_contains: why, ...rest }) => ({
          ...rest,
          ...(why === undefined ? {} : { why: { $contains: why } }),
        }),
      );
      const bad = misfit(patterns, hooks, place);
      if (bad !== null) this.#hooks.misfits.push(bad);
    });
    if (!refused && this.#hooks.ran.length > 0) this.#hooks.misfits.push("explain ran a handler");
    if (this.#place !== null) this.#hooks.misfits.push(...this.#place.misfits(expected, place));
  }

  /** Compares what is to be seen beside the outcome. */
  async #compareState(expected: JsonObject, place: string): Promise<void> {
    if (this.#hooks.hasDetached) await this.#hooks.client.drain(PATIENCE);
    const note = (why: string | null): void => {
      if (why !== null) this.#hooks.misfits.push(why);
    };
    if (this.#place !== null) this.#hooks.misfits.push(...this.#place.misfits(expected, place));
    const late = this.#late.splice(0).sort((a, b) => (a.hook < b.hook ? -1 : 1));
    if (expected["late"] !== undefined)
      note(misfit(lateHere(expected["late"]), late, `${place}.late`));
    if (expected["records"] !== undefined)
      note(misfit(expected["records"], this.#takeRecords(), `${place}.records`));
    if (expected["stats"] !== undefined)
      note(misfit(expected["stats"], this.#hooks.client.stats().toJSON(), `${place}.stats`));
    if (expected["ran"] !== undefined)
      note(misfit(expected["ran"], this.#hooks.ran, `${place}.ran`));
    if (expected["runs"] !== undefined) {
      const runs = Object.fromEntries(
        Object.keys(expected["runs"] as JsonObject).map((name) => [
          name,
          this.#hooks.runs.get(name) ?? 0,
        ]),
      );
      note(misfit(expected["runs"], runs, `${place}.runs`));
    }
    if (expected["hooks_left"] !== undefined) {
      const names = this.#hooks.client.listHooks().map(({ name }) => name);
      const left = [...(expected["hooks_left"] as string[])].sort();
      note(misfit(left, names.sort(), `${place}.hooks_left`));
    }
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
    else if (deed === "approve") place.approve(this.#hooks.client, value as JsonObject);
    else if (deed === "reload") {
      const report = await this.#hooks.client.reload();
      this.#hooks.misfits.push(...place.reportMisfits(value as JsonObject, report));
    } else return false;
    return true;
  }

  #step(step: JsonObject): void {
    this.#hooks.expectError(step["error"], () => {
      if (step["register"] !== undefined) this.#hooks.register(step["register"] as JsonObject);
      if (step["unregister"] !== undefined) {
        const removed = this.#hooks.client.unregisterHook(this.#hooks.idOf(step["unregister"]));
        if (step["returns"] !== undefined && removed !== step["returns"]) {
          this.#hooks.misfits.push(
            `unregister ${show(step["unregister"])} gave ${String(removed)}`,
          );
        }
      }
      if (step["enable"] !== undefined)
        this.#hooks.client.enableHook(this.#hooks.idOf(step["enable"]));
      if (step["disable"] !== undefined)
        this.#hooks.client.disableHook(this.#hooks.idOf(step["disable"]));
      if (step["reset_stats"] !== undefined) this.#hooks.client.stats({ reset: true });
      if (step["define_event"] !== undefined) this.#defineEvent(step["define_event"] as JsonObject);
      if (step["define_tool"] !== undefined) this.#defineTool(step["define_tool"] as JsonObject);
      if (step["audit"] !== undefined) keepLog(this.#hooks.client, step["audit"]);
      if (step["explain"] !== undefined) this.#explained(step["explain"] as JsonObject);
      if (step["client_enabled"] !== undefined)
        this.#hooks.client.enabled = step["client_enabled"] as boolean;
    });
  }
}
