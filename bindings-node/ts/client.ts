/** The client: where a program registers hooks, raises events, and opens sessions. */

import { ClientFiles, loaderOf } from "./client-files.js";
import { engineOf } from "./client-hooks.js";
import { errorOf } from "./errors.js";
import type { CustomEventName } from "./event-types.js";
import type { Model } from "./models.js";
import type { GenerateOptions, RunToolOptions, SessionOptions } from "./session-options.js";
import type { Generation, ToolOutcome } from "./session-results.js";
import type { Session } from "./session.js";
import { Sessions } from "./sessions.js";
import type { ToolFunction, ToolOptions } from "./tools.js";

/** How long closing waits for detached hooks unless it is told, in milliseconds. */
const CLOSING = 5000;

/** Hooks, the events that run them, and the sessions that act on what they say. */
export class HookClient extends ClientFiles implements Disposable, AsyncDisposable {
  /** Made with the first session, tool or model. */
  #sessionsOrNone: Sessions | null = null;

  /**
   * Opens a conversation that acts on what hooks say: `await using session = client.session({ cwd });`
   *
   * Throws `invalid_option` and `client_closed`.
   */
  session(options: SessionOptions = {}): Session {
    return this.#sessions.make(options);
  }

  /**
   * Takes in a tool for `session.runTool`, `executeTool` and `generate`; one of the same name is replaced.
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

  get #sessions(): Sessions {
    return (this.#sessionsOrNone ??= new Sessions(engineOf(this), (event, hook) =>
      this.temporaryHook(event as CustomEventName, hook as never),
    ));
  }

  /** Waits until no detached hook runs or waits; false when the milliseconds were over first. */
  drain(timeout?: number): Promise<boolean> {
    return engineOf(this).drain(timeout);
  }

  /**
   * Refuses what comes from now on, gives detached hooks so many milliseconds to end, and kills the commands and requests
   * that still run.
   */
  async close(timeout: number = CLOSING): Promise<void> {
    engineOf(this).closed = true;
    if (!(await engineOf(this).drain(timeout))) {
      engineOf(this).abortDetached(new DOMException("the client was closed", "AbortError"));
    }
    loaderOf(this)?.close();
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
