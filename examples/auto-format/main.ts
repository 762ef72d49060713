/** Runs a formatter on every file that the agent writes, and tells the model that the file is another one now. */

import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { HookClient, HookResponse } from "hookweave";

const run = promisify(execFile);

// What formats a file of which kind; the path is added at the end.
const FORMATTERS: Record<string, [string, ...string[]]> = {
  ".py": ["ruff", "format", "--quiet", "--"],
  ".js": ["prettier", "--write", "--log-level", "error", "--"],
};

const client = new HookClient();

// Formats the file. When the formatter fails, the hook has failed: that is logged, and the file stays.
client.registerHook("PostToolUse", {
  name: "tidy",
  matcher: { tool: "Write|Edit" },
  handler: async (event, { signal }) => {
    const path = String(event.args.file_path);
    const formatter = FORMATTERS[extname(path)];
    if (formatter === undefined) return;
    const before = await readFile(path, "utf8");
    const [program, ...options] = formatter;
    await run(program, [...options, path], { signal });
    if ((await readFile(path, "utf8")) === before) return;
    // A model that does not know would look in vain for its own text when it edits the file.
    return HookResponse.continue({ inject: `${path} was formatted; it is not what was written any more.` });
  },
  config: { timeout: 120_000 },
});

/** A tool that writes files. */
async function write(args: { file_path: string; content: string }): Promise<string> {
  await writeFile(args.file_path, args.content);
  return "written";
}

const FILES = {
  "add.py": "def add( a,b ):\n  return a+b\n",
  "add.js": "export function add( a,b ) { return a+b }\n",
  "tidy.py": "ANSWER = 42\n",
  "notes.txt": "two  blanks\n",
};

// Writes files as a model would have them written.
await using session = client.session();
await session.start();
for (const [name, content] of Object.entries(FILES)) {
  const call = await session.runTool("Write", { file_path: name, content }, write);
  console.log(`${name}: ${call.injected[0]?.content ?? "as it was written"}`);
  for (const line of (await readFile(name, "utf8")).trimEnd().split("\n")) console.log(`    ${line}`);
}
