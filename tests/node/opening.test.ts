/**
 * Nothing opens: a call that a guard must refuse never runs, in random cases that every language shares.
 *
 * `cargo test -p hookweave-vectors --test opening` makes them. With `HOOKWEAVE_CASES` set it writes that many to
 * `target/vectors/opening.json`, and here these are run.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inspect } from "node:util";

import { Dice, SEED } from "./support/dice.js";
import { sessionCanRun, SessionRun, type SessionCase } from "./support/session-case.js";
import { quietClient } from "./support/tools.js";

// Compiled tests lie in bindings-node/build-tests.
const root = new URL("../../", import.meta.url);
const place =
  process.env["HOOKWEAVE_CASES"] === undefined
    ? "tests/vectors/opening/cases.json"
    : "target/vectors/opening.json";
const { cases } = JSON.parse(readFileSync(new URL(place, root), "utf8")) as {
  cases: SessionCase[];
};

for (const style of ["sync", "async"] as const) {
  test(`nothing opens, with ${style} hooks`, async () => {
    const failed: string[] = [];
    for (const test of cases) {
      if (!sessionCanRun(test, style)) continue;
      await new SessionRun(test, style).run().catch((error: unknown) => {
        failed.push(`${(error as Error).message}\n    ${JSON.stringify(test)}`);
      });
    }
    assert.equal(failed.length, 0, failed.join("\n"));
  });
}

class Arguments {
  command = "ls";
  list = ["ls"];
}

const KINDS: readonly (() => object)[] = [
  () => ({ command: "ls", list: ["ls"] }),
  () => new Map<string, unknown>([["command", "ls"]]),
  () => new Arguments(),
  () => Object.assign(Object.create(null) as object, { command: "ls" }),
];

/** Tries to change what an event carries, by every way that there is. */
function change(event: object): void {
  const { args } = event as { args: Record<string, unknown> & Map<string, unknown> };
  const ways = [
    () => args.set("command", "rm -rf /"),
    () => Object.assign(args, { command: "rm -rf /" }),
    () => Object.defineProperty(args, "command", { value: "rm -rf /" }),
    () => (args["list"] as string[]).push("rm -rf /"),
    () => Object.assign(args["inner"] as object, { command: "rm -rf /" }),
    () => (args["inner"] as Map<string, unknown>).set("command", "rm -rf /"),
  ];
  for (const way of ways) {
    try {
      way();
    } catch {
      // It may not.
    }
  }
}

test("nobody changes an event in place", async () => {
  const dice = new Dice();
  for (let number = 0; number < 60; number++) {
    const client = quietClient({ mode: dice.pick(["sequential", "parallel"] as const) });
    const args = dice.pick(KINDS)();
    if (dice.coin()) Object.assign(args, { inner: dice.pick(KINDS)() });
    const hooks = [
      ["allows", () => ({ action: "allow" as const })],
      ["changes", change],
      ["looks", () => undefined],
    ] as const;
    for (const [name, handler] of dice.shuffled(hooks)) {
      client.registerHook("PreToolUse", { name, handler, config: { mandatory: name === "looks" } });
    }
    const outcome = await client
      .dispatch("PreToolUse", { tool: "Bash", args: args as Record<string, unknown> })
      .catch((error: unknown) => error as Error);
    // An event that cannot be shown without being changed is refused.
    const left =
      outcome instanceof Error || outcome.blocked ? "" : inspect(outcome.event, { depth: 9 });
    assert.ok(
      !left.includes("rm -rf /"),
      `case ${String(number)} of seed ${String(SEED)}: ${left}`,
    );
    await client.close();
  }
});

test("what is too deep to be shown does not pass", async () => {
  const dice = new Dice();
  for (let number = 0; number < 40; number++) {
    const depth = 100 + dice.below(60);
    let value: unknown = "x";
    for (let level = 0; level < depth; level++) value = dice.coin() ? [value] : { k: value };
    const client = quietClient();
    client.registerHook("PreToolUse", (event) =>
      Object.keys(event.args).length > 0 && JSON.stringify(event.args) !== ""
        ? { action: "block", reason: "no" }
        : undefined,
    );
    const outcome = await client
      .dispatch("PreToolUse", { tool: "Bash", args: { command: "rm", note: value } })
      .catch((error: unknown) => error as Error);
    const refused = outcome instanceof Error || outcome.blocked;
    assert.ok(refused, `${String(depth)} deep, seed ${String(SEED)}`);
    await client.close();
  }
});
