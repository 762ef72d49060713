/** The tools of a client. */

import { errorOf } from "./errors.js";
import { exactPattern, jsonText } from "./native.js";

/** The host's own rule for a tool, before any hook runs. */
export type Permission = "allow" | "ask" | "deny";

const PERMISSIONS: readonly unknown[] = ["allow", "ask", "deny"];

/** What `registerTool` takes beside the name and the function. */
export interface ToolOptions {
  /** Whether it runs, a person is asked, or it never runs; the strictest of several rules applies. */
  permission?: Permission;
  /**
   * The JSON Schema of its arguments: what hooks make of them has to satisfy it. A tool has one definition, so use
   * `defineTool` for its other properties.
   */
  schema?: Readonly<Record<string, unknown>>;
}

/** The function of any tool; `ToolFunction` in session.ts has its parameters. */
export type AnyTool = (args: never, context: never) => unknown;

/** The tools of a client. */
export class Tools {
  readonly #tools = new Map<string, AnyTool>();
  /** By patterns that fit one tool each. */
  readonly permissions = new Map<string, Permission>();

  /** Checks a tool; gives the pattern for its permission, if it has one. */
  check(name: unknown, run: unknown, permission: unknown): string | null {
    if (typeof name !== "string" || name.trim() === "") {
      throw errorOf("invalid_option", "registerTool: the name must be a text that is not empty");
    }
    if (typeof run !== "function") {
      throw errorOf("invalid_option", `registerTool: what \`${name}\` runs must be a function`);
    }
    if (permission === undefined) return null;
    if (!PERMISSIONS.includes(permission)) {
      throw errorOf(
        "invalid_option",
        `registerTool: the permission of \`${name}\` must be allow, ask or deny`,
      );
    }
    return exactPattern(name);
  }

  add(name: string, run: AnyTool): void {
    this.#tools.set(name, run);
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  get names(): string[] {
    return [...this.#tools.keys()].sort();
  }

  /** The function of a tool; throws `unknown_tool`. */
  known(name: string): AnyTool {
    const run = this.#tools.get(name);
    if (run !== undefined) return run;
    const known = this.names.join(", ");
    throw errorOf(
      "unknown_tool",
      `no tool \`${name}\` is registered${known === "" ? "" : `; known are ${known}`}; call registerTool first, or give runTool the function`,
    );
  }
}

/** A failed result's output as the text of an error. */
export function failureText(output: unknown): string {
  if (typeof output === "string") return output;
  try {
    return jsonText(output ?? null);
  } catch {
    return "the tool failed";
  }
}
