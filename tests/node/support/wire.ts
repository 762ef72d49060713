/** Events in the words of another agent, and outcomes in theirs. */

import { eventFromWire, type Dialect, type Outcome } from "hookweave";

import { isObject, misfit, type JsonObject } from "./values.js";

/** The name and the payload of an event that an agent has sent. */
export function received(sent: JsonObject): { name: string; payload: Record<string, unknown> } {
  const { name, payload } = eventFromWire(sent["dialect"] as Dialect, sent["data"] as object);
  return { name, payload };
}

/** Why what an outcome leaves for an agent does not fit; null when it does. A refusal is thrown. */
export function wireMisfit(wanted: JsonObject, outcome: Outcome, place: string): string | null {
  const { dialect, stdout: pattern } = wanted;
  const { exitCode, stdout, stderr, degraded } = outcome.toWire(dialect as Dialect);
  // A pattern that is an object is one for the JSON that is printed.
  const isJson = isObject(pattern) && !Object.keys(pattern).some((key) => key.startsWith("$"));
  const printed: unknown = isJson && stdout !== "" ? JSON.parse(stdout) : stdout;
  const got = { dialect, exit_code: exitCode, stdout: printed, stderr, degraded };
  return misfit(wanted, got, place);
}
