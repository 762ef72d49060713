#!/usr/bin/env python3
"""PreToolUse, Write and Edit: keeps the agent out of .env files, and says so in JSON."""

import json
import sys
from pathlib import Path

name = Path(json.load(sys.stdin)["tool_input"]["file_path"]).name
if name == ".env" or name.startswith(".env."):
    answer = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": f"{name} holds keys; ask for a variable by its name instead",
    }
    print(json.dumps({"hookSpecificOutput": answer}))
