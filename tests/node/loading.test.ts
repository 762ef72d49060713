/** Loading, discovering, trusting, reloading, watching and linting files of hooks. */

import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

import {
  ConfigError,
  InvalidOptionError,
  TrustStore,
  UntrustedHookError,
  type ReloadReport,
} from "hookweave";

import { Folder } from "./support/files.js";
import { bash, quietClient, runModule, until } from "./support/tools.js";

const says = (word: string): string => `echo ${word} >&2; exit 2`;

describe("loading", () => {
  test("a URL is a path too; a bad entry refuses the file, or is a problem and spares the others", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({
      PreToolUse: [{ type: "command" }, { type: "command", command: says("good") }],
    });
    const client = quietClient();
    assert.throws(() => client.load(file), {
      code: "invalid_config",
      message: /`command` is missing/,
    });
    assert.equal(client.listHooks().length, 0);
    assert.throws(() => client.load(file, { strict: true, partial: true }), {
      code: "invalid_option",
    });
    const report = client.load(pathToFileURL(file), { partial: true });
    assert.equal(report.hooks.length, 1);
    assert.equal(report.problems.length, 1);
    const [problem] = report.problems;
    assert.equal(problem?.file, file);
    assert.equal(problem.fatal, true);
    assert.equal(typeof problem.line, "number");
    const { line, place, message } = problem;
    assert.equal(String(problem), `${file}:${String(line)} (${place}): ${message}`);
    const fields = ["column", "fatal", "file", "line", "message", "place"];
    assert.deepEqual(Object.keys(problem).sort(), fields);
    assert.equal((await client.dispatch("PreToolUse", bash)).reason, "good");
    assert.throws(() => client.load(file, { strict: true }), {
      code: "invalid_config",
      constructor: ConfigError,
    });
    await client.close(0);
    assert.throws(() => client.load(file), { code: "client_closed" });
  });

  test("nonsense is refused with the engine's codes", (t) => {
    const folder = new Folder(t);
    const file = folder.settings({});
    const client = quietClient();
    assert.throws(() => client.load(folder.at("missing.json")), { code: "invalid_config" });
    const wrong = { dialect: "clod-code" } as unknown as { dialect: "claude-code" };
    assert.throws(() => client.load(file, wrong), { code: "unknown_dialect" });
    assert.throws(() => client.load(file, { scop: "user" } as object), {
      code: "invalid_option",
      message: /did you mean `scope`/,
    });
    assert.throws(() => client.load(7 as unknown as string), { code: "invalid_option" });
    assert.throws(() => quietClient({ maxRunning: 0 }), { constructor: InvalidOptionError });
    assert.throws(() => quietClient({ webhooks: { allowedUrl: [] } as object }), {
      message: /did you mean `allowedUrls`/,
    });
  });

  test("a hook can be switched off and taken out like any other", async (t) => {
    const folder = new Folder(t);
    const client = quietClient();
    const { hooks } = client.load(folder.settings({ PreToolUse: [says("no")] }));
    const [id] = hooks;
    assert.ok(id !== undefined);
    client.disableHook(id);
    assert.equal((await client.dispatch("PreToolUse", bash)).blocked, false);
    client.enableHook(id);
    assert.equal((await client.dispatch("PreToolUse", bash)).blocked, true);
    assert.equal(client.unregisterHook(id), true);
    assert.equal((await client.dispatch("PreToolUse", bash)).trace.length, 0);
    await client.close(0);
  });
});

