/** An agent in TypeScript that a worker in another language guards. */

import { spawn } from "node:child_process";
import { once } from "node:events";

import { HookClient } from "hookweave";

// What it says of its workers goes to the log, which is not shown here.
const agent = new HookClient({ logger: null });

/** What the hooks say of a command; the agent would run it if they let it. */
async function ask(command: string): Promise<void> {
  const outcome = await agent.dispatch("PreToolUse", { tool: "Bash", args: { command } });
  const because = command.includes("--force") ? `, because ${outcome.reason}` : "";
  console.log(`${command}: ${outcome.decision}${because}`);
}

// With a worker, and without it.
const address = `unix://${process.cwd()}/hooks.sock`;
const serving = await agent.serve(address);
const worker = spawn("python3", ["worker.py", address], { stdio: ["ignore", "pipe", "inherit"] });
await once(worker.stdout, "data");
console.log(`the worker is ready: ${agent.listHooks()[0]?.name}`);
await ask("git push");
await ask("git push --force");
worker.kill("SIGKILL");
await once(worker, "exit");
console.log("the worker is killed");
await ask("git push");
await serving.close();
