#!/usr/bin/env python3
# Rewrites npm commands to pnpm and keeps everything else of the input.
import json
import sys

tool_input = json.load(sys.stdin)["tool_input"]
command = tool_input["command"]
if command.startswith("npm "):
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "permissionDecisionReason": "this project uses pnpm",
        "updatedInput": {**tool_input, "command": "p" + command},
    }
    json.dump({"hookSpecificOutput": answer}, sys.stdout)