describe("trust", () => {
  test("project hooks run once they are approved, and no more when they change", async (t) => {
    const folder = new Folder(t);
    folder.settings({ PreToolUse: [says("approved")] });
    const trustStore = new Folder(t).at("trust.json");
    const discover = { trustStore, sources: ["project", "claude-code"] } as const;

    const first = quietClient();
    const report = first.discover(folder.path, discover);
    assert.deepEqual(report.hooks, []);
    const [untrusted] = report.untrusted;
    assert.equal(untrusted?.approval.event, "PreToolUse");
    assert.match(untrusted.approval.fingerprint, /^sha256:/);
    assert.equal((await first.dispatch("PreToolUse", bash)).blocked, false);
    assert.throws(() => first.discover(folder.path, { ...discover, onUntrusted: "error" }), {
      constructor: UntrustedHookError,
      code: "untrusted_hook",
    });

    const store = new TrustStore(trustStore);
    store.approve(report.untrusted);
    const [approval] = store.approved();
    assert.equal(approval?.fingerprint, untrusted.approval.fingerprint);
    assert.equal(typeof approval.approvedAt, "number");
    assert.ok(approval.approvedAt > 1e12);
    const second = quietClient();
    assert.equal(second.discover(folder.path, discover).hooks.length, 1);
    assert.equal((await second.dispatch("PreToolUse", bash)).reason, "approved");

    folder.settings({ PreToolUse: [says("changed")] });
    const third = quietClient();
    assert.equal(third.discover(folder.path, discover).untrusted.length, 1);
    assert.match(
      (await third.dispatch("PreToolUse", bash)).reason ?? "",
      /changed since it was approved/,
    );
    const all = quietClient();
    assert.equal(all.discover(folder.path, { ...discover, trust: "all" }).hooks.length, 1);

    assert.equal(store.revoke([approval.fingerprint, "sha256:0"]), 1);
    assert.deepEqual(store.approved(), []);
    for (const client of [first, second, third, all]) await client.close(0);
  });

  test("what is no approval is refused", (t) => {
    const folder = new Folder(t);
    const store = new TrustStore(folder.at("trust.json"));
    const wrong = [{ approval: { fingerprint: 1 } }] as unknown as [];
    assert.throws(() => {
      store.approve(wrong);
    }, ConfigError);
  });
});

describe("reloading", () => {
  test("new hooks are swapped in, a dispatch that runs keeps its own", async (t) => {
    const folder = new Folder(t);
    const wait = "while [ ! -e go ]; do sleep 0.02; done;";
    const file = folder.settings({ PreToolUse: [`${wait} ${says("old")}`] });
    const client = quietClient();
    client.load(file);
    const running = client.dispatch("PreToolUse", { ...bash, cwd: folder.path });
    folder.settings({ PreToolUse: [says("new")], Stop: ["exit 0"] });
    const report = await client.reload();
    assert.equal(report.hooks.length, 2);
    assert.equal(report.added.length + report.changed.length, 2);
    assert.equal(report.added.at(-1)?.origin?.file, file);
    assert.deepEqual(report.kept, []);
    assert.equal((await client.dispatch("PreToolUse", bash)).reason, "new");
    writeFileSync(folder.at("go"), "");
    assert.equal((await running).reason, "old");
    assert.equal((await client.reload()).added.length, 0);
    assert.equal(client.listHooks().length, 2);
    await client.close(0);
    await assert.rejects(client.reload(), { code: "client_closed" });
  });

  test("a file that cannot be read keeps its hooks", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: [says("old")] });
    const client = quietClient();
    client.load(file);
    writeFileSync(file, "{ broken");
    const report = await client.reload();
    assert.equal(report.kept.length, 1);
    assert.match(report.kept[0] ?? "", /settings\.json/);
    assert.equal(report.hooks.length, 1);
    assert.equal((await client.dispatch("PreToolUse", bash)).reason, "old");
    await client.close(0);
  });

  test("hooks in force are asked before protection goes, in this language's spelling, and can keep it", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: [says("old")] });
    const client = quietClient();
    client.load(file);
    const asked: unknown[] = [];
    client.registerHook("ConfigChange", async (event) => {
      await Promise.resolve();
      asked.push(event.source, event.filePath);
      return { action: "block", reason: "it stays" } as const;
    });
    folder.settings({});
    const kept = await client.reload();
    assert.deepEqual(asked, ["project_settings", file]);
    assert.deepEqual(kept.kept, ["it stays"]);
    assert.equal(kept.hooks.length, 1);
    assert.equal((await client.dispatch("PreToolUse", bash)).reason, "old");
    await client.close(0);
  });

  test("reloads asked for at once come one after the other", async (t) => {
    const folder = new Folder(t);
    folder.settings({ PreToolUse: [says("0")] });
    const client = quietClient();
    client.load(folder.at(".claude/settings.json"));
    client.registerHook("ConfigChange", () => sleep(5).then(() => undefined));
    const reports: Promise<ReloadReport>[] = [];
    for (let round = 1; round <= 5; round++) {
      folder.settings({ PreToolUse: [says(String(round))] });
      reports.push(client.reload());
      await Promise.resolve();
    }
    await Promise.all(reports);
    assert.equal(client.listHooks().filter(({ origin }) => origin !== null).length, 1);
    assert.equal((await client.dispatch("PreToolUse", bash)).reason, "5");
    await client.close(0);
  });
});

