/** Goes on with an agent that waits for a person: another process than the one in which it began. */

import { text } from "node:stream/consumers";

import type { Policy } from "./checks.js";
import { DONE, World, type Agent } from "./world.js";

interface Given {
  stopped: unknown;
  said: Record<string, boolean>;
  policy: Policy;
}

const { stopped, said, policy } = JSON.parse(await text(process.stdin)) as Given;
const { agent } = (await import(`./agent-${process.argv[2] ?? ""}.js`)) as { agent: Agent };
const world = new World()[policy]();
const seen = await agent.run(world, [DONE], { asks: true, resume: { stopped, said } });
if (seen.raised !== null) throw seen.raised;
const came = {
  ran: world.ran,
  last: seen.last,
  final: seen.final,
  denied: world.count("PermissionDenied"),
};
console.log(JSON.stringify(came));
