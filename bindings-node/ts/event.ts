/**
 * The event as one hook sees it.
 *
 * To a handler it is a plain object: it can be spread, destructured, compared, printed and written as JSON. Behind it is
 * the host's payload, which is not copied until a hook reads a container; the hook then gets a copy of that field of its
 * own, so that its changes reach neither the host nor another hook.
 */

import { randomUUID } from "node:crypto";
import { inspect } from "node:util";

import { now } from "./clock.js";
import { append } from "./lists.js";
import { canonicalFields } from "./spelling.js";
import type { CallReadings } from "./event-base.js";
import { catalogue, jsonText } from "./native.js";
import { describe, HookweaveError } from "./errors.js";
import { copyForHost, copyForHook, setField } from "./values.js";

/** A payload, as the host gave it or as changed by hooks. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the engine fills in where the host omits it; the same for every hook of a dispatch and its outcome. */
export interface Envelope {
  readonly eventType: string;
  readonly sessionId: string;
  readonly timestamp: number;
  readonly toolUseId?: string;
  /** Missing where the directory was deleted. */
  readonly cwd?: string;
  readonly metadata: object;
}

/** What the events of a dispatch share. */
export interface EventScope {
  readonly plan: {
    readonly event: string;
    readonly hasToolUseId: boolean;
    readonly runtime: {
      directory(): string | null;
      command(event: string, payload: object): string;
      paths(event: string, payload: object): readonly string[];
    };
  };
  /** When the dispatch began, in nanoseconds on `process.hrtime`'s clock. */
  readonly began: number;
  envelope: Envelope | null;
  /** Why a field could not be shown to a hook; a gate then refuses. */
  unshown: string | null;
}

/** The envelope, created at the first read. */
export function envelopeOf(scope: EventScope): Envelope {
  const { envelope } = scope;
  if (envelope !== null) return envelope;
  scope.envelope = newEnvelope(scope);
  return scope.envelope;
}

function newEnvelope({ plan, began }: EventScope): Envelope {
  const ago = (now() - began) / 1e6;
  const cwd = plan.runtime.directory();
  return {
    eventType: plan.event,
    sessionId: randomUUID(),
    timestamp: Math.round(Date.now() - ago),
    ...(plan.hasToolUseId ? { toolUseId: randomUUID() } : {}),
    ...(cwd === null ? {} : { cwd }),
    metadata: {},
  };
}

/** The payload with everything that the engine fills in; not copied. */
export function fillPayload(scope: EventScope, payload: Fields): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...payload };
  const envelope = envelopeOf(scope);
  for (const [name, value] of Object.entries(envelope)) {
    filled[name] ??= value;
  }
  filled["eventType"] = envelope.eventType;
  return filled;
}

/** What belongs to one hook. */
interface InvocationState {
  /** The fields that it has read: copies, and views of what cannot be copied. */
  readonly copies: Map<string, unknown>;
  /** How a field is copied. */
  readonly copyField: (value: unknown) => unknown;
  /** Whether a field that cannot be shown keeps a gate shut; it does not for detached hooks. */
  readonly blocksGate: boolean;
  controller: AbortController | null;
}

/** One hook's invocation: the target of its event's proxy, and its `HookContext`. */
export class HookInvocation {
  readonly #scope: EventScope;
  #payload: Fields;
  /** Created at the first read of a container; most hooks read none. */
  #state: InvocationState | null = null;

  constructor(scope: EventScope, payload: Fields) {
    this.#scope = scope;
    this.#payload = payload;
  }

