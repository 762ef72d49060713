/** Certificates for tests of TLS. */

import type { TestContext } from "node:test";

import type { Folder } from "./files.js";
import { runProgram } from "./tools.js";

/** A certificate of localhost, which is its own root, and its key. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** With it `openssl ca` signs for dates of the past, which `openssl req` refuses. */
const authority = (folder: Folder): string => `[ca]
default_ca = own
[own]
database = ${folder.at("index")}
serial = ${folder.at("serial")}
new_certs_dir = ${folder.path}
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`;

async function openssl(t: TestContext, ...args: readonly string[]): Promise<boolean> {
  const made = await runProgram("openssl", [...args]).catch(() => null);
  if (made?.code === 0) return true;
  t.skip("openssl is not here to make a certificate");
  return false;
}

/** Makes one; null, with the test skipped, where that cannot be. */
export async function identity(
  t: TestContext,
  folder: Folder,
  name: string,
  host = "localhost",
): Promise<Identity | null> {
  const [key, cert] = [folder.at(`${name}.key`), folder.at(`${name}.crt`)];
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"];
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const isMade = await openssl(t, ...request, ...names, "-keyout", key, "-out", cert);
  return isMade ? { cert, key } : null;
}

/** The same of localhost, as of long ago. */
export async function expiredIdentity(
  t: TestContext,
  folder: Folder,
  name: string,
): Promise<Identity | null> {
  const [key, cert] = [folder.at(`${name}.key`), folder.at(`${name}.crt`)];
  const request = folder.at(`${name}.csr`);
  folder.write("index", "");
  folder.write("serial", "01");
  const config = folder.write("ca.cnf", authority(folder));
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const root = ["-addext", "basicConstraints=CA:TRUE"];
  const asked = ["req", "-new", "-newkey", "rsa:2048", "-nodes", ...names, ...root];
  const dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"];
  const signed = ["ca", "-batch", "-notext", "-selfsign", "-config", config, "-keyfile", key];
  const isMade =
    (await openssl(t, ...asked, "-keyout", key, "-out", request)) &&
    (await openssl(t, ...signed, ...dates, "-in", request, "-out", cert));
  return isMade ? { cert, key } : null;
}
