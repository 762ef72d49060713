/** Folders with files of hooks, for tests. */

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** A folder that is gone after the test. */
export class Folder {
  readonly path: string;

  constructor(t: TestContext) {
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "hookweave-node-")));
    t.after(() => {
      rmSync(this.path, { recursive: true, force: true });
    });
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Writes a file; one whose text begins with `#!` can be executed. */
  write(name: string, content: string | object): string {
    const file = this.at(name);
    mkdirSync(dirname(file), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(file, text);
    if (text.startsWith("#!")) chmodSync(file, 0o755);
    return file;
  }

  /** Writes a Claude settings file: commands of one matcher group, or several groups, by event. */
  settings(hooks: Record<string, (string | object)[]>, more: object = {}): string {
    const groups = Object.entries(hooks).map(([event, entries]) => [
      event,
      [{ hooks: entries.map(entry) }],
    ]);
    const named = Object.fromEntries(groups) as object;
    return this.write(".claude/settings.json", { hooks: named, ...more });
  }
}

function entry(hook: string | object): object {
  return typeof hook === "string" ? { type: "command", command: hook } : hook;
}

/** Whether a process is there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
