/** An agent (`serve`) or a worker (`work`) at an address, as in the other languages of this folder. */

import { createInterface } from "node:readline";

import { HookClient, HookResponse } from "../../bindings-node/dist/index.js";

const [, , role, address, ...given] = process.argv;
const isFleet = address.startsWith("nats:");
const tell = (line) => console.log(typeof line === "string" ? line : JSON.stringify(line));

/** What a dispatch came to: decision, reason, command, and each hook with its failure. */
function shown({ decision, reason, event, trace }) {
  const hooks = trace.map(({ hook, failure }) => [hook, failure?.kind ?? null]);
  return [decision, reason ?? null, event.args.command, hooks];
}

/** Does what each line says until the input ends. */
async function serve(log, keepalive) {
  const client = new HookClient({ logger: null, defaultTimeout: null, audit: { file: log } });
  const fleet = isFleet ? { groups: ["guards", "near"] } : {};
  const serving = await client.serve(address, { ...fleet, keepalive: Number(keepalive) });
  tell(serving.address);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === "list") {
      tell(client.listHooks().map(({ name, worker }) => [name, worker]));
    } else {
      const [, times, tool, command] = /^(\d+) (\S+) (.*)$/.exec(line);
      const call = () => client.dispatch("PreToolUse", { tool, args: { command } });
      tell((await Promise.all(Array.from({ length: Number(times) }, call))).map(shown));
    }
  }
  await client.close();
  tell("closed");
}

/** Has the hooks until it is killed. */
async function work(name) {
  const client = new HookClient({ logger: null });
  client.registerHook("PreToolUse", {
    name: "guard",
    matcher: { tool: "Bash" },
    failBehavior: "block",
    timeout: null,
    handler: async ({ args: { command } }, { signal }) => {
      if (command === "wait") {
        signal.addEventListener("abort", () => tell("cancelled"));
        tell("waits");
        await new Promise(() => {});
      }
      if (command.startsWith("rm")) return HookResponse.block("no rm");
      return HookResponse.continue({ modified: { args: { command: `nice ${command}` } } });
    },
  });
  client.registerHook("PreToolUse", {
    name: "note",
    matcher: { tool: "Note" },
    failBehavior: "continue",
    timeout: null,
    handler: () => HookResponse.block("noted"),
  });
  const connection = await client.connect(address, { [isFleet ? "group" : "name"]: name });
  await connection.ready();
  tell("ready");
}

await { serve, work }[role](...given);
