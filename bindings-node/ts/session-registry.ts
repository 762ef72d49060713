/** The sessions of a client by their ids, and the tools and the model that they share. */

import { PendingApprovals } from "./approval.js";
import { approverOf } from "./approvers.js";
import { Messages } from "./context.js";
import { LogDisplay } from "./display.js";
import { dispatchNow } from "./dispatch.js";
import type { Engine } from "./engine.js";
import { describe, errorOf } from "./errors.js";
import type { Fields } from "./event.js";
import { callListener } from "./logging.js";
import type { Model } from "./models.js";
import type { Outcome } from "./outcome.js";
import { ownFields } from "./own-fields.js";
import { callNative, exactPattern, NativeSession } from "./native.js";
import { pathText, withTextCwd } from "./paths.js";
import { SessionState, type SessionHost } from "./session-state.js";
import type { SessionOptions } from "./session-options.js";
import { Session } from "./session.js";
import type { TemporaryHook } from "./temporary-hook.js";
import { Tools, type AnyTool, type ToolOptions } from "./tools.js";
import { isPlain } from "./values.js";

/** How many sessions a client keeps alive that it made itself for an id. */
const MAX_KEPT = 1024;

/** Registers a temporary hook of the client. */
type RegisterTemporary = (event: string, hook: object) => TemporaryHook;

/** The options that this package reads; the core reads all others. */
const HOST_OPTIONS = [
  "approval",
  "context",
  "display",
  "onOutcome",
  "signal",
] as const satisfies readonly (keyof SessionOptions)[];

/** A client's sessions. */
export class SessionRegistry {
  readonly tools = new Tools();
  model: Model | null = null;
  /** All sessions; weak, because the program keeps those that it uses. */
  readonly #alive = new Set<WeakRef<SessionState<Session>>>();
  /** The latest by its id. */
  readonly #known = new Map<string, WeakRef<SessionState<Session>>>();
  readonly #collected = new FinalizationRegistry<{
    id: string;
    state: WeakRef<SessionState<Session>>;
  }>(({ id, state }) => {
    this.#alive.delete(state);
    if (this.#known.get(id) === state) this.#known.delete(id);
  });
  /** Those that the client made for an id, least recently used first: only it keeps their conversation. */
  readonly #kept = new Map<string, Session>();

  constructor(
    readonly engine: Engine,
    readonly hook: RegisterTemporary,
  ) {}

  /** Makes a session; throws `invalid_option`. */
  make(options: SessionOptions): Session {
    this.engine.checkOpen("open sessions");
    const given: unknown = options;
    if (!isPlain(given)) {
      throw errorOf("invalid_option", "session: the options must be an object");
    }
    const { approval, context, display, onOutcome, signal, ...rest } = ownFields(options);
    if (onOutcome !== undefined && typeof onOutcome !== "function") {
      throw errorOf("invalid_option", "session: `onOutcome` must be a function");
    }
    const settings = { ...rest, cwd: pathText(ownFields(rest).cwd) };
    const native = callNative(
      () => new NativeSession(this.engine.native, settings, [...HOST_OPTIONS]),
    );
    for (const [rule, permission] of this.tools.permissions) native.permit(rule, permission);
    const { tools, engine } = this;
    const { logger } = engine;
    const pending = new PendingApprovals();
    const host: SessionHost = {
      approver: approverOf(approval, pending),
      context: checkPart("context", "addMessage", context) ?? new Messages(),
      display: checkPart("display", "showMessage", display) ?? new LogDisplay(logger),
      tools,
      logger,
      pending,
      model: () => this.model,
      closed: () => engine.closed,
      forgetPlans: () => {
        engine.forgetPlans();
      },
      tracing: () => engine.tracing,
      hook: (id, event, hook) => this.hook(event, forSession(id, hook)),
      raise: (event, payload, cancelling) => {
        engine.checkOpen("dispatch events");
        const fields = withTextCwd(payload as Fields);
        const outcome = dispatchNow(engine.plan(event, fields), fields, cancelling);
        if (onOutcome === undefined) return outcome;
        const notify = (outcome: Outcome): Outcome => {
          callListener(onOutcome, [outcome], (error) => {
            logger?.warn("a listener to outcomes failed", { message: describe(error), error });
          });
          return outcome;
        };
        return outcome instanceof Promise ? outcome.then(notify) : notify(outcome);
      },
    };
    const state = new SessionState<Session>(native, host, null);
    const session = new Session(state);
    state.follow(signal);
    const weak = new WeakRef(state);
    this.#alive.add(weak);
    this.#known.set(session.id, weak);
    this.#collected.register(state, { id: session.id, state: weak });
    return session;
  }

  /** The session of an id; one with the defaults when there is none. */
  get(id: string): Session {
    if (typeof id !== "string" || id === "") {
      throw errorOf("invalid_option", "the session's id must be a text that is not empty");
    }
    const known = this.#known.get(id)?.deref();
    if (known !== undefined && !known.over) {
      if (this.#kept.delete(id)) this.#kept.set(id, known.session);
      return known.session;
    }
    const session = this.make({ sessionId: id });
    this.#kept.set(id, session);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return session;
  }

  /** Adds a tool, also for open sessions. */
  addTool(name: string, run: AnyTool, options: ToolOptions): void {
    const { permission, schema } = ownFields(options);
    this.engine.checkOpen("register tools");
    const rule = this.tools.check(name, run, permission);
    if (schema !== undefined) {
      callNative(() => this.engine.native.defineTool({ name, schema }));
      this.engine.forgetPlans();
    }
    this.tools.add(name, run);
    if (permission === undefined || rule === null) return;
    this.tools.permissions.set(rule, permission);
    for (const state of this.#alive)
      callNative(() => state.deref()?.native.permit(rule, permission));
  }
}

/** Checks a part that the program gave. */
function checkPart<P extends object>(name: string, method: string, given: P | undefined): P | null {
  if (given === undefined) return null;
  const has = typeof (given as Record<string, unknown> | null)?.[method] === "function";
  if (!has) throw errorOf("invalid_option", `session: \`${name}\` must have a method ${method}`);
  return given;
}

/** Limits a hook to one session. */
function forSession(id: string, hook: unknown): object {
  const matcher = { session: exactPattern(id) };
  if (typeof hook === "function") return { handler: hook, matcher };
  if (!isPlain(hook)) return hook as object;
  const given = ownFields(hook)["matcher"];
  if (isPlain(given) && ownFields(given)["session"] !== undefined) {
    throw errorOf("invalid_matcher", "a session's own hook has no `session` in its matcher");
  }
  return { ...hook, matcher: { ...(given as object | undefined), ...matcher } };
}
