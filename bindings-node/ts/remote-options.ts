/** Reads the options of `serve` and `connect`: what is misspelt must not be taken for its default. */

import { errorOf } from "./errors.js";
import { isPlain, nameOf } from "./values.js";
import { ownFields } from "./own-fields.js";
import type { ConnectOptions, Grants, RemoteTls, ServeOptions } from "./remote-types.js";

/** What a field may be: in words, and as a test. */
type Kind = readonly [words: string, fits: (value: unknown) => boolean];

const text: Kind = ["a string", (value) => typeof value === "string"];
const flag: Kind = ["true or false", (value) => typeof value === "boolean"];
const object: Kind = ["an object", isPlain];
const count: Kind = [
  "an integer from 1 to 4294967295",
  (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) < 2 ** 32,
];
const priority: Kind = [
  "an integer of 32 bits",
  (value) => Number.isInteger(value) && (value as number) === (value as number) >> 0,
];
const texts: Kind = [
  "a list of strings",
  (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
];
const file: Kind = [
  "the path of a file or its bytes",
  (value) => typeof value === "string" || value instanceof Uint8Array,
];

type Table<T> = Readonly<Record<keyof T, Kind>>;

const SHARED = {
  token: text,
  inFlight: count,
  maxMessage: count,
  keepalive: count,
  tls: object,
  insecure: flag,
};
const SERVE: Table<ServeOptions> = {
  ...SHARED,
  groups: texts,
  grants: object,
  queue: count,
  maxHooks: count,
  maxWorkers: count,
};
const CONNECT: Table<ConnectOptions> = { ...SHARED, name: text, group: text };
const GRANTS: Table<Grants> = {
  events: texts,
  earliestPriority: priority,
  allow: flag,
  modify: flag,
  ask: flag,
  mandatory: flag,
  managed: flag,
};
const TLS: Table<RemoteTls> = { ca: file, cert: file, key: file };

function read<T extends object>(place: string, given: unknown, table: Table<T>): T {
  if (given === undefined || given === null) return {} as T;
  if (!isPlain(given)) {
    throw errorOf("invalid_option", `${place}: must be an object, not ${nameOf(given)}`);
  }
  const fields = ownFields<Record<string, unknown>>(given);
  const set: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (!Object.hasOwn(table, name)) {
      const known = Object.keys(table).join(", ");
      throw errorOf("invalid_option", `${place}: unknown option \`${name}\`; known are ${known}`);
    }
    const [words, fits] = table[name as keyof T];
    if (!fits(value)) throw errorOf("invalid_option", `${place}.${name}: must be ${words}`);
    set[name] = value;
  }
  if (set["token"] === "") {
    const why = "an empty token protects nothing; set another one, or none";
    throw errorOf("invalid_option", `${place}.token: ${why}`);
  }
  return set as T;
}

/** The options of `serve`, checked; throws `invalid_option`. */
export function serveOptions(given: unknown): ServeOptions {
  const options = read<ServeOptions>("serve", given, SERVE);
  return {
    ...options,
    ...(options.grants && { grants: read<Grants>("serve.grants", options.grants, GRANTS) }),
    ...(options.tls && { tls: read<RemoteTls>("serve.tls", options.tls, TLS) }),
  };
}

/** The options of `connect`, checked; throws `invalid_option`. */
export function connectOptions(given: unknown): ConnectOptions {
  const options = read<ConnectOptions>("connect", given, CONNECT);
  if (options.name !== undefined && options.group !== undefined) {
    throw errorOf("invalid_option", "connect.name: workers of a group have its name; leave it out");
  }
  return {
    ...options,
    ...(options.tls && { tls: read<RemoteTls>("connect.tls", options.tls, TLS) }),
  };
}
