#!/usr/bin/env python3
# Rewrites a command, which Codex takes only together with an allow.
import json
import sys

command = json.load(sys.stdin)["tool_input"]["command"]
answer = {
    "hookEventName": "PreToolUse",
    "permissionDecision": "allow",
    "updatedInput": {"command": f"timeout 60 {command}"},
}
print(json.dumps({"hookSpecificOutput": answer}))
