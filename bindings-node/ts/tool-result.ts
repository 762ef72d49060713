/** What a tool gives. */

/** What a tool gave, as events carry it; a tool returns a `new ToolResult(…)` to say more than its output. */
export interface ToolResult {
  readonly success?: boolean;
  readonly output?: unknown;
  readonly exitCode?: number;
  /** Milliseconds; filled in by the session. */
  readonly duration?: number;
  readonly [field: string]: unknown;
}

/** Makes a result; one without success is a failed run, with its output as what went wrong. */
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
