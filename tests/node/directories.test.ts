/** Where an event happens: what no vector can say, because it is about types of this language and the directory of the process. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { HookClient, type ClientOptions } from "hookweave";

function guarded(
  pattern: string,
  options: ClientOptions = {},
): { client: HookClient; seen: unknown[] } {
  const client = new HookClient(options);
  const seen: unknown[] = [];
  client.registerHook("PreToolUse", {
    matcher: { pathPattern: pattern },
    handler: (event) => {
      seen.push(event.cwd);
      return { action: "block", reason: "guarded" };
    },
  });
  return { client, seen };
}

async function blocks(client: HookClient, path: string, fields: object = {}): Promise<boolean> {
  const payload = { tool: "Write", args: { file_path: path }, ...fields };
  return (await client.dispatch("PreToolUse", payload)).blocked;
}

const folder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "hookweave-")));

test("addresses of files are taken as their path", async () => {
  const { client, seen } = guarded("secrets/**");
  const payload = { tool: "Write", args: { file_path: "/w/secrets/k" }, cwd: pathToFileURL("/w") };
  assert.equal((await client.dispatch("PreToolUse", payload)).blocked, true);
  assert.ok(payload.cwd instanceof URL, "the caller's object is left alone");
  assert.equal(client.explain("PreToolUse", payload).hooks[0]?.matched, true);
  const project = guarded("secrets/**", { projectDir: pathToFileURL("/w") });
  assert.equal(await blocks(project.client, "/w/secrets/k"), true);
  const call = await project.client
    .session({ cwd: pathToFileURL("/x") })
    .runTool("Write", { file_path: "/x/secrets/k" }, () => "written");
  assert.equal(call.ran, false);
  assert.deepEqual([...seen, ...project.seen], ["/w", "/w", "/x"]);
});

test("what is no path is refused", async () => {
  const { client, seen } = guarded("secrets/**");
  const wrong: unknown[] = [
    5,
    ["/w"],
    new Map(),
    Buffer.from("/w"),
    new URL("https://host/w"),
    () => "/w",
    new URL("file://host/w"),
  ];
  for (const cwd of wrong) {
    await assert.rejects(blocks(client, "secrets/k", { cwd }), { code: "invalid_payload" });
    assert.throws(() => client.session({ cwd: cwd as string }), { code: "invalid_option" });
    assert.throws(() => new HookClient({ projectDir: cwd as string }), { code: "invalid_option" });
  }
  // The plan of this event and tool holds for every payload.
  const plain = new HookClient();
  plain.registerHook("PreToolUse", () => undefined);
  assert.equal(await blocks(plain, "secrets/k"), false);
  await assert.rejects(blocks(plain, "secrets/k", { cwd: 5 }), { code: "invalid_payload" });
  assert.deepEqual(seen, []);
});

test("the directory of the process is the one of now, and one that was deleted is none", async () => {
  const before = process.cwd();
  const here = folder();
  const { client, seen } = guarded("secrets/**");
  try {
    process.chdir(here);
    assert.equal(await blocks(client, join(here, "secrets", "k")), true);
    mkdirSync(join(here, "sub"));
    process.chdir(join(here, "sub"));
    assert.equal(await blocks(client, join(here, "secrets", "k")), false);
    rmdirSync(join(here, "sub"));
    assert.equal(await blocks(client, "anything"), true, "nobody can tell where it is");
    assert.equal(await blocks(client, "anything", { cwd: "/w" }), false);
    assert.deepEqual(seen, [here, undefined]);
  } finally {
    process.chdir(before);
  }
});
