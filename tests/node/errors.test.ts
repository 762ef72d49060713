import assert from "node:assert/strict";
import { test } from "node:test";

import { HookweaveError, UnknownEventError } from "hookweave";

/** What programs cannot import. Compiled tests lie in bindings-node/build-tests. */
const internal = (await import(new URL("../dist/errors.js", import.meta.url).href)) as {
  translate(thrown: unknown): unknown;
};

function coded(code: string): Error {
  return Object.assign(new Error("why"), { code });
}

test("an error of the core has the class of its code", () => {
  const error = internal.translate(coded("unknown_event"));
  assert.ok(error instanceof UnknownEventError);
  assert.equal(error.message, "why");
});

test("a code of the core that has no class of its own is kept", () => {
  for (const code of ["some_later_code", "constructor"]) {
    const error = internal.translate(coded(code));
    assert.ok(error instanceof HookweaveError);
    assert.equal(error.constructor, HookweaveError);
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
