/** Where the caller stands in a distributed trace, if the program traces with OpenTelemetry. */

import { createRequire } from "node:module";

import type * as OpenTelemetry from "@opentelemetry/api";

import { codeFile } from "./code-file.js";

/** A place in the words of W3C Trace Context; the core holds it against the format. */
export interface TraceContext {
  readonly parent?: string;
  readonly state?: string;
}

const NOWHERE: TraceContext = {};

let found: typeof OpenTelemetry | null | undefined;

/** The program's OpenTelemetry API; `null` when it has none. */
export function openTelemetry(): typeof OpenTelemetry | null {
  if (found === undefined) {
    try {
      found = createRequire(codeFile())("@opentelemetry/api") as typeof OpenTelemetry;
    } catch {
      found = null;
    }
  }
  return found;
}

/** The place of the span that is active where this is called. */
export function traceContext(): TraceContext {
  const api = openTelemetry();
  const span = api?.trace.getSpanContext(api.context.active());
  if (api === null || span === undefined || !api.isSpanContextValid(span)) return NOWHERE;
  const flags = span.traceFlags.toString(16).padStart(2, "0");
  const parent = `00-${span.traceId}-${span.spanId}-${flags}`;
  const state = span.traceState?.serialize();
  return state === undefined || state === "" ? { parent } : { parent, state };
}

/** Runs a function at a place of another process; without OpenTelemetry, or where there is no place, as it is. */
export function atPlace<R>({ parent, state }: TraceContext, run: () => R): R {
  const api = parent === undefined ? null : openTelemetry();
  const [, traceId, spanId, flags] = parent?.split("-") ?? [];
  if (api === null || traceId === undefined || spanId === undefined) return run();
  const span = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags ?? "0", 16),
    isRemote: true,
    ...(state === undefined ? {} : { traceState: api.createTraceState(state) }),
  };
  if (!api.isSpanContextValid(span)) return run();
  return api.context.with(api.trace.setSpanContext(api.context.active(), span), run);
}
