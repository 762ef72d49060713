// An agent with hooks of its own and of a file, for recordings: the same as agent.py and as that of core/tests/it/recording.rs.
import { HookClient, HookResponse } from "hookweave";

const [, , policy] = process.argv;
const client = new HookClient();
await client.dispatch("UserPromptSubmit", { sessionId: "s", prompt: "nobody is asked: ä 🎉" });
client.registerHook("PreToolUse", { name: "watch", handler: () => undefined });
client.load(policy);

const bash = (command, more = {}) =>
  client.dispatch("PreToolUse", {
    sessionId: "s",
    tool: "Bash",
    toolUseId: "t",
    args: { command, ...more },
  });

await bash("ls", { limit: 10, share: 0.5 });
await bash("git push --force");
await bash("deploy --token=s3cretpassword", { password: "hunter2" });

client.registerHook("PreToolUse", {
  name: "rewrite",
  matcher: { commandPattern: "^ls" },
  handler: () => ({ action: "continue", modified: { args: { command: "ls -l" } } }),
});
await bash("ls");
client.registerHook("PreToolUse", {
  name: "guard",
  matcher: { tool: "Write" },
  handler: () => HookResponse.block("not here"),
});
await client.dispatch("PreToolUse", {
  sessionId: "s",
  tool: "Write",
  toolUseId: "t",
  args: { file_path: "a" },
});
client.close();
