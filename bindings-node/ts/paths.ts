/** Paths that a program gives as text or as `file:` URLs. */

import { fileURLToPath } from "node:url";

import { errorOf } from "./errors.js";
import type { Fields } from "./event.js";
import { checkPayload, callNative } from "./native.js";

/** A path as text: the address of a file is taken as its path. What is no path is left to the core to judge. */
export function pathText(path: unknown): unknown {
  const address = typeof path === "object" && path !== null && "href" in path ? path.href : null;
  if (typeof address !== "string" || !address.startsWith("file:")) return path;
  try {
    return fileURLToPath(address);
  } catch {
    // A file of another machine.
    return path;
  }
}

/** A payload whose `cwd` is text; anything that is no path is refused with `invalid_payload`. */
export function withTextCwd(payload: Fields): Fields {
  const cwd = (payload as Fields | null | undefined)?.["cwd"];
  return typeof cwd === "string" || cwd === undefined ? payload : replaced(payload, cwd);
}

function replaced(payload: Fields, cwd: unknown): Fields {
  const text = pathText(cwd);
  const fields = text === cwd ? payload : { ...payload, cwd: text };
  callNative(() => {
    checkPayload(fields);
  });
  return fields;
}

/** A path as the core takes it; refuses what is none, which native code would do with less words. */
export function pathOf(path: unknown, what: string): string {
  if (typeof path === "string") return path;
  if (path instanceof URL) return fileURLToPath(path);
  throw errorOf("invalid_option", `${what}: must be a string or a file URL`);
}
