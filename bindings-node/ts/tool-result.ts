/** What a tool gives. */

/** What a tool gave, as events carry it; a tool returns one to say more than its output. */
export class ToolResult {
  readonly success?: boolean;
  readonly output?: unknown;
  readonly exitCode?: number;
  /** Milliseconds; filled in by the session. */
  readonly duration?: number;
  readonly [field: string]: unknown;

  /** A result without success is a failed run, with its output as what went wrong. */
  constructor(
    output: unknown,
    { success = true, exitCode }: { success?: boolean; exitCode?: number } = {},
  ) {
    this.success = success;
    this.output = output;
    if (exitCode !== undefined) this.exitCode = exitCode;
  }
}
