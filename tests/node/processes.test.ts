/** Commands and the process that runs them: what keeps it alive, how it ends, what it leaves behind. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { describe, test } from "node:test";
import { Worker } from "node:worker_threads";

import { Folder, lives } from "./support/files.js";
import { all, bash, packageFolder, quietClient, runModule, until } from "./support/tools.js";

const linux = process.platform === "linux";

/** A module that loads a file and then goes on. */
function loading(file: string, rest: string): string {
  return `
    import { HookClient } from "hookweave";
    const client = new HookClient({ logger: null });
    client.load(${JSON.stringify(file)});
    const payload = { tool: "Bash", args: { command: "ls" }, cwd: ${JSON.stringify(process.cwd())} };
    ${rest}
  `;
}

/** The process whose number a hook has left in a file. */
function left(folder: Folder): number {
  return Number(readFileSync(folder.at("pid"), "utf8"));
}

describe("a process", () => {
  test("does not wait for itself when a getter of a payload raises the same event", async () => {
    const done = await runModule(`
      import { HookClient } from "hookweave";
      const client = new HookClient();
      client.registerHook("PreToolUse", () => undefined);
      const inner = [];
      const dispatch = (payload) => client.dispatch("PreToolUse", payload);
      await dispatch({
        get tool() {
          if (inner.length === 0) inner.push(dispatch({ tool: "Bash", args: {} }));
          return "Outer";
        },
        args: {},
      });
      await Promise.all(inner);
      console.log(client.stats().events.PreToolUse);
    `);
    assert.deepEqual(
      { code: done.code, out: done.out, err: done.err },
      { code: 0, out: "2\n", err: "" },
    );
  });

  test("stays for a dispatch that waits for a command, and no longer", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({
      PreToolUse: ["sleep 0.5; echo late >&2; exit 2"],
    });
    const done = await runModule(
      loading(
        file,
        `void client.dispatch("PreToolUse", payload).then((o) => console.log(o.reason));`,
      ),
    );
    assert.deepEqual(
      { code: done.code, out: done.out, err: done.err },
      { code: 0, out: "late\n", err: "" },
    );
    const idle = await runModule(
      loading(
        file,
        `const o = await client.dispatch("PreToolUse", payload); console.log(o.reason);`,
      ),
    );
    assert.deepEqual({ code: idle.code, out: idle.out }, { code: 0, out: "late\n" });
  });

  test("does not stay for a detached command, which it kills, unless it drains", async (t) => {
    const folder = new Folder(t);
    const command = `echo $$ > ${folder.at("pid")}; sleep 600; touch ${folder.at("done")}`;
    const file = folder.settings({
      PreToolUse: [{ type: "command", command, async: true }],
    });
    const done = await runModule(
      loading(
        file,
        `import { existsSync, readFileSync } from "node:fs";
         await client.dispatch("PreToolUse", payload);
         const pid = ${JSON.stringify(folder.at("pid"))};
         while (!existsSync(pid) || readFileSync(pid, "utf8") === "") await new Promise((r) => setTimeout(r, 10));`,
      ),
    );
    assert.equal(done.code, 0, done.err);
    await until(() => !lives(left(folder)));
    assert.equal(existsSync(folder.at("done")), false);
    const drained = await runModule(
      loading(
        folder.settings({
          PreToolUse: [
            {
              type: "command",
              command: `sleep 0.5; touch ${folder.at("drained")}`,
              async: true,
            },
          ],
        }),
        `await client.dispatch("PreToolUse", payload); console.log(await client.drain());`,
      ),
    );
    assert.equal(drained.out, "true\n", drained.err);
    assert.equal(existsSync(folder.at("drained")), true);
  });

  for (const [how, ending] of [
    ["process.exit", `process.exit(3);`],
    ["process.exit right after a cancellation", `stop.abort(); process.exit(3);`],
    ["an error that nobody catches", `setImmediate(() => { throw new Error("over"); });`],
  ] as const) {
    test(`that ends by ${how} while commands run kills them and does not hang`, async (t) => {
      const folder = new Folder(t);
      const pid = folder.at("pid");
      const file = folder.settings({
        PreToolUse: [`echo $$ > ${pid}; sleep 600`],
      });
      const done = await runModule(
        loading(
          file,
          `import { readFileSync } from "node:fs";
           const stop = new AbortController();
           client.dispatch("PreToolUse", payload, { signal: stop.signal }).catch(() => {});
           const wait = () => {
             try { if (readFileSync(${JSON.stringify(pid)}, "utf8") !== "") return end(); } catch {}
             setTimeout(wait, 5);
           };
           const end = () => { ${ending} };
           wait();`,
        ),
      );
      assert.equal(done.code, ending.includes("exit(3)") ? 3 : 1, done.err);
      await until(() => !lives(left(folder)));
    });
  }

  test("that ends by process.exit() leaves no transcripts behind", async (t) => {
    const folder = new Folder(t);
    const [caches, temporary] = [folder.at("caches"), folder.at("temporary")];
    mkdirSync(temporary);
    const sees = `read -r event; path=\${event#*'"transcript_path":"'}; path=\${path%%'"'*}
      test -f "$path" && test -r "$path" && test ! -s "$path" && echo empty >&2; exit 2`;
    const file = folder.settings({ PreToolUse: [sees] });
    const program = `
      Object.assign(process.env, ${JSON.stringify({ XDG_CACHE_HOME: caches, TMPDIR: temporary })});
      ${loading(
        file,
        `const other = new HookClient({ logger: null });
         other.load(${JSON.stringify(file)});
         const outcomes = [await client.dispatch("PreToolUse", payload), await other.dispatch("PreToolUse", payload)];
         process.stdout.write(outcomes.map((o) => o.reason).join());
         process.exit(3);`,
      )}`;
    for (const round of [1, 2]) {
      const done = await runModule(program);
      assert.deepEqual(
        { round, code: done.code, out: done.out },
        { round, code: 3, out: "empty,empty" },
      );
    }
    assert.deepEqual(readdirSync(temporary), []);
    if (linux)
      assert.deepEqual(readdirSync(folder.at("caches/hookweave")), ["empty-transcript.jsonl"]);
  });

  test("never crashes at its end, whenever that is", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({
      PreToolUse: ["sleep 0.01", "cat > /dev/null", "sleep 0.02"],
    });
    const rounds = Array.from({ length: all ? 36 : 12 }, (_, round) => round);
    const workers = Array.from({ length: availableParallelism() }, async () => {
      for (let round = rounds.pop(); round !== undefined; round = rounds.pop()) {
        const { code, err } = await runModule(
          loading(
            file,
            `for (let i = 0; i < 8; i++) void client.dispatch("PreToolUse", payload);
             setTimeout(() => process.exit(0), ${String(round * (all ? 2 : 6))});`,
          ),
        );
        assert.deepEqual({ code, err }, { code: 0, err: "" }, `round ${String(round)}`);
      }
    });
    await Promise.all(workers);
  });
});

