/** Runs the conformance vectors, and lists the cases that ran. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { canRun, CaseRun, type Case, type Style } from "./support/case.js";

// Compiled tests lie in bindings-node/build-tests.
const root = new URL("../../", import.meta.url);
const folder = new URL("tests/vectors/", root);
const list = new URL("target/vectors/node.txt", root);

// A home of the tests' own: a login shell would read the developer's profile.
const home = mkdtempSync(join(tmpdir(), "hookweave-home-"));
process.env["HOME"] = home;

const ran: string[] = [];
const failed: string[] = [];

const files = ["", "attacks/", "attacks/published/"].flatMap((below) =>
  readdirSync(new URL(below, folder))
    .sort()
    .map((file) => below + file),
);
for (const file of files) {
  if (!file.endsWith(".json") || file === "schema.json" || file === "rules.json") continue;
  const { topic, cases } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
    topic: string;
    cases: Case[];
  };
  describe(topic, { concurrency: 8 }, () => {
    for (const vector of cases) {
      const reason = vector.not?.["node"];
      const styles = (["sync", "async", "file-hooks"] as Style[]).filter((style) =>
        canRun(vector, style),
      );
      test(vector.id, { skip: reason ?? false }, async () => {
        if (styles.length === 0) throw new Error("no style can do this case");
        for (const style of styles) {
          await new CaseRun(vector, style).run().catch((error: unknown) => {
            failed.push(vector.id);
            throw new Error(`${style}: ${(error as Error).message}`, {
              cause: error,
            });
          });
        }
      });
      ran.push(reason === undefined ? vector.id : `${vector.id} # ${reason}`);
    }
  });
}

after(() => {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(new URL(".", list), { recursive: true });
  writeFileSync(fileURLToPath(list), `${ran.sort().join("\n")}\n`);
});
