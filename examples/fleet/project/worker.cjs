/** A worker of the group `rules`: `node worker.cjs ADDRESS NAME`. */

const { HookClient, HookResponse } = require("hookweave");

const [address, name] = process.argv.slice(2);
const worker = new HookClient();

/** Refuses what takes away the work of others, and says which worker it was. */
worker.registerHook("PreToolUse", {
  name: "no-force-push",
  matcher: { tool: "Bash", commandPattern: String.raw`\bgit push\b` },
  failBehavior: "block",
  timeout: 60_000,
  handler: ({ args }) => {
    if (args.command.includes("--force")) return HookResponse.block(`${name} refuses`);
    return null;
  },
});

/** Until it is asked to end: it then takes nothing new, and ends what it runs. */
async function main() {
  const connection = await worker.connect(address, { group: "rules" });
  process.once("SIGTERM", () => connection.close());
  await connection.ready();
  console.log("ready");
}

main();
