/** Where agents are reached: `unix:///path`, `grpc://host:port` and `grpcs://host:port`. */

import { isAbsolute } from "node:path";

import { errorOf } from "./errors.js";
import { GrpcTransport } from "./remote-grpc.js";
import type { Transport } from "./remote-transport.js";
import type { RemoteOptions } from "./remote-types.js";
import { UnixTransport } from "./remote-unix.js";

const GRPC = /^(grpcs?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

function refused(address: string, why: string): Error {
  return errorOf("invalid_option", `the address \`${address}\` cannot be used: ${why}`);
}

/** The transport of an address; throws `invalid_option`. */
export function transportOf(
  address: unknown,
  options: RemoteOptions,
  end: "serve" | "connect",
): Transport {
  const text = String(address);
  if (text.startsWith("unix://")) return unix(text, options);
  const [, scheme, host, port] = GRPC.exec(text) ?? [];
  if (host === undefined || Number(port) > MAX_PORT) {
    throw refused(
      text,
      "write `unix://` and an absolute path, or `grpc://` or `grpcs://` with a host and a port",
    );
  }
  const isSecure = scheme === "grpcs";
  if (!isSecure && options.tls !== undefined) throw refused(text, "tls needs `grpcs://`");
  if (!isLoopback(host)) checkFar(text, isSecure, options, end);
  return new GrpcTransport(text, `${host}:${String(port)}`, isSecure, options);
}

function unix(address: string, options: RemoteOptions): Transport {
  const path = address.slice("unix://".length);
  if (!isAbsolute(path)) {
    const how = "write `unix://` and an absolute path, such as `unix:///run/agent/hooks.sock`";
    throw refused(address, how);
  }
  if (process.platform === "win32") throw refused(address, "this system has no Unix sockets");
  if (options.tls !== undefined) throw refused(address, "tls needs `grpcs://`");
  return new UnixTransport(address, path, options.maxMessage);
}

/** Refuses what anybody on the network could read, change or use. */
function checkFar(
  address: string,
  isSecure: boolean,
  { token, tls, insecure }: RemoteOptions,
  end: "serve" | "connect",
): void {
  if (!isSecure && insecure !== true) {
    throw refused(
      address,
      "grpc to other machines is not encrypted; write `grpcs://`, or set `insecure`",
    );
  }
  if (end === "serve" && token === undefined && tls?.ca === undefined) {
    throw refused(
      address,
      "every program that reaches it could register hooks; set a `token`, or `tls.ca` of the workers",
    );
  }
}

function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  // A name such as `127.example.org` is none.
  return name === "::1" || name === "localhost" || /^127(\.\d{1,3}){3}$/.test(name);
}
