/** Directories in the types that this language has for them. */

import { fileURLToPath } from "node:url";

import { errorOf } from "./errors.js";
import type { Fields } from "./event.js";
import { checkPayload, crossing } from "./native.js";

/** A path as text: the address of a file is taken as its path. What is no path is left to the core to judge. */
export function pathText(path: unknown): unknown {
  const address: unknown = typeof path === "object" && path !== null && "href" in path ? path.href : null;
  return typeof address === "string" && address.startsWith("file:") ? fileURLToPath(address) : path;
}

/** A payload whose `cwd` is text; anything that is no path is refused with `invalid_payload`. */
export function placed(payload: Fields): Fields {
  const cwd = (payload as Fields | null | undefined)?.["cwd"];
  return typeof cwd === "string" || cwd === undefined ? payload : replaced(payload, cwd);
}

function replaced(payload: Fields, cwd: unknown): Fields {
  let text: unknown;
  try {
    text = pathText(cwd);
  } catch (error) {
    throw errorOf("invalid_payload", `\`cwd\` of an event: ${(error as Error).message}`);
  }
  const fields = text === cwd ? payload : { ...payload, cwd: text };
  crossing(() => {
    checkPayload(fields);
  });
  return fields;
}
