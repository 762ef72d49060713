/** What holds for every framework, as in Python: each check gets the scripted agent in it. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

import {
  DONE,
  LIMIT,
  REDACTED,
  RULES,
  SECRET,
  turn,
  World,
  type Agent,
  type Seen,
  type Turn,
} from "./world.js";

/** What came of going on in another process. */
interface Elsewhere {
  ran: string[];
  last: string;
  final: string;
  denied: number;
}

/** The methods of `World` that register hooks. */
export type Policy = "policy" | "asksOnce" | "noPolicy";

const has = (text: string, part: string): void =>
  assert.ok(text.includes(part), `no ${JSON.stringify(part)} in ${text}`);
const hasNot = (text: string, part: string): void =>
  assert.ok(!text.includes(part), `${JSON.stringify(part)} in ${text}`);
const once = (name: string, argument: string, value: string): Turn[] => [
  turn([[name, { [argument]: value }]]),
  DONE,
];

async function suspended({ run }: Agent, world: World, script: Turn[]): Promise<unknown> {
  const seen = await run(world, script, { asks: true });
  if (seen.raised !== null) throw seen.raised;
  assert.notEqual(seen.suspended, null);
  return seen.suspended;
}

async function elsewhere(
  agent: Agent,
  stopped: unknown,
  said: Record<string, boolean>,
  policy: Policy = "policy",
): Promise<Elsewhere> {
  const script = fileURLToPath(new URL("resume.js", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [script, agent.name],
      { timeout: LIMIT },
      (error, printed) => {
        if (error === null)
          resolve(JSON.parse(printed.trimEnd().split("\n").at(-1) ?? "") as Elsewhere);
        else reject(error);
      },
    );
    child.stdin?.end(JSON.stringify({ stopped, said, policy }));
  });
}

const question = (): Turn[] => [turn([["fetch", { url: "x.example" }]])];

