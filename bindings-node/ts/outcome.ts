/** The outcome of a dispatch: the combined answers of its hooks. */

import type { Dialect } from "./origin.js";
import type { FailBehavior } from "./registration.js";
import { inspect } from "node:util";

import type { Action } from "./response.js";
import { isOfKind, keyOf, markKind } from "./copies.js";
import { failureOf, type FailureKind, type HookFailedError } from "./errors.js";
import type { EventName, HookEvent } from "./event-types.js";
import { fillPayload, HookInvocation } from "./event.js";
import { canonicalFields, localName } from "./spelling.js";
import { callNative, files, jsonText } from "./native.js";
import { detailsOf, finalPayload, type DispatchRecord } from "./dispatch-record.js";
import { copyContainer } from "./values.js";
import type { WireAnswer } from "./wire.js";

/** What one hook decided. */
export interface Vote {
  readonly hook: string;
  readonly action: Action;
  readonly reason: string | null;
  /** It is an `allow` that does not count. */
  readonly void?: true;
}

/** Context from a hook for the model. */
export interface Injection {
  readonly hook: string;
  readonly content: string;
  readonly role: "system" | "user" | "assistant";
  readonly ephemeral: boolean;
}

/** A message of a hook for the user; messages of the engine have no hook. */
export interface Message {
  readonly hook: string | null;
  readonly text: string;
  readonly level: "info" | "warning" | "error";
}

/** A question of a hook to a person. */
export interface Question {
  readonly hook: string;
  readonly prompt: string | null;
  readonly options: readonly string[];
  /** Those of them that allow, beside "Allow once" and "Allow always". */
  readonly grants?: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly default: "allow" | "deny";
  readonly remember?: "tool" | "prompt";
}

/** How a hook failed, and the effect by its `failBehavior`. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  readonly became: FailBehavior;
  /** The failure as an error; its `cause` is what the hook threw. */
  readonly error: HookFailedError;
}

/** What a hook that observes would have done, had it been enforced. */
export interface Observed {
  readonly hook: string;
  /** What it decided, or what its failure would have been by its `failBehavior`. */
  readonly action: Action;
  readonly reason: string | null;
  /** The payload fields that it would have changed. */
  readonly modified: readonly string[];
  readonly injections: readonly Injection[];
  readonly messages: readonly Message[];
  readonly ask: Question | null;
}

/** A field that a hook changed although an earlier one had changed it. */
export interface Overridden {
  readonly field: string;
  /** The earlier hook. */
  readonly hook: string;
}

/** The result of one hook. */
export interface TraceEntry {
  readonly hook: string;
  readonly id: string;
  readonly status: "ran" | "failed" | "skipped" | "rechecked" | "detached";
  /** Milliseconds. */
  readonly duration: number;
  readonly action: Action;
  readonly reason: string | null;
  /** What it would have done, if it observes; everything else in the entry is what had an effect. */
  readonly observed: Observed | null;
  /** The payload fields that it changed. */
  readonly modified: readonly string[];
  /** It is an `allow` that does not count. */
  readonly void: boolean;
  /** Whose modifications it replaced. */
  readonly overrode: readonly Overridden[];
  /** In a recheck it changed its own result again: the hook is not idempotent. */
  readonly notIdempotent: boolean;
  readonly failure: Failure | null;
  /** It ran longer than its timeout and could not be interrupted. */
  readonly overran: boolean;
  /** Why it was skipped. */
  readonly why: string | null;
}

/** A hook of the event that did not run, and why. */
export interface Unmatched {
  readonly hook: string;
  readonly id: string;
  readonly why: string;
}

/** The canonical form, the same in every language. */
export interface CanonicalOutcome {
  readonly event: Record<string, unknown>;
  readonly decision: Action;
  readonly blocked: boolean;
  readonly reason: string | null;
  readonly modified: string[];
  readonly votes: Vote[];
  readonly injections: Injection[];
  readonly messages: Message[];
  readonly asks: Record<string, unknown>[];
  readonly feedback: string[];
  readonly delay_ms: number;
  readonly suppress_output: boolean;
  readonly ext: Record<string, unknown>;
  readonly trace: Record<string, unknown>[];
  /** Missing when no hook that observes would have blocked it. */
  would_block?: boolean;
  /** Missing when no hook that observes had anything to say. */
  observed?: object[];
  /** What the fields were that hooks changed; missing when they changed none. */
  original?: Record<string, unknown>;
}

type CanonicalQuestion = Omit<Question, "timeout"> & { timeout_ms: number };

interface CanonicalObserved {
  action: Action;
  reason?: string;
  modified?: string[];
  injections?: Omit<Injection, "hook">[];
  messages?: Omit<Message, "hook">[];
  ask?: Omit<CanonicalQuestion, "hook">;
}

