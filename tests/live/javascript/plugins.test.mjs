/** The plugins inside the real agents, with a scripted model: each test is about what happened, not about what was printed. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { scripted } from "../model.mjs";
import { missing } from "../programs.mjs";
import { AGENTS, run } from "./agents.mjs";

const SECRET = "ghp_016C7kGm3bVv9pQzR5sT8uW2xY4aB6cD7eF1";

/** A person's policy: it denies, rewrites, redacts, tells, and keeps what it saw. */
const POLICY = `
hookweave = 1

[[hooks]]
name = "deny"
event = "PreToolUse"
block = "no file of this name"
[hooks.matcher]
rule = "Bash(touch denied*)"

[[hooks]]
name = "rewrite"
event = "PreToolUse"
command = ["sh", "-c", 'echo "{\\"modified\\": {\\"args\\": {\\"command\\": \\"touch rewritten\\", \\"description\\": \\"x\\"}}}"']
fail_behavior = "block"
[hooks.matcher]
tool = "Bash"
command_pattern = "touch asked"

[[hooks]]
use = "redact-secrets"

[[hooks]]
name = "context"
event = "SessionStart"
command = ["sh", "-c", 'echo "{\\"inject\\": \\"the house rule is seven\\"}"']

[[hooks]]
name = "prompt"
event = "UserPromptSubmit"
command = ["sh", "-c", 'echo "{\\"modified\\": {\\"prompt\\": \\"work carefully\\"}}"']

[[hooks]]
name = "stop"
event = "Stop"
command = ["sh", "-c", "touch stopped"]

[[hooks]]
name = "end"
event = "SessionEnd"
command = ["sh", "-c", "touch ended"]
`;

for (const agent of AGENTS) {
  describe(`hookweave/${agent.name}`, { skip: missing(agent), timeout: 600_000 }, () => {
    const command = (line) => ({
      tool: agent.shell,
      args: { command: line, description: "scripted" },
    });

    describe("a policy", () => {
      let model;
      let ran;
      before(async () => {
        model = await scripted([
          command("touch denied"),
          command("touch asked"),
          command("cat credentials"),
          command("cat credentials; exit 3"),
          "done",
        ]);
        const files = { credentials: `token = ${SECRET}\n` };
        ran = await run(agent, { url: model.url, policy: POLICY, files });
      });
      after(() => {
        model.close();
        ran.remove();
      });

      test("lets the agent work to its end", () => {
        assert.equal(model.requests.length, 5, ran.output);
        assert.equal(ran.code, 0, ran.output);
      });
      test("what it denies does not happen, and the model reads why", () => {
        assert.equal(ran.has("denied"), false);
        assert.match(model.toldOf(0), /no file of this name/);
      });
      test("arguments that it changes are those that run", () => {
        assert.deepEqual([ran.has("asked"), ran.has("rewritten")], [false, true]);
      });
      test("the model sees a result as it left it", () => {
        assert.match(model.toldOf(2), /token = \S*redacted/);
      });
      test("a secret that it takes out is nowhere in what the model was told", () => {
        assert.equal(model.told().includes(SECRET), false);
      });
      test("the model gets the prompt that it made, and its context", () => {
        assert.match(model.told(), /work carefully/);
        assert.doesNotMatch(model.told(), /do it/);
        assert.match(model.told(), /the house rule is seven/);
      });
      test("hears of the end", () => {
        assert.deepEqual([ran.has("stopped"), ran.has("ended")], [true, true]);
      });
    });

    const refusals = {
      "the policy cannot be read": { policy: "hookweave = 1\n[[hooks]]\n" },
      "the policy cannot be read, with the line of the documentation": {
        policy: "hookweave = 1\n[[hooks]]\n",
        line: agent.line,
      },
      "the package is missing": { hasPackage: false },
    };
    for (const [where, how] of Object.entries(refusals)) {
      test(`where ${where}, the model is asked for nothing`, async () => {
        const model = await scripted([command("touch made"), "done"]);
        const ran = await run(agent, { url: model.url, ...how });
        assert.deepEqual([ran.has("made"), model.requests.length], [false, 0], ran.output);
        model.close();
        ran.remove();
      });
    }
  });
}
