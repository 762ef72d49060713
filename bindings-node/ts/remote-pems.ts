/** The bytes of keys and certificates. */

import { readFile } from "node:fs/promises";

import { describe, errorOf } from "./errors.js";
import type { RemoteTls } from "./remote-types.js";

/** Says that an address cannot be used. */
export function refused(address: string, why: string, cause?: unknown): Error {
  const text = `the address \`${address}\` cannot be used: ${why}`;
  return errorOf("invalid_option", text, cause === undefined ? undefined : { cause });
}

/** The bytes of keys and certificates; throws `invalid_option`. */
export async function pems(address: string, { ca, cert, key }: RemoteTls = {}) {
  const bytes = async (given: string | Uint8Array | undefined): Promise<Buffer | null> => {
    if (given === undefined) return null;
    try {
      return typeof given === "string" ? await readFile(given) : Buffer.from(given);
    } catch (error) {
      throw refused(address, describe(error), error);
    }
  };
  return { ca: await bytes(ca), cert: await bytes(cert), key: await bytes(key) };
}
