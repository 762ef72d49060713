/** Runs the tests when the agent says that it is done, and keeps it at work while they fail. */

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { HookClient, HookResponse, type ModelResponse, type ModelRequest, type ToolCall } from "hookweave";

/** Runs the tests; what they print when they fail, and nothing when they pass. */
function failures(signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(process.execPath, ["--test"], { signal }, (error, stdout, stderr) => {
      resolve(error === null ? null : stdout + stderr);
    });
  });
}

const client = new HookClient();

// Lets the agent stop when the tests pass; else it goes on, and is told why.
client.registerHook("Stop", {
  name: "tests-pass",
  handler: async (_event, { signal }) => {
    const failed = await failures(signal);
    console.log(`the agent wants to stop; the tests are ${failed === null ? "green" : "red"}`);
    if (failed === null) return;
    return HookResponse.block(`The tests fail. Mend the code, not the tests.\n${failed.slice(-4000)}`);
  },
  // Fail-closed: tests that hang, or cannot be run at all, do not pass.
  config: { timeout: 120_000, failBehavior: "block" },
});

const FILES: Record<string, string> = {
  "add.test.js":
    "const { test } = require('node:test');\nconst { equal } = require('node:assert');\nconst { add } = require('./add.js');\n\n" +
    "test('add', () => equal(add(2, 3), 5, '2 and 3 are 5'));\n",
  "add.js": "exports.add = (a, b) => a - b;\n",
};
const MENDED = "exports.add = (a, b) => a + b;\n";

/** Stands for a model: it writes a wrong function with its test, and mends it when it reads that the test fails. */
function model({ messages }: ModelRequest): ModelResponse {
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: "I am done." };
  if (last?.metadata.source === "user") return { toolCalls: Object.entries(FILES).map(writing) };
  const content = String(last?.content);
  console.log("the model reads that", content.includes("2 and 3 are 5") ? "2 and 3 are 5" : content);
  return { toolCalls: [writing(["add.js", MENDED])] };
}

/** A call of the tool. */
function writing([path, content]: [string, string]): ToolCall {
  return { name: "Write", args: { file_path: path, content } };
}

/** A tool that writes files. */
async function write(args: { file_path: string; content: string }): Promise<string> {
  await writeFile(args.file_path, args.content);
  return "written";
}

// Two agents: one that mends what is wrong, and one that never does.
client.registerTool("Write", write);
client.registerModel(model);
const diligent = await client.generate("diligent", "Write a function that adds two numbers, and its test.");
console.log(`${diligent.status} after ${diligent.modelCalls} calls of the model\n`);

await write({ file_path: "add.js", content: FILES["add.js"] ?? "" });
client.registerModel(() => "I am done.");
const stubborn = await client.generate("stubborn", "Make the test pass.");
console.log(`${stubborn.status} after ${stubborn.modelCalls} calls of the model`);
