/** Where a program calls the package. */

import { dirname } from "node:path";
import { pathToFileURL } from "node:url";

import { codeFile } from "./code-file.js";

const FOLDER = dirname(codeFile());
const FOLDERS = [FOLDER, pathToFileURL(FOLDER).href];
const PLACE = /([^/\\(]+:\d+):\d+\)?$/u;

/** The file's name and the line from which the package is called; `undefined` where the stack does not say. */
export function callerOf(): string | undefined {
  const { stack } = new Error() as { stack?: unknown };
  // Programs may prepare stacks of their own, which are no text.
  if (typeof stack !== "string") return undefined;
  for (const frame of stack.split("\n").slice(1)) {
    const place = PLACE.exec(frame)?.[1];
    if (place !== undefined && !FOLDERS.some((folder) => frame.includes(folder))) return place;
  }
  return undefined;
}
