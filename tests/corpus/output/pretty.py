#!/usr/bin/env python3
# Denies in JSON of many lines.
import json
import sys

sys.stdin.read()
answer = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "over many lines"}
print("\n" + json.dumps({"hookSpecificOutput": answer}, indent=4) + "\n")
