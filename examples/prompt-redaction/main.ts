/** Secrets are taken out before the model sees them: of prompts, of what tools print, of what the model passes on. */

import { isDeepStrictEqual } from "node:util";
import { HookClient, HookResponse, type ModelResponse, type ModelRequest } from "hookweave";

// What keys look like. A pattern for each kind that your people and programs have.
const SECRETS = /\b(?:sk|ghp|AKIA)[-_]?[A-Za-z0-9_]{16,}|(?<=password=)\S+/g;

const client = new HookClient();

/** The value without secrets, however deep in lists and objects they are. */
function redacted<T>(value: T): T;
function redacted(value: unknown): unknown {
  if (typeof value === "string") return value.replace(SECRETS, "[removed]");
  if (Array.isArray(value)) return value.map((item) => redacted(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item)]));
}

// Of the prompt; where this hook fails the prompt is refused, not let through.
client.registerHook("UserPromptSubmit", {
  name: "redact_prompt",
  handler: ({ prompt }) => {
    const clean = redacted(prompt);
    if (clean === prompt) return undefined;
    return HookResponse.continue({ modified: { prompt: clean }, message: "a secret was taken out of your prompt" });
  },
  config: { failBehavior: "block" },
});

// Of what the model passes on, after all other hooks.
client.registerHook("PreToolUse", {
  name: "redact_args",
  handler: ({ args }) => {
    const clean = redacted(args);
    return isDeepStrictEqual(clean, { ...args }) ? undefined : HookResponse.continue({ modified: { args: clean } });
  },
  config: { priority: 100, failBehavior: "block" },
});

// Of what tools print, before all other hooks.
client.registerHook("PostToolUse", {
  name: "redact_result",
  handler: ({ result }) => HookResponse.continue({ modified: { result: redacted(result) } }),
  config: { priority: -100 },
});

/** Stands for a shell. */
function bash({ command }: { command: string }): string {
  console.log(`the shell runs: ${command}`);
  return command === "cat db.conf" ? "user=shop password=correct-horse" : "done";
}

/** Stands for a model: looks into a file, then passes on a key that it knows from somewhere else. */
function model({ messages }: ModelRequest): ModelResponse {
  const last = messages.at(-1);
  console.log(`the model sees: ${last?.role === "user" ? last.content : (last?.content as { output: string }).output}`);
  const commands = ["cat db.conf", "curl --header 'Key: ghp_0123456789abcdefghij' api.example"];
  const calls = messages.filter(({ role }) => role === "tool").length;
  if (calls === commands.length) return { text: "The database is reachable." };
  return { toolCalls: [{ id: String(calls), name: "Bash", args: { command: commands[calls] } }] };
}

// Answers a prompt that contains a key.
client.registerTool("Bash", bash);
client.registerModel(model);
const display = {
  showMessage: (text: string, _level: string, source: string) => console.log(`${source}: ${text}`),
};
const session = client.session({ display });
const answer = await session.generate("Is the database up? The key is sk-4f9c2b7a1e8d6035aa41.");
console.log(answer.text);
