/** The part of a client that registers hooks, defines events and dispatches them. */

import { inspect, type InspectOptions } from "node:util";

import type { ClientOptions, DispatchOptions } from "./client-options.js";
import type { CatalogueEntry, CatalogueField } from "./event-types.js";
import { explanationOf, type Explanation } from "./explanation.js";
import type { Logger } from "./logging.js";
import { originOf } from "./origin.js";
import type {
  EventDefinition,
  GuardOptions,
  Handler,
  HookDefinition,
  HookInfo,
  ToolDefinition,
} from "./registration.js";
import { checkGuard, readHook, secondsMeant } from "./registration.js";
import { dispatch } from "./dispatch.js";
import { keyOf } from "./copies.js";
import { checkName, Engine } from "./engine.js";
import { errorOf } from "./errors.js";
import type { DefinedEvent, EventName, Payload } from "./event-types.js";
import type { Fields } from "./event.js";
import { checkLogger, GuardedLogger } from "./logging.js";
import { localKeys } from "./spelling.js";
import { catalogue as nativeCatalogue, callNative } from "./native.js";
import type { Outcome } from "./outcome.js";
import { optionsOf, ownFields, signalOf } from "./own-fields.js";
import { pathText, withTextCwd } from "./paths.js";
import { Stats } from "./stats.js";
import { TemporaryHook } from "./temporary-hook.js";
import { isWireEvent, type WireEvent } from "./wire.js";

/** The default logger: failures go to the console. */
const consoleLogger: Logger = {
  warn: (message, details) => {
    console.warn(`hookweave: ${message}`, details);
  },
  error: (message, details) => {
    console.error(`hookweave: ${message}`, details);
  },
};

/** The options that this package reads; the core reads all others. */
const HOST_OPTIONS = ["audit", "logger"] as const satisfies readonly (keyof ClientOptions)[];

/** The inner side of a client, also of one of another copy of the package; not meant for programs. */
export let engineOf: (client: ClientHooks) => Engine;

const ENGINE = keyOf("engine of a client");

/** Registers hooks and runs them for events. */
export class ClientHooks {
  readonly #engine: Engine;

  static {
    engineOf = (client) => {
      if (typeof client === "object" && #engine in client) return client.#engine;
      const engine = (client as Partial<Record<symbol, Engine>> | null | undefined)?.[ENGINE];
      if (engine !== undefined) return engine;
      throw errorOf("invalid_option", "a HookClient of this version of hookweave is expected");
    };
    Object.defineProperty(this.prototype, ENGINE, {
      get(this: ClientHooks): Engine {
        return this.#engine;
      },
    });
  }

  /** Throws `invalid_option` or `unknown_profile`. */
  constructor(options: ClientOptions = {}) {
    const { logger, audit, projectDir } = ownFields(options);
    const settings = { ...options, projectDir: pathText(projectDir) };
    const used = logger === undefined ? consoleLogger : logger;
    if (used !== null) checkLogger(used);
    const guarded = used === null ? null : new GuardedLogger(used);
    this.#engine = new Engine(settings, HOST_OPTIONS, guarded);
    if (audit !== undefined && audit !== null) this.#engine.audit.configure(audit);
    this.#warnOfSeconds("defaultTimeout", options.defaultTimeout, {});
  }

  /** Whether dispatches run any hook. */
  get enabled(): boolean {
    return this.#engine.native.enabled;
  }

  set enabled(enabled: boolean) {
    this.#engine.native.enabled = enabled;
    this.#engine.forgetPlans();
  }

  /**
   * Registers a hook and gives its id.
   *
   * Throws `unknown_event`, `invalid_hook`, `invalid_matcher`, `matcher_not_applicable` or `too_many_hooks`.
   */
  registerHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | HookDefinition<NoInfer<N>>,
    ...surplus: never[]
  ): string {
    if (surplus.length > 0) {
      throw errorOf(
        "invalid_hook",
        "registerHook takes an event and a hook; settings stand in the hook: { handler, matcher, name, priority, … }",
      );
    }
    return this.#register(event, hook);
  }

  /**
   * Refuses the tool calls that a permission rule selects, or one of several; gives the hook's id.
   *
   * The hook has no handler: it cannot fail, it is mandatory, and it looks again at what later hooks change. The model
   * reads the reason. Without a name it is called by its rule. Throws `invalid_hook` or `invalid_matcher`.
   */
  guard(
    rule: string | readonly string[],
    reason: string,
    options: GuardOptions = {},
    ...surplus: never[]
  ): string {
    checkGuard("guard", "a reason", options, surplus);
    const { native } = this.#engine;
    return this.#engine.guard(() => native.guard({ ...options, rule, reason }));
  }

  /**
   * Has a person asked before the tool calls that a permission rule selects, or one of several; gives the hook's id.
   *
   * As `guard` it cannot fail and is mandatory. Without a prompt the question names the tool.
   */
  askBefore(
    rule: string | readonly string[],
    prompt?: string,
    options: GuardOptions = {},
    ...surplus: never[]
  ): string {
    checkGuard("askBefore", "a prompt", options, surplus);
    const { native } = this.#engine;
    return this.#engine.guard(() => native.askBefore({ ...options, rule, prompt }));
  }

