/** Runs a linter on every file that the agent writes, and has the model fix what it finds in the same turn. */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { HookClient, HookResponse, type ModelResponse, type ModelRequest, type ToolCall } from "hookweave";

// What looks at a file of which kind; it exits with 0 when it finds nothing, with 1 when it does.
const LINTERS: Record<string, [string, ...string[]]> = {
  ".py": ["ruff", "check", "--quiet", "--output-format", "concise", "--"],
  ".js": ["eslint", "--"],
};

/** What a linter has to say of a file; rejects when the linter breaks. */
function findings([program, ...options]: [string, ...string[]], path: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, [...options, path], { signal }, (error, stdout) => {
      if (error !== null && error.code !== 1) reject(error);
      else resolve(stdout.replaceAll(`${process.cwd()}/`, "").trim());
    });
  });
}

const client = new HookClient();

// Tells the model what the linter finds; when the linter breaks, this hook has failed, and the log says so.
client.registerHook("PostToolUse", {
  name: "lint",
  matcher: { tool: "Write|Edit" },
  handler: async (event, { signal }) => {
    const path = String(event.args.file_path);
    const linter = LINTERS[extname(path)];
    if (linter === undefined) return;
    const found = await findings(linter, path, signal);
    console.log(`${path} is written; the linter ${found ? "objects" : "finds nothing"}`);
    if (found) return HookResponse.continue({ inject: `The linter objects to ${path}:\n${found}` });
  },
  config: { timeout: 120_000 },
});

const DRAFTS: Record<string, string> = {
  "area.py": "import os\n\n\ndef area(width, height):\n    return width * heigth\n",
  "area.js": "export function area(width, height) {\n  return width * heigth;\n}\n",
};
const MENDED: Record<string, string> = {
  "area.py": "def area(width, height):\n    return width * height\n",
  "area.js": "export function area(width, height) {\n  return width * height;\n}\n",
};

/** Stands for a model: it writes both files with mistakes, and mends those files that it is told of. */
function model({ messages }: ModelRequest): ModelResponse {
  const written = messages.filter(({ role }) => role === "tool").length;
  const objections = messages
    .filter(({ metadata }) => metadata.source === "hook")
    .map(({ content }) => String(content));
  if (written === 0) return { toolCalls: Object.entries(DRAFTS).map(writing) };
  if (written === Object.keys(DRAFTS).length) {
    console.log(`\nThe model reads:\n${objections.join("\n")}\n`);
    const mends = Object.entries(MENDED).filter(([path]) => objections.some((text) => text.includes(path)));
    return { toolCalls: mends.map(writing) };
  }
  return { text: "Both functions are written." };
}

/** A call of the tool. */
function writing([path, content]: [string, string]): ToolCall {
  return { name: "Write", args: { file_path: path, content } };
}

client.registerTool("Write", async (args: { file_path: string; content: string }) => {
  await writeFile(args.file_path, args.content);
  return "written";
});
client.registerModel(model);
const answer = await client.generate("s1", "Write a function for areas, in Python and in JavaScript.");
console.log(`\nThe model after ${answer.modelCalls} calls: ${answer.text}`);
