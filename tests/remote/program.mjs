/** An agent (`serve`) or a worker (`work`) at an address, as in the other languages of this folder. */

import { createInterface } from "node:readline";

import { HookClient, HookResponse } from "../../bindings-node/dist/index.js";

const [, , role, address] = process.argv;
const client = new HookClient({ logger: null });
const tell = (line) => console.log(line);

/** Dispatches until the input ends. */
async function serve() {
  const serving = await client.serve(address);
  tell(serving.address);
  for await (const line of createInterface({ input: process.stdin })) {
    const [, tool, command] = /^(\S+) (.*)$/.exec(line);
    const outcome = await client.dispatch("PreToolUse", { tool, args: { command } });
    tell(JSON.stringify([outcome.decision, outcome.reason ?? null, outcome.event.args.command]));
  }
  await serving.close();
}

/** Has the hooks until it is killed. */
async function work() {
  client.registerHook("PreToolUse", {
    name: "guard",
    matcher: { tool: "Bash" },
    failBehavior: "block",
    timeout: null,
    handler: async ({ args: { command } }) => {
      if (command === "wait") {
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
  const connection = await client.connect(address, { name: "guards" });
  await connection.ready();
  tell("ready");
}

await { serve, work }[role]();
