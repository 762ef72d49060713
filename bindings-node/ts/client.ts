/** The client: where a program registers hooks and raises events. */

import { run } from "./driver.js";
import { Engine } from "./engine.js";
import { errorOf } from "./errors.js";
import type { DefinedEvent, EventName, Payload } from "./event-types.js";
import type { Fields } from "./event.js";
import { Loader, pathOf } from "./loader.js";
import { localKeys } from "./names.js";
import type { Judge, ToolCaller } from "./native-hooks.js";
import { catalogue as nativeCatalogue, crossing, files } from "./native.js";
import type { Outcome } from "./outcome.js";
import type { Call } from "./plan.js";
import { originOf, type Dialect, type Finding } from "./reports.js";
import type { LoadReport, ReloadReport } from "./reports.js";
import { TemporaryHook } from "./temporary.js";
import { TrustStore } from "./trust.js";
import { isPlain } from "./values.js";
import type {
  CatalogueEntry,
  CatalogueField,
  ClientOptions,
  DiscoverOptions,
  DispatchOptions,
  EventDefinition,
  Explanation,
  Handler,
  HookDefinition,
  HookInfo,
  LateAnswer,
  LoadOptions,
  Logger,
  ToolDefinition,
} from "./types.js";

/** How long closing waits for detached hooks unless it is told, in milliseconds. */
const CLOSING = 5000;

/** Tells failures to whoever watches the program run, and nothing else. */
const console_: Logger = {
  warn: (message, details) => {
    console.warn(`hookweave: ${message}`, details);
  },
  error: (message, details) => {
    console.error(`hookweave: ${message}`, details);
  },
};

/** Hooks and the events that run them. */
export class HookClient implements Disposable, AsyncDisposable {
  readonly #engine: Engine;
  /** Made when the client first has to do with hooks from files. */
  #loaderOrNone: Loader | null = null;

  /** Throws `invalid_option` or `unknown_profile`. */
  constructor(options: ClientOptions = {}) {
    const { logger, ...settings } = options;
    this.#engine = new Engine(settings, logger === undefined ? console_ : logger);
  }

  /** Whether dispatches run any hook. */
  get enabled(): boolean {
    return this.#engine.native.enabled;
  }

  set enabled(enabled: boolean) {
    this.#engine.native.enabled = enabled;
    this.#engine.forget();
  }

