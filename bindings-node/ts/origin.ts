/** Where hooks come from: systems, scopes and files. */

import { localKeys } from "./spelling.js";

/** Who loads a hook; earlier scopes run first among equal priorities. */
export type Scope = "managed" | "user" | "project" | "local" | "agent" | "callback";

/** A system whose hook files are supported. */
export type Dialect =
  | "claude-code"
  | "codex"
  | "gemini-cli"
  | "cursor"
  | "copilot"
  | "factory"
  | "qwen-code"
  | "auggie"
  | "continue"
  | "devin"
  | "qoder"
  | "kimi-code"
  | "openhands"
  | "wingman"
  | "cocode"
  | "amplifier"
  | "a3s"
  | "hookweave";

/** Where a hook stands that a file declares. */
export interface Origin {
  readonly file: string;
  /** The place in the file, for example `hooks.PreToolUse[0].hooks[1]`. */
  readonly place: string;
  readonly line: number | null;
  /** Whose file that is; of places that declare the same each has its own. */
  readonly scope: Scope;
  readonly dialect: Dialect;
  /** The command line, or the method and address of a request without its secrets. */
  readonly runs: string;
  /** Further places that declare the same, as two files that use one policy do. */
  readonly also: readonly Origin[];
}

/** Reads an origin as the core writes it. */
export function originOf(origin: unknown): Origin | null {
  if (typeof origin !== "object" || origin === null) return null;
  const { also = [], ...own } = localKeys(origin) as { also?: readonly unknown[] };
  return { line: null, ...own, also: also.map(originOf) } as unknown as Origin;
}
