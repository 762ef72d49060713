/** One run of an agent with a policy that `hookweave install` put in front of it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

import { scripted } from "../model.mjs";
import { ROOT, installedAt, place, start } from "../programs.mjs";

const HOOKWEAVE =
  process.env.HOOKWEAVE ?? join(ROOT, "target/x86_64-unknown-linux-gnu/release/hookweave");

/** Runs `hookweave` in a place; gives what it printed. */
export function hookweave({ project, environment }, ...words) {
  const done = spawnSync(HOOKWEAVE, words, { cwd: project, env: environment, encoding: "utf8" });
  if (done.error) throw done.error;
  if (done.status !== 0)
    throw new Error(`hookweave ${words.join(" ")}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

/**
 * Runs an agent on a prompt, in a home and a project of its own.
 *
 * `turns` gives the model's script for the place; `files` are the project's, `setUp` does what a person does before the start.
 */
export async function run(agent, { turns, prompt = "do it", files = {}, setUp = () => {} }) {
  const at = place(agent);
  for (const [name, content] of Object.entries(files)) at.write(name, content);
  const model = await scripted(turns(at));
  try {
    agent.settings(at, model.url);
    await setUp(at);
    const command = agent.command(installedAt(agent), prompt);
    const { code, output } = await start(at, command, agent.environment(model.url));
    return { ...at, code, output, model };
  } finally {
    model.close();
  }
}

/** Approves the policy and puts hookweave in front of the agent. */
export async function install(agent, at) {
  hookweave(at, "trust", "approve", "--yes");
  hookweave(at, "install", "--agent", agent.name, "--program", HOOKWEAVE, "--yes");
  await agent.approve?.(at);
}
