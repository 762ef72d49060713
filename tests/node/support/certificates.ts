/** Certificates for tests of TLS. */

import type { TestContext } from "node:test";

import type { Folder } from "./files.js";
import { runProgram } from "./tools.js";

/** A certificate of localhost, which is its own root, and its key. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Makes one; null, with the test skipped, where that cannot be. */
export async function identity(
  t: TestContext,
  folder: Folder,
  name: string,
): Promise<Identity | null> {
  const [key, cert] = [folder.at(`${name}.key`), folder.at(`${name}.crt`)];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = await runProgram("openssl", [
    ...request,
    ...names,
    "-keyout",
    key,
    "-out",
    cert,
  ]).catch(() => null);
  if (made?.code === 0) return { cert, key };
  t.skip("openssl is not here to make a certificate");
  return null;
}
