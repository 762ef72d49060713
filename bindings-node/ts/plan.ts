/** The hooks that one event runs. */

import type { AuditCoverage } from "./audit.js";
import { auditFieldsOf, type AuditField } from "./audit-fields.js";
import type { NativePlan } from "./native.js";
import type { AnyHandler } from "./registration.js";
import type { EventCount } from "./run-counts.js";

/** A registered hook, as dispatches call it. */
export interface HookEntry {
  readonly id: string;
  /** The number by which the native side refers to the hook. */
  readonly number: number;
  readonly name: string;
  readonly handler: AnyHandler;
  /** Timeout in milliseconds; `Infinity` is no limit. */
  readonly limit: number;
  readonly detached: boolean;
  /** The hook runs in one dispatch at most, which claims it. */
  readonly once: boolean;
  /** Whether a late answer of a detached hook wakes the model; absent for hooks that the program registered. */
  readonly wakes?: boolean;
  /** The meaning of a timeout, for an event and a depth; absent where it is a failure. */
  readonly onTimeout?: (event: object, depth: number) => unknown;
}

/** What a plan's dispatches and their outcomes read of the client. */
export interface PlanRuntime {
  /** Which dispatches the audit log records. */
  readonly auditCoverage: AuditCoverage;
  /** The working directory of events that name none; `null` where it was deleted. */
  directory(): string | null;
  /** The command line of a tool call, by the event's name and the payload. */
  command(event: string, payload: object): string;
  /** The paths that a tool call names. */
  paths(event: string, payload: object): readonly string[];
}

/** A native plan with the functions that it calls. */
export class Plan<R extends PlanRuntime = PlanRuntime> {
  /** Whether its hooks have different timeouts. */
  readonly uneven: boolean;
  /** The numbers of its hooks. */
  readonly numbers: readonly number[];
  #auditFields: readonly AuditField[] | null | undefined;

  constructor(
    readonly runtime: R,
    readonly native: NativePlan,
    /** The event's canonical name. */
    readonly event: string,
    readonly hasToolUseId: boolean,
    readonly hooks: readonly HookEntry[],
    /** Every hook is a stage of its own, awaited, and needs no claim. */
    readonly simple: boolean,
    /** Whether a block stops what the event is about. */
    readonly gate: boolean,
    readonly count: EventCount,
  ) {
    this.numbers = hooks.map(({ number }) => number);
    this.uneven = hooks.some(({ limit }) => limit !== hooks[0]?.limit);
  }

  /** The texts that an audit record needs; `null` where they depend on the tool. */
  get auditFields(): readonly AuditField[] | null {
    if (this.#auditFields === undefined) this.#auditFields = auditFieldsOf(this.native);
    return this.#auditFields;
  }
}
