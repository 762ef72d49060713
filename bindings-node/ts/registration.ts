/** What a program registers: hooks, custom events and tools. */

import { errorOf } from "./errors.js";
import type { EventName, HookEvent } from "./event-types.js";
import type { Origin, Scope } from "./origin.js";
import { ownFields } from "./own-fields.js";
import type { HookResponse } from "./response.js";
import { callerOf } from "./caller.js";
import { withPatternTexts } from "./patterns.js";
import { isObject, isPlain, nameOf } from "./values.js";

/** What a handler gets besides the event. */
export interface HookContext {
  /** Fires when the hook's time is over or its dispatch is cancelled. */
  readonly signal: AbortSignal;
}

// `void` is what a handler without a return statement gives.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
type Answered<K extends EventName> = HookResponse<K> | undefined | null | void;

/** Handles an event; no answer means "continue". */
export type Handler<K extends EventName = EventName> = (
  event: HookEvent<K>,
  context: HookContext,
) => Answered<K> | PromiseLike<Answered<K>>;

/** A condition on one argument. */
export type ArgumentPattern = string | RegExp | { regex: string | RegExp } | { equals: unknown };

/**
 * Which events a hook is for; all conditions must hold.
 *
 * A regular expression is text or a `RegExp`, of which the text and the flags `i`, `m` and `s` count.
 */
export interface Matcher {
  /** Names split on `|`, each exact or a glob. */
  tool?: string;
  /** A regular expression over the tool's name. */
  toolPattern?: string | RegExp;
  /** A glob over the event's file paths; without `/` it looks at the base name. */
  pathPattern?: string;
  /** A regular expression over the command. */
  commandPattern?: string | RegExp;
  /** Conditions on arguments, by dotted path. */
  args?: Readonly<Record<string, ArgumentPattern>>;
  /** Names or globs over the event's own subtype. */
  source?: string;
  /** A regular expression over the event's own subtype. */
  sourcePattern?: string | RegExp;
  /** A rule of Claude Code's about the tool and its arguments, such as `Bash(git *)`, or several of which one must hold. */
  rule?: string | readonly string[];
  /** A glob over the session's id. */
  session?: string;
  /** A glob over the agent's id. */
  agent?: string;
  /** An expression over the event and the state of its session, such as `session.tool_calls > 50`. */
  when?: string;
}

/** A handler of any event; its type was checked where it was registered. */
export type AnyHandler = (event: object, context: HookContext) => unknown;

/** The effect of a failed hook: the action continues or is blocked. */
export type FailBehavior = "continue" | "block";

/** Whether what hooks decide is acted on, or only recorded as what would have happened. */
export type Enforcement = "enforce" | "observe";

/** How a hook runs. */
export interface HookConfig {
  /** Lower runs earlier. Default: 0. */
  priority?: number;
  /** Timeout in milliseconds; `null` is no limit. */
  timeout?: number | null;
  /** Started and not awaited. */
  async?: boolean;
  /** The same as `async`. */
  detached?: boolean;
  /** Default: the client's. */
  failBehavior?: FailBehavior;
  /** Whether what it decides is acted on. Default: the client's. */
  enforcement?: Enforcement;
  /** Runs at most once and is then removed. */
  once?: boolean;
  /**
   * Never skipped, and run again when a later hook changes the event. Default: true with `failBehavior: "block"`, else
   * false.
   */
  mandatory?: boolean | null;
  scope?: Scope;
  /** Whether it runs. */
  enabled?: boolean;
}

/** A hook with its settings, beside the handler or together in `config`. */
export interface HookDefinition<K extends EventName = EventName> extends HookConfig {
  handler: Handler<K>;
  matcher?: Matcher;
  /** The name in traces and reasons. Default: the function's, else the file and line of the registration. */
  name?: string;
  config?: HookConfig;
}

/** What `guard` and `askBefore` take beside their rules and what they say. */
export interface GuardOptions {
  /** The name in traces and reasons. Default: the rule, of several the first. */
  name?: string;
}

/** A registered hook. */
export interface HookInfo {
  readonly id: string;
  readonly name: string;
  readonly event: string;
  readonly matcher: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly scope: Scope;
  /** Timeout in milliseconds; `null` is no limit. */
  readonly timeout: number | null;
  readonly failBehavior: FailBehavior;
  /** Whether what it decides is acted on. */
  readonly enforcement: Enforcement;
  readonly once: boolean;
  readonly mandatory: boolean;
  readonly detached: boolean;
  readonly enabled: boolean;
  readonly temporary: boolean;
  /** Which file declares it; `null` for a hook that the program registered. */
  readonly origin: Origin | null;
  /** The worker that has its handler, in another process; `null` for a hook of this one. */
  readonly worker: string | null;
  /** Its place among the hooks of its event, from 0. */
  readonly order: number;
}

