#!/usr/bin/env node
// Denies writing what looks like an access key.
let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => (text += part));
process.stdin.on("end", () => {
  const { tool_input: input = {} } = JSON.parse(text);
  const written = `${input.content ?? ""}${input.new_string ?? ""}`;
  if (!/AKIA[0-9A-Z]{16}/.test(written)) return;
  const reason = `An access key does not belong into ${input.file_path}; read it from the environment`;
  console.log(
    JSON.stringify({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: reason,
      },
    }),
  );
});
