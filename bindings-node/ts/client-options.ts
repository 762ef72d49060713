/** The options of a client and of its methods. */

import type { AuditLevel, AuditOptions, AuditPath } from "./audit-types.js";
import type { Logger } from "./logging.js";
import type { Dialect, Scope } from "./origin.js";
import type { Enforcement, FailBehavior } from "./registration.js";

/** The settings of a client; the profile has the defaults. */
export interface ClientOptions {
  profile?:
    | "default"
    | "a3s"
    | "a3s-code"
    | "wingman"
    | "cocode"
    | "amplifier"
    | "shadow"
    | "claude-code"
    | "agent-hooks";
  mode?: "sequential" | "parallel" | "concurrent";
  /** The result when hooks that run together change the same field differently. Default: `"block"`. */
  conflict?: "block" | "ask" | "last";
  /**
   * `"observe"` records what hooks decide and acts on nothing of it, except for managed hooks and those that set their
   * own. Default: `"enforce"`.
   */
  enforcement?: Enforcement;
  /** Whether a block ends the dispatch of a gate at once; else later hooks run too. Default: the profile's. */
  shortCircuit?: boolean;
  /** Whether dispatches run any hook. */
  enabled?: boolean;
  /** The default timeout of hooks in milliseconds; `null` is no limit. */
  defaultTimeout?: number | null;
  failBehavior?: FailBehavior;
  /** `null` switches the limit off. */
  maxHooksPerEvent?: number | null;
  /** `null` switches the limit off. */
  maxTotalHooks?: number | null;
  /** Detached hooks that run at once. */
  maxDetached?: number;
  /** The project's directory: the `cwd` of events that name none, and of hooks from files. Default: that of the process. */
  projectDir?: string | URL;
  /** Commands and webhooks that run at once; others wait. Default: 32. */
  maxRunning?: number;
  /** Bytes that a command may print to each of its streams before it is killed. */
  outputCap?: number;
  /** Commands get no environment variable with the name of a credential. */
  scrubEnvironment?: boolean;
  /** Where webhooks may go. */
  webhooks?: WebhookPolicy;
  /** Where failures are logged; `null` is nowhere. Default: the console. */
  logger?: Logger | null;
  /** A level, the path of a file, or the settings of an audit log. */
  audit?: AuditLevel | AuditPath | AuditOptions | null;
}

/** Where webhooks may go. */
export interface WebhookPolicy {
  /** Addresses as globs. Default: any. */
  allowedUrls?: readonly string[];
  /** Environment variables that headers may name. Default: those that the hook's own entry allows. */
  allowedEnv?: readonly string[];
  /** Special networks such as `10.0.0.0/8` that are allowed. */
  allowedNetworks?: readonly string[];
  /** Whether private networks and this machine may be reached. */
  allowPrivate?: boolean;
  /** Bytes of a response that are read. */
  responseCap?: number;
}

/** What `load` takes beside the path. */
export interface LoadOptions {
  /** The format of the file. Default: recognised by name, place and content. */
  dialect?: Dialect;
  /** The scope of the hooks. Default: `project`. */
  scope?: Scope;
  /** Refuses a file for likely mistakes too. */
  strict?: boolean;
  /** Reports invalid entries as problems and skips them, instead of refusing the file. */
  partial?: boolean;
  /** Whether what the file's hooks decide is acted on. Default: the client's. */
  enforcement?: Enforcement;
}

/** What `discover` takes beside the directory. */
export interface DiscoverOptions {
  /** Names of dialects and of scopes. Default: all. */
  sources?: readonly (Dialect | Scope)[];
  /** Which hooks from the project's files run. Default: those that a person approved. */
  trust?: "approved" | "all";
  /** The file with the approvals. Default: the user's own. */
  trustStore?: string;
  /** Whether a hook that is not approved is reported or an error. Default: reported. */
  onUntrusted?: "report" | "error";
  /** Refuses files for likely mistakes too. */
  strict?: boolean;
  /** Skips invalid entries in trusted files too, instead of refusing those files. */
  partial?: boolean;
  /** Whether what hooks decide is acted on; managed ones are enforced all the same. Default: the client's. */
  enforcement?: Enforcement;
  /** The agent whose own files are loaded too. */
  agent?: string;
  /** Directories of plugins whose hooks are loaded too. */
  plugins?: readonly string[];
}

/** What `dispatch` takes beside the payload. */
export interface DispatchOptions {
  /** Cancels the dispatch; it then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** Options of `redactSecrets`. */
export interface RedactSecretsOptions {
  /** Whether secrets are taken out of prompts too. */
  readonly prompts?: boolean;
}

/** Options of `protectPaths`. */
export interface ProtectPathsOptions {
  /** What is not to be done with the files; `write` by default. */
  readonly for?: "write" | "read" | "any";
  /** Whether such a call is blocked (default) or a person asked. */
  readonly answer?: "block" | "ask";
  /** Why it is blocked, or the question. */
  readonly reason?: string;
}

/** Options of `use`. */
export interface UseOptions {
  /** What single rules of the policies decide, by their ids. */
  readonly rules?: Readonly<Record<string, "off" | "ask" | "block">>;
  /** With `observe` none of them has an effect, and the statistics say what would have been stopped. */
  readonly enforcement?: "enforce" | "observe";
}

/** Options of `limitCalls`. */
export interface LimitCallsOptions {
  /** How many calls may be made. */
  readonly max: number;
  /** For how long calls count: the session (default), the turn, or milliseconds. */
  readonly per?: "session" | "turn" | number;
}
