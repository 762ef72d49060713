/** The part of a client that loads hooks from files. */

import type { DiscoverOptions, LoadOptions } from "./client-options.js";
import type { Dialect } from "./origin.js";
import type { LateAnswer } from "./registration.js";
import { ClientHooks, engineOf } from "./client-hooks.js";
import type { Payload } from "./event-types.js";
import { FileLoader } from "./files.js";
import type { Judge, ToolCaller } from "./file-hooks.js";
import { callNative, files } from "./native.js";
import { pathOf } from "./paths.js";
import type { Finding, LoadReport, ReloadReport } from "./file-reports.js";
import { TrustStore } from "./trust.js";

/** What a client has from files, if it has any; no program sees it. */
// Not kept by the engine: what hooks still run with would keep the client then.
export let fileLoaderOf: (client: ClientFiles) => FileLoader | null;

/** Hooks that stand in files of any known system. */
export class ClientFiles extends ClientHooks {
  /** Made when the client first has to do with hooks from files. */
  #loaderOrNone: FileLoader | null = null;

  static {
    fileLoaderOf = (client) => client.#loaderOrNone;
  }

  /**
   * Loads the hooks of one file of any known system.
   *
   * That somebody named the file makes it trusted. An entry that makes no sense refuses the whole file, since it may have been
   * a guard; with `partial` it is left out, as a problem in the report. Throws `invalid_config`, `invalid_option` or
   * `unknown_dialect`.
   */
  load(path: string | URL, options: LoadOptions = {}): LoadReport {
    return this.#loader.load(pathOf(path, "load"), options);
  }

  /**
   * Loads what stands at the usual places of every known system for a working directory.
   *
   * Hooks from the project's files run only when a person approved them (see `trust`), or with `trust: "all"`; the others
   * are in the report, or with `onUntrusted: "error"` thrown as `untrusted_hook`. In trusted files an entry that makes no
   * sense throws `invalid_config`, unless `partial` leaves it out.
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
    return JSON.parse(callNative(() => files.lintFile(pathOf(path, "lint"), dialect))) as Finding[];
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
    engineOf(this).detached.lateListener = listener;
  }

  get #loader(): FileLoader {
    return (this.#loaderOrNone ??= new FileLoader(engineOf(this), (event, payload) =>
      this.dispatch(event, payload as Payload<"ConfigChange">),
    ));
  }
}
