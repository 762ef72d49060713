/** Copies of built-in mutable objects: dates, maps, sets, bytes, regular expressions, URLs. */

import { types } from "node:util";

// Read when the module is loaded: overrides by a value or a program must not change what is copied.
const OwnDate = Date;
const getTime = method(Date.prototype, "getTime");
const forEachEntry = method(Map.prototype, "forEach");
const forEachItem = method(Set.prototype, "forEach");
const TypedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const nameOfTyped = getter(TypedArray, Symbol.toStringTag);
const source = getter(RegExp.prototype, "source");
const flags = getter(RegExp.prototype, "flags");
const href = getter(URL.prototype, "href");
const query = method(URLSearchParams.prototype, "toString");

/** Where the bytes of a view of a buffer stand. */
interface Bytes {
  readonly buffer: (view: object) => unknown;
  readonly byteOffset: (view: object) => unknown;
  readonly byteLength: (view: object) => unknown;
}
const typedBytes = bytesOf(TypedArray);
const dataBytes = bytesOf(DataView.prototype);

const TYPED: Readonly<Record<string, new (buffer: ArrayBuffer) => object>> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

type Method = (object: object, ...given: unknown[]) => unknown;

function method(prototype: object, name: string): Method {
  return called((Object.getOwnPropertyDescriptor(prototype, name) as { value: unknown }).value);
}

function getter(prototype: object, name: string | symbol): Method {
  return called((Object.getOwnPropertyDescriptor(prototype, name) as { get: unknown }).get);
}

function called(code: unknown): Method {
  return (object, ...given) => Reflect.apply(code as () => unknown, object, given) as unknown;
}

function bytesOf(prototype: object): Bytes {
  return {
    buffer: getter(prototype, "buffer"),
    byteOffset: getter(prototype, "byteOffset"),
    byteLength: getter(prototype, "byteLength"),
  };
}

/**
 * A copy of a built-in mutable object; `null` for any other value.
 *
 * `inner` copies the entries of a map or set. Properties that a program added to the object are not copied.
 */
export function copyBuiltIn(value: object, inner: (item: unknown) => unknown): object | null {
  // A proxy of such an object is none.
  if (types.isProxy(value)) return null;
  const copy = bare(value, inner);
  if (copy === null) return null;
  const prototype: unknown = Object.getPrototypeOf(value);
  // A `Buffer`, a class of the program's, a value of another realm.
  if (prototype !== Object.getPrototypeOf(copy)) Object.setPrototypeOf(copy, prototype as object);
  return copy;
}

function bare(value: object, inner: (item: unknown) => unknown): object | null {
  if (types.isDate(value)) return new OwnDate(getTime(value) as number);
  if (types.isMap(value)) {
    const copy = new Map<unknown, unknown>();
    forEachEntry(value, (item: unknown, key: unknown) => copy.set(inner(key), inner(item)));
    return copy;
  }
  if (types.isSet(value)) {
    const copy = new Set<unknown>();
    forEachItem(value, (item: unknown) => copy.add(inner(item)));
    return copy;
  }
  if (types.isTypedArray(value)) {
    const Typed = TYPED[String(nameOfTyped(value))];
    return Typed === undefined ? null : new Typed(copyBytes(value, typedBytes));
  }
  if (types.isDataView(value)) return new DataView(copyBytes(value, dataBytes));
  if (types.isAnyArrayBuffer(value)) return new Uint8Array(new Uint8Array(value)).buffer;
  if (types.isRegExp(value)) {
    const copy = new RegExp(String(source(value)), String(flags(value)));
    copy.lastIndex = value.lastIndex;
    return copy;
  }
  return copyAddress(value);
}

function copyBytes(view: object, { buffer, byteOffset, byteLength }: Bytes): ArrayBuffer {
  const given = buffer(view) as ArrayBuffer;
  const bytes = new Uint8Array(given, byteOffset(view) as number, byteLength(view) as number);
  return new Uint8Array(bytes).buffer;
}

/** A URL keeps its state private; an object that only inherits from its class is none. */
function copyAddress(value: object): object | null {
  try {
    if (value instanceof URL) return new URL(String(href(value)));
    if (value instanceof URLSearchParams) return new URLSearchParams(String(query(value)));
  } catch {
    return null;
  }
  return null;
}