  #register(event: unknown, hook: unknown, more: object = {}): string {
    checkName(event);
    const { handler, settings } = readHook(hook);
    const id = this.#engine.register(event, { ...settings, ...more }, handler);
    this.#warnOfSeconds("timeout", settings["timeout"], { event, hook: settings["name"], id });
    return id;
  }

  #warnOfSeconds(
    setting: string,
    timeout: unknown,
    details: Readonly<Record<string, unknown>>,
  ): void {
    const warning = secondsMeant(setting, timeout);
    if (warning !== undefined) this.#engine.logger?.warn(warning, details);
  }

  /** Registers a hook for the duration of a block: `using hook = client.temporaryHook(…)`. */
  temporaryHook<N extends EventName>(
    event: N,
    hook: Handler<NoInfer<N>> | HookDefinition<NoInfer<N>>,
  ): TemporaryHook {
    const id = this.#register(event, hook, { temporary: true });
    return new TemporaryHook(id, () => {
      this.unregisterHook(id);
    });
  }

  /** Runs a function with a hook that is registered meanwhile; returns the function's result. */
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
    this.#engine.forgetPlans();
    return removed;
  }

  /** Switches a hook on; throws `unknown_hook`. */
  enableHook(id: string): void {
    callNative(() => {
      this.#engine.native.setHookEnabled(id, true);
    });
    this.#engine.forgetPlans();
  }

  /** Switches a hook off; throws `unknown_hook`. */
  disableHook(id: string): void {
    callNative(() => {
      this.#engine.native.setHookEnabled(id, false);
    });
    this.#engine.forgetPlans();
  }

  /** Every hook, in the order in which they run. */
  listHooks(): HookInfo[] {
    return this.#engine.native.list().map((listed) => {
      const { timeoutMs: timeout, matcher, origin, worker, ...info } = localKeys(listed as object);
      return {
        ...info,
        matcher: localKeys(matcher as object),
        timeout,
        origin: originOf(origin),
        worker: worker ?? null,
      } as HookInfo;
    });
  }

  /** The statistics of each hook, with warnings; `reset` sets the counts to zero. */
  stats(options: { readonly reset?: boolean } = {}): Stats {
    const { reset = false } = ownFields(options);
    return new Stats(this.#engine.counts.stats(reset));
  }

  /** Adds a custom event; throws `invalid_event_definition`. */
  defineEvent<N extends string>(name: N, definition: EventDefinition = {}): N & DefinedEvent {
    callNative(() => {
      this.#engine.native.defineEvent({ ...definition, name });
    });
    this.#engine.forgetPlans();
    return name as N & DefinedEvent;
  }

  /** Defines a tool of the program by a known one; throws `invalid_tool_definition`. */
  defineTool(name: string, definition: ToolDefinition): void {
    callNative(() => {
      this.#engine.native.defineTool({ ...definition, name });
    });
    this.#engine.forgetPlans();
  }

  /**
   * Runs an event's hooks and combines their answers into one outcome.
   *
   * Rejects with `unknown_event`, `invalid_payload`, `nested_too_deep` or `client_closed`, and with the signal's reason
   * when it is cancelled. A hook that fails does not reject it: its failure is in the trace.
   */
  dispatch<N extends EventName>(
    event: N,
    payload: Payload<N>,
    options?: DispatchOptions,
  ): Promise<Outcome<N>>;
  dispatch<N extends EventName>(event: NeedsNothing<N> | NamedEvent<N>): Promise<Outcome<N>>;
  dispatch(event: unknown, payload: unknown = {}, options?: DispatchOptions): Promise<Outcome> {
    try {
      const engine = this.#engine;
      engine.checkOpen("dispatch events");
      if (options !== undefined) optionsOf("dispatch", options);
      if (isWireEvent(event)) {
        const signal = signalOf(payload as DispatchOptions);
        return dispatch(engine.plan(event.name, event.payload), event.payload, signal);
      }
      const fields = withTextCwd(payload as Fields);
      return dispatch(engine.plan(event as string, fields), fields, signalOf(options));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Gives the hooks that an event would run if all of them continued, and why not the others, without running any. */
  explain<N extends EventName>(event: N, payload: Payload<N>): Explanation {
    checkName(event);
    const fields = withTextCwd(payload);
    return explanationOf(
      callNative(() => this.#engine.native.explain(event, fields)) as [object, string],
    );
  }

  /**
   * What printing a client shows: its state and the names of its hooks by event.
   *
   * @internal
   */
  [inspect.custom](_depth: number, options: InspectOptions): string {
    const hooks: Record<string, string[]> = {};
    for (const { event, name } of this.listHooks()) (hooks[event] ??= []).push(name);
    const { closed } = this.#engine;
    return `${this.constructor.name} ${inspect({ enabled: this.enabled, closed, hooks }, options)}`;
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
}

/** An event that an agent has sent, as `eventFromWire` reads it. */
type NamedEvent<N> = WireEvent & { readonly name: N };

/** The name of an event that can be raised without a payload. */
type NeedsNothing<N extends EventName> = Partial<Payload<N>> extends Payload<N> ? N : never;