/** The native summary: the canonical form without what holds values of this language. */
type Summary = Omit<CanonicalOutcome, "event" | "ext" | "trace" | "asks" | "observed"> & {
  asks: CanonicalQuestion[];
  observed?: (CanonicalObserved & { hook: string })[];
  trace: (Omit<Partial<TraceEntry>, "duration" | "failure" | "observed"> &
    Pick<TraceEntry, "hook" | "id" | "status" | "action"> & {
      duration_us: number;
      not_idempotent?: boolean;
      observed?: CanonicalObserved;
      failure?: { kind: FailureKind; message: string; became: FailBehavior };
    })[];
};

/** What an outcome has computed so far. */
interface OutcomeCache {
  event: object | null;
  summary: Summary | null;
  trace: readonly TraceEntry[] | null;
}

/** The record that an outcome is derived from, also one of another copy of the package. */
export let recordOf: (outcome: Outcome) => DispatchRecord;

const RECORD = keyOf("record of an outcome");

/**
 * Stands in each outcome for what `structuredClone` and `postMessage` cannot see, and has them refuse: a copy without
 * it would say nothing, as if no hook had objected. They put its text into their message.
 */
const NOT_CLONEABLE = Symbol("an outcome has its data in toJSON(): clone outcome.toJSON()");

/**
 * Decision, final event, context, messages and trace of one dispatch.
 *
 * Fields are computed when they are read: a dispatch of no-op hooks costs no more than its loop.
 */
export class Outcome<N extends EventName = EventName> {
  readonly #record: DispatchRecord;
  /** @internal */
  readonly notCloneable = NOT_CLONEABLE;
  /** The fields that were read before. */
  #cache: OutcomeCache | null = null;

  static {
    recordOf = (outcome) =>
      #record in outcome
        ? outcome.#record
        : ((outcome as unknown as Record<symbol, unknown>)[RECORD] as DispatchRecord);
    Object.defineProperty(this.prototype, RECORD, {
      get(this: Outcome): DispatchRecord {
        return this.#record;
      },
    });
    markKind(this, "Outcome");
    // A promise looks up `then` in the value that fulfils it; found here, the lookup ends at once, which saves 7 of 65 ns
    // (the bar "Node, 0 matching hooks / bare loop" of docs/BENCHMARKS.md).
    Object.defineProperty(this.prototype, "then", { value: undefined });
  }

  /** @internal */
  constructor(record: DispatchRecord) {
    this.#record = record;
  }

