/** Hooks around a tool call in Node: NeMo Relay, and hookweave on the same release of Node, which Relay prescribes. */

import relay from "nemo-relay-node";
import { repeat, serve, version } from "./harness.mjs";
import { EVENT, clientWith, dispatching, silent, unlimited } from "./subjects.mjs";

const ARGS = { command: "ls -la" };
const HOOKS = [0, 1, 10];
const allow = async (_tool, _args) => null;

/** Does something in an agent's scope under so many guardrails, which are the whole process's while they are there. */
function guarded(hooks, once) {
  const names = Array.from({ length: hooks }, (_, index) => `hook${index}`);
  const inScope = (handle) => repeat(() => once(handle));
  return async (count) => {
    names.forEach((name, index) => relay.registerToolConditionalExecutionGuardrail(name, index, allow));
    let took;
    await relay.withScope("agent-run", relay.ScopeType.Agent, async (handle) => {
      const start = process.hrtime.bigint();
      await inScope(handle)(count);
      took = Number(process.hrtime.bigint() - start);
    });
    names.forEach((name) => relay.deregisterToolConditionalExecutionGuardrail(name));
    return took;
  };
}

const decide = () => relay.toolConditionalExecution("Bash", ARGS);
const execute = (handle) => relay.toolCallExecuteAsync("Bash", ARGS, async () => ({ result: "done" }), handle);

/** Tool calls in a session with so many hooks before them. */
function calling(hooks) {
  const client = unlimited();
  for (let i = 0; i < hooks; i++) client.registerHook(EVENT, { matcher: { tool: "Bash" }, handler: silent });
  const session = client.session();
  return repeat(() => session.runTool("Bash", ARGS, async () => "done"));
}

const forEach = (label, make) => Object.fromEntries(HOOKS.map((hooks) => [`${label} ${hooks} hooks`, make(hooks)]));

await serve(
  {
    ...forEach("hookweave,", (hooks) => dispatching(clientWith(silent, hooks))),
    ...forEach("hookweave, tool call,", calling),
    ...forEach("nemo-relay,", (hooks) => guarded(hooks, decide)),
    ...forEach("nemo-relay, tool call,", (hooks) => guarded(hooks, execute)),
  },
  { "nemo-relay-node": `${await version("nemo-relay-node")} on Node ${process.version}` },
);