  /**
   * Registers a hook and gives its id.
   *
   * Throws `unknown_event`, `invalid_hook`, `invalid_matcher`, `matcher_not_applicable` or `too_many_hooks`.
   */
  registerHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | HookDefinition<NoInfer<N>>,
  ): string {
    return this.#register(event, hook, false);
  }

  #register(event: string, hook: unknown, temporary: boolean): string {
    const { handler, settings } = readHook(hook);
    return this.#engine.register(event, temporary ? { ...settings, temporary } : settings, handler);
  }

  /** Registers a hook until the block ends that it is declared in: `using hook = client.temporaryHook(…)`. */
  temporaryHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | HookDefinition<NoInfer<N>>,
  ): TemporaryHook {
    const id = this.#register(event, hook, true);
    return new TemporaryHook(id, () => {
      this.unregisterHook(id);
    });
  }

  /** Runs a function with a hook that is there only meanwhile; gives what the function gives. */
  async withHook<N extends EventName, R>(
    event: N,
    hook: Handler<NoInfer<N>> | HookDefinition<NoInfer<N>>,
    body: () => R | PromiseLike<R>,
  ): Promise<R> {
    const temporary = this.temporaryHook(event, hook);
    try {
      return await body();
    } finally {
      temporary.remove();
    }
  }

  /** Removes a hook; false when it is not there (any more). */
  unregisterHook(id: string): boolean {
    const removed = this.#engine.native.unregister(id);
    this.#engine.forget();
    return removed;
  }

  /** Switches a hook on; throws `unknown_hook`. */
  enableHook(id: string): void {
    crossing(() => {
      this.#engine.native.setHookEnabled(id, true);
    });
    this.#engine.forget();
  }

  /** Switches a hook off; throws `unknown_hook`. */
  disableHook(id: string): void {
    crossing(() => {
      this.#engine.native.setHookEnabled(id, false);
    });
    this.#engine.forget();
  }

  /** Every hook, in the order in which they run. */
  listHooks(): HookInfo[] {
    return this.#engine.native.list().map((listed) => {
      const { timeoutMs: timeout, matcher, origin, ...info } = localKeys(listed as object);
      return {
        ...info,
        matcher: localKeys(matcher as object),
        timeout,
        origin: originOf(origin),
      } as HookInfo;
    });
  }

  /** Adds an event of the program's own; throws `invalid_event_definition`. */
  defineEvent<N extends string>(name: N, definition: EventDefinition = {}): N & DefinedEvent {
    this.#engine.checkOpen();
    crossing(() => {
      this.#engine.native.defineEvent({ ...definition, name });
    });
    this.#engine.forget();
    return name as N & DefinedEvent;
  }

  /** Says which known tool a tool of the program is; throws `invalid_tool_definition`. */
  defineTool(name: string, definition: ToolDefinition): void {
    this.#engine.checkOpen();
    crossing(() => {
      this.#engine.native.defineTool({ ...definition, name });
    });
    this.#engine.forget();
  }

  /**
   * Runs an event's hooks and folds what they say.
   *
   * Rejects with `unknown_event`, `invalid_payload`, `nested_too_deep` or `client_closed`, and with the signal's reason
   * when it is cancelled. A hook that fails does not reject it: its failure is in the trace.
   */
  dispatch<N extends EventName>(
    event: N,
    payload: Payload<N>,
    options?: DispatchOptions,
  ): Promise<Outcome<N>>;
  dispatch<N extends EventName>(event: NeedsNothing<N>): Promise<Outcome<N>>;
  dispatch(event: EventName, payload: unknown = {}, options?: DispatchOptions): Promise<Outcome> {
    try {
      const engine = this.#engine;
      engine.checkOpen();
      const plan = engine.plan(event, payload as Fields);
      return run(plan, payload as Fields, options?.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Says which hooks an event would run if all of them continued, and why not the others, without running any. */
  explain<N extends EventName>(event: N, payload: Payload<N>): Explanation {
    this.#engine.checkOpen();
    return crossing(() => this.#engine.native.explain(event, payload)) as Explanation;
  }

  /**
   * Loads the hooks of one file of any known system.
   *
   * That somebody named the file makes it trusted. An entry that makes no sense is a problem in the report and spares the
   * others; `strict` refuses the file instead. Throws `invalid_config`, `invalid_option` or `unknown_dialect`.
   */
  load(path: string | URL, options: LoadOptions = {}): LoadReport {
    return this.#loader.load(pathOf(path, "load"), options);
  }

  /**
   * Loads what stands at the usual places of every known system for a working directory.
   *
   * Hooks from the project's files run only when a person approved them (see `trust`), or with `trust: "all"`; the others
   * are in the report, or with `onUntrusted: "error"` thrown as `untrusted_hook`.
   */
  discover(cwd: string | URL = ".", options: DiscoverOptions = {}): LoadReport {
    return this.#loader.discover(pathOf(cwd, "discover"), options);
  }

  /**
   * Reads every loaded file again; the hooks are swapped between dispatches, never within one.
   *
   * A change that takes protection away raises `ConfigChange` first, through the hooks in force: one that blocks it
   * keeps everything as it is, and a file that cannot be read keeps its own hooks.
   */
  reload(): Promise<ReloadReport> {
    return this.#loader.reload();
  }

  /**
   * Reloads whenever a loaded file changes, or one appears where hooks may stand; tells what came of it. When a file
   * changes that hooks on `FileChanged` watch, by their matcher or by `watchPaths`, that event is raised.
   *
   * It keeps no process alive, but the client until `unwatch` or `close`. Throws `invalid_config` when files cannot be
   * watched here.
   */
  watch(onReload?: (report: ReloadReport) => void): void {
    this.#loader.watch(onReload);
  }

  /** Watches no more. */
  unwatch(): void {
    this.#loaderOrNone?.unwatch();
  }

  /** What will surprise in a file of hooks: units, matchers that never match, missing scripts, unread answers. */
  lint(path: string | URL, { dialect }: { dialect?: Dialect } = {}): Finding[] {
    return JSON.parse(crossing(() => files.lintFile(pathOf(path, "lint"), dialect))) as Finding[];
  }

  /** The user's approvals of hooks from project files. */
  get trust(): TrustStore {
    return new TrustStore();
  }

  /** Sets who answers hooks that ask a model or an agent; without anybody such a hook fails and says so. */
  setJudge(judge: Judge | null): void {
    this.#loader.hosts.judge = judge;
  }

  /** Sets who calls tools of MCP servers for hooks; without anybody such a hook fails and says so. */
  setToolCaller(caller: ToolCaller | null): void {
    this.#loader.hosts.toolCaller = caller;
  }

  /** Sets who hears what detached hooks answer; without anybody it is logged. */
  onLateAnswer(listener: ((answer: LateAnswer) => void) | null): void {
    this.#engine.late = listener;
  }

  get #loader(): Loader {
    return (this.#loaderOrNone ??= new Loader(this.#engine, (event, payload) =>
      this.dispatch(event, payload as Payload<"ConfigChange">),
    ));
  }

  /** Waits until no detached hook runs or waits; false when the milliseconds were over first. */
  drain(timeout?: number): Promise<boolean> {
    return this.#engine.drain(timeout);
  }

  /**
   * Refuses what comes from now on, gives detached hooks so many milliseconds to end, and kills the commands and requests
   * that still run.
   */
  async close(timeout: number = CLOSING): Promise<void> {
    this.#engine.closed = true;
    if (!(await this.#engine.drain(timeout))) {
      this.#engine.abortDetached(new DOMException("the client was closed", "AbortError"));
    }
    this.#loaderOrNone?.close();
  }

  /** Every event that the engine knows, as data. */
  catalogue(): CatalogueEntry[] {
    return nativeCatalogue().map(({ subtype, fields, ...entry }) => ({
      ...entry,
      subtype: subtype ?? null,
      fields: fields.map(({ name, kind, optional, modifiable }) => ({
        name,
        kind: kind as CatalogueField["kind"],
        optional,
        modifiable,
      })),
    }));
  }

  /** Closes the client at the end of a block: `await using client = new HookClient()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Closes the client without waiting for detached hooks: `using client = new HookClient()`. */
  [Symbol.dispose](): void {
    void this.close(0);
  }
}

/** The name of an event that can be raised without a payload. */
type NeedsNothing<N extends EventName> = Partial<Payload<N>> extends Payload<N> ? N : never;

/** Parts a hook into its function and the settings that the core reads. */
function readHook(hook: unknown): { handler: Call["handler"]; settings: object } {
  if (typeof hook === "function") {
    return { handler: hook as Call["handler"], settings: named(hook) };
  }
  if (!isPlain(hook)) {
    throw errorOf(
      "invalid_hook",
      "a hook is a function, or an object with a function as its `handler`",
    );
  }
  const { handler, config, ...known } = hook;
  if (typeof handler !== "function") {
    throw errorOf("invalid_hook", "hook.handler: must be a function");
  }
  if (config !== undefined && !isPlain(config)) {
    throw errorOf("invalid_hook", "hook.config: must be an object");
  }
  for (const key of Object.keys(known)) {
    if (key !== "matcher" && key !== "name") {
      throw errorOf(
        "invalid_hook",
        `hook: unknown field \`${key}\`; known are handler, matcher, name, config`,
      );
    }
  }
  return {
    handler: handler as Call["handler"],
    settings: { ...named(handler), ...config, ...known },
  };
}

/** A function's own name is the hook's, unless it has a better one. */
function named(handler: { readonly name: string }): { name?: string } {
  return handler.name === "" || handler.name === "handler" ? {} : { name: handler.name };
}
