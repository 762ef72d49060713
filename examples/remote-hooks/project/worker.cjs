/** The rules of a team, for any agent: `node worker.cjs ADDRESS`. */

const { HookClient, HookResponse } = require("hookweave");

const worker = new HookClient();

/** Refuses what takes away the work of others. */
worker.registerHook("PreToolUse", {
  name: "no-force-push",
  matcher: { tool: "Bash", commandPattern: String.raw`\bgit push\b` },
  failBehavior: "block",
  handler: ({ args }) => {
    if (args.command.includes("--force")) return HookResponse.block("force pushes are for people");
    return null;
  },
});

/** Until the agent or a person ends it. */
async function main() {
  const connection = await worker.connect(process.argv[2], { name: "rules" });
  await connection.ready();
  console.log("ready");
}

main();
