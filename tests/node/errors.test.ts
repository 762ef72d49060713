import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { HookweaveError, UnknownEventError } from "hookweave";

/** What programs cannot import: a module of which the package is built. Compiled tests lie in bindings-node/build-tests. */
const internal = (await import(new URL("../build/errors.js", import.meta.url).href)) as {
  translate(thrown: unknown): unknown;
  isOurs(thrown: unknown): boolean;
};

function coded(code: string): Error {
  return Object.assign(new Error("why"), { code });
}

test("an error of the core has the class of its code", () => {
  const error = internal.translate(coded("unknown_event")) as Error;
  // The module of its own has classes of its own.
  assert.equal(error.name, UnknownEventError.prototype.name);
  assert.equal(error.message, "why");
});

test("a code of the core that has no class of its own is kept", () => {
  for (const code of ["some_later_code", "constructor"]) {
    const error = internal.translate(coded(code)) as HookweaveError;
    assert.equal(error.name, HookweaveError.prototype.name);
    assert.equal(error.code, code);
  }
});

test("an error of the platform or of Node-API stays what it is", () => {
  for (const code of ["ENOENT", "ERR_INVALID_ARG_TYPE", "GenericFailure"]) {
    const thrown = coded(code);
    assert.equal(internal.translate(thrown), thrown);
  }
  const plain = new Error("no code");
  assert.equal(internal.translate(plain), plain);
});

test("an error whose class has a constructor of its own is known by its code, also one of another copy of the package", () => {
  const source = readFileSync(new URL("../build/errors.js", import.meta.url), "utf8");
  const codes = [...source.matchAll(/super\("(\w+)"/g)].map(([, code]) => code ?? "");
  assert.ok(codes.includes("subagent_blocked"));
  for (const code of codes) assert.equal(internal.isOurs(coded(code)), true, code);
  assert.equal(internal.isOurs(coded("unknown_event")), true);
  assert.equal(internal.isOurs(coded("ENOENT")), false);
  assert.equal(internal.isOurs(coded("some_later_code")), false);
});
