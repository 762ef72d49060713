/** What several Node benchmarks measure: the floor, and hookweave with some hooks. */

import { HookClient } from "hookweave";
import { repeat } from "./harness.mjs";

export const EVENT = "PreToolUse";
export const PAYLOAD = { tool: "Bash", args: { command: "ls -la" }, sessionId: "s1" };

/** An async hook that says nothing. */
export const silent = async (_event) => undefined;

/** The least that running async hooks can cost: awaiting each in a loop. */
export function floor(hooks, payload = PAYLOAD) {
  const dispatch = async (event) => {
    let answer;
    for (const hook of hooks) answer = await hook(event);
    return answer;
  };
  return repeat(() => dispatch(payload));
}

/** A client that takes any number of hooks. */
export const unlimited = () => new HookClient({ maxHooksPerEvent: null, maxTotalHooks: null });

/** A client with so many hooks that match, and one that does not. */
export function clientWith(handler, count) {
  const client = unlimited();
  client.registerHook(EVENT, { matcher: { tool: "Write" }, handler: () => undefined });
  for (let i = 0; i < count; i++) client.registerHook(EVENT, { name: `hook${i}`, matcher: { tool: "Bash" }, handler });
  return client;
}

/** Dispatches as a user does: a name and an object. */
export const dispatching = (client, payload = PAYLOAD) => repeat(() => client.dispatch(EVENT, payload));
