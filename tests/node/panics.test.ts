/** What goes wrong in native code is an error in this language, never the end of the process. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { Folder } from "./support/files.js";
import { packageFolder, runModule } from "./support/tools.js";

describe("native code", () => {
  test("catches panics in every function that is called from here", () => {
    const folder = join(packageFolder, "src");
    let checked = 0;
    for (const file of readdirSync(folder)) {
      const lines = readFileSync(join(folder, file), "utf8").split("\n");
      for (const [index, line] of lines.entries()) {
        if (!/^\s*#\[napi(\(|\])/.test(line)) continue;
        const what = lines.slice(index + 1).find((next) => !/^\s*(#\[|\/\/)/.test(next));
        if (!/^\s*pub fn /.test(what ?? "")) continue;
        assert.match(line, /catch_unwind/, `${file}:${String(index + 1)}`);
        checked++;
      }
    }
    assert.ok(checked > 100, String(checked));
  });

  test("has no unsafe code of its own", () => {
    const folder = join(packageFolder, "src");
    for (const file of readdirSync(folder)) {
      const code = readFileSync(join(folder, file), "utf8").replaceAll(/\/\/.*/g, "");
      assert.doesNotMatch(code, /\bunsafe\b/, file);
    }
  });
});

/** Takes all threads from a process that runs for a user to whom limits apply. */
function canLimit(): string | false {
  if (process.platform !== "linux") return "processes are not limited by user there";
  try {
    execFileSync("prlimit", ["--version"]);
  } catch {
    return "there is no prlimit";
  }
  return false;
}

describe("where the system gives no thread", () => {
  test(
    "each thing that needs one fails, and the process goes on",
    { skip: canLimit() },
    async (t) => {
      const folder = new Folder(t);
      const file = folder.settings({ PreToolUse: ["true"] });
      const done = await runModule(`
      import { execFileSync } from "node:child_process";
      import { HookClient } from "hookweave";
      const client = new HookClient({ logger: null, failBehavior: "block" });
      client.load(${JSON.stringify(file)});
      // What the program itself needs is there before; limits are for users without privileges.
      console.log(process.version);
      if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }
      execFileSync("prlimit", ["--pid", String(process.pid), "--nproc=1:1"]);
      const code = (act) => { try { act(); return "done"; } catch (error) { return error.code + ": " + error.message; } };
      console.log(code(() => client.configureAudit({ callback: () => undefined })));
      const { blocked, reason } = await client.dispatch("PreToolUse", { tool: "Bash", args: { command: "ls" } });
      console.log(blocked, reason);
      console.log(code(() => client.watch()));
      const asking = new HookClient({ logger: null }).session({ approval: "terminal", permissions: "ask" });
      const { ran } = await asking.runTool("Read", {}, () => "text");
      console.log(ran);
      client.registerHook("Stop", () => ({ action: "block", reason: "no" }));
      console.log((await client.dispatch("Stop")).reason);
      process.exit(0);
    `);
      assert.equal(done.code, 0, done.err);
      const [, audit, command, watch, ran, callback] = done.out.split("\n");
      assert.match(audit ?? "", /^audit_failed: the system gives no thread/);
      assert.match(command ?? "", /^true .*thread/);
      assert.match(watch ?? "", /^invalid_config: /);
      assert.equal(ran, "false");
      assert.equal(callback, "no");
    },
  );
});
