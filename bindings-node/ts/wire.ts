/** Events that agents of other systems send to their hooks, and the answers that they read. */

import type { Dialect } from "./origin.js";
import { types } from "node:util";

import type { Payload } from "./event-types.js";
import type { Fields } from "./event.js";
import type { EventMap } from "./events.js";
import { localFields } from "./spelling.js";
import { callNative, files, jsonText } from "./native.js";
import { restoreLarge, type LargeIntegers } from "./values.js";

/** An event that an agent has sent, ready to be dispatched. */
export type WireEvent = {
  [N in keyof EventMap]: {
    /** The event's canonical name. */
    readonly name: N;
    /** Fields that only the dialect has are in `metadata`, by dialect. */
    readonly payload: Payload<N> & Readonly<Record<string, unknown>>;
  };
}[keyof EventMap];

/** The answer of a hook command to the agent that started it. */
export interface WireAnswer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What the dialect cannot express, and its stricter replacement. */
  readonly degraded: readonly string[];
}

/**
 * Reads the event that an agent of this dialect sends to its hooks, as JSON text or already parsed.
 *
 * Dispatch it as it is, `client.dispatch(event)`; `outcome.toWire(dialect)` answers the agent. Throws `unknown_dialect`, and `invalid_wire_event`
 * for something that is no event of the dialect.
 */
export function eventFromWire(dialect: Dialect, data: string | Uint8Array | object): WireEvent {
  const { event, payload: text } = callNative(() => files.fromWire(dialect, textOf(data)));
  const { payload, large } = JSON.parse(text) as { payload: object; large: LargeIntegers };
  restoreLarge(payload, large);
  return { name: event, payload: localFields(event, payload) } as unknown as WireEvent;
}

/** Whether a value is what `eventFromWire` gives. */
export function isWireEvent(value: unknown): value is { name: string; payload: Fields } {
  if (typeof value !== "object" || value === null) return false;
  const { name, payload } = value as { name?: unknown; payload?: unknown };
  return typeof name === "string" && typeof payload === "object" && payload !== null;
}

function textOf(data: string | Uint8Array | object): string {
  if (typeof data === "string") return data;
  return types.isUint8Array(data) ? new TextDecoder().decode(data) : jsonText(data);
}