describe("worker threads", () => {
  const text = (file: string, rest: string): string => `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(`${packageFolder}/dist/index.js`)}).then(async ({ HookClient }) => {
      const client = new HookClient({ logger: null });
      client.load(${JSON.stringify(file)});
      const payload = { tool: "Bash", args: { command: "ls" } };
      ${rest}
    });
  `;

  test("run commands, all at once", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: ["echo no >&2; exit 2"] });
    const rest = `parentPort.postMessage((await client.dispatch("PreToolUse", payload)).reason);`;
    const answers = Array.from(
      { length: 4 },
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker(text(file, rest), { eval: true });
          let reported: unknown;
          worker.on("message", (message: unknown) => (reported = message));
          worker.on("error", reject);
          worker.on("exit", () => {
            resolve(reported);
          });
        }),
    );
    assert.deepEqual(await Promise.all(answers), ["no", "no", "no", "no"]);
  });

  test("one that is terminated takes its commands with it, and nobody else", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({
      PreToolUse: [`echo $$ > ${folder.at("pid")}; sleep 600`],
    });
    const worker = new Worker(text(file, `void client.dispatch("PreToolUse", payload);`), {
      eval: true,
    });
    await until(
      () => existsSync(folder.at("pid")) && readFileSync(folder.at("pid"), "utf8") !== "",
    );
    await worker.terminate();
    await until(() => !lives(left(folder)));
    const other = quietClient();
    other.load(folder.settings({ PreToolUse: ["exit 2"] }));
    assert.equal((await other.dispatch("PreToolUse", bash)).blocked, true);
    await other.close(0);
  });
});

