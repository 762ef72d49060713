/** What the parts of events hold, and what programs hand to a client. */

import type { AuditLevel, AuditOptions } from "./audit-types.js";
import type { HookResponse } from "./answers.js";
import type { EventName, HookEvent } from "./event-types.js";
import type { Dialect, Origin } from "./reports.js";

export type { ToolResult } from "./tool-result.js";

/** What a tool was about to be run in. */
export interface ToolContext {
  readonly workingDirectory?: string;
  readonly recentTools?: readonly unknown[];
  readonly tokenUsage?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** What a model gave. */
export interface ModelResponse {
  readonly text?: string;
  readonly toolCalls?: readonly unknown[];
  readonly usage?: Readonly<Record<string, unknown>>;
  /** Milliseconds. */
  readonly duration?: number;
  readonly [field: string]: unknown;
}

/** What a handler gets beside the event. */
export interface HookContext {
  /** Fires when the hook's time is over or its dispatch is cancelled. */
  readonly signal: AbortSignal;
}

// `void` is what a handler without a return statement gives.
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type
type Answered<K extends EventName> = HookResponse<K> | undefined | null | void;

/** What runs when an event comes; nothing as an answer is "go on". */
export type Handler<K extends EventName = EventName> = (
  event: HookEvent<K>,
  context: HookContext,
) => Answered<K> | PromiseLike<Answered<K>>;

/** A condition on one argument. */
export type ArgumentPattern = string | { regex: string } | { equals: unknown };

/** Which events a hook is for; all conditions must hold. */
export interface Matcher {
  /** Names split on `|`, each exact or a glob. */
  tool?: string;
  /** A regular expression over the tool's name. */
  toolPattern?: string;
  /** A glob over the event's file paths; without `/` it looks at the base name. */
  pathPattern?: string;
  /** A regular expression over the command. */
  commandPattern?: string;
  /** Conditions on arguments, by dotted path. */
  args?: Readonly<Record<string, ArgumentPattern>>;
  /** Names or globs over the event's own subtype. */
  source?: string;
  /** A regular expression over the event's own subtype. */
  sourcePattern?: string;
  /** A rule of Claude Code's about the tool and its arguments, for example `Bash(git *)`. */
  rule?: string;
  /** A glob over the session's id. */
  session?: string;
  /** A glob over the agent's id. */
  agent?: string;
}

/** Who loads a hook; earlier scopes run first among equal priorities. */
export type Scope = "managed" | "user" | "project" | "local" | "agent" | "callback";

/** What a hook's failure means. */
export type FailBehavior = "continue" | "block";

/** How a hook runs. */
export interface HookConfig {
  /** Lower runs earlier; 0 unless said. */
  priority?: number;
  /** Milliseconds that the hook may take; `null` is without end. */
  timeout?: number | null;
  /** Started and not awaited. */
  async?: boolean;
  /** Another word for `async`. */
  detached?: boolean;
  /** The client's unless said. */
  failBehavior?: FailBehavior;
  /** Runs at most once and is then removed. */
  once?: boolean;
  /**
   * Never passed over, and asked again when a later hook changes the event. Implied by `failBehavior: "block"` unless it is
   * said to be `false`.
   */
  mandatory?: boolean | null;
  scope?: Scope;
  /** Whether it runs at all for now. */
  enabled?: boolean;
}

/** A hook with everything that can be said about it. */
export interface HookDefinition<K extends EventName = EventName> {
  handler: Handler<K>;
  matcher?: Matcher;
  /** What it is called in traces and reasons. */
  name?: string;
  config?: HookConfig;
}

/** A registered hook, as a person would want to see it. */
export interface HookInfo {
  readonly id: string;
  readonly name: string;
  readonly event: string;
  readonly matcher: Readonly<Record<string, unknown>>;
  readonly priority: number;
  readonly scope: Scope;
  /** Milliseconds; `null` is without end. */
  readonly timeout: number | null;
  readonly failBehavior: FailBehavior;
  readonly once: boolean;
  readonly mandatory: boolean;
  readonly detached: boolean;
  readonly enabled: boolean;
  readonly temporary: boolean;
  /** Which file declares it; `null` for a hook that the program registered. */
  readonly origin: Origin | null;
  /** Its place among the hooks of its event, from 0. */
  readonly order: number;
}

/** One hook under an event's light. */
export interface Explained {
  readonly hook: string;
  readonly id: string;
  /** Whether it would run. */
  readonly matched: boolean;
  /** Whether its `allow` would count. */
  readonly covers: boolean;
  /** The stage in which it would run, from 0. */
  readonly stage?: number;
  /** Why it would not run. */
  readonly why?: string;
  readonly priority: number;
  readonly scope: Scope;
  readonly mandatory: boolean;
  readonly detached: boolean;
}

/** What a dispatch would do if every hook continued. */
export interface Explanation {
  /** The event's canonical name. */
  readonly event: string;
  /** Whether a block would stop the action. */
  readonly gate: boolean;
  /** Every hook of the event, in order. */
  readonly hooks: readonly Explained[];
}

/** Where the engine writes what a person should know; any logger with these methods will do. */
export interface Logger {
  debug?(message: string, details: Readonly<Record<string, unknown>>): void;
  info?(message: string, details: Readonly<Record<string, unknown>>): void;
  warn(message: string, details: Readonly<Record<string, unknown>>): void;
  error(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** A client's settings; what is not said comes from the profile. */
export interface ClientOptions {
  profile?: "default" | "a3s" | "wingman" | "cocode" | "amplifier" | "shadow" | "claude-code";
  mode?: "sequential" | "parallel";
  /** What comes of it when hooks that run together change one thing differently; `"block"` unless said. */
  conflict?: "block" | "ask" | "last";
  /** Whether dispatches run any hook. */
  enabled?: boolean;
  /** Milliseconds that a hook without a timeout of its own may take; `null` is without end. */
  defaultTimeout?: number | null;
  failBehavior?: FailBehavior;
  /** `null` switches the limit off. */
  maxHooksPerEvent?: number | null;
  /** `null` switches the limit off. */
  maxTotalHooks?: number | null;
  /** Detached hooks that run at once. */
  maxDetached?: number;
  /** The project's directory: where events happen that name no `cwd`, and hooks from files run; the process's own unless said. */
  projectDir?: string | URL;
  /** Commands and webhooks that run at once; 32 unless said. More of them wait. */
  maxRunning?: number;
  /** Bytes that a command may print to each of its streams before it is killed. */
  outputCap?: number;
  /** Commands get no environment variable whose name says that it holds a credential. */
  scrubEnvironment?: boolean;
  /** Where webhooks may go. */
  webhooks?: WebhookPolicy;
  /** Where failures are told; `null` is nowhere, and unless said it is the console. */
  logger?: Logger | null;
  /** A level, or the settings of an audit log. */
  audit?: AuditLevel | AuditOptions | null;
}

/** Where webhooks may go. */
export interface WebhookPolicy {
  /** Addresses as globs; any unless said. */
  allowedUrls?: readonly string[];
  /** Environment variables that headers may name; those that the hook's own entry allows unless said. */
  allowedEnv?: readonly string[];
  /** Networks such as `10.0.0.0/8` that are allowed although they are special. */
  allowedNetworks?: readonly string[];
  /** Whether private networks and this machine may be reached. */
  allowPrivate?: boolean;
  /** Bytes of an answer that are read. */
  responseCap?: number;
}

/** What `load` takes beside the path. */
export interface LoadOptions {
  /** Whose format it is; recognised by name, place and shape unless said. */
  dialect?: Dialect;
  /** As whose hooks they run; `project` unless said. */
  scope?: Scope;
  /** Refuses a file also for what will merely surprise. */
  strict?: boolean;
  /** Leaves out entries that make no sense, as problems in the report, instead of refusing the file. */
  partial?: boolean;
}

/** What `discover` takes beside the directory. */
export interface DiscoverOptions {
  /** Names of dialects and of scopes; all unless said. */
  sources?: readonly (Dialect | Scope)[];
  /** Which hooks from the project's files run: those that a person has approved, unless said. */
  trust?: "approved" | "all";
  /** The file with the approvals; the user's own unless said. */
  trustStore?: string;
  /** What a hook is that nobody has approved: part of the report unless said. */
  onUntrusted?: "report" | "error";
  /** Refuses files also for what will merely surprise. */
  strict?: boolean;
  /** Leaves out entries that make no sense also in trusted files, instead of refusing those. */
  partial?: boolean;
  /** The agent whose own files count too. */
  agent?: string;
  /** Directories of plugins whose hooks count too. */
  plugins?: readonly string[];
}

/** What a detached hook said when nobody waited for it any more. It decides nothing. */
export interface LateAnswer {
  /** The event's canonical name. */
  readonly event: string;
  /** The hook's name. */
  readonly hook: string;
  /** Context, messages, a reason. */
  readonly answer: HookResponse;
  /** The hook objects, and asks that the model be told at once. */
  readonly wakes: boolean;
}

/** What `defineEvent` takes. */
export interface EventDefinition {
  /** Whether a block stops what the agent is about to do; true unless said otherwise. */
  gate?: boolean;
  /** Payload fields that hooks may replace. */
  modifiable?: readonly string[];
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

/** What `dispatch` takes beside the payload. */
export interface DispatchOptions {
  /** Cancels the dispatch; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** An event of the catalogue, as data. */
export interface CatalogueEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly gate: boolean;
  readonly subtype: string | null;
  readonly fields: readonly CatalogueField[];
}

/** A payload field of the catalogue. */
export interface CatalogueField {
  /** In this language's spelling. */
  readonly name: string;
  readonly kind: "any" | "string" | "number" | "boolean" | "list" | "object" | "record";
  readonly optional: boolean;
  readonly modifiable: boolean;
}
