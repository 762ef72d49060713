/** The types that tie an event's name to its payload and to what hooks may change in it. */

import type { CallReadings, EventBase, EventMethods } from "./event-base.js";
import type { AliasMap, EventMap, ModifiableMap } from "./events.js";

declare const defined: unique symbol;

/** The name of an event that `defineEvent` made. */
export type DefinedEvent = string & { readonly [defined]: true };

/** The name of an event that is not in the catalogue: one with a colon, or one that was defined. */
export type CustomEventName = `${string}:${string}` | DefinedEvent;

/** Any name that a hook can be registered for. */
export type EventName = keyof EventMap | keyof AliasMap | CustomEventName;

/** An event that is not in the catalogue. */
// An interface, so that it may extend another one.
// eslint-disable-next-line @typescript-eslint/consistent-indexed-object-style
export interface CustomEvent extends EventBase {
  readonly [field: string]: unknown;
}

/** The catalogue's name for an event. */
export type Canonical<N extends EventName> = N extends keyof AliasMap ? AliasMap[N] : N;

/** The event of a name or alias; without a name, any event of the catalogue. */
export type HookEvent<N extends EventName = keyof EventMap> = N extends keyof EventMap
  ? EventMap[N]
  : N extends keyof AliasMap
    ? EventMap[AliasMap[N] & keyof EventMap]
    : CustomEvent;

/** What is no field of an event. */
type NoField<E> =
  keyof EventMethods | (E extends CallReadings & { args: unknown } ? keyof CallReadings : never);

/** What the engine fills in. */
type Filled = "eventType" | "sessionId" | "timestamp" | "toolUseId" | "metadata";

/** The payload of a dispatch: the fields of the event, without those that the engine can fill in. */
export type Payload<N extends EventName = EventName> = N extends keyof EventMap | keyof AliasMap
  ? PayloadOf<HookEvent<N>>
  : Readonly<Record<string, unknown>>;

type PayloadOf<E> = Optional<E> & {
  readonly [F in RequiredFields<E>]: E[F];
};

type Optional<E> = {
  // An event of another type may be raised again as it is: the engine sets its type.
  readonly [F in Exclude<keyof E, NoField<E> | RequiredFields<E>>]?:
    (F extends "eventType" ? string : F extends "cwd" ? E[F] | URL : E[F]) | undefined;
};

type RequiredFields<E> = {
  [F in keyof E]-?: F extends NoField<E> | Filled
    ? never
    : Partial<Pick<E, F>> extends Pick<E, F>
      ? never
      : F;
}[keyof E];

/** The fields of an event that its hooks may replace, each with its type. */
// Without a name every field is allowed: `HookResponse` alone names no event.
export type ModifiedFields<N extends EventName> = 0 extends 1 & N
  ? Readonly<Record<string, unknown>>
  : Canonical<N> extends keyof ModifiableMap
    ? ModifiedOf<Canonical<N>>
    : Canonical<N> extends keyof EventMap
      ? Readonly<Record<string, never>>
      : Readonly<Record<string, unknown>>;

type ModifiedOf<K extends keyof ModifiableMap> = {
  readonly [F in ModifiableMap[K]]?: F extends keyof EventMap[K] ? EventMap[K][F] : unknown;
};

/** An event of the catalogue, as data. */
export interface CatalogueEntry {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly gate: boolean;
  readonly subtype: string | null;
  readonly fields: readonly CatalogueField[];
}

/** A payload field of the catalogue. */
export interface CatalogueField {
  /** In this language's spelling. */
  readonly name: string;
  readonly kind: "any" | "string" | "number" | "boolean" | "list" | "object" | "record";
  readonly optional: boolean;
  readonly modifiable: boolean;
}
