/** The options of a client and of its methods. */

import type { AuditLevel, AuditOptions } from "./audit-types.js";
import type { Logger } from "./logging.js";
import type { Dialect, Scope } from "./origin.js";
import type { FailBehavior } from "./registration.js";

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

/** What `dispatch` takes beside the payload. */
export interface DispatchOptions {
  /** Cancels the dispatch; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}
