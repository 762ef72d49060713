/** Runs the vectors of sessions, and lists the cases that ran. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, describe, test } from "node:test";

import { sessionCanRun, SessionRun, type SessionCase } from "./support/session-case.js";

// Compiled tests lie in bindings-node/build-tests.
const root = new URL("../../", import.meta.url);
const folder = new URL("tests/vectors/sessions/", root);
const list = new URL("target/vectors/sessions-node.txt", root);

const ran: string[] = [];

for (const file of readdirSync(folder).sort()) {
  if (!file.endsWith(".json")) continue;
  const { topic, cases } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
    topic: string;
    cases: SessionCase[];
  };
  describe(`sessions: ${topic}`, { concurrency: 8 }, () => {
    for (const vector of cases) {
      test(vector.id, async () => {
        const styles = (["sync", "async"] as const).filter((style) => sessionCanRun(vector, style));
        const runs = [...styles.map((style) => [style, false] as const), ["async", true] as const];
        for (const [style, halves] of runs) {
          await new SessionRun(vector, style, halves).run().catch((error: unknown) => {
            const how = halves ? `${style}, in halves` : style;
            throw new Error(`${how}: ${(error as Error).message}`, { cause: error });
          });
        }
      });
      ran.push(vector.id);
    }
  });
}

after(() => {
  mkdirSync(new URL(".", list), { recursive: true });
  writeFileSync(list, `${ran.sort().join("\n")}\n`);
});
