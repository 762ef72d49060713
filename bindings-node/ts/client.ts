/** The client: where a program registers hooks, raises events, and opens sessions. */

import type { AuditLevel, AuditOptions, AuditPath } from "./audit-types.js";
import { ClientFiles, fileLoaderOf } from "./client-files.js";
import { engineOf } from "./client-hooks.js";
import { errorOf } from "./errors.js";
import type { CustomEventName } from "./event-types.js";
import type { Model } from "./models.js";
import { transportOf } from "./remote-address.js";
import { ServingWorkers } from "./remote-agent.js";
import { logOf } from "./remote-log.js";
import { connectOptions, serveOptions } from "./remote-options.js";
import type { ConnectOptions, ServeOptions } from "./remote-types.js";
import { WorkerConnection } from "./remote-worker.js";
import type { GenerateOptions, RunToolOptions, SessionOptions } from "./session-options.js";
import type { Generation, ToolOutcome } from "./session-results.js";
import type { Session, ToolFunction } from "./session.js";
import { SessionRegistry } from "./session-registry.js";
import { nextLoopTurn } from "./timers.js";
import type { ToolOptions } from "./tools.js";

/** How long `close` waits for detached hooks by default, in milliseconds. */
const CLOSE_TIMEOUT = 5000;

/** Registers hooks, raises events, and opens sessions. */
export class HookClient extends ClientFiles implements Disposable, AsyncDisposable {
  /** Created with the first session, tool or model. */
  #sessionsOrNone: SessionRegistry | null = null;
  /** Open addresses and connections. */
  readonly #remotes = new Set<ServingWorkers | WorkerConnection>();

  /**
   * Opens a session, which acts on the outcomes of its events: `await using session = client.session({ cwd });`
   *
   * Throws `invalid_option` and `client_closed`.
   */
  session(options: SessionOptions = {}): Session {
    return this.#sessions.make(options);
  }

  /**
   * Registers a tool for `session.runTool`, `executeTool` and `generate`; one of the same name is replaced.
   *
   * Throws `invalid_option`, and `invalid_tool_definition` for a schema that is none.
   */
  registerTool<A extends object = Record<string, unknown>>(
    name: string,
    run: ToolFunction<A>,
    options: ToolOptions = {},
  ): void {
    this.#sessions.addTool(name, run, options);
  }

  /** Sets the model that `generate` calls; `null` is none. */
  registerModel(model: Model | null): void {
    if (model !== null && typeof model !== "function") {
      throw errorOf("invalid_option", "registerModel: the model must be a function");
    }
    this.#sessions.model = model;
  }

  /** Makes a call of a registered tool in the session of this id; without one, a session with the defaults is made. */
  async executeTool(
    sessionId: string,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options?: RunToolOptions,
  ): Promise<ToolOutcome> {
    return this.#sessions.get(sessionId).runTool(tool, args, options);
  }

  /** Answers a prompt in the session of this id; without one, a session with the defaults is made. */
  async generate(
    sessionId: string,
    prompt: string,
    options?: GenerateOptions,
  ): Promise<Generation> {
    return this.#sessions.get(sessionId).generate(prompt, options);
  }

  get #sessions(): SessionRegistry {
    return (this.#sessionsOrNone ??= new SessionRegistry(engineOf(this), (event, hook) =>
      this.temporaryHook(event as CustomEventName, hook as never),
    ));
  }

  /**
   * Opens the audit log with new settings; earlier records go to the earlier destination.
   *
   * A level alone sends records to the client's logger. Throws `invalid_option`, and `audit_failed` when the file cannot be
   * written.
   */
  configureAudit(audit: AuditLevel | AuditPath | AuditOptions): void {
    engineOf(this).audit.configure(audit);
  }

  /** Changes how much is recorded; without an open log, records go to the client's logger. */
  setHookAuditLevel(level: AuditLevel): void {
    engineOf(this).audit.setLevel(level);
  }

  /** Waits until all records are written and delivered; false when the timeout in milliseconds was over first. */
  flushAudit(timeout?: number): boolean {
    return engineOf(this).audit.flush(timeout);
  }

  /** How much is recorded. */
  get auditLevel(): AuditLevel {
    return engineOf(this).audit.state.level as AuditLevel;
  }

  /** The file that is written; a process that finds another one writing has its own. */
  get auditFile(): string | null {
    return engineOf(this).audit.state.file ?? null;
  }

  /**
   * The last record that was written, also after the client was closed; `null` before the first one. Stored elsewhere, it
   * proves later that no record is missing.
   */
  get auditAnchor(): string | null {
    return engineOf(this).audit.state.anchor ?? null;
  }

  /** Why the log cannot be written; `null` while it can. */
  get auditTrouble(): string | null {
    return engineOf(this).audit.state.trouble ?? null;
  }

  /**
   * Takes workers at an address: their hooks are hooks of this client, and run in the worker's process.
   *
   * At `unix:///path` only processes of this user and of root can connect. `grpc://host:port` and `grpcs://host:port`
   * need the package `@grpc/grpc-js`. What workers may do is in the `grants`. It keeps the process alive until it is
   * closed. Throws `invalid_option` and `client_closed`.
   */
  async serve(address: string, options: ServeOptions = {}): Promise<ServingWorkers> {
    engineOf(this).checkOpen("serve workers");
    const read = serveOptions(options);
    const transport = transportOf(address, read, "serve", logOf(engineOf(this).logger));
    const serving = await ServingWorkers.open(engineOf(this), transport, read);
    return this.#keep(serving);
  }

  /**
   * Offers this client's hooks to the agent that listens at an address; see `serve`.
   *
   * The agent dispatches and decides which hooks run; they run here as for a dispatch of this client. Hooks that come, go, or
   * are switched later do so at the agent too. Hooks from files and hooks that run once are not offered. The connection is
   * made again whenever it is lost, and keeps the process alive until it is closed. Throws `invalid_option` and
   * `client_closed`.
   */
  async connect(address: string, options: ConnectOptions = {}): Promise<WorkerConnection> {
    engineOf(this).checkOpen("connect to an agent");
    const read = connectOptions(options);
    const groups = read.group === undefined ? {} : { groups: [read.group] };
    const log = logOf(engineOf(this).logger);
    const transport = transportOf(address, { ...read, ...groups }, "connect", log);
    await transport.check();
    return this.#keep(WorkerConnection.open(engineOf(this), address, transport, read));
  }

  #keep<R extends ServingWorkers | WorkerConnection>(remote: R): R {
    for (const other of this.#remotes) if (other.state === "closed") this.#remotes.delete(other);
    this.#remotes.add(remote);
    return remote;
  }

  /** Waits until no detached hook runs or waits; false when the timeout in milliseconds was over first. */
  drain(timeout?: number): Promise<boolean> {
    return engineOf(this).drain(timeout);
  }

  /**
   * Refuses further calls, leaves agents and workers, gives detached hooks so many milliseconds to end, and kills the
   * commands and requests that still run.
   */
  async close(timeout: number = CLOSE_TIMEOUT): Promise<void> {
    engineOf(this).close();
    await Promise.all(
      [...this.#remotes].map((remote) =>
        remote instanceof WorkerConnection ? remote.close(timeout) : remote.close(),
      ),
    );
    if (!(await engineOf(this).drain(timeout))) {
      engineOf(this).detached.abort(new DOMException("the client was closed", "AbortError"));
    }
    fileLoaderOf(this)?.close();
    engineOf(this).audit.close();
    // Native memory that the collector gives back is freed between turns of the event loop: a program that makes and closes
    // clients and waits for nothing else would never come to one.
    await nextLoopTurn();
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
