/** Runs the checks around the real frameworks, whose models are scripts. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { CHECKS } from "./checks.js";
import { LIMIT, type Agent } from "./world.js";

const names = JSON.parse(readFileSync(process.env["CHECKS"] ?? "", "utf8")) as {
  all: string[];
  python: string[];
};

test("the checks are those of Python", () => {
  assert.deepEqual(
    Object.keys(CHECKS),
    names.all.filter((name) => !names.python.includes(name)),
  );
});

for (const file of readdirSync(import.meta.dirname)
  .filter((name) => /^agent-.*\.js$/.test(name))
  .sort()) {
  const { agent } = (await import(`./${file}`)) as { agent: Agent };
  const { name, impossible } = agent;
  for (const why of Object.keys(impossible))
    assert.ok(why in CHECKS, `${name}: there is no check ${why}`);
  for (const [title, check] of Object.entries(CHECKS)) {
    const reason = impossible[title];
    // One that a framework makes impossible fails here once it becomes possible.
    const run =
      reason === undefined
        ? () => check(agent)
        : () => assert.rejects(check(agent), `${title} passes; it was impossible: ${reason}`);
    test(`${name} ${title}`, { timeout: LIMIT }, run);
  }
}
