/** The agents with hook files: how each runs without a person, and what its hooks and tools are called. */
import { join } from "node:path";

import { chosen, write } from "../programs.mjs";

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

const ALL = [claudeCode, geminiCli];
export const AGENTS = chosen(ALL.map((agent) => ({ kind: "hooks", ...agent })));
