/** The part of a client that loads hooks from files. */

import type {
  DiscoverOptions,
  LimitCallsOptions,
  LoadOptions,
  ProtectPathsOptions,
  RedactSecretsOptions,
  UseOptions,
} from "./client-options.js";
import type { Dialect } from "./origin.js";
import type { LateAnswer } from "./registration.js";
import { ClientHooks, engineOf } from "./client-hooks.js";
import type { Payload } from "./event-types.js";
import { FileLoader } from "./files.js";
import type { Judge, ToolCaller } from "./outside-hooks.js";
import { callNative, files } from "./native.js";
import { ownFields } from "./own-fields.js";
import { pathOf } from "./paths.js";
import { readable, type Finding, type LoadReport, type ReloadReport } from "./file-reports.js";
import { TrustStore } from "./trust.js";

/** The loader of a client, if it has one; not reachable for programs. */
// Not kept by the engine: running hooks keep the engine, and must not keep the client.
export let fileLoaderOf: (client: ClientFiles) => FileLoader | null;

/** Loads hooks from files of any supported system. */
export class ClientFiles extends ClientHooks {
  /** Created at the first use of hooks from files. */
  #loaderOrNone: FileLoader | null = null;

  static {
    fileLoaderOf = (client) => client.#loaderOrNone;
  }

  /**
   * Loads the hooks of one file of any supported system.
   *
   * The file is trusted, because the program named it. An invalid entry refuses the whole file, since it may have been a
   * guard; with `partial` it is skipped and reported as a problem. Throws `invalid_config`, `invalid_option` or
   * `unknown_dialect`.
   */
  load(path: string | URL, options: LoadOptions = {}): LoadReport {
    return this.#loader.load(pathOf(path, "load"), options);
  }

  /**
   * Loads the hook files of every supported system from their usual places for a working directory.
   *
   * Hooks from the project's files run only when a person approved them (see `trust`), or with `trust: "all"`; the others
   * are in the report, or with `onUntrusted: "error"` thrown as `untrusted_hook`. In trusted files an invalid
   * entry throws `invalid_config`, unless `partial` skips it.
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
   * Reloads whenever a loaded file changes, or one appears where hooks may stand, and calls `onReload`. When a file
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

  /** Reports likely mistakes in a file of hooks: units, matchers that never match, missing scripts, unread answers. */
  lint(path: string | URL, options: { dialect?: Dialect } = {}): Finding[] {
    const { dialect } = ownFields(options);
    const text = callNative(() => files.lintFile(pathOf(path, "lint"), dialect));
    return (JSON.parse(text) as Finding[]).map(readable);
  }

  /** The user's approvals of hooks from project files. */
  get trust(): TrustStore {
    return new TrustStore();
  }

  /** Sets the function that answers hooks that ask a model or an agent; without it such a hook fails. */
  setJudge(judge: Judge | null): void {
    this.#loader.hosts.judge = judge;
  }

  /** Sets the function that calls tools of MCP servers for hooks; without it such a hook fails. */
  setToolCaller(caller: ToolCaller | null): void {
    this.#loader.hosts.toolCaller = caller;
  }

  /** Sets the callback for answers of detached hooks; without it they are logged. */
  onLateAnswer(listener: ((answer: LateAnswer) => void) | null): void {
    engineOf(this).detached.lateListener = listener;
  }

  /**
   * Replaces secrets in results and errors of tools, and in prompts if wanted, before the model sees them; gives the ids of the
   * hooks.
   *
   * What counts as a secret is what the audit log redacts.
   */
  redactSecrets(options: RedactSecretsOptions = {}): string[] {
    return this.#loader.use("redact-secrets", options);
  }

  /**
   * Blocks, or asks a person about, calls and command lines that touch files, given as in `.gitignore`; gives the ids of the
   * hooks.
   *
   * A command line counts as far as it is understood. Throws `invalid_hook`.
   */
  protectPaths(
    ...paths:
      | readonly (string | readonly string[])[]
      | readonly [...(string | readonly string[])[], ProtectPathsOptions]
  ): string[] {
    const all: readonly (string | readonly string[] | ProtectPathsOptions)[] = paths;
    const isPath = (item: (typeof all)[number]): item is string | readonly string[] =>
      typeof item === "string" || Array.isArray(item);
    const options = all.find((item): item is ProtectPathsOptions => !isPath(item));
    return this.#loader.use("protect-paths", { ...options, paths: all.filter(isPath).flat() });
  }

  /**
   * Blocks the calls of a tool beyond a number per session, per turn or in so many milliseconds; gives the ids of the hooks.
   *
   * Each session and each agent in it has its own count. Throws `invalid_hook`.
   */
  limitCalls(tool: string, options: LimitCallsOptions): string[] {
    return this.#loader.use("limit-calls", { ...options, tool });
  }

  /**
   * Uses policies by their names, each with its level if it is not the standard one (`"git"`, `"secrets:strict"`); gives the ids
   * of the hooks.
   *
   * What single rules decide may follow: `{ rules: { "git.push-force": "ask" } }`. Throws `invalid_hook`.
   */
  use(...policies: readonly string[] | readonly [...string[], UseOptions]): string[] {
    const all: readonly (string | UseOptions)[] = policies;
    const names = all.filter((policy) => typeof policy === "string");
    const options = all.find((policy) => typeof policy !== "string");
    return this.#loader.use("policies", { ...options, names });
  }

  get #loader(): FileLoader {
    return (this.#loaderOrNone ??= new FileLoader(engineOf(this), (event, payload) =>
      this.dispatch(event, payload as Payload<"ConfigChange">),
    ));
  }
}
