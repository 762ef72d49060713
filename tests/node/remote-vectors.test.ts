/** Runs the vectors of remote hooks: both machines, as the package calls them. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

import { runFleetCase } from "./support/fleet-case.js";
import { runCase, type RemoteCase } from "./support/remote-case.js";

/** Its gRPC server has no calls beside the stream, so that clients of the first service find agents in Python only. */
const FIRST = "the package does not serve clients of the first service";

const folder = new URL("../../tests/vectors/remote/", import.meta.url);

for (const file of readdirSync(folder).sort()) {
  const { topic, cases } = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as {
    topic: string;
    cases: RemoteCase[];
  };
  describe(topic, () => {
    for (const vector of cases) {
      test(vector.id, { skip: topic === "remote-first" && FIRST }, () => {
        const came = vector.end.startsWith("fleet") ? runFleetCase(vector) : runCase(vector);
        for (const [place, step] of vector.steps.entries())
          assert.deepEqual(came[place], step.then, `step ${String(place)}: ${step.do}`);
      });
    }
  });
}
