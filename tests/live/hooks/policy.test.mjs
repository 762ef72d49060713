/** A policy in front of the real agents, with a scripted model: each test is about what happened to files and about what the model was told, not about what was printed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { missing } from "../programs.mjs";
import { AGENTS } from "./agents.mjs";
import { IMPOSSIBLE } from "./impossible.mjs";
import { install, run } from "./session.mjs";

// Of a kind that no agent takes out by itself.
const SECRET = "AKIAQ3EGRAZBHX7KLM5N";

const POLICY = `
hookweave = 1

[[hooks]]
name = "deny"
event = "PreToolUse"
block = "no file of this name"
[hooks.matcher]
rule = "Bash(touch denied*)"

[[hooks]]
name = "guard"
event = "PreToolUse"
command = ["sh", "guard.sh"]
[hooks.matcher]
rule = "Bash(touch guarded*)"

[[hooks]]
name = "ask"
event = "PreToolUse"
ask = "is this wanted?"
[hooks.matcher]
rule = "Bash(touch asked*)"

[[hooks]]
name = "stop"
event = "PreToolUse"
command = ["sh", "-c", 'echo "{\\"action\\": \\"stop\\", \\"reason\\": \\"enough\\"}"']
[hooks.matcher]
rule = "Bash(touch stopped*)"

[[hooks]]
name = "deny-write"
event = "PreToolUse"
block = "this file is locked"
[hooks.matcher]
tool = "Write|Edit"
path_pattern = "locked.txt"

[[hooks]]
name = "deny-read"
event = "PreToolUse"
block = "this file is hidden"
[hooks.matcher]
tool = "Read"
path_pattern = "hidden.txt"

[[hooks]]
name = "rewrite"
event = "PreToolUse"
command = ["node", "rewrite.mjs"]
fail_behavior = "block"
[hooks.matcher]
tool = "Bash"
command_pattern = "touch old"

[[hooks]]
name = "rewrite-write"
event = "PreToolUse"
command = ["node", "rewrite.mjs"]
fail_behavior = "block"
[hooks.matcher]
tool = "Write"
path_pattern = "notes.txt"

[[hooks]]
use = "redact-secrets"

[[hooks]]
name = "remark"
event = "PostToolUse"
command = ["sh", "-c", 'echo "{\\"inject\\": \\"the tests come next\\"}"']
[hooks.matcher]
rule = "Bash(touch fine)"

[[hooks]]
name = "context"
event = "SessionStart"
command = ["sh", "-c", 'echo "{\\"inject\\": \\"the house rule is seven\\"}"']

[[hooks]]
name = "prompt"
event = "UserPromptSubmit"
command = ["sh", "-c", 'if grep -q FORBIDDEN; then echo "{\\"action\\": \\"block\\", \\"reason\\": \\"not this\\"}"; fi']

[[hooks]]
name = "go-on"
event = "Stop"
command = ["sh", "-c", 'test -e asked-once || { touch asked-once; echo "{\\"action\\": \\"block\\", \\"reason\\": \\"look at it again\\"}"; }']
`;

const FILES = {
  "hookweave.toml": POLICY,
  "guard.sh": `echo '{"action": "block", "reason": "the guard says no"}'\n`,
  "rewrite.mjs": `let text = "";
for await (const piece of process.stdin) text += piece;
const changed = JSON.stringify(JSON.parse(text).args).replace("touch old", "touch new").replace("KEY=1", "KEY=none");
console.log(JSON.stringify({ modified: { args: JSON.parse(changed) } }));
`,
  "hidden.txt": "HIDDEN-CONTENT\n",
  credentials: `key = ${SECRET}\n`,
};

/** What changes the policy while the agent works, and the call that is denied before and after. */
const TAMPERED = {
  "the policy is broken": {
    edit: (at) => at.write("hookweave.toml", "hookweave = 1\n[[hooks]]\n"),
    call: "denied",
  },
  "the policy is removed": { edit: (at) => at.delete("hookweave.toml"), call: "denied" },
  "the policy was changed after its approval": {
    edit: (at) => at.write("hookweave.toml", POLICY.replaceAll("touch denied", "touch another")),
    call: "denied",
  },
  "the guard's script was edited": {
    edit: (at) => at.write("guard.sh", `${FILES["guard.sh"]}# edited\n`),
    call: "guarded",
  },
};

/** Whether the model was told this; the whole of it, an agent's prompts, is printed nowhere. */
const tells = ({ model }, words) =>
  assert.ok(words.test(model.told()), `the model was not told ${words}`);
const hides = ({ model }, words) =>
  assert.ok(!words.test(model.told()), `the model was told ${words}`);

