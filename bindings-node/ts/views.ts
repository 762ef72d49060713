/**
 * What hooks see of objects that cannot be copied: instances of classes, functions, proxies.
 *
 * A view shows all that the object has and refuses to be changed. A getter runs on the object itself, which may keep its
 * state in private; a method runs on the view, so that one that writes is refused as well.
 */

import { inspect } from "node:util";

import { copyBuiltIn } from "./built-ins.js";

/** The object behind each view. */
const shown = new WeakMap<object, object>();
/** The view of each object that was shown: shared by all hooks, because it cannot be changed. */
const views = new WeakMap<object, object>();

/** The object behind a view; any other value as it is. */
export function originalOf(value: object): object {
  return shown.get(value) ?? value;
}

/** Whether a value is a view. */
export function isView(value: object): boolean {
  return shown.has(value);
}

/** A view of an object; of a view itself. */
export function viewOf(object: object): object {
  if (shown.has(object)) return object;
  let view = views.get(object);
  if (view === undefined) {
    view = new Proxy(standIn(object), new View(object));
    views.set(object, view);
    shown.set(view, object);
  }
  return view;
}

/** A value within a view, as it is shown. */
function show(value: unknown): unknown {
  if (typeof value === "object" ? value === null : typeof value !== "function") return value;
  const object = value as object;
  return copyBuiltIn(object, show) ?? viewOf(object);
}

/**
 * The target of the proxy: an empty function, list or object, so that `typeof` and `Array.isArray` are right.
 *
 * Not the object itself: a proxy must report fixed properties of its target unchanged, which would expose their values.
 */
function standIn(object: object): object {
  const stands: object =
    typeof object === "function"
      ? () => undefined
      : Array.isArray(object)
        ? []
        : (Object.create(null) as object);
  if (typeof object === "function") {
    Reflect.deleteProperty(stands, "name");
    Reflect.deleteProperty(stands, "length");
  }
  // Printing looks past a proxy.
  return Object.defineProperty(stands, inspect.custom, {
    value: () => object,
    configurable: true,
  });
}

function refuse(name: string | symbol): never {
  throw new TypeError(
    `cannot change \`${String(name)}\` of an event's object; return { modified: … } from the hook instead`,
  );
}

/** Shows an object and lets nothing through to it. */
class View implements ProxyHandler<object> {
  readonly #object: object;

  constructor(object: object) {
    this.#object = object;
  }

  get(_stands: object, name: string | symbol): unknown {
    const object = this.#object;
    const value: unknown = Reflect.get(object, name, object);
    // A method of a class is code, and shared like all code.
    if (typeof value === "function" && !Object.hasOwn(object, name)) return value;
    return show(value);
  }

  has(_stands: object, name: string | symbol): boolean {
    return Reflect.has(this.#object, name);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.#object);
  }

  getOwnPropertyDescriptor(stands: object, name: string | symbol): PropertyDescriptor | undefined {
    const own = Reflect.getOwnPropertyDescriptor(this.#object, name);
    if (own === undefined) return undefined;
    // The length of a list is fixed in the list that the proxy stands on, too.
    const isFixed = name === "length" && Array.isArray(stands);
    return {
      value: this.get(stands, name),
      enumerable: own.enumerable === true,
      configurable: !isFixed,
      writable: isFixed,
    };
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.#object);
  }

  apply(_stands: object, self: unknown, given: unknown[]): unknown {
    return Reflect.apply(this.#object as () => unknown, self, given);
  }

  set(_stands: object, name: string | symbol): never {
    return refuse(name);
  }

  defineProperty(_stands: object, name: string | symbol): never {
    return refuse(name);
  }

  deleteProperty(_stands: object, name: string | symbol): never {
    return refuse(name);
  }

  setPrototypeOf(): never {
    return refuse("__proto__");
  }

  preventExtensions(): never {
    throw new TypeError("an event's object cannot be frozen; it cannot be changed anyway");
  }
}
