/**
 * What hooks read in the real agents, against what hookweave gives to the same hooks. `payloads/` has the differences of keys
 * and kinds; UPDATE_LIVE=1 writes them.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { missing } from "../programs.mjs";
import { AGENTS } from "./agents.mjs";
import { hookweave, run } from "./session.mjs";

const DIFFERENCES = join(dirname(fileURLToPath(import.meta.url)), "payloads");

/** The hooks' standard input so far, in order, as `{ label, payload }`. */
function records(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => ({
      label: name.split(".")[1],
      payload: JSON.parse(readFileSync(join(folder, name), "utf8")),
    }));
}

/** Every path of a value with the kind of what stands there; of a list, its items together. */
function shape(value, path = "", found = new Map()) {
  const kind = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
  if (path !== "") found.set(path, kind);
  if (kind === "object")
    for (const [key, inner] of Object.entries(value))
      shape(inner, path === "" ? key : `${path}.${key}`, found);
  if (kind === "list") for (const inner of value) shape(inner, `${path}[]`, found);
  return found;
}

function differences(theirs, ours) {
  const [real, here] = [shape(theirs), shape(ours)];
  const found = {};
  for (const path of [...new Set([...real.keys(), ...here.keys()])].sort()) {
    const [a, b] = [real.get(path), here.get(path)];
    const isInside = Object.keys(found).some((outer) => path.startsWith(`${outer}.`));
    if (a !== b && !isInside) found[path] = `${a ?? "absent"}, here ${b ?? "absent"}`;
  }
  return found;
}

for (const agent of AGENTS) {
  describe(`what hooks read in ${agent.name}`, { skip: missing(agent), timeout: 600_000 }, () => {
    let ran;
    let real;
    const given = [];
    before(async () => {
      const { shell, writing, reading } = agent;
      ran = await run(agent, {
        turns: ({ project }) => [
          shell("echo said"),
          writing(`${project}/made.txt`, "one"),
          ...(reading ? [reading(`${project}/made.txt`)] : []),
          shell("cat /nonexistent; exit 3"),
          "done",
        ],
        setUp: async (at) => {
          const folder = join(at.folder, "records");
          mkdirSync(folder);
          // Renamed when it is whole, and in the order of starting.
          const command = (event) => `cat > '${folder}'/$(date +%s%N).${event}.$$`;
          at.write(agent.file, agent.hooks(agent.events, command));
          await agent.approve?.(at);
        },
      });
      const folder = join(ran.folder, "records");
      real = records(folder);
      // The same hooks, run here on what the agent gave to each, and on the same event of a program that knows no more.
      const again = (label, payload, ...words) => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        const event = join(ran.folder, "event.json");
        writeFileSync(event, JSON.stringify(payload));
        const file = join(ran.project, agent.file);
        const said = hookweave(
          ran,
          "run",
          "--json",
          "--dialect",
          agent.name,
          "-f",
          file,
          ...words,
          event,
        );
        const record = records(folder).find((one) => one.label === label);
        return { raised: JSON.parse(said).event, read: record?.payload ?? {} };
      };
      for (const { label, payload } of real) {
        const { raised, read: passed } = again(label, payload, "--agent", agent.name);
        const { metadata, timestamp, ...fields } = raised;
        given.push({ label, payload, passed, embedded: again(label, fields).read });
      }
    });
    after(() => ran?.remove());

    test("every event came", () => {
      const came = new Set(real.map(({ label }) => label));
      assert.deepEqual(
        agent.events.filter((event) => !came.has(event)),
        [],
        ran.output,
      );
    });
    test("is what they read here, but for the known differences", () => {
      const found = {};
      for (const { label, payload, passed, embedded } of given) {
        const tool = payload.tool_name ?? payload.toolName;
        found[tool === undefined ? label : `${label} ${tool}`] = {
          "passed on": differences(payload, passed),
          "raised by a program": differences(payload, embedded),
        };
      }
      const file = join(DIFFERENCES, `${agent.name}.json`);
      if (process.env.UPDATE_LIVE) writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
      const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
      assert.deepEqual(found, known);
    });
  });
}