/** The answer of a detached hook. It decides nothing. */
export interface LateAnswer {
  /** The event's canonical name. */
  readonly event: string;
  /** The hook's name. */
  readonly hook: string;
  /** Context, messages, a reason. */
  readonly answer: HookResponse;
  /** The hook objects, and wants the model to be notified at once. */
  readonly wakes: boolean;
}

/** What `defineEvent` takes. */
export interface EventDefinition {
  /** Whether a block stops the action. Default: true. */
  gate?: boolean;
  /** Payload fields that hooks may replace. */
  modifiable?: readonly string[];
}

/** Throws `invalid_hook` for arguments that `guard` and `askBefore` do not have: a second rule behind the first. */
export function checkGuard(
  method: "guard" | "askBefore",
  text: string,
  options: unknown,
  surplus: readonly unknown[],
): void {
  if (surplus.length === 0 && isPlain(options)) return;
  throw errorOf(
    "invalid_hook",
    `${method} takes a rule, ${text} and { name }; give several rules as one list: ${method}(["Bash(rm *)", "Bash(dd *)"], …)`,
  );
}

/** What `defineTool` takes. */
export interface ToolDefinition {
  /** The known tool that it is the same as. */
  sameAs?: string;
  /** The argument that holds its command. */
  command?: string;
  /** The arguments that hold file paths. */
  paths?: readonly string[];
  /** The JSON Schema of its arguments: what hooks make of them has to satisfy it. */
  schema?: Readonly<Record<string, unknown>>;
}

const GENERATORS: ReadonlySet<string> = new Set(["GeneratorFunction", "AsyncGeneratorFunction"]);

/** Refuses a generator: calling one runs nothing, and its answer would be lost. */
function checkHandler(handler: object): void {
  // By its tag: one of another realm has another prototype.
  if (!GENERATORS.has(Object.prototype.toString.call(handler).slice("[object ".length, -1))) return;
  throw errorOf(
    "invalid_hook",
    "hook.handler: a generator (`function*`) answers nothing; write a function that returns its answer",
  );
}

/** What was given in place of a hook. */
function wordsOf(given: unknown): string {
  if (given === undefined) return "undefined: was the function called instead of passed?";
  return isObject(given) ? nameOf(given) : `a ${typeof given}`;
}

/** The function of a hook, and the settings that the core reads. */
export interface ReadHook {
  readonly handler: AnyHandler;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Splits a hook into its function and its settings. */
export function readHook(hook: unknown): ReadHook {
  if (typeof hook === "function") {
    checkHandler(hook);
    return { handler: hook as AnyHandler, settings: ownFields(named(hook)) };
  }
  if (!isPlain(hook)) {
    throw errorOf(
      "invalid_hook",
      `a hook is a function, or an object with a function as its \`handler\`, not ${wordsOf(hook)}`,
    );
  }
  const { handler, config, ...known } = ownFields(hook);
  if (typeof handler !== "function") {
    throw errorOf("invalid_hook", "hook.handler: must be a function");
  }
  checkHandler(handler);
  if (config !== undefined && !isPlain(config)) {
    throw errorOf("invalid_hook", "hook.config: must be an object");
  }
  const twice = Object.keys(known).find(
    (key) => config !== undefined && Object.hasOwn(config, key),
  );
  if (twice !== undefined) {
    throw errorOf("invalid_hook", `hook.${twice}: is in hook.config too; give it once`);
  }
  const settings: Record<string, unknown> = ownFields({ ...config, ...known });
  if (settings["matcher"] !== undefined)
    settings["matcher"] = withPatternTexts(settings["matcher"]);
  if (settings["name"] === undefined) Object.assign(settings, named(handler));
  return { handler: handler as AnyHandler, settings };
}

/** What a hook without a name is called: as its function, else by the place of the registration. */
function named(handler: { readonly name: string }): { name?: string } {
  const unnamed = handler.name === "" || handler.name === "handler";
  const name = unnamed ? callerOf() : handler.name;
  return name === undefined ? {} : { name };
}

/** Up to here a number is taken for seconds by mistake rather than meant as milliseconds. */
const FEW_MILLISECONDS = 60;

/** What to tell about a timeout that was probably meant as seconds. */
export function secondsMeant(setting: string, timeout: unknown): string | undefined {
  if (typeof timeout !== "number" || !(timeout >= 1 && timeout <= FEW_MILLISECONDS))
    return undefined;
  const [given, meant] = [String(timeout), String(timeout * 1000)];
  return `${setting} is ${given} milliseconds; if seconds are meant, write ${meant}`;
}
