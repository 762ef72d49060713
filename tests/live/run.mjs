/** Downloads the agents, then runs the tests where there is nothing but the loopback interface, if the system allows. */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { AGENTS as WITH_HOOKS } from "./hooks/agents.mjs";
import { AGENTS as WITH_PLUGINS } from "./javascript/agents.mjs";
import { install } from "./programs.mjs";

const here = dirname(fileURLToPath(import.meta.url));

for (const agent of [...WITH_HOOKS, ...WITH_PLUGINS]) {
  const why = install(agent);
  if (why !== null)
    console.log(`note: ${agent.name} could not be downloaded, its tests are left out: ${why}`);
}

/** A network of its own; whoever is not root becomes it in a namespace of users. */
const users = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
const alone = [...users, "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];
const canBeAlone = spawnSync("unshare", [...alone, "true"]).status === 0;
if (!canBeAlone)
  console.log("note: no network namespace can be made here; the agents could reach the network");

const files = ["hooks/policy", "hooks/payloads", "javascript/plugins"];
const tests = ["--test", ...files.map((name) => join(here, `${name}.test.mjs`))];
const [program, words] = canBeAlone
  ? ["unshare", [...alone, process.execPath, ...tests]]
  : [process.execPath, tests];
process.exitCode = spawnSync(program, words, { stdio: "inherit" }).status ?? 1;
