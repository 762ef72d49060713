/** The result of a tool. */

import { isOfKind, markKind } from "./copies.js";
import { ownFields } from "./own-fields.js";

/** The result of a tool, as events carry it. A tool may return a `new ToolResult(…)` instead of its output. */
export interface ToolResult {
  readonly success?: boolean;
  readonly output?: unknown;
  readonly exitCode?: number;
  /** Milliseconds; filled in by the session. */
  readonly duration?: number;
  readonly [field: string]: unknown;
}

/** Makes a result. Without success it is a failed run, and its output describes the error. */
export const ToolResult: new (
  output: unknown,
  options?: { success?: boolean; exitCode?: number },
) => ToolResult = class {
  readonly success: boolean;
  readonly output: unknown;
  readonly exitCode?: number;
  readonly [field: string]: unknown;

  constructor(output: unknown, options: { success?: boolean; exitCode?: number } = {}) {
    const { success = true, exitCode } = ownFields(options);
    this.success = success;
    this.output = output;
    if (exitCode !== undefined) this.exitCode = exitCode;
  }
};
markKind(ToolResult, "ToolResult");

/** Whether a value is a result that was made so, by whichever copy of the package. */
export function isToolResult(value: unknown): value is ToolResult {
  return isOfKind(value, "ToolResult");
}
