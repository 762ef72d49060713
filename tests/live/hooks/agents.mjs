/** The agents with hook files: how each runs without a person, and what its hooks and tools are called. */
import { join } from "node:path";

import { chosen } from "../programs.mjs";

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

const ALL = [claudeCode];
export const AGENTS = chosen(ALL.map((agent) => ({ kind: "hooks", ...agent })));
