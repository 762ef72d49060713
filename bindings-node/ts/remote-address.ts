/** Where agents are reached: `unix:///path`, `grpc://host:port`, `grpcs://host:port` and `nats://host:port`. */

import { isAbsolute } from "node:path";

import { GrpcTransport } from "./remote-grpc.js";
import type { Log } from "./remote-nats-end.js";
import { NatsTransport } from "./remote-nats.js";
import { refused } from "./remote-pems.js";
import type { Transport } from "./remote-transport.js";
import type { RemoteOptions } from "./remote-types.js";
import { UnixTransport } from "./remote-unix.js";

const GRPC = /^(grpcs?):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;
const MAX_PORT = 65_535;

/** The transport of an address; throws `invalid_option`. */
export function transportOf(
  address: unknown,
  options: RemoteOptions & { readonly groups?: readonly string[] },
  end: "serve" | "connect",
  log: Log,
): Transport {
  const text = String(address);
  if (text.startsWith("nats://")) return nats(text, options, log);
  if (options.groups !== undefined) throw refused(text, "groups of workers need `nats://`");
  if (text.startsWith("unix://")) return unix(text, options);
  const [, scheme, host, port] = GRPC.exec(text) ?? [];
  if (host === undefined || Number(port) > MAX_PORT) {
    throw refused(
      text,
      "write `unix://` and an absolute path, or `grpc://`, `grpcs://` or `nats://` with a host and a port",
    );
  }
  const isSecure = scheme === "grpcs";
  if (!isSecure && options.tls !== undefined)
    throw refused(text, "tls needs `grpcs://` or `nats://`");
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
  if (options.tls !== undefined) throw refused(address, "tls needs `grpcs://` or `nats://`");
  return new UnixTransport(address, path, options.maxMessage);
}

function nats(
  address: string,
  { groups = [], ...options }: RemoteOptions & { readonly groups?: readonly string[] },
  log: Log,
): Transport {
  if (groups.length === 0) {
    const how = "name them: `groups` to serve, `group` to connect";
    throw refused(address, `workers are found by their groups there; ${how}`);
  }
  const { hostname, host, pathname, search, username, password } = URL.canParse(address)
    ? new URL(address)
    : new URL("nats:");
  if (hostname === "" || !["", "/"].includes(pathname) || search !== "") {
    throw refused(address, "write `nats://`, a host and a port, such as `nats://127.0.0.1:4222`");
  }
  if (options.tls === undefined && options.insecure !== true && !isLoopback(hostname)) {
    const why = "what is sent to other machines is not encrypted; give `tls`, which may be empty";
    throw refused(address, `${why}, or set \`insecure\``);
  }
  const at = {
    address,
    server: `nats://${host}`,
    ...(username === "" ? {} : { user: decodeURIComponent(username) }),
    ...(password === "" ? {} : { pass: decodeURIComponent(password) }),
  };
  return new NatsTransport(at, groups, options, log);
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
