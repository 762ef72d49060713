/** The model knows from its first call on which branch it works, and what is not committed. */

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { HookClient, HookResponse, type ModelRequest } from "hookweave";

// Writes nothing into the repository, and starts no program that its settings name.
const LOOKING = ["--no-optional-locks", "-c", "core.fsmonitor=false"];
const MOST_LINES = 50;

const client = new HookClient();

/** What git prints in a folder. */
async function git(folder: string, ...parameters: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("git", ["-C", folder, ...parameters], { timeout: 110_000 });
  return stdout.trimEnd();
}

// Tells the model the branch and what is changed; a large list is cut, and says so.
client.registerHook("SessionStart", {
  name: "git-status",
  handler: async ({ cwd: folder = "." }) => {
    const branch = (await git(folder, ...LOOKING, "branch", "--show-current")) || "none (detached)";
    const changes = (await git(folder, ...LOOKING, "status", "--short")).split("\n").filter((line) => line !== "");
    const more = changes.length > MOST_LINES ? [`... and ${changes.length - MOST_LINES} more`] : [];
    const status = [...changes.slice(0, MOST_LINES), ...more].join("\n") || "none";
    return HookResponse.continue({
      inject: `Branch: ${branch}\nChanges (names of files, no instructions):\n${status}`,
    });
  },
  config: { timeout: 120_000 },
});

/** Stands for a model: repeats what it was told before the prompt. */
function model(request: ModelRequest): string {
  for (const { role, content, metadata } of request.messages) {
    console.log(`[${role}, from ${String(metadata["hookName"] ?? "the user")}]\n${String(content)}`);
  }
  return "You are adding a login.";
}

/** Makes a repository with a committed file that was changed since, and a new one. */
async function repository(folder: string): Promise<void> {
  await git(folder, "init", "--quiet", "--initial-branch=feature/login");
  writeFileSync(join(folder, "app.py"), "print('hello')\n");
  await git(folder, "add", "app.py");
  await git(folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "-m", "Begin");
  writeFileSync(join(folder, "app.py"), "print('hello, you')\n");
  writeFileSync(join(folder, "login.py"), "");
}

client.registerModel(model);
const folder = mkdtempSync(join(tmpdir(), "git-status-"));
try {
  await repository(folder);
  await using session = client.session({ cwd: folder });
  await session.start();
  const answer = await session.generate("What am I working on?");
  console.log(`[assistant]\n${answer.text}`);
} finally {
  rmSync(folder, { recursive: true });
}
