/** Patterns that one name fits and no other. */

import { errorOf } from "./errors.js";

/** A pattern of names that fits this one only; throws the code when there is none. */
export function exactPattern(name: string, what: string, code: string): string {
  if (name === "" || name.includes("|") || name.trim() !== name) {
    const why = "it is empty, or has a `|` or white space at its ends";
    throw errorOf(code, `no pattern can name the ${what} \`${name}\`: ${why}`);
  }
  return /[*?[{]/.test(name) ? name.replace(/[*?[\]{}\\]/g, "\\$&") : name;
}
