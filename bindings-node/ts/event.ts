/**
 * The event as one hook sees it.
 *
 * To a handler it is a plain object: it can be spread, destructured, compared, printed and written as JSON. Behind it
 * stands the host's payload, which nobody copies until a hook touches a container; then this hook gets a copy of that
 * field for its own, so that what it does to it reaches neither the host nor another hook.
 */

import { randomUUID } from "node:crypto";
import { inspect } from "node:util";

import { now } from "./clock.js";
import { canonicalFields } from "./names.js";
import { jsonText } from "./native.js";
import { describe, HookweaveError } from "./errors.js";
import { copyOf, lend, setField } from "./values.js";

/** A payload as the host gave it or as hooks modified it. */
export type Fields = Readonly<Record<string, unknown>>;

/** What the engine fills in where the host left it out; the same for every hook of a dispatch and its outcome. */
export interface Envelope {
  readonly eventType: string;
  readonly sessionId: string;
  readonly timestamp: number;
  readonly toolUseId?: string;
  /** Missing where the directory was deleted. */
  readonly cwd?: string;
  readonly metadata: object;
}

/** What a dispatch knows that its events need. */
export interface Scene {
  readonly plan: {
    readonly event: string;
    readonly hasToolUseId: boolean;
    readonly crew: { directory(): string | null };
  };
  /** When the dispatch began, in nanoseconds on `process.hrtime`'s clock. */
  readonly began: number;
  envelope: Envelope | null;
  /** Why a hook could not be shown something of it; whatever hooks say, a gate then refuses. */
  unshown: string | null;
}

/** The scene's envelope, made when somebody first asks. */
export function envelopeOf(scene: Scene): Envelope {
  const { envelope } = scene;
  if (envelope !== null) return envelope;
  scene.envelope = seal(scene);
  return scene.envelope;
}

function seal({ plan, began }: Scene): Envelope {
  const ago = (now() - began) / 1e6;
  const cwd = plan.crew.directory();
  return {
    eventType: plan.event,
    sessionId: randomUUID(),
    timestamp: Math.round(Date.now() - ago),
    ...(plan.hasToolUseId ? { toolUseId: randomUUID() } : {}),
    ...(cwd === null ? {} : { cwd }),
    metadata: {},
  };
}

/** The payload with everything that the engine fills in, by reference. */
export function fill(scene: Scene, payload: Fields): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...payload };
  const envelope = envelopeOf(scene);
  for (const [name, value] of Object.entries(envelope)) {
    filled[name] ??= value;
  }
  filled["eventType"] = envelope.eventType;
  return filled;
}

/** What every event can do, beside having its fields. */
export interface EventMethods {
  /** A copy of all fields that is nobody else's. */
  toJSON(): Record<string, unknown>;
  /** The canonical JSON text, in snake_case; throws `payload_not_json` naming what has no JSON form. */
  toJson(): string;
}

/** What a hook has for itself. */
interface Own {
  /** What it was given of the fields that it has touched: copies, and views of what cannot be copied. */
  readonly copies: Map<string, unknown>;
  /** How a field is given. */
  readonly give: (value: unknown) => unknown;
  /** Whether what it cannot be shown keeps a gate shut: it does not for hooks that nobody waits for. */
  readonly decides: boolean;
  controller: AbortController | null;
}

/** A hook's turn: behind the event that it is given, and the context beside it. */
export class Turn {
  readonly #scene: Scene;
  readonly #payload: Fields;
  /** What the hook has touched; most touch nothing. */
  #own: Own | null = null;

  constructor(scene: Scene, payload: Fields) {
    this.#scene = scene;
    this.#payload = payload;
  }

