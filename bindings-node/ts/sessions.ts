/** What a client has once it has sessions: its tools, its model, and the sessions by their ids. */

import { approverOf, PendingApprovals } from "./approvals.js";
import { MessageList } from "./context.js";
import { LogDisplay } from "./display.js";
import { runNow } from "./driver.js";
import type { Engine } from "./engine.js";
import { describe, errorOf } from "./errors.js";
import type { Fields } from "./event.js";
import { exactly } from "./exact.js";
import { tellHost } from "./logger.js";
import type { Model } from "./models.js";
import type { Outcome } from "./outcome.js";
import { crossing, NativeSession } from "./native.js";
import { pathText, placed } from "./places.js";
import { Life, type Home } from "./session-life.js";
import type { SessionOptions } from "./session-options.js";
import { Session } from "./session.js";
import type { TemporaryHook } from "./temporary.js";
import { Tools, type AnyTool, type ToolOptions } from "./tools.js";
import { isPlain } from "./values.js";

/** How many sessions a client keeps alive that nobody but it has made. */
const MAX_KEPT = 1024;

/** Registers a hook of the client's for a while. */
type HookForAWhile = (event: string, hook: object) => TemporaryHook;

/** A client's sessions. */
export class Sessions {
  readonly tools = new Tools();
  model: Model | null = null;
  /** All sessions; whoever uses one keeps it. */
  readonly #alive = new Set<WeakRef<Life>>();
  /** The latest by its id. */
  readonly #known = new Map<string, WeakRef<Life>>();
  readonly #gone = new FinalizationRegistry<{ id: string; life: WeakRef<Life> }>(({ id, life }) => {
    this.#alive.delete(life);
    if (this.#known.get(id) === life) this.#known.delete(id);
  });
  /** Those that were made for an id alone, the least recently used first: nobody else keeps their conversation. */
  readonly #kept = new Map<string, Session>();

  constructor(
    readonly engine: Engine,
    readonly hook: HookForAWhile,
  ) {}

  /** Makes a session; throws `invalid_option`. */
  make(options: SessionOptions): Session {
    this.engine.checkOpen("open sessions");
    const given: unknown = options;
    if (!isPlain(given)) {
      throw errorOf("invalid_option", "session: the options must be an object");
    }
    const { approval, context, display, onOutcome, signal, ...rest } = options;
    if (onOutcome !== undefined && typeof onOutcome !== "function") {
      throw errorOf("invalid_option", "session: `onOutcome` must be a function");
    }
    const settings = { ...rest, cwd: pathText(rest.cwd) };
    const native = crossing(() => new NativeSession(this.engine.native, settings));
    for (const [rule, permission] of this.tools.permissions) native.permit(rule, permission);
    const { tools, engine } = this;
    const { logger } = engine;
    const pending = new PendingApprovals();
    const home: Home = {
      approver: approverOf(approval, pending),
      context: part("context", "addMessage", context) ?? new MessageList(),
      display: part("display", "showMessage", display) ?? new LogDisplay(logger),
      tools,
      logger,
      pending,
      model: () => this.model,
      closed: () => engine.closed,
      tracing: () => engine.tracing,
      hook: (id, event, hook) => this.hook(event, only(id, hook)),
      raise: (event, payload, cancelling) => {
        engine.checkOpen("dispatch events");
        const fields = placed(payload as Fields);
        const outcome = runNow(engine.plan(event, fields), fields, cancelling);
        if (onOutcome === undefined) return outcome;
        const tell = (outcome: Outcome): Outcome => {
          tellHost(onOutcome, [outcome], (error) => {
            logger?.warn("a listener to outcomes failed", { message: describe(error), error });
          });
          return outcome;
        };
        return outcome instanceof Promise ? outcome.then(tell) : tell(outcome);
      },
    };
    const life = new Life(native, home, null);
    const session = new Session(life);
    life.obey(signal);
    const weak = new WeakRef(life);
    this.#alive.add(weak);
    this.#known.set(session.id, weak);
    this.#gone.register(life, { id: session.id, life: weak });
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

  /** Takes a tool in, for the sessions that are there too. */
  addTool(name: string, run: AnyTool, { permission, schema }: ToolOptions): void {
    this.engine.checkOpen("register tools");
    const rule = this.tools.check(name, run, permission);
    if (schema !== undefined) {
      crossing(() => this.engine.native.defineTool({ name, schema }));
      this.engine.forget();
    }
    this.tools.add(name, run);
    if (permission === undefined || rule === null) return;
    this.tools.permissions.set(rule, permission);
    for (const life of this.#alive) crossing(() => life.deref()?.native.permit(rule, permission));
  }
}

/** Checks a part that the host brings. */
function part<P extends object>(name: string, method: string, given: P | undefined): P | null {
  if (given === undefined) return null;
  const has = typeof (given as Record<string, unknown> | null)?.[method] === "function";
  if (!has) throw errorOf("invalid_option", `session: \`${name}\` must have a method ${method}`);
  return given;
}

/** A hook that hears one session only. */
function only(id: string, hook: unknown): object {
  const matcher = { session: exactly(id, "session", "invalid_matcher") };
  if (typeof hook === "function") return { handler: hook, matcher };
  if (!isPlain(hook)) return hook as object;
  const given = hook["matcher"];
  if (isPlain(given) && given["session"] !== undefined) {
    throw errorOf("invalid_matcher", "a session's own hook has no `session` in its matcher");
  }
  return { ...hook, matcher: { ...(given as object | undefined), ...matcher } };
}
