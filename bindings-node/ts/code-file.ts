/** Where the package's code is. */

import { isAbsolute, join } from "node:path";

/** The file of this code, also where a bundler has moved it; bundles that are modules have no name for it. */
export function codeFile(): string {
  // The built package is CommonJS.
  const known = typeof __filename === "string" && isAbsolute(__filename);
  return known ? __filename : join(process.cwd(), "bundle.js");
}