  /** The strongest decision of all hooks. */
  get decision(): Action {
    return (this.#record.details?.status.decision ?? "continue") as Action;
  }

  /** Whether what the agent is about to do must not happen. */
  get blocked(): boolean {
    return this.#record.details?.status.blocked ?? false;
  }

  /** The reason of the first hook with the winning decision. */
  get reason(): string | null {
    return this.#record.details?.status.reason ?? null;
  }

  /** The final event. */
  get event(): HookEvent<N> {
    const record = this.#record;
    const cache = this.#cached();
    return (cache.event ??= HookInvocation.hostEvent(record, finalPayload(record))) as HookEvent<N>;
  }

  /** The payload fields that hooks changed, in the order of their first change. */
  get modified(): readonly string[] {
    return this.#readSummary().modified.map((name) => localName(name));
  }

  /** What each hook decided that decided anything. */
  get votes(): readonly Vote[] {
    return this.#readSummary().votes;
  }

  /** Context for the model, in order. */
  get injections(): readonly Injection[] {
    return this.#readSummary().injections;
  }

  /** What the user should see, in order. */
  get messages(): readonly Message[] {
    return this.#readSummary().messages;
  }

  /** What a person should be asked, in order. */
  get asks(): readonly Question[] {
    return this.#readSummary().asks.map(({ timeout_ms: timeout, ...ask }) => ({ ...ask, timeout }));
  }

  /** Why hooks objected to an event that cannot be blocked any more: for the model. */
  get feedback(): readonly string[] {
    return this.#readSummary().feedback;
  }

  /** What hooks that observe would have done, in order; without those that had nothing to say. */
  get observed(): readonly Observed[] {
    return (this.#readSummary().observed ?? []).map(({ hook, ...part }) => observedOf(hook, part));
  }

  /** Whether a hook that observes would have blocked what the agent is about to do. */
  get wouldBlock(): boolean {
    return this.#readSummary().would_block ?? false;
  }

  /** The longest delay that a retry asked for, in milliseconds. */
  get delay(): number {
    return this.#readSummary().delay_ms;
  }

  /** Whether a hook wants its own output kept out of the transcript. */
  get suppressOutput(): boolean {
    return this.#readSummary().suppress_output;
  }

  /** Parts of answers that only one dialect has, by dialect. */
  get ext(): Readonly<Record<string, unknown>> {
    const { dispatch, values } = detailsOf(this.#record);
    return Object.fromEntries(
      callNative(() => dispatch.ext()).map(([dialect, place]) => [dialect, values[place]]),
    );
  }

  /** The result of each selected hook, in order. */
  get trace(): readonly TraceEntry[] {
    return (this.#cached().trace ??= this.#readTrace());
  }

  /** Milliseconds that all hooks took together. */
  get duration(): number {
    return this.#readSummary().trace.reduce((sum, { duration_us }) => sum + duration_us, 0) / 1000;
  }

  /** The hooks of the event that were not selected, and why; computed when read, from the hooks at that time. */
  get unmatched(): readonly Unmatched[] {
    const { dispatch, values } = detailsOf(this.#record);
    return callNative(() => dispatch.unmatched(values)) as Unmatched[];
  }

  /** The canonical form, the same in every language. */
  toJSON(): CanonicalOutcome {
    const record = this.#record;
    const { trace, ...rest } = this.#readSummary();
    const event = canonicalFields(record.plan.event, fillPayload(record, finalPayload(record)));
    const canonical: CanonicalOutcome = { event, ...rest, ext: this.ext, trace };
    if (rest.modified.length > 0) {
      const { dispatch, values } = detailsOf(record);
      const came = callNative(() => dispatch.originals()).map(
        ([name, place]) => [name, values[place]] as const,
      );
      canonical.original = canonicalFields(record.plan.event, Object.fromEntries(came));
    }
    try {
      return copyContainer(canonical);
    } catch {
      // A payload that nests too deep to be copied, and that no hook read, is returned as it is.
      return canonical;
    }
  }

  /**
   * The answer of a hook command to an agent of this dialect: print it and exit with its code.
   *
   * Throws `unknown_dialect`, and `payload_not_json` when a hook put a value without a JSON form into the event.
   */
  toWire(dialect: Dialect): WireAnswer {
    const text = jsonText(this.toJSON());
    return callNative(() => files.toWire(dialect, text));
  }

  /**
   * Who decided what and why, and what became of every hook of the event, as text for people.
   *
   * Long values are cut, and control characters are written out.
   */
  describe(): string {
    const { dispatch, values } = detailsOf(this.#record);
    return callNative(() => dispatch.describe(values));
  }

  /** The same as `describe`. */
  toString(): string {
    return this.describe();
  }

  #cached(): OutcomeCache {
    return (this.#cache ??= { event: null, summary: null, trace: null });
  }

  #readSummary(): Summary {
    const { dispatch } = detailsOf(this.#record);
    return (this.#cached().summary ??= callNative(() => dispatch.summary()) as Summary);
  }

  #readTrace(): readonly TraceEntry[] {
    const { dispatch, values } = detailsOf(this.#record);
    const causes = new Map(callNative(() => dispatch.causes()));
    return this.#readSummary().trace.map(
      ({ duration_us, not_idempotent, observed, failure, ...entry }, index) => {
        const cause = causes.get(index);
        return {
          ...entry,
          duration: duration_us / 1000,
          reason: entry.reason ?? null,
          observed: observed === undefined ? null : observedOf(entry.hook, observed),
          modified: (entry.modified ?? []).map((name) => localName(name)),
          void: entry.void ?? false,
          notIdempotent: not_idempotent ?? false,
          overrode: (entry.overrode ?? []).map(({ field, hook }) => ({
            field: localName(field),
            hook,
          })),
          failure:
            failure === undefined
              ? null
              : {
                  ...failure,
                  error: failureOf(
                    failure.kind,
                    entry.hook,
                    failure.message,
                    cause === undefined ? undefined : { cause: values[cause] },
                  ),
                },
          overran: entry.overran ?? false,
          why: entry.why ?? null,
        };
      },
    );
  }

  /** @internal */
  [inspect.custom](): unknown {
    const { decision, blocked, reason, modified, event } = this;
    return Object.assign(new Printed(), {
      decision,
      blocked,
      reason,
      modified,
      event,
      trace: this.trace.map(({ hook, status, action }) => `${hook}: ${status}, ${action}`),
    });
  }
}

/** Whether a value is an outcome, of whichever copy of the package. */
export function isOutcome(value: unknown): value is Outcome {
  return isOfKind(value, "Outcome");
}

function observedOf(hook: string, part: CanonicalObserved): Observed {
  const { action, reason, modified, injections, messages, ask } = part;
  const question = ({
    timeout_ms: timeout,
    ...known
  }: Omit<CanonicalQuestion, "hook">): Question => ({
    ...known,
    hook,
    timeout,
  });
  return {
    hook,
    action,
    reason: reason ?? null,
    modified: (modified ?? []).map((name) => localName(name)),
    injections: (injections ?? []).map((given) => ({ hook, ...given })),
    messages: (messages ?? []).map((given) => ({ hook, ...given })),
    ask: ask === undefined ? null : question(ask),
  };
}

/** Gives a printed outcome its name. */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class
const Printed = class Outcome {};
