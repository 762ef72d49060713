#!/usr/bin/env python3
# Changes one field of the input; Factory keeps the others.
import json
import sys

json.load(sys.stdin)
answer = {
    "hookEventName": "PreToolUse",
    "permissionDecision": "allow",
    "updatedInput": {"command": "git status --short"},
}
print(json.dumps({"hookSpecificOutput": answer}))