for (const agent of AGENTS) {
  const impossible = IMPOSSIBLE[agent.name] ?? {};
  const claimed = new Set();

  /** A test; where the agent makes it impossible, one that fails as soon as it is possible. */
  function claim(name, prove) {
    claimed.add(name);
    const why = impossible[name];
    if (why === undefined) return test(name, prove);
    return test(`${name}: not in ${agent.name}, ${why}`, async () => {
      const holds = `this holds now in ${agent.name}: take it out of impossible.mjs`;
      await assert.rejects(async () => prove(), { code: "ERR_ASSERTION" }, holds);
    });
  }

  describe(agent.name, { skip: missing(agent), timeout: 1_200_000 }, () => {
    const { shell, writing, reading } = agent;
    const runs = [];
    after(() => runs.forEach((ran) => ran.remove()));
    const guarded = async (turns, prompt) => {
      const setUp = (at) => install(agent, at);
      const ran = await run(agent, { turns, prompt, files: FILES, setUp });
      runs.push(ran);
      return ran;
    };

    describe("a policy", () => {
      let ran;
      let ends;
      before(async () => {
        ran = await guarded((at) => {
          const turns = [
            shell("touch fine"),
            shell("touch denied"),
            shell("touch guarded"),
            shell("touch old"),
            writing(`${at.project}/notes.txt`, "KEY=1"),
            writing(`${at.project}/locked.txt`, "x"),
            writing(`${at.project}/open.txt`, "x"),
            ...(reading ? [reading(`${at.project}/hidden.txt`)] : []),
            shell("cat credentials"),
            shell("touch last"),
            "done",
            "done again",
          ];
          ends = turns.length;
          return turns;
        });
      });

      claim("lets the agent work to its end", () => {
        assert.deepEqual([ran.has("fine"), ran.has("last"), ran.code], [true, true, 0], ran.output);
      });
      claim("a denied command does not run, and the model reads why", () => {
        assert.equal(ran.has("denied"), false);
        tells(ran, /no file of this name/);
      });
      claim("a command that a script denies does not run, and the model reads why", () => {
        assert.equal(ran.has("guarded"), false);
        tells(ran, /the guard says no/);
      });
      claim("a changed command is the one that runs", () => {
        assert.deepEqual([ran.has("old"), ran.has("new")], [false, true]);
      });
      claim("a changed text is the one that is written", () => {
        assert.equal(ran.has("notes.txt") && ran.read("notes.txt").trim(), "KEY=none");
      });
      claim("a denied file is not written, another is", () => {
        assert.deepEqual([ran.has("locked.txt"), ran.has("open.txt")], [false, true]);
        tells(ran, /this file is locked/);
      });
      claim("a denied file is not read", () => {
        tells(ran, /this file is hidden/);
        hides(ran, /HIDDEN-CONTENT/);
      });
      claim("the model sees no secret of a result", () => {
        hides(ran, new RegExp(SECRET));
      });
      claim("the model sees the rest of a result with a secret", () => {
        tells(ran, /key = \S*redacted/);
      });
      claim("the model reads context of the session's start", () => {
        tells(ran, /the house rule is seven/);
      });
      claim("the model reads context of a tool's end", () => {
        tells(ran, /the tests come next/);
      });
      claim("the end of a turn is put off, and the model reads why", () => {
        assert.equal(ran.model.requests.length, ends, ran.output);
        tells(ran, /look at it again/);
      });
    });

    describe("a session of its own", () => {
      claim("a refused prompt does not reach the model", async () => {
        const ran = await guarded(() => [shell("touch ran"), "done"], "say FORBIDDEN things");
        assert.deepEqual([ran.model.requests.length, ran.has("ran")], [0, false], ran.output);
      });
      claim("a command that is asked about does not run without a person", async () => {
        const ran = await guarded(() => [shell("touch asked"), "done", "done again"]);
        assert.deepEqual(
          [ran.has("asked"), ran.model.requests.length > 0],
          [false, true],
          ran.output,
        );
      });
      claim("the agent does not change the policy", async () => {
        const edit = shell("echo '# edited' >> hookweave.toml");
        const ran = await guarded(() => [edit, "done", "done again"]);
        assert.deepEqual(
          [ran.read("hookweave.toml"), ran.model.requests.length > 0],
          [POLICY, true],
        );
      });
      claim("a command at which the session stops does not run", async () => {
        const ran = await guarded(() => [shell("touch stopped"), "done", "done again"]);
        assert.deepEqual(
          [ran.has("stopped"), ran.model.requests.length > 0],
          [false, true],
          ran.output,
        );
      });
    });

    describe("a policy that is tampered with while the agent works", () => {
      for (const [name, { edit, call }] of Object.entries(TAMPERED)) {
        claim(`where ${name}, the denied command does not run`, async () => {
          const ran = await guarded((at) => {
            const tampered = () => {
              edit(at);
              return shell(`touch ${call}`);
            };
            // Restored, for a policy that cannot be read or is missing does not let a turn end.
            const restored = () => {
              for (const [file, content] of Object.entries(FILES)) at.write(file, content);
              return "done";
            };
            return [shell("touch sooner"), tampered, restored, "done again"];
          });
          const came = ran.model.requests.length > 1;
          assert.deepEqual(
            [ran.has("sooner"), came, ran.has(call)],
            [true, true, false],
            ran.output,
          );
        });
      }
    });

    // Without it the tests above could pass because nothing at all happens.
    test("without hookweave all of this happens", async () => {
      const turns = (at) => [
        ...["denied", "guarded", "asked", "stopped"].map((name) => shell(`touch ${name}`)),
        shell("touch old"),
        shell("echo '# edited' >> hookweave.toml"),
        writing(`${at.project}/locked.txt`, "x"),
        ...(reading ? [reading(`${at.project}/hidden.txt`)] : []),
        shell("cat credentials"),
        "done",
      ];
      const ran = await run(agent, { turns, prompt: "say FORBIDDEN things", files: FILES });
      runs.push(ran);
      const made = ["denied", "guarded", "asked", "stopped", "old", "locked.txt"];
      assert.deepEqual(
        made.filter((name) => !ran.has(name)),
        [],
        ran.output,
      );
      assert.notEqual(ran.read("hookweave.toml"), POLICY);
      tells(ran, new RegExp(SECRET));
      if (reading) tells(ran, /HIDDEN-CONTENT/);
    });

    test("what is said to be impossible is a claim", () => {
      assert.deepEqual(
        Object.keys(impossible).filter((name) => !claimed.has(name)),
        [],
      );
    });
  });
}