  /** Fires when the hook's time is over or its dispatch is cancelled. */
  get signal(): AbortSignal {
    return (Turn.#touched(this).controller ??= new AbortController()).signal;
  }

  /** Ends the hook's time. */
  static abort(turn: Turn, reason: unknown): void {
    (Turn.#touched(turn).controller ??= new AbortController()).abort(reason);
  }

  /** The event of a turn. */
  static event(turn: Turn): object {
    return new Proxy(turn, traps);
  }

  /** The event for the host, whose own objects it may have as they are. */
  static hostEvent(scene: Scene, payload: Fields): object {
    const turn = new Turn(scene, payload);
    turn.#own = { copies: new Map(), give: copyOf, controller: null, decides: false };
    return Turn.event(turn);
  }

  /** The turn of a hook that nobody waits for: what it cannot be shown keeps nothing from happening. */
  static detached(scene: Scene, payload: Fields): Turn {
    const turn = new Turn(scene, payload);
    turn.#own = { copies: new Map(), give: lend, controller: null, decides: false };
    return turn;
  }

  static field(turn: Turn, name: string): unknown {
    const value = turn.#payload[name];
    const kind = typeof value;
    if (kind !== "object" && kind !== "undefined" && kind !== "function" && name !== "eventType")
      return value;
    return Turn.#slowField(turn, name, value);
  }

  static names(turn: Turn): string[] {
    const names = Object.keys(turn.#payload);
    for (const name of Object.keys(envelopeOf(turn.#scene))) {
      if (!Object.hasOwn(turn.#payload, name)) names.push(name);
    }
    return names;
  }

  static has(turn: Turn, name: string): boolean {
    return Object.hasOwn(turn.#payload, name) || Object.hasOwn(envelopeOf(turn.#scene), name);
  }

  static copy(turn: Turn): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const name of Turn.names(turn)) {
      const value = Turn.field(turn, name);
      setField(copy, name, Turn.#touched(turn).give(value));
    }
    return copy;
  }

  static text(turn: Turn): string {
    const fields: Record<string, unknown> = {};
    for (const name of Turn.names(turn)) {
      setField(
        fields,
        name,
        turn.#own?.copies.get(name) ?? Turn.#filled(turn, name, turn.#payload[name]),
      );
    }
    try {
      return jsonText(canonicalFields(turn.#scene.plan.event, fields));
    } catch (error) {
      throw Turn.#unshown(turn, "toJson()", error);
    }
  }

  // Static, because private methods would cost every turn a mark of its class.
  static #touched(turn: Turn): Own {
    return (turn.#own ??= { copies: new Map(), give: lend, controller: null, decides: true });
  }

  static #slowField(turn: Turn, name: string, given: unknown): unknown {
    const value = Turn.#filled(turn, name, given);
    const isObject = typeof value === "object" ? value !== null : typeof value === "function";
    // What every object inherits is no field of the event.
    if (!isObject || (value === given && !Object.hasOwn(turn.#payload, name))) return value;
    const { copies, give } = Turn.#touched(turn);
    const known = copies.get(name);
    if (known !== undefined) return known;
    try {
      const own = give(value);
      copies.set(name, own);
      return own;
    } catch (error) {
      throw Turn.#unshown(turn, name, error);
    }
  }

  /** Notes that a field cannot be shown: no hook is to blame for that, and none may be got past by it. */
  static #unshown(turn: Turn, name: string, error: unknown): unknown {
    if (turn.#own?.decides !== false)
      turn.#scene.unshown ??= `hooks cannot be shown the event: ${name}: ${describe(error)}`;
    return error;
  }

  static #filled(turn: Turn, name: string, value: unknown): unknown {
    if (name !== "eventType" && !((value === undefined || value === null) && isFilled(name)))
      return value;
    return envelopeOf(turn.#scene)[name] ?? value;
  }

  /** Printing an event looks past its proxy: `this` is the event then, and the turn when the context is printed. */
  [inspect.custom](): unknown {
    return #scene in this ? { signal: this.signal } : { ...(this as object) };
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

const methods: Readonly<Record<string, (turn: Turn) => unknown>> = {
  toJSON: (turn) => Turn.copy(turn),
  toJson: (turn) => Turn.text(turn),
};

function refuse(name: string | symbol): never {
  throw new TypeError(
    `cannot change \`${String(name)}\` of an event; return { modified: { ${String(name)}: … } } from the hook instead`,
  );
}

/** Makes a turn look like the plain object that the event is. */
const traps: ProxyHandler<Turn> = {
  get(turn, name) {
    if (typeof name === "symbol") return Reflect.get(Object.prototype, name) as unknown;
    const method = name === "toJSON" || name === "toJson" ? methods[name] : undefined;
    return method === undefined ? Turn.field(turn, name) : () => method(turn);
  },
  has(turn, name) {
    return (
      (typeof name === "string" && (Turn.has(turn, name) || name in methods)) ||
      Reflect.has(Object.prototype, name)
    );
  },
  ownKeys(turn) {
    return Turn.names(turn);
  },
  getOwnPropertyDescriptor(turn, name) {
    if (typeof name === "symbol" || !Turn.has(turn, name)) return undefined;
    return { value: Turn.field(turn, name), enumerable: true, configurable: true, writable: false };
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