  /** Fires when the hook's time is over or its dispatch is cancelled. */
  get signal(): AbortSignal {
    return (HookInvocation.#stateOf(this).controller ??= new AbortController()).signal;
  }

  /** Fires the hook's signal. */
  static abort(invocation: HookInvocation, reason: unknown): void {
    (HookInvocation.#stateOf(invocation).controller ??= new AbortController()).abort(reason);
  }

  /** Lets a hook that is awaited see the copy of its payload, if there is one. */
  static hold(invocation: HookInvocation, held: ReadonlyMap<unknown, unknown>): void {
    invocation.#payload =
      (held.get(invocation.#payload) as Fields | undefined) ?? invocation.#payload;
  }

  /** The event of an invocation. */
  static event(invocation: HookInvocation): object {
    return new Proxy(invocation, traps);
  }

  /** The event for the host, which gets its own objects as they are. */
  static hostEvent(scope: EventScope, payload: Fields): object {
    const invocation = new HookInvocation(scope, payload);
    invocation.#state = {
      copies: new Map(),
      copyField: copyForHost,
      controller: null,
      blocksGate: false,
    };
    return HookInvocation.event(invocation);
  }

  /** The invocation of a detached hook: a field that cannot be shown blocks nothing. */
  static detached(scope: EventScope, payload: Fields): HookInvocation {
    const invocation = new HookInvocation(scope, payload);
    invocation.#state = {
      copies: new Map(),
      copyField: copyForHook,
      controller: null,
      blocksGate: false,
    };
    return invocation;
  }

  static field(invocation: HookInvocation, name: string): unknown {
    const value = invocation.#payload[name];
    const kind = typeof value;
    if (kind !== "object" && kind !== "undefined" && kind !== "function" && name !== "eventType")
      return value;
    return HookInvocation.#slowField(invocation, name, value);
  }

  static names(invocation: HookInvocation): string[] {
    const names = Object.keys(invocation.#payload);
    for (const name of Object.keys(envelopeOf(invocation.#scope))) {
      if (!Object.hasOwn(invocation.#payload, name)) append(names, name);
    }
    return names;
  }

  static has(invocation: HookInvocation, name: string): boolean {
    return (
      Object.hasOwn(invocation.#payload, name) || Object.hasOwn(envelopeOf(invocation.#scope), name)
    );
  }

  /** Whether the event is a tool call, of which the engine reads the command line and the paths. */
  static isCall(invocation: HookInvocation): boolean {
    return callsOfCatalogue().has(invocation.#scope.plan.event);
  }

  /** What the engine reads of a tool call. */
  static reading(
    invocation: HookInvocation,
    name: keyof CallReadings,
  ): CallReadings[keyof CallReadings] {
    const { event, runtime } = invocation.#scope.plan;
    return runtime[name](event, invocation.#payload);
  }

  static copy(invocation: HookInvocation): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const name of HookInvocation.names(invocation)) {
      const value = HookInvocation.field(invocation, name);
      setField(copy, name, HookInvocation.#stateOf(invocation).copyField(value));
    }
    return copy;
  }

  static text(invocation: HookInvocation): string {
    const fields: Record<string, unknown> = {};
    for (const name of HookInvocation.names(invocation)) {
      setField(
        fields,
        name,
        invocation.#state?.copies.get(name) ??
          HookInvocation.#filled(invocation, name, invocation.#payload[name]),
      );
    }
    try {
      return jsonText(canonicalFields(invocation.#scope.plan.event, fields));
    } catch (error) {
      throw HookInvocation.#unshown(invocation, "toJson()", error);
    }
  }

  // Static: private methods would add a brand to every invocation.
  static #stateOf(invocation: HookInvocation): InvocationState {
    return (invocation.#state ??= {
      copies: new Map(),
      copyField: copyForHook,
      controller: null,
      blocksGate: true,
    });
  }

  static #slowField(invocation: HookInvocation, name: string, given: unknown): unknown {
    const value = HookInvocation.#filled(invocation, name, given);
    const isObject = typeof value === "object" ? value !== null : typeof value === "function";
    // What every object inherits is no field of the event.
    if (!isObject || (value === given && !Object.hasOwn(invocation.#payload, name))) return value;
    const { copies, copyField } = HookInvocation.#stateOf(invocation);
    const known = copies.get(name);
    if (known !== undefined) return known;
    try {
      const own = copyField(value);
      copies.set(name, own);
      return own;
    } catch (error) {
      throw HookInvocation.#unshown(invocation, name, error);
    }
  }

  /** Notes that a field cannot be shown: that is no hook's fault, and must not bypass a guard. */
  static #unshown(invocation: HookInvocation, name: string, error: unknown): unknown {
    if (invocation.#state?.blocksGate !== false)
      invocation.#scope.unshown ??= `hooks cannot be shown the event: ${name}: ${describe(error)}`;
    return error;
  }

  static #filled(invocation: HookInvocation, name: string, value: unknown): unknown {
    if (name !== "eventType" && !((value === undefined || value === null) && isFilled(name)))
      return value;
    return envelopeOf(invocation.#scope)[name] ?? value;
  }

  /**
   * Printing an event looks past its proxy: `this` is the event then, and the invocation when the context is printed.
   *
   * @internal
   */
  [inspect.custom](): unknown {
    return #scope in this ? { signal: this.signal } : { ...(this as object) };
  }
}

function isFilled(name: string): name is keyof Envelope {
  return (
    name === "sessionId" ||
    name === "timestamp" ||
    name === "toolUseId" ||
    name === "cwd" ||
    name === "metadata"
  );
}

let calls: ReadonlySet<string> | null = null;

/** The events that have the arguments of a tool. */
function callsOfCatalogue(): ReadonlySet<string> {
  return (calls ??= new Set(
    catalogue()
      .filter(({ fields }) => fields.some(({ name }) => name === "args"))
      .map(({ name }) => name),
  ));
}

const methods: Readonly<Record<string, (invocation: HookInvocation) => unknown>> = {
  toJSON: (invocation) => HookInvocation.copy(invocation),
  toJson: (invocation) => HookInvocation.text(invocation),
};

function refuse(name: string | symbol): never {
  throw new TypeError(
    `cannot change \`${String(name)}\` of an event; return { modified: { ${String(name)}: … } } from the hook instead`,
  );
}

/** Makes an invocation look like a plain object. */
const traps: ProxyHandler<HookInvocation> = {
  get(invocation, name) {
    if (typeof name === "symbol") return Reflect.get(Object.prototype, name) as unknown;
    if ((name === "command" || name === "paths") && HookInvocation.isCall(invocation))
      return HookInvocation.reading(invocation, name);
    const method = name === "toJSON" || name === "toJson" ? methods[name] : undefined;
    return method === undefined ? HookInvocation.field(invocation, name) : () => method(invocation);
  },
  has(invocation, name) {
    return (
      (typeof name === "string" && (HookInvocation.has(invocation, name) || name in methods)) ||
      ((name === "command" || name === "paths") && HookInvocation.isCall(invocation)) ||
      Reflect.has(Object.prototype, name)
    );
  },
  ownKeys(invocation) {
    return HookInvocation.names(invocation);
  },
  getOwnPropertyDescriptor(invocation, name) {
    if (typeof name === "symbol" || !HookInvocation.has(invocation, name)) return undefined;
    return {
      value: HookInvocation.field(invocation, name),
      enumerable: true,
      configurable: true,
      writable: false,
    };
  },
  getPrototypeOf() {
    return Object.prototype;
  },
  set(_turn, name) {
    return refuse(name);
  },
  defineProperty(_turn, name) {
    return refuse(name);
  },
  deleteProperty(_turn, name) {
    return refuse(name);
  },
  setPrototypeOf() {
    return refuse("__proto__");
  },
  preventExtensions() {
    throw new HookweaveError(
      "invalid_payload",
      "an event cannot be frozen; it cannot be changed anyway",
    );
  },
};