describe("many commands", () => {
  test("200 dispatches with 3 commands each: none lost, none mixed up, a bounded number at once", async (t) => {
    const folder = new Folder(t);
    const hook = (name: string): object => ({
      event: "PreToolUse",
      name,
      // Counts those that run beside it, and gives back which dispatch it was run for.
      command:
        `touch ${folder.at("running")}.$$; ls ${folder.path} | grep -c '^running' >> ${folder.at("counts")}; ` +
        `n=$(grep -o '"number":[0-9]*' | head -1); rm ${folder.at("running")}.$$; ` +
        `echo "{\\"inject\\": \\"${name} \${n#*:}\\"}"`,
    });
    const hooks = [hook("a"), hook("b"), hook("c")];
    const client = quietClient({ maxRunning: 6 });
    const report = client.load(folder.write("hookweave.json", { hookweave: 1, hooks }));
    assert.deepEqual(report.problems, []);
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        client.dispatch("PreToolUse", { tool: "Bash", args: { number } }),
      ),
    );
    outcomes.forEach((outcome, number) => {
      const reported = outcome.injections.map(({ content }) => content);
      const wanted = ["a", "b", "c"].map((name) => `${name} ${String(number)}`);
      assert.deepEqual(reported, wanted, JSON.stringify(outcome.trace));
    });
    const counts = readFileSync(folder.at("counts"), "utf8").trim().split("\n").map(Number);
    assert.equal(counts.length, 600);
    assert.ok(Math.max(...counts) <= 6, String(Math.max(...counts)));
    await client.close(0);
  });

  test(
    "1,000 of them leave no descriptor, thread or process behind",
    { skip: !linux && "needs /proc" },
    async (t) => {
      const folder = new Folder(t);
      const client = quietClient();
      client.load(folder.settings({ PreToolUse: ["true"] }));
      const dispatches = async (count: number): Promise<void> => {
        for (let done = 0; done < count; done += 20) {
          await Promise.all(Array.from({ length: 20 }, () => client.dispatch("PreToolUse", bash)));
        }
      };
      const children = (): number =>
        readdirSync("/proc").filter((entry) => {
          if (!/^\d+$/.test(entry)) return false;
          try {
            const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
            return stat.slice(stat.lastIndexOf(")") + 4).startsWith(`${String(process.pid)} `);
          } catch {
            return false;
          }
        }).length;
      const descriptors = (): number => readdirSync("/proc/self/fd").length;
      const threads = (): number => readdirSync("/proc/self/task").length;
      await dispatches(100);
      await until(() => children() === 0);
      const before = { descriptors: descriptors(), threads: threads() };
      await dispatches(1000);
      await until(() => children() === 0);
      await until(() => descriptors() <= before.descriptors + 2);
      await until(() => threads() <= before.threads + 32);
      await client.close(0);
    },
  );

  test("a client with hooks from files that nobody holds is collected", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: ["true"] });
    const clients: WeakRef<object>[] = [];
    const use = async (): Promise<void> => {
      const client = quietClient();
      client.load(file);
      await client.dispatch("PreToolUse", bash);
      clients.push(new WeakRef(client));
    };
    for (let round = 0; round < 5; round++) await use();
    const { gc } = globalThis as { gc?: () => void };
    assert.ok(gc !== undefined, "run with --expose-gc");
    await until(() => {
      gc();
      return clients.every((ref) => ref.deref() === undefined);
    });
  });
});
