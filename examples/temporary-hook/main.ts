/** A dry run: one call of one session deploys nothing, and other sessions are not affected. */

import { HookClient, HookResponse, type PreToolUseEvent, type Session } from "hookweave";

const client = new HookClient();

/** Makes a deployment a rehearsal. */
function dryRun({ args }: PreToolUseEvent): HookResponse<"PreToolUse"> {
  return HookResponse.continue({ modified: { args: { ...args, command: `${String(args["command"])} --dry-run` } } });
}

/** The call in question. */
async function deploy(session: Session): Promise<void> {
  const call = await session.runTool("Bash", { command: "./deploy.sh shop" }, ({ command }) => `ran ${command}`);
  console.log(`  ${session.id}: ${String(call.output)}`);
}

/** Registers the hook for the length of a block, however the block ends. */
async function rehearse(session: Session, other: Session): Promise<void> {
  const deployments = { tool: "Bash", commandPattern: String.raw`^\./deploy\.sh` };
  using _ = session.temporaryHook("PreToolUse", {
    name: "dry-run",
    matcher: deployments,
    handler: dryRun,
    config: { failBehavior: "block" },
  });
  await deploy(session);
  await deploy(other);
  throw new Error("the rehearsal was broken off");
}

// Before, during and after.
const [mine, other] = [client.session({ sessionId: "mine" }), client.session({ sessionId: "other" })];
console.log("before");
await deploy(mine);
console.log("during");
try {
  await rehearse(mine, other);
} catch (error) {
  console.log(`  ${(error as Error).message}`);
}
console.log("after");
await deploy(mine);
console.log(`hooks that are left: ${client.listHooks().length}`);
