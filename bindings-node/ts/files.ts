/** The hooks that a client has from files: loading, reloading, watching. */

import { AsyncResource } from "node:async_hooks";

import type { Engine } from "./engine.js";
import { countExactly } from "./nesting.js";
import { describe } from "./errors.js";
import { callListener } from "./logging.js";
import { localFields } from "./spelling.js";
import {
  hostedHandler,
  outsideHookHandler,
  RunningOutsideHooks,
  type HostFunctions,
} from "./outside-hooks.js";
import { callNative, files, type Loaded, type NativeWatch } from "./native.js";
import type { Outcome } from "./outcome.js";
import { loadReport, reloadReport, type LoadReport, type ReloadReport } from "./file-reports.js";

/** Raises an event through the hooks in force. */
type Raise = (event: "ConfigChange" | "FileChanged", payload: object) => Promise<Outcome>;

/** The hooks from files of a client; created at the first use. */
export class FileLoader {
  readonly hosts: HostFunctions = { judge: null, toolCaller: null };
  readonly runningOutsideHooks = new RunningOutsideHooks();
  #watch: NativeWatch | null = null;
  /** The files that are watched. */
  #watched = "";
  #onReload: ((report: ReloadReport) => void) | null = null;
  /** The async context of the call of `watch`: a change of a file has none. */
  #context: AsyncResource | null = null;
  /** Reloads run one after the other: two at once would replace each other's hooks. */
  #reloading: Promise<unknown> = Promise.resolve();

  constructor(
    readonly engine: Engine,
    readonly raise: Raise,
  ) {
    engine.runningOutsideHooks = this.runningOutsideHooks;
  }

  load(path: string, options: object): LoadReport {
    const { native } = this.engine;
    return this.#take(files.load, native, path, options);
  }

  discover(cwd: string, options: object): LoadReport {
    const { native } = this.engine;
    return this.#take(files.discover, native, cwd, options);
  }

  /** Registers a ready-made hook; gives the ids of its hooks. */
  use(name: string, options: object): string[] {
    const { native } = this.engine;
    const used = callNative(() =>
      files.useReadyMade(native, name, options, this.runningOutsideHooks.deliver),
    );
    this.#adopt(used);
    return JSON.parse(used.report) as string[];
  }

  #take(
    load: typeof files.load,
    native: Engine["native"],
    path: string,
    options: object,
  ): LoadReport {
    const loaded = callNative(() => load(native, path, options, this.runningOutsideHooks.deliver));
    this.#adopt(loaded);
    if (this.#watch !== null) this.#look();
    return loadReport(loaded.report);
  }

  #adopt({ hooks }: Loaded): void {
    const { engine } = this;
    if (hooks.length > 0) countExactly();
    engine.adopt(
      hooks.map(({ hook, native }) => ({
        hook,
        wakes: native.wakes,
        ...(native.hosted
          ? hostedHandler(native, this.hosts)
          : outsideHookHandler(engine.native, native, hook.detached, this.runningOutsideHooks)),
      })),
    );
  }

  /** Reads every file again; see `HookClient.reload`. */
  reload(): Promise<ReloadReport> {
    const next = this.#reloading.then(() => this.#reload());
    this.#reloading = next.catch(() => undefined);
    return next;
  }

  async #reload(): Promise<ReloadReport> {
    const { native } = this.engine;
    const prepared = callNative(() => files.prepareReload(native));
    const questions = JSON.parse(prepared.questions()) as object[];
    for (const question of questions) {
      const outcome = await this.raise("ConfigChange", localFields("ConfigChange", question));
      if (!outcome.blocked) continue;
      const why = outcome.reason ?? "a hook blocked the change";
      return reloadReport(callNative(() => files.keepHooks(native, why)));
    }
    const loaded = callNative(() =>
      files.applyReload(native, prepared, this.runningOutsideHooks.deliver),
    );
    this.#adopt(loaded);
    if (this.#watch !== null) this.#look();
    return reloadReport(loaded.report);
  }

  /** Reloads whenever files change; see `HookClient.watch`. */
  watch(onReload: ((report: ReloadReport) => void) | undefined): void {
    this.engine.checkOpen("watch files");
    this.unwatch();
    this.#onReload = onReload ?? null;
    this.#context = new AsyncResource("HookWatch", { requireManualDestroy: true });
    this.#look();
  }

  /** Watches the files that matter now: a load or a reload may have added some. */
  #look(): void {
    const { native } = this.engine;
    const wanted = files.watchedFiles(native).join("\0");
    const before = this.#watch;
    if (before !== null && wanted === this.#watched) return;
    this.#watch = callNative(() =>
      files.watchFiles(native, () => {
        this.#context?.runInAsyncScope(() => void this.#changed());
      }),
    );
    this.#watched = wanted;
    if (before === null) return;
    const missed = before.take();
    before.stop();
    // A change between the two watches may be reported by neither.
    void this.#reloadChanged();
    for (const payload of JSON.parse(missed.files) as object[])
      void this.#raiseFileChanged(payload);
  }

  /** Handles changed files: a reload first, so that the rest goes to the new hooks. */
  async #changed(): Promise<void> {
    try {
      if (this.#watch === null) return;
      const { reload, files: changed } = this.#watch.take();
      if (reload) await this.#reloadChanged();
      for (const payload of JSON.parse(changed) as object[]) await this.#raiseFileChanged(payload);
      // A hook may have changed meanwhile which files it watches.
      if (!this.engine.closed && this.#isWatching()) this.#look();
    } catch (error) {
      this.engine.logger?.warn("files cannot be watched", { message: describe(error), error });
    }
  }

  #isWatching(): boolean {
    return this.#watch !== null;
  }

  async #raiseFileChanged(payload: object): Promise<void> {
    try {
      await this.raise("FileChanged", localFields("FileChanged", payload));
    } catch (error) {
      if (this.engine.closed) return;
      this.engine.logger?.warn("hooks did not hear of a changed file", {
        message: describe(error),
        error,
      });
    }
  }

  async #reloadChanged(): Promise<void> {
    const { logger } = this.engine;
    try {
      const report = await this.reload();
      const { added, removed, changed, kept } = report;
      for (const why of kept) logger?.warn("hooks stay as they were", { why });
      if (added.length + removed.length + changed.length + kept.length === 0) return;
      const onReload = this.#onReload;
      if (onReload === null) return;
      callListener(onReload, [report], (error) => {
        logger?.warn("a listener to reloads failed", { message: describe(error), error });
      });
    } catch (error) {
      if (this.engine.closed) return;
      logger?.warn("a reload failed", { message: describe(error), error });
    }
  }

  unwatch(): void {
    this.#watch?.stop();
    this.#watch = null;
    this.#onReload = null;
    this.#context = null;
  }

  /** Stops watching, and kills what runs. */
  close(): void {
    this.unwatch();
    this.engine.native.stop(0);
  }
}
