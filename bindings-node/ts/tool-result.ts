/** The result of a tool. */

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

  constructor(
    output: unknown,
    { success = true, exitCode }: { success?: boolean; exitCode?: number } = {},
  ) {
    this.success = success;
    this.output = output;
    if (exitCode !== undefined) this.exitCode = exitCode;
  }
};