export const CHECKS: Readonly<Record<string, (agent: Agent) => Promise<void>>> = {
  async block({ run }) {
    const world = new World().policy();
    const seen = await run(world, once("bash", "command", "rm -rf /"), {});
    assert.deepEqual(world.ran, []);
    has(seen.last, "no mass deletion");
    assert.equal(world.count("PostToolUse") + world.count("PostToolUseFailure"), 0);
    assert.equal(seen.final, DONE);
  },

  async a_blocked_result_is_marked_as_failed({ run }) {
    const seen = await run(new World().policy(), once("bash", "command", "rm -rf /"), {});
    assert.deepEqual(seen.failed, { c0: true });
  },

  async modify_args({ run }) {
    const world = new World().policy();
    const seen = await run(world, once("bash", "command", "ls"), {});
    assert.deepEqual(world.ran, ["bash ls --safe"]);
    has(seen.last, "ran ls --safe");
    assert.deepEqual([world.count("PreToolUse"), world.count("PostToolUse")], [1, 1]);
    assert.equal(seen.final, DONE);
  },

  async redact_result({ run }) {
    const script = [
      turn([
        ["read", { path: "a" }],
        ["read", { path: "b" }],
      ]),
      DONE,
    ];
    const seen = await run(new World().policy(), script, {});
    hasNot(seen.requests.join(""), SECRET);
    assert.equal(seen.last.split(REDACTED).length, 3);
    has(seen.last, "a secret was removed");
  },

  async a_note_follows_all_results({ run }) {
    const script = [
      turn([
        ["read", { path: "a" }],
        ["read", { path: "b" }],
      ]),
      DONE,
    ];
    const { last } = await run(new World().policy(), script, {});
    assert.ok(last.indexOf("a secret was removed") > last.lastIndexOf(REDACTED), last);
  },

  async feedback({ run }) {
    const seen = await run(new World().policy(), once("bash", "command", "lint"), {});
    has(seen.last, "ran lint");
    has(seen.last, "lint: 3 errors");
  },

  async ask_and_deny({ run }) {
    const world = new World().policy();
    const asked: string[] = [];
    const approval = ({ prompt }: { prompt: string }): string => {
      asked.push(prompt);
      return "Deny";
    };
    const seen = await run(world, once("fetch", "url", "x.example"), { approval });
    assert.deepEqual([world.ran, asked], [[], ["fetch x.example?"]]);
    has(seen.last, "denied");
    assert.equal(world.count("PermissionDenied"), 1);
  },

  async ask_and_approve({ run }) {
    const world = new World().policy();
    const seen = await run(world, once("fetch", "url", "x.example"), {
      approval: () => "Allow once",
    });
    assert.deepEqual(world.ran, ["fetch x.example"]);
    has(seen.last, "page x.example");
    assert.equal(world.count("PermissionGranted"), 1);
  },

  async ask_nobody({ run }) {
    const world = new World().policy();
    await run(world, once("fetch", "url", "x.example"), {});
    assert.deepEqual(world.ran, []);
  },

  async suspend_and_approve_in_another_process(agent) {
    const world = new World().policy();
    const stopped = await suspended(agent, world, question());
    assert.deepEqual(world.ran, []);
    const done = await elsewhere(agent, stopped, { c0: true });
    assert.deepEqual([done.ran, done.final], [["fetch x.example"], DONE]);
    has(done.last, "page x.example");
  },

  async suspend_and_deny_in_another_process(agent) {
    const world = new World().policy();
    const done = await elsewhere(agent, await suspended(agent, world, question()), { c0: false });
    assert.deepEqual([world.ran, done.ran, done.final], [[], [], DONE]);
  },

  async a_denial_is_heard(agent) {
    const stopped = await suspended(agent, new World().policy(), question());
    assert.equal((await elsewhere(agent, stopped, { c0: false })).denied, 1);
  },

  async two_questions_at_once(agent) {
    const world = new World().policy();
    const calls = turn([
      ["fetch", { url: "a" }],
      ["bash", { command: "pwd" }],
      ["fetch", { url: "b" }],
    ]);
    const done = await elsewhere(agent, await suspended(agent, world, [calls]), {
      c0: false,
      c2: true,
    });
    assert.deepEqual([...world.ran, ...done.ran].sort(), ["bash pwd", "fetch b"]);
    has(done.last, "page b");
    hasNot(done.last, "page a");
  },

  async a_hook_that_asks_once_is_denied_after_all(agent) {
    const world = new World().asksOnce();
    const stopped = await suspended(agent, world, [turn([["bash", { command: "pwd" }]])]);
    const done = await elsewhere(agent, stopped, { c0: false }, "asksOnce");
    assert.deepEqual([world.ran, done.ran], [[], []]);
  },

  async a_denial_holds_if_no_hook_asks_any_more(agent) {
    const world = new World().asksOnce();
    const stopped = await suspended(agent, world, [turn([["bash", { command: "pwd" }]])]);
    const done = await elsewhere(agent, stopped, { c0: false }, "noPolicy");
    assert.deepEqual([world.ran, done.ran], [[], []]);
  },

  async retry({ run }) {
    const world = new World().policy();
    const seen = await run(world, once("flaky", "what", "x"), {});
    assert.deepEqual(world.ran, ["flaky 1", "flaky 2"]);
    has(seen.last, "got x");
    hasNot(seen.last, "connection lost");
  },

  async stop_ends_the_turn({ run }) {
    const world = new World().policy();
    const seen = await run(world, once("bash", "command", "halt"), {});
    assert.deepEqual([world.ran, seen.requests.length], [[], 1]);
  },

  async stop_hook_keeps_the_agent_at_work({ run }) {
    const world = new World().policy().keepsAtWork();
    const seen = await run(world, ["first", DONE], {});
    assert.equal(seen.requests.length, 2);
    has(seen.last, "run the tests first");
    assert.deepEqual([seen.final, world.count("Stop")], [DONE, 2]);
  },

  async prompt_refused({ run }) {
    const world = new World().policy();
    const seen = await run(world, [DONE], { prompt: "evil things" });
    assert.deepEqual([world.count("UserPromptSubmit"), seen.requests], [1, []]);
    has(`${seen.final} ${String(seen.raised)}`, "not such prompts");
  },

  async prompt_changed({ run }) {
    const seen = await run(new World().policy(), [DONE], { prompt: "a draft" });
    has(seen.requests[0] ?? "", "a final");
    hasNot(seen.requests.join(""), "a draft");
  },

  async context_injected({ run }) {
    const world = new World().policy();
    const seen = await run(world, once("bash", "command", "pwd"), {});
    assert.equal(seen.last.split(RULES).length, 2, seen.last);
    has(seen.requests[0] ?? "", RULES);
    assert.deepEqual(
      [world.count("SessionStart"), world.count("SessionEnd"), world.sessions.size],
      [1, 1, 1],
    );
  },

  async tool_error({ run }) {
    const script = (): Turn[] => once("broken", "what", "x");
    const bare = await run(new World(), script(), { bare: true });
    const world = new World().policy();
    const seen = await run(world, script(), {});
    assert.deepEqual([world.count("PostToolUseFailure"), world.count("PostToolUse")], [1, 0]);
    assert.equal(String(seen.raised), String(bare.raised));
    assert.deepEqual(seen.failed, bare.failed);
    if (bare.raised === null) has(seen.last, bare.last.split("\n").at(-1) ?? "");
  },

  async no_hooks_is_the_bare_transcript({ run }) {
    const script = (): Turn[] => [
      turn([
        ["bash", { command: "ls" }],
        ["fetch", { url: "u" }],
      ]),
      turn([["read", { path: "a" }]], "d"),
      DONE,
    ];
    const [bare, hooked] = [new World(), new World()];
    const one = await run(bare, script(), { bare: true });
    const two = await run(hooked, script(), {});
    assert.deepEqual([one.raised, one.final], [null, DONE]);
    assert.deepEqual(one.requests, two.requests);
    assert.deepEqual(
      [one.final, one.failed, bare.ran.sort()],
      [two.final, two.failed, hooked.ran.sort()],
    );
  },

  async conversations_never_mix(agent) {
    const world = new World().policy();
    world.client.registerHook("PreToolUse", {
      matcher: { tool: "read" },
      handler: ({ sessionId, args }) => ({
        inject: `note ${sessionId ?? ""} ${String(args["path"])}`,
      }),
    });
    const hooks = agent.adapter(world, {});
    const one = (number: number): Promise<Seen> =>
      agent.run(world, once("read", "path", `p${number}`), {
        conversation: `chat-${number}`,
        hooks,
      });
    const all = await Promise.all(Array.from({ length: 20 }, (_, number) => one(number)));
    const sessions = new Set<string>();
    for (const [number, seen] of all.entries()) {
      assert.deepEqual([seen.raised, seen.final], [null, DONE]);
      const notes = [...seen.last.matchAll(/note (\S+) (p\d+)/g)];
      assert.deepEqual(
        notes.map(([, , path]) => path),
        [`p${number}`],
      );
      has(seen.last, `in p${number}`);
      sessions.add(notes[0]?.[1] ?? "");
    }
    assert.deepEqual(
      [sessions.size, world.sessions.size, world.count("SessionStart")],
      [20, 20, 20],
    );
  },

  async a_bug_refuses({ run }) {
    const world = new World().policy().breaks();
    await run(world, once("bash", "command", "ls"), {});
    assert.deepEqual(world.ran, []);
  },

  async cancelled_while_a_tool_runs({ run }) {
    const world = new World().policy();
    const cancelling = new AbortController();
    const running = run(world, once("slow", "what", "x"), { signal: cancelling.signal });
    await world.active;
    cancelling.abort(new Error("cancelled"));
    await running;
    assert.deepEqual(
      [world.ran, world.count("PostToolUse"), world.count("PostToolUseFailure")],
      [[], 0, 0],
    );
  },

  async subagent({ run }) {
    const world = new World().policy();
    const subagent = [turn([["bash", { command: "ls" }]], "s"), "sub done"];
    const seen = await run(world, once("task", "what", "look"), { subagent });
    assert.deepEqual(world.ran, ["bash ls --safe"]);
    assert.deepEqual([world.count("SubagentStart"), world.count("SubagentStop")], [1, 1]);
    assert.ok(world.events.every(([, about, agentId]) => about !== "bash" || agentId !== null));
    assert.equal(
      world.count("UserPromptSubmit", "look") + world.count("UserPromptSubmit", "SUBAGENT look"),
      0,
    );
    has(seen.last, "sub done");
  },
};
