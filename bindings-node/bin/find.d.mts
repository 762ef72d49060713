/** A native file of the package in a folder; `undefined` where it is missing. */
export function findFile(root: string, name: string, file: string): string | undefined;

/** Why a native file of this version is missing on this system, and what helps. */
export function whyMissing(
  root: string,
  name: string,
  version: string,
  missing: { readonly what: string; readonly file: string; readonly otherwise?: string },
): string;

/** Where a package is, seen from a folder; `undefined` where it is not installed. */
export function folderOf(root: string, name: string): string | undefined;
