#!/usr/bin/env python3
"""PreToolUse, Bash: gives every command a timeout by rewriting the tool's input."""

import json
import sys

LONGEST_MS = 120_000

args = json.load(sys.stdin)["tool_input"]
if not 0 < args.get("timeout", 0) <= LONGEST_MS:
    answer = {"hookEventName": "PreToolUse", "updatedInput": {**args, "timeout": LONGEST_MS}}
    print(json.dumps({"hookSpecificOutput": answer}))
