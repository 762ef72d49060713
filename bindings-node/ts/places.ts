/** Directories in the types that this language has for them. */

import { fileURLToPath } from "node:url";

import type { Fields } from "./event.js";
import { checkPayload, crossing } from "./native.js";

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
export function placed(payload: Fields): Fields {
  const cwd = (payload as Fields | null | undefined)?.["cwd"];
  return typeof cwd === "string" || cwd === undefined ? payload : replaced(payload, cwd);
}

function replaced(payload: Fields, cwd: unknown): Fields {
  const text = pathText(cwd);
  const fields = text === cwd ? payload : { ...payload, cwd: text };
  crossing(() => {
    checkPayload(fields);
  });
  return fields;
}