describe("watching", () => {
  test("a change is in force soon after it is written, also one by renaming, until nobody watches", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: [says("one")] });
    const client = quietClient();
    client.load(file);
    const reports: ReloadReport[] = [];
    const storage = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    client.registerHook("ConfigChange", () => {
      contexts.push(storage.getStore());
    });
    storage.run("mine", () => {
      client.watch((report) => {
        reports.push(report);
        contexts.push(storage.getStore());
      });
    });
    const reason = async (): Promise<string | null> =>
      (await client.dispatch("PreToolUse", bash)).reason;
    folder.settings({ PreToolUse: [says("two")] });
    await until(async () => (await reason()) === "two");
    await until(() => reports.length > 0);
    folder.write("other", {
      hooks: { PreToolUse: [{ hooks: [{ type: "command", command: says("three") }] }] },
    });
    renameSync(folder.at("other"), file);
    await until(async () => (await reason()) === "three");
    await until(() => reports.length > 1);
    assert.ok(contexts.length >= 2);
    assert.ok(contexts.every((context) => context === "mine"));
    client.unwatch();
    folder.settings({ PreToolUse: [says("four")] });
    await sleep(400);
    assert.equal(await reason(), "three");
    await client.close(0);
  });

  test("files that hooks name raise an event, by a matcher or by an answer", async (t) => {
    const folder = new Folder(t);
    const answer = JSON.stringify({
      hookSpecificOutput: { hookEventName: "SessionStart", watchPaths: [folder.at("more")] },
    });
    const file = folder.at(".claude/settings.json");
    folder.write(".claude/settings.json", {
      hooks: {
        FileChanged: [
          {
            matcher: ".env|.envrc",
            hooks: [{ type: "command", command: `cat >> ${folder.at("heard")}` }],
          },
        ],
        SessionStart: [{ hooks: [{ type: "command", command: `echo '${answer}'` }] }],
      },
    });
    const client = quietClient({ projectDir: folder.at(".") });
    client.load(file);
    const events: string[] = [];
    const reports: ReloadReport[] = [];
    client.registerHook("FileChanged", (event) => {
      events.push(`${event.event} ${basename(event.filePath)}`);
    });
    client.watch((report) => reports.push(report));
    // At once with its text: it shall not be changed after it was added.
    renameSync(folder.write("new", "A=1"), folder.at(".env"));
    await until(() => events.length === 1);
    writeFileSync(folder.at("more"), "not yet");
    await sleep(300);
    await client.dispatch("SessionStart", { source: "startup" });
    await sleep(300);
    // When it is watched nobody says, so it is changed until that is heard.
    let text = "now, and longer";
    await until(() => {
      if (events.length === 1) writeFileSync(folder.at("more"), (text += "."));
      return events.length > 1;
    }, 300);
    rmSync(folder.at(".env"));
    await until(() => events.includes("unlink .env"));
    client.unwatch();
    writeFileSync(folder.at(".env"), "A=2");
    await sleep(300);
    assert.deepEqual([...new Set(events)], ["add .env", "change more", "unlink .env"]);
    assert.deepEqual(reports, []);
    assert.equal(readFileSync(folder.at("heard"), "utf8").match(/"FileChanged"/g)?.length, 2);
    await client.close(0);
  });

  test("watching keeps no process alive", async (t) => {
    const folder = new Folder(t);
    const file = folder.settings({ PreToolUse: [says("one")] });
    const { code, err } = await runModule(`
      import { HookClient } from "hookweave";
      const client = new HookClient();
      client.load(${JSON.stringify(file)});
      client.watch();
    `);
    assert.deepEqual({ code, err }, { code: 0, err: "" });
  });
});

describe("linting", () => {
  test("what will surprise is found, with its place", (t) => {
    const folder = new Folder(t);
    const file = folder.settings({
      PreToolUse: [{ type: "command", command: "./missing.sh", timeout: 60000 }],
    });
    const findings = quietClient().lint(file);
    assert.ok(findings.length > 0);
    for (const finding of findings) {
      assert.equal(finding.file, file);
      assert.ok(finding.rule.length > 0 && finding.message.length > 0);
    }
    assert.throws(() => quietClient().lint(folder.at("nothing.json")), { code: "invalid_config" });
  });
});
